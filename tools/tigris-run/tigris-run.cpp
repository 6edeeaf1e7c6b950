// The tool's main; everything is in lib/Driver/Tools/RunTool.cpp.
#include "tigris/Driver/Tools/RunTool.h"

int main(int argc, char** argv) { return tigris::runMain(argc, argv); }
