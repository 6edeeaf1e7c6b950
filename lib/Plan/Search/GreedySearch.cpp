// Greedy search: every stage is the best one that begins where the previous one ended.
#include "tigris/Plan/Search/GreedySearch.h"

#include "tigris/Plan/Search/StrategyTable.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

namespace {

/// Number of attempts to improve a tiled stage with more ops. A longer stage may be worse before it
/// is better, because layers that expand precede the ones that shrink.
constexpr size_t Patience = 4;
/// Maximum number of ops of a stage for which every end is tried.
constexpr size_t OneByOne = 1024;

class Greedy {
public:
  Greedy(const StageDrafter& drafter, uint64_t budget)
      : drafter_(drafter), budget_(budget), alone_(drafter.order().size()) {}

  std::vector<StageDraft> run() {
    std::vector<StageDraft> stages;
    Progress progress("stage");
    for (size_t begin = 0; begin < drafter_.order().size();) {
      progress.step();
      stages.push_back(next(begin));
      begin += stages.back().ops.size();
    }
    return stages;
  }

private:
  size_t count() const { return drafter_.order().size(); }

  StageDraft next(size_t begin) {
    std::optional<StageDraft> whole = longestWhole(begin);
    if (whole && begin + whole->ops.size() == count())
      return std::move(*whole);
    std::optional<StageDraft> tiled = bestTiled(begin);
    const int64_t wholeSaving = whole ? saving(begin, *whole) : 0;
    if (tiled && (!whole || saving(begin, *tiled) > wholeSaving))
      return std::move(*tiled);
    if (whole)
      return std::move(*whole);
    std::optional<StageDraft> direct = drafter_.direct(begin);
    return direct ? std::move(*direct) : *drafter_.overflow(begin, begin + 1, budget_);
  }

  std::optional<StageDraft> fittingWhole(size_t begin, size_t end) const {
    StageDraft stage = draftWhole(drafter_.view(), begin, end, {});
    if (wholeBound(drafter_.view(), stage) > budget_)
      return std::nullopt;
    layOutWhole(drafter_.view(), stage);
    return stage.height <= budget_ ? std::optional(std::move(stage)) : std::nullopt;
  }

  std::optional<StageDraft> longestWhole(size_t begin) const {
    size_t end = endOfLiveBytes(begin);
    // Gaps between buffers can push a layout above a budget that the live bytes alone would fit.
    for (; end > begin; --end)
      if (std::optional<StageDraft> stage = fittingWhole(begin, end))
        return stage;
    return std::nullopt;
  }

  bool liveBytesFit(size_t begin, size_t end) const {
    const OrderView& view = drafter_.view();
    return wholeBound(view, draftWhole(view, begin, end, {})) <= budget_;
  }

  /// The end of the longest stage from `begin` whose live bytes fit. A draft takes time in
  /// proportion to its ops, so the end of a long stage is found by doubling and bisection.
  size_t endOfLiveBytes(size_t begin) const {
    size_t end = begin;
    while (end < count() && end - begin < OneByOne && liveBytesFit(begin, end + 1))
      ++end;
    if (end - begin < OneByOne)
      return end;
    size_t beyond = end + 1;
    for (size_t step = 1; beyond <= count() && liveBytesFit(begin, beyond); step *= 2) {
      end = beyond;
      beyond = end + step;
    }
    beyond = std::min(beyond, count() + 1);
    while (beyond - end > 1) {
      const size_t middle = end + (beyond - end) / 2;
      (liveBytesFit(begin, middle) ? end : beyond) = middle;
    }
    return end;
  }

  /// Cost of one op in a stage of its own.
  uint64_t costAlone(size_t step) {
    std::optional<uint64_t>& cost = alone_[step];
    if (cost)
      return *cost;
    if (const auto whole = fittingWhole(step, step + 1))
      cost = drafter_.cost(*whole);
    else if (const auto direct = drafter_.direct(step))
      cost = drafter_.cost(*direct);
    else if (const auto tiled = drafter_.tiled(step, step + 1, budget_))
      cost = drafter_.cost(*tiled);
    else
      cost = drafter_.cost(*drafter_.overflow(step, step + 1, budget_));
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

std::vector<StageDraft> searchGreedily(const StageDrafter& drafter, uint64_t budget) {
  return Greedy(drafter, budget).run();
}

std::optional<Cuts> cutGreedily(const Graph& /*graph*/, const StageDrafter& drafter,
                                const SegmentOptions& rules) {
  Cuts cuts;
  cuts.drafts = searchGreedily(drafter, rules.budget);
  cuts.residents.bases.resize(cuts.drafts.size());
  return cuts;
}

} // namespace tigris
