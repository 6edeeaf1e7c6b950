// Greedy search: every stage is the best one that begins where the previous one ended.
#include "tigris/Plan/Search/GreedySearch.h"

#include "tigris/Plan/Search/LongestWhole.h"
#include "tigris/Plan/Search/StrategyTable.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

namespace {

/// Number of attempts to improve a tiled stage with more ops. A longer stage may be worse before it
/// is better, because layers that expand precede the ones that shrink.
constexpr size_t Patience = 4;

class Greedy {
public:
  Greedy(const StageDrafter& drafter, uint64_t budget)
      : drafter_(drafter), budget_(budget), alone_(drafter.order().size()) {}

  std::optional<std::vector<StageDraft>> run(const std::optional<CutCost>& limit) {
    std::vector<StageDraft> stages;
    CutCost sum;
    Progress progress("stage");
    for (size_t begin = 0; begin < drafter_.order().size();) {
      progress.step();
      stages.push_back(next(begin));
      begin += stages.back().ops.size();
      sum.first += drafter_.cost(stages.back());
      sum.second += stages.back().stats.kernelCalls;
      if (limit && sum >= *limit)
        return std::nullopt;
    }
    return stages;
  }

private:
  size_t count() const { return drafter_.order().size(); }

  StageDraft next(size_t begin) {
    std::optional<StageDraft> whole = longestWhole(drafter_, begin, count(), budget_);
    if (whole && begin + whole->ops.size() == count())
      return std::move(*whole);
    std::optional<StageDraft> tiled = bestTiled(begin);
    const int64_t wholeSaving = whole ? saving(begin, *whole) : 0;
    if (tiled && (!whole || saving(begin, *tiled) > wholeSaving))
      return std::move(*tiled);
    if (whole)
      return std::move(*whole);
    std::optional<StageDraft> direct = drafter_.direct(begin);
    return direct ? std::move(*direct) : drafter_.overflow(begin, begin + 1, budget_);
  }

  /// Cost of one op in a stage of its own.
  uint64_t costAlone(size_t step) {
    std::optional<uint64_t>& cost = alone_[step];
    if (cost)
      return *cost;
    if (const auto whole = fittingWhole(drafter_, step, step + 1, budget_))
      cost = drafter_.cost(*whole);
    else if (const auto direct = drafter_.direct(step))
      cost = drafter_.cost(*direct);
    else if (const auto tiled = drafter_.tiled(step, step + 1, budget_))
      cost = drafter_.cost(*tiled);
    else
      cost = drafter_.cost(drafter_.overflow(step, step + 1, budget_));
    return *cost;
  }

  int64_t saving(size_t begin, const StageDraft& stage) {
    int64_t sum = 0;
    for (size_t step = begin; step < begin + stage.ops.size(); ++step)
      sum += static_cast<int64_t>(costAlone(step));
    return sum - static_cast<int64_t>(drafter_.cost(stage));
  }

  std::optional<StageDraft> bestTiled(size_t begin) {
    std::optional<StageDraft> best;
    int64_t bestSaving = 0;
    size_t end = begin + 1;
    Progress progress("chain");
    for (size_t failures = 0; end <= count() && failures < Patience; ++end) {
      progress.step();
      std::optional<StageDraft> stage = drafter_.tiled(begin, end, budget_);
      if (!stage) {
        // A single op may require cuts of columns or channels, which a chain does not support. Then
        // no longer stage fits.
        ++failures;
        continue;
      }
      const int64_t saved = saving(begin, *stage);
      if (!best || saved > bestSaving) {
        best = std::move(stage);
        bestSaving = saved;
        failures = 0;
      } else {
        ++failures;
      }
    }
    return best;
  }

  const StageDrafter& drafter_;
  uint64_t budget_;
  std::vector<std::optional<uint64_t>> alone_;
};

} // namespace

std::optional<std::vector<StageDraft>> searchGreedily(const StageDrafter& drafter, uint64_t budget,
                                                      const std::optional<CutCost>& limit) {
  return Greedy(drafter, budget).run(limit);
}

std::optional<Cuts> cutGreedily(const Graph& /*graph*/, const StageDrafter& drafter,
                                const SegmentOptions& rules) {
  auto drafts = searchGreedily(drafter, rules.budget, rules.limit);
  if (!drafts)
    return std::nullopt;
  Cuts cuts;
  cuts.drafts = std::move(*drafts);
  cuts.residents.bases.resize(cuts.drafts.size());
  return cuts;
}

} // namespace tigris
