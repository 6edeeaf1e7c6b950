// Post-training static quantization as a filter between tigris-import and tigris-norm.
#include "tigris/Driver/Tools/QuantizeTool.h"

int main(int argc, char** argv) { return tigris::quantizeMain(argc, argv); }
