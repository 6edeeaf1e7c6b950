// Fuzzes the runtime without the checksum: any bytes must be rejected, or run within the given
// memory on every backend.

#include "tigris/Driver/Host/RuntimeBackends.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

// Bounds the time of one run: a mutated plan may request much work on much memory.
constexpr uint32_t MaxBytes = 256 * 1024;
constexpr size_t Align = 32;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<uint8_t, Free>;

// Exactly `bytes` long, so that the address sanitizer detects the first byte out of bounds.
Memory allocate(size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, Align, bytes == 0 ? 1 : bytes) != 0)
    std::abort();
  std::memset(memory, 0x55, bytes);
  return Memory(static_cast<uint8_t*>(memory));
}

void runIn(const tigris_plan& plan, const tigris_backend& backend, size_t fastBytes,
           size_t slowBytes) {
  Memory fast = allocate(fastBytes);
  Memory slow = allocate(slowBytes);
  tigris_memory memory = {fast.get(), fastBytes, slow.get(), slowBytes};
  tigris_context context;
  if (tigris_init(&context, &plan, &backend, &memory) != TIGRIS_OK)
    return;

  std::vector<Memory> buffers;
  if (plan.summary->io_mode == TIGRIS_IO_CALLER) {
    for (unsigned i = 0; i < tigris_input_count(&plan); ++i) {
      if (tigris_input_bytes(&plan, i) > MaxBytes)
        return;
      buffers.push_back(allocate(tigris_input_bytes(&plan, i)));
      tigris_set_input(&context, i, buffers.back().get());
    }
    for (unsigned i = 0; i < tigris_output_count(&plan); ++i) {
      if (tigris_output_bytes(&plan, i) > MaxBytes)
        return;
      buffers.push_back(allocate(tigris_output_bytes(&plan, i)));
      tigris_set_output(&context, i, buffers.back().get());
    }
  }
  tigris_run(&context);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Memory bytes = allocate(size);
  std::memcpy(bytes.get(), data, size);
  tigris_plan plan;
  if (tigris_plan_open_flags(&plan, bytes.get(), size, TIGRIS_OPEN_IGNORE_CRC) != TIGRIS_OK)
    return 0;

  for (const std::string& name : tigris::runtimeBackendNames()) {
    const tigris_backend& backend = *tigris::runtimeBackend(name);
    tigris_requirements need;
    tigris_plan_requirements(&plan, &backend, &need);
    if (need.fast_bytes > MaxBytes || need.slow_bytes > MaxBytes || need.align > Align)
      return 0;
    runIn(plan, backend, need.fast_bytes, need.slow_bytes);
    runIn(plan, backend, need.fast_bytes / 4 * 3, need.slow_bytes + need.fast_bytes);
  }
  return 0;
}
