// A dry run on the C runtime, stage by stage.
#include "tigris/Inspect/StageCosts.h"

#include "tigris_backend.h"

#include <algorithm>
#include <new>

namespace tigris {

namespace {

constexpr uint64_t MaxMemory = uint64_t{1} << 30;
constexpr uint64_t MaxTileCalls = uint64_t{1} << 22;

/// Uninitialized memory: pages that are never touched take no memory of the host.
class Bytes {
public:
  explicit Bytes(size_t size) : size_(size) {
    if (size != 0)
      bytes_.reset(::operator new(size, Align));
  }
  void* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

private:
  // The largest alignment that a plan may require.
  static constexpr std::align_val_t Align{4096};
  struct Free {
    void operator()(void* bytes) const { ::operator delete(bytes, Align); }
  };
  size_t size_;
  std::unique_ptr<void, Free> bytes_;
};

tigris_status doNothing(const tigris_call* /*call*/) { return TIGRIS_OK; }
tigris_kernel findNothing(const tigris_plan* /*plan*/, const tigris_op* /*op*/) {
  return doNothing;
}
constexpr tigris_backend DryBackend = {"dry run", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN, findNothing,
                                       nullptr,   findNothing};

uint64_t tileCalls(const PlanFile& file) {
  uint64_t calls = 0;
  for (const tigris_stage& stage : file.stages()) {
    if (stage.mode == TIGRIS_STAGE_WHOLE)
      continue;
    uint64_t tiles = stage.op_count;
    for (const uint32_t parts : file.plan().tilings[stage.detail].tiles)
      tiles = std::min(tiles * parts, MaxTileCalls + 1);
    calls += tiles;
  }
  return calls;
}

bool setPorts(tigris_context& context, const PlanFile& file, std::vector<Bytes>& buffers) {
  const auto count = static_cast<unsigned>(file.inputs().size() + file.outputs().size());
  const auto inputs = static_cast<unsigned>(file.inputs().size());
  for (unsigned i = 0; i < count; ++i) {
    const Bytes& buffer = buffers.emplace_back(file.tensor(file.plan().ports[i].tensor).bytes);
    const tigris_status status = i < inputs
                                     ? tigris_set_input(&context, i, buffer.data())
                                     : tigris_set_output(&context, i - inputs, buffer.data());
    if (status != TIGRIS_OK)
      return false;
  }
  return true;
}

} // namespace

std::vector<StageCost> stageCosts(const PlanFile& file) {
  tigris_requirements needs{};
  tigris_plan_requirements(&file.plan(), &DryBackend, &needs);
  uint64_t total = uint64_t{needs.fast_bytes} + needs.slow_bytes;
  for (uint32_t i = 0; i < file.plan().port_count; ++i)
    total += file.tensor(file.plan().ports[i].tensor).bytes;
  if (total > MaxMemory || tileCalls(file) > MaxTileCalls)
    return {};
  const Bytes fast(needs.fast_bytes);
  const Bytes slow(needs.slow_bytes);
  const tigris_memory memory = {fast.data(), fast.size(), slow.data(), slow.size()};
  tigris_context context;
  std::vector<Bytes> buffers;
  if (tigris_init(&context, &file.plan(), &DryBackend, &memory) != TIGRIS_OK ||
      (file.summary().io_mode == TIGRIS_IO_CALLER && !setPorts(context, file, buffers)))
    return {};
  std::vector<StageCost> costs;
  StageCost before;
  for (size_t stage = 0; stage < file.stages().size(); ++stage) {
    if (tigris_step(&context) < TIGRIS_OK)
      return {};
    const tigris_statistics& now = context.statistics;
    costs.push_back({now.slow_read - before.readBytes, now.slow_write - before.writtenBytes,
                     now.kernel_calls - before.kernelCalls});
    before = {now.slow_read, now.slow_write, now.kernel_calls};
  }
  return costs;
}

} // namespace tigris
