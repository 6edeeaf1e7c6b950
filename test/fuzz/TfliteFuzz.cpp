// Fuzzes the importer of TensorFlow Lite: any bytes must be rejected with a diagnostic or imported.

#include "tigris/Import/Tflite/TfliteImporter.h"

#include <cstddef>
#include <cstdint>

using namespace tigris;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DiagnosticEngine diagnostics;
  (void)importTflite({reinterpret_cast<const char*>(data), size}, {}, diagnostics);
  return 0;
}
