// The tool's main; everything is in lib/Driver/DumpTool.cpp.
#include "tigris/Driver/DumpTool.h"

int main(int argc, char** argv) { return tigris::dumpMain(argc, argv); }
