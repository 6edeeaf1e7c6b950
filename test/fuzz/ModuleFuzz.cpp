// Fuzzes the reader: any bytes must be rejected, or read and written back to a text that is stable.

#include "tigris/Serialize/Module.h"
#include "tigris/Support/Check.h"

#include <cstddef>
#include <cstdint>

using namespace tigris;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  Expected<Graph> graph = readModule(text, "-");
  if (!graph)
    return 0;
  Expected<std::string> once = writeModule(*graph);
  if (!once) // damaged weights are detected when they are decoded
    return 0;
  Expected<Graph> again = readModule(std::make_shared<const std::string>(*once), "-");
  TIGRIS_CHECK_MSG(static_cast<bool>(again), "what was written is refused");
  Expected<std::string> twice = writeModule(*again);
  TIGRIS_CHECK_MSG(static_cast<bool>(twice) && *twice == *once, "printing is not stable");
  return 0;
}
