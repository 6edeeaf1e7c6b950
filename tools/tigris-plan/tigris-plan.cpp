// The tool's main; everything is in lib/Driver/Tools/PlanTool.cpp.
#include "tigris/Driver/Tools/PlanTool.h"

int main(int argc, char** argv) { return tigris::planMain(argc, argv); }
