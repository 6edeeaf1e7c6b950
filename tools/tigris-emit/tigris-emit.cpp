// The tool's main; everything is in lib/Driver/Tools/EmitTool.cpp.
#include "tigris/Driver/Tools/EmitTool.h"

int main(int argc, char** argv) { return tigris::emitMain(argc, argv); }
