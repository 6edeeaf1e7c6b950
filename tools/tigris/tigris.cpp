// The program's main; everything is in lib/Driver/Tools/TigrisTool.cpp.
#include "tigris/Driver/Tools/TigrisTool.h"

int main(int argc, char** argv) { return tigris::tigrisMain(argc, argv); }
