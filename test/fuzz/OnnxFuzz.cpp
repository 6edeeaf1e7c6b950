// Fuzzes the importer: any bytes must be rejected with a diagnostic or imported.

#include "tigris/Import/Onnx/OnnxImporter.h"

#include <cstddef>
#include <cstdint>

using namespace tigris;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DiagnosticEngine diagnostics;
  (void)importOnnx({reinterpret_cast<const char*>(data), size}, {}, diagnostics);
  return 0;
}
