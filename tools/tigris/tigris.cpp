// The program's main; everything is in lib/Driver/TigrisTool.cpp.
#include "tigris/Driver/TigrisTool.h"

int main(int argc, char** argv) { return tigris::tigrisMain(argc, argv); }
