// The tool's main; everything is in lib/Driver/Tools/ImportTool.cpp.
#include "tigris/Driver/Tools/ImportTool.h"

int main(int argc, char** argv) { return tigris::importMain(argc, argv); }
