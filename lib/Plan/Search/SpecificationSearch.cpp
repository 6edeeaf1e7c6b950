// The specified strategy: temporal partitioning, then strips for what exceeds the budget. It is the
// baseline that other strategies are compared with.
#include "tigris/Plan/Search/StrategyTable.h"

#include "tigris/Analysis/OperandReads.h"
#include "tigris/Plan/Specification/SpatialPartition.h"
#include "tigris/Plan/Specification/TemporalPartition.h"
#include "tigris/Plan/Specification/Tileability.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

namespace {

/// Gives each temporal stage the first of the specification's execution strategies that fits.
class ExecutionStrategies {
public:
  ExecutionStrategies(const StageDrafter& drafter, uint64_t budget)
      : drafter_(drafter), budget_(budget), stages_(partitionInTime(drafter, budget)) {
    for (const TemporalStage& stage : stages_)
      tileable_.push_back(isTileable(drafter.view(), stage.begin, stage.end));
  }

  std::vector<StageDraft> run() {
    std::vector<StageDraft> drafts;
    Progress progress("stage");
    for (size_t i = 0; i < stages_.size();) {
      progress.step();
      auto [draft, end] = next(i);
      drafts.push_back(std::move(draft));
      i = end;
    }
    return drafts;
  }

private:
  /// A stage from temporal stage `first` on, and the temporal stage after it.
  std::pair<StageDraft, size_t> next(size_t first) {
    if (std::optional<std::pair<StageDraft, size_t>> chain = chainFrom(first))
      return std::move(*chain);
    if (stages_[first].whole)
      return {std::move(*stages_[first].whole), first + 1};
    return {withoutChain(stages_[first].begin), first + 1};
  }

  bool exceeds(size_t stage) const { return !stages_[stage].whole; }

  /// The end of the temporal stages from `first` on that meet the conditions of a chain.
  size_t endOfLinks(size_t first) const {
    size_t end = first + 1;
    while (
        end < stages_.size() && tileable_[end] &&
        isChainLink(drafter_.view(), stages_[end - 1].begin, stages_[end].begin, stages_[end].end))
      ++end;
    return end;
  }

  /// A chain of two or more tileable stages, extended as long as tiles of one row fit. Stages that
  /// all fit on whole tensors are not tiled.
  std::optional<std::pair<StageDraft, size_t>> chainFrom(size_t first) const {
    if (!tileable_[first])
      return std::nullopt;
    const size_t last = endOfLinks(first);
    size_t excess = first;
    while (excess < last && !exceeds(excess))
      ++excess;
    if (excess == last)
      return std::nullopt;
    size_t end = first + 1;
    while (end < last && rowFits(first, end + 1))
      ++end;
    if (end - first < 2 || end <= excess)
      return std::nullopt;
    std::optional<StageDraft> chain =
        chainInStrips(drafter_, stages_[first].begin, stages_[end - 1].end, budget_);
    return std::pair(std::move(*chain), end);
  }

  bool rowFits(size_t first, size_t end) const {
    return chainOfHeight(drafter_, stages_[first].begin, stages_[end - 1].end, 1, budget_)
        .has_value();
  }

  /// An op that does not fit, alone: in strips or, as the last resort, on tensors in slow memory.
  StageDraft withoutChain(size_t step) const {
    std::optional<StageDraft> stage;
    if (isTileable(drafter_.view(), step, step + 1))
      stage = tileInStrips(drafter_, step, budget_);
    if (!stage)
      stage = drafter_.direct(step);
    return stage ? std::move(*stage) : drafter_.overflow(step, step + 1, budget_);
  }

  const StageDrafter& drafter_;
  uint64_t budget_;
  std::vector<TemporalStage> stages_;
  std::vector<bool> tileable_;
};

} // namespace

std::optional<Cuts> cutAsSpecified(const Graph& /*graph*/, const StageDrafter& drafter,
                                   const SegmentOptions& rules) {
  Cuts cuts;
  cuts.drafts = ExecutionStrategies(drafter, rules.budget).run();
  cuts.residents.bases.resize(cuts.drafts.size());
  return cuts;
}

uint64_t specifiedNeed(const StageDrafter& drafter, size_t step) {
  if (worksInOnePass(drafter.op(step).kind))
    return 0;
  const uint64_t whole = drafter.whole(step, step + 1).height;
  if (!isTileable(drafter.view(), step, step + 1))
    return whole;
  const int64_t rows = tensorHeight(drafter.view().graph().tensor(drafter.op(step).output()));
  const std::optional<StageDraft> finest = drafter.cut(step, step + 1, {1, rows, 1, 1});
  return finest ? std::min(whole, finest->height) : whole;
}

} // namespace tigris
