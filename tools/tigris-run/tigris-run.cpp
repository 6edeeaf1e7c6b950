// The tool's main; everything is in lib/Driver/RunTool.cpp.
#include "tigris/Driver/RunTool.h"

int main(int argc, char** argv) { return tigris::runMain(argc, argv); }
