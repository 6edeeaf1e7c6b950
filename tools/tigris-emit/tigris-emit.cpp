// The tool's main; everything is in lib/Driver/EmitTool.cpp.
#include "tigris/Driver/EmitTool.h"

int main(int argc, char** argv) { return tigris::emitMain(argc, argv); }
