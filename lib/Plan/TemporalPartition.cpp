// A stage's lifetimes follow from where each tensor is produced and last read, so a draft is rebuilt from scratch
// after every op it takes: orders are short, and nothing can go stale.
#include "tigris/Plan/TemporalPartition.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

constexpr size_t Never = SIZE_MAX;

class Partition {
public:
  Partition(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
            uint64_t align)
      : graph_(graph), order_(order), aliases_(aliases), io_(io), align_(align) {
    for (size_t step = 0; step < order.size(); ++step) {
      for (const TensorId input : graph.op(order[step]).inputs)
        if (input)
          lastRead_[input] = step;
      for (const TensorId output : graph.op(order[step]).outputs)
        if (output)
          produced_[output] = step;
    }
    for (const Port& port : graph.outputs())
      lastRead_[port.tensor] = Never; // the caller, after the last step
  }

  /// The stage of ops [begin, end), without its layout.
  StageDraft draft(size_t begin, size_t end) const {
    StageDraft stage;
    stage.ops.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                     order_.begin() + static_cast<std::ptrdiff_t>(end));
    std::map<TensorId, size_t> bufferOf;
    for (size_t step = begin; step < end; ++step) {
      const Op& op = graph_.op(order_[step]);
      for (const TensorId input : op.inputs)
        if (livesInArena(input)) {
          const bool comesFromOutside = producedAt(input) == Never || producedAt(input) < begin;
          if (comesFromOutside && !contains(stage.loads, input))
            stage.loads.push_back(input);
          touch(stage, bufferOf, input, comesFromOutside ? 0 : step - begin, step - begin);
        }
      for (const TensorId output : op.outputs)
        if (livesInArena(output)) {
          const bool leaves = lastReadAt(output) >= end && lastReadAt(output) != step;
          if (leaves)
            stage.spills.push_back(output);
          touch(stage, bufferOf, output, step - begin, leaves ? end - 1 - begin : step - begin);
        }
    }
    return stage;
  }

  uint64_t bound(const StageDraft& stage) const {
    return computeTimeline(stage.buffers, stage.ops.size(), align_).bound;
  }

  void layOut(StageDraft& stage) const {
    stage.layout = layoutArena(stage.buffers, align_, bound(stage));
  }

private:
  static bool contains(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  bool livesInArena(TensorId id) const {
    return id && !graph_.tensor(id).isConstant() &&
           !(io_ == IoMode::Caller && aliases_.interfaceTensor(id));
  }
  size_t producedAt(TensorId id) const {
    const auto found = produced_.find(id);
    return found == produced_.end() ? Never : found->second;
  }
  size_t lastReadAt(TensorId id) const {
    const auto found = lastRead_.find(id);
    return found == lastRead_.end() ? 0 : found->second;
  }

  /// Views share the buffer of their source where both are in the stage.
  void touch(StageDraft& stage, std::map<TensorId, size_t>& bufferOf, TensorId id, size_t birth,
             size_t death) const {
    const auto [entry, isNew] = bufferOf.emplace(aliases_.root(id), stage.buffers.size());
    if (isNew)
      stage.buffers.push_back({{},
                               graph_.tensor(id).bytes(),
                               static_cast<uint32_t>(birth),
                               static_cast<uint32_t>(death)});
    LiveBuffer& buffer = stage.buffers[entry->second];
    buffer.birth = std::min(buffer.birth, static_cast<uint32_t>(birth));
    buffer.death = std::max(buffer.death, static_cast<uint32_t>(death));
    if (!contains(buffer.tensors, id))
      buffer.tensors.push_back(id);
  }

  const Graph& graph_;
  std::span<const OpId> order_;
  const AliasSets& aliases_;
  IoMode io_;
  uint64_t align_;
  std::map<TensorId, size_t> produced_;
  std::map<TensorId, size_t> lastRead_;
};

} // namespace

StageNeed largestStageNeed(const Graph& graph, std::span<const OpId> order,
                           const AliasSets& aliases, IoMode io, uint64_t align) {
  const Partition partition(graph, order, aliases, io, align);
  StageNeed need;
  for (size_t step = 0; step < order.size(); ++step) {
    StageDraft alone = partition.draft(step, step + 1);
    partition.layOut(alone);
    if (!need.op || alone.layout.height > need.bytes)
      need = {order[step], alone.layout.height};
  }
  return need;
}

std::vector<StageDraft> partitionOrder(const Graph& graph, std::span<const OpId> order,
                                       const AliasSets& aliases, IoMode io, uint64_t align,
                                       uint64_t budget) {
  const Partition partition(graph, order, aliases, io, align);
  std::vector<StageDraft> stages;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && partition.bound(partition.draft(begin, end + 1)) <= budget)
      ++end;
    StageDraft stage = partition.draft(begin, end);
    partition.layOut(stage);
    // Gaps between buffers can push a layout over a budget that the live bytes alone would meet.
    while (stage.layout.height > budget && end > begin + 1) {
      stage = partition.draft(begin, --end);
      partition.layOut(stage);
    }
    TIGRIS_CHECK(stage.layout.height <= budget);
    stages.push_back(std::move(stage));
    begin = end;
  }
  return stages;
}

uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages, uint64_t align,
                     uint64_t base, std::vector<Placement>& slow) {
  std::vector<LiveBuffer> crossing;
  for (uint32_t stage = 0; stage < stages.size(); ++stage) {
    for (const TensorId tensor : stages[stage].loads)
      for (LiveBuffer& buffer : crossing)
        if (buffer.tensors.front() == tensor)
          buffer.death = stage;
    for (const TensorId tensor : stages[stage].spills)
      if (!graph.isGraphOutput(tensor))
        crossing.push_back({{tensor}, graph.tensor(tensor).bytes(), stage, stage});
  }
  if (crossing.empty())
    return base;
  const uint64_t start = alignUp(base, align);
  const uint64_t bound = computeTimeline(crossing, stages.size(), align).bound;
  const ArenaLayout layout = layoutArena(crossing, align, bound);
  for (size_t i = 0; i < crossing.size(); ++i)
    slow.push_back({crossing[i].tensors.front(), start + layout.offsets[i]});
  return start + layout.height;
}

} // namespace tigris
