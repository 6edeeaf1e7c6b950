// The tool's main; everything is in lib/Driver/ImportTool.cpp.
#include "tigris/Driver/ImportTool.h"

int main(int argc, char** argv) { return tigris::importMain(argc, argv); }
