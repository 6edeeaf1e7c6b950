// The tool's main; everything is in lib/Driver/PlanTool.cpp.
#include "tigris/Driver/PlanTool.h"

int main(int argc, char** argv) { return tigris::planMain(argc, argv); }
