// The tool's main; everything is in lib/Driver/NormTool.cpp.
#include "tigris/Driver/NormTool.h"

int main(int argc, char** argv) { return tigris::normMain(argc, argv); }
