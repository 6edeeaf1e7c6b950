// The tool's main; everything is in lib/Driver/Tools/NormTool.cpp.
#include "tigris/Driver/Tools/NormTool.h"

int main(int argc, char** argv) { return tigris::normMain(argc, argv); }
