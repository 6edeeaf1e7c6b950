// The tool's main; everything is in lib/Driver/Tools/DumpTool.cpp.
#include "tigris/Driver/Tools/DumpTool.h"

int main(int argc, char** argv) { return tigris::dumpMain(argc, argv); }
