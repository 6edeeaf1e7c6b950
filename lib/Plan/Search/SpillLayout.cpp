// Computes lifetimes in units of stages, then lays out slow memory like the arena.
#include "tigris/Plan/Search/SpillLayout.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// Follows the stages and collects the tensors that wait in slow memory.
class SpillLifetimes {
public:
  SpillLifetimes(const Graph& graph, const AliasSets& aliases, IoMode io,
                 std::vector<Placement>& slow)
      : graph_(graph), aliases_(aliases), io_(io), slow_(slow) {
    for (const Placement& placement : slow)
      placed_.emplace(placement.tensor, placement.offset);
  }

  void add(const StageDraft& stage, uint32_t index) {
    for (const TensorId tensor : stage.loads)
      if (const auto found = bufferOf_.find(tensor); found != bufferOf_.end())
        buffers_[found->second].death = index;
    for (const TensorId tensor : stage.spills)
      if (needsPlace(stage, tensor) && !sharePlace(stage, tensor, index)) {
        bufferOf_.emplace(tensor, buffers_.size());
        buffers_.push_back({{tensor}, graph_.tensor(tensor).bytes(), index, index});
      }
  }

  const std::vector<LiveBuffer>& buffers() const { return buffers_; }

private:
  bool needsPlace(const StageDraft& stage, TensorId tensor) const {
    const bool isResident =
        std::find(stage.residents.begin(), stage.residents.end(), tensor) != stage.residents.end();
    const bool isCallers = io_ == IoMode::Caller && aliases_.interfaceTensor(tensor);
    return !isResident && !isCallers && placed_.count(tensor) == 0;
  }

  /// If the tensor is a view, gives it the place of its source and returns true.
  bool sharePlace(const StageDraft& stage, TensorId tensor, uint32_t index) {
    if (stage.mode() != StageMode::Direct || stage.stats.kernelCalls != 0)
      return false;
    const TensorId source = graph_.op(stage.ops[0]).input(0);
    if (const auto found = bufferOf_.find(source); found != bufferOf_.end()) {
      bufferOf_.emplace(tensor, found->second);
      buffers_[found->second].tensors.push_back(tensor);
      buffers_[found->second].death = index;
      return true;
    }
    const auto found = placed_.find(source);
    if (found == placed_.end())
      return false;
    placed_.emplace(tensor, found->second);
    slow_.push_back({tensor, found->second});
    return true;
  }

  const Graph& graph_;
  const AliasSets& aliases_;
  IoMode io_;
  std::vector<Placement>& slow_;
  std::map<TensorId, uint64_t> placed_;
  std::vector<LiveBuffer> buffers_;
  std::map<TensorId, size_t> bufferOf_;
};

} // namespace

uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages,
                     const AliasSets& aliases, IoMode io, uint64_t align, uint64_t base,
                     std::vector<Placement>& slow) {
  SpillLifetimes lifetimes(graph, aliases, io, slow);
  for (size_t stage = 0; stage < stages.size(); ++stage)
    lifetimes.add(stages[stage], static_cast<uint32_t>(stage));
  const std::vector<LiveBuffer>& buffers = lifetimes.buffers();
  if (buffers.empty())
    return base;
  const uint64_t start = alignUp(base, align);
  const uint64_t bound = computeTimeline(buffers, stages.size(), align).bound;
  const ArenaLayout layout = layoutArena(buffers, align, bound);
  for (size_t i = 0; i < buffers.size(); ++i)
    for (const TensorId tensor : buffers[i].tensors)
      slow.push_back({tensor, start + layout.offsets[i]});
  return start + layout.height;
}

} // namespace tigris
