// Fills the fast arena with the tensors that save the most slow traffic per byte.
#include "tigris/Plan/Stage/OverflowDraft.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Analysis/OperandReads.h"

#include <algorithm>

namespace tigris {

namespace {

class OverflowDrafting {
public:
  OverflowDrafting(const OrderView& view, size_t begin, size_t end, const Residents& residents)
      : view_(view), begin_(begin), end_(end), stage_(draftWhole(view, begin, end, residents)),
        whole_(std::get<WholeDraft>(stage_.execution)) {}

  StageDraft run(uint64_t budget) {
    fill(budget);
    if (whole_.buffers.empty() && stage_.residents.empty() && end_ - begin_ == 1)
      return direct();
    for (const TensorId id : overflow_)
      if (view_.producedAt(id) >= begin_ && view_.producedAt(id) < end_ &&
          !holds(stage_.spills, id))
        stage_.spills.push_back(id);
    count();
    stage_.height = whole_.layout.height;
    stage_.execution = std::move(whole_);
    return std::move(stage_);
  }

private:
  static bool holds(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  /// Calls `use(id, accesses, isResult)` for each operand and result of the ops in the arena.
  template <typename Use> void eachUse(Use use) const {
    for (size_t step = begin_; step < end_; ++step) {
      const Op& op = view_.op(step);
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (view_.livesInArena(op.inputs[i]))
          use(op.inputs[i], operandReads(view_.graph(), op, i), false);
      for (const TensorId output : op.outputs)
        if (view_.livesInArena(output))
          use(output, 1 + resultReads(view_.graph(), op), true);
    }
  }

  /// Slow bytes that the buffer saves in fast memory; negative if it costs more than it saves.
  int64_t savedBy(const LiveBuffer& buffer) const {
    int64_t accesses = 0;
    for (const auto* moved : {&stage_.loads, &stage_.spills})
      for (const TensorId id : *moved)
        accesses -= holds(buffer.tensors, id) ? 1 : 0;
    eachUse([&](TensorId id, uint64_t uses, bool /*isResult*/) {
      if (holds(buffer.tensors, id))
        accesses += static_cast<int64_t>(uses);
    });
    return accesses * static_cast<int64_t>(buffer.bytes);
  }

  bool layOut(const std::vector<LiveBuffer>& buffers, uint64_t budget) {
    const uint64_t bound = computeTimeline(buffers, end_ - begin_, view_.align()).bound;
    if (bound > budget)
      return false;
    ArenaLayout layout = layoutArena(buffers, view_.align(), bound);
    if (layout.height > budget)
      return false;
    whole_.layout = std::move(layout);
    return true;
  }

  /// Splits the buffers into those in fast memory, with their layout, and the rest.
  void fill(uint64_t budget) {
    std::vector<std::pair<int64_t, LiveBuffer>> all;
    for (LiveBuffer& buffer : whole_.buffers) {
      const int64_t saved = savedBy(buffer);
      all.emplace_back(saved, std::move(buffer));
    }
    // Every access saved is as many bytes as the buffer has, so bytes saved per byte are accesses.
    const auto perByte = [](const auto& entry) {
      return entry.first / static_cast<int64_t>(std::max<uint64_t>(1, entry.second.bytes));
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return perByte(a) > perByte(b); });
    std::vector<LiveBuffer> kept;
    for (auto& [saved, buffer] : all) {
      kept.push_back(buffer);
      if (saved > 0 && layOut(kept, budget))
        continue;
      kept.pop_back();
      overflow_.insert(overflow_.end(), buffer.tensors.begin(), buffer.tensors.end());
    }
    whole_.buffers = std::move(kept);
  }

  void count() {
    StageStats& stats = stage_.stats;
    stats = {};
    for (const TensorId id : stage_.loads)
      stats.slowReadBytes += holds(overflow_, id) ? 0 : view_.bytes(id);
    for (const TensorId id : stage_.spills)
      stats.slowWriteBytes += holds(overflow_, id) ? 0 : view_.bytes(id);
    eachUse([&](TensorId id, uint64_t /*accesses*/, bool isResult) {
      if (holds(overflow_, id))
        (isResult ? stats.slowWriteBytes : stats.slowReadBytes) += view_.bytes(id);
    });
    for (size_t step = begin_; step < end_; ++step) {
      const Op& op = view_.op(step);
      stats.kernelCalls += view_.aliases().isView(op) && !holds(overflow_, op.output()) ? 0 : 1;
    }
  }

  /// The only op on tensors outside the arena.
  StageDraft direct() {
    count();
    StageDraft stage = draftInterface(view_, begin_, end_);
    stage.execution = DirectDraft();
    stage.stats = stage_.stats;
    return stage;
  }

  const OrderView& view_;
  size_t begin_;
  size_t end_;
  StageDraft stage_;
  WholeDraft whole_;
  std::vector<TensorId> overflow_;
};

} // namespace

StageDraft draftOverflow(const OrderView& view, size_t begin, size_t end, uint64_t budget,
                         const Residents& residents) {
  StageDraft stage = OverflowDrafting(view, begin, end, residents).run(budget);
  stage.overflows = true;
  return stage;
}

} // namespace tigris
