// Repeats the search with more and more memory left unused, until addresses are found.
#include "tigris/Plan/Search/CutSearch.h"

#include "tigris/Plan/Search/StageFitting.h"

#include <algorithm>

namespace tigris {

namespace {

class CutSearch {
public:
  CutSearch(const Graph& graph, const StageDrafter& drafter, const SegmentOptions& options,
            bool any)
      : graph_(graph), drafter_(options.stay ? drafter.atLowest() : drafter), options_(options),
        any_(any) {}

  std::optional<Cuts> run() {
    std::vector<StageDraft> stages;
    std::optional<Cuts> inPlace = withSlack(drafter_, options_, stages);
    if (inPlace && (any_ || isLeast(*inPlace)))
      return inPlace;
    if (inPlace)
      options_.limit = limitOf(drafter_, inPlace->drafts);
    std::optional<Cuts> copied = onCopies();
    if (inPlace && copied)
      return totalCost(drafter_, copied->drafts) < totalCost(drafter_, inPlace->drafts) ? copied
                                                                                        : inPlace;
    if (inPlace || copied)
      return inPlace ? std::move(inPlace) : std::move(copied);
    if (stages.empty())
      return std::nullopt;
    return options_.stay ? inLess(std::move(stages)) : keepingNothing();
  }

private:
  /// Searches for cuts that have addresses. Leaves more and more of the budget unused, as long as
  /// the cuts of the search cost less than the cheapest ones with addresses. Smaller steps, which
  /// addresses can require, cost more. Sets `stages` to the stages for the whole budget; leaves it
  /// empty if nothing fits.
  std::optional<Cuts> withSlack(const StageDrafter& drafter, SegmentOptions options,
                                std::vector<StageDraft>& stages) {
    constexpr uint64_t Slacks[] = {0, 1, 2, 4, 8};
    const auto cost = [&](const std::vector<StageDraft>& drafts) {
      return totalCost(drafter, drafts);
    };
    std::optional<Cuts> best;
    for (const uint64_t slack : Slacks) {
      options.slack = options.budget / 32 * slack;
      std::optional<std::vector<StageDraft>> drafts = searchSegments(drafter, options);
      if (!drafts)
        break;
      if (slack == 0)
        stages = *drafts;
      const auto least = cost(*drafts);
      if (best && cost(best->drafts) <= least)
        break;
      std::optional<Cuts> cuts = placed(drafter, std::move(*drafts));
      if (cuts && (!best || cost(cuts->drafts) < cost(best->drafts))) {
        options.limit = limitOf(drafter, cuts->drafts);
        best = std::move(cuts);
      }
      if (best && (any_ || cost(best->drafts) <= least))
        break;
    }
    return best;
  }

  std::optional<Cuts> placed(const StageDrafter& drafter, std::vector<StageDraft> drafts) {
    std::optional<ResidentLayout> layout = fitStages(drafter, options_.budget, drafts);
    return layout ? std::optional(Cuts{std::move(drafts), std::move(*layout)}) : std::nullopt;
  }

  /// A result that overwrites the copied rows of a resident need not be at a lower address.
  std::optional<Cuts> onCopies() {
    SegmentOptions options = options_;
    options.follow = false;
    std::vector<StageDraft> stages;
    return withSlack(drafter_.onCopies(), options, stages);
  }

  /// Whether no cuts can cost less: all ops run on whole tensors, and nothing is spilled.
  bool isLeast(const Cuts& cuts) const {
    uint64_t moved = 0;
    uint64_t needed = 0;
    for (const StageDraft& stage : cuts.drafts) {
      if (stage.mode() != StageMode::Whole || drafter_.lackingCost(stage) != 0)
        return false;
      moved += stage.stats.trafficBytes();
    }
    for (const auto* ports : {&graph_.inputs(), &graph_.outputs()})
      for (const Port& port : *ports)
        if (!graph_.tensor(port.tensor).isConstant())
          needed += graph_.tensor(port.tensor).bytes();
    return moved <= needed;
  }

  /// Finds the stages for the smallest budget that fits, starting with those for the whole budget.
  /// If they have no addresses, searches for cuts in seven eighths of the budget.
  std::optional<Cuts> inLess(std::vector<StageDraft> stages) {
    SegmentOptions within = options_;
    for (uint64_t low = 0, high = options_.budget; high - low > drafter_.align();) {
      within.budget = low + (high - low) / 2;
      auto found = searchSegments(drafter_, within);
      (found ? high : low) = within.budget;
      if (found)
        stages = std::move(*found);
    }
    if (std::optional<Cuts> cuts = placed(drafter_, std::move(stages)))
      return cuts;
    SegmentOptions less = options_;
    less.budget = options_.budget / 8 * 7;
    return searchCuts(graph_, drafter_, less, any_);
  }

  std::optional<Cuts> keepingNothing() {
    SegmentOptions options = options_;
    options.keep = false;
    Cuts cuts;
    std::optional<std::vector<StageDraft>> drafts = searchSegments(drafter_, options);
    if (!drafts)
      return std::nullopt;
    cuts.drafts = std::move(*drafts);
    cuts.residents.bases.resize(cuts.drafts.size());
    return cuts;
  }

  const Graph& graph_;
  StageDrafter drafter_;
  SegmentOptions options_;
  bool any_;
};

} // namespace

CutCost totalCost(const StageDrafter& drafter, std::span<const StageDraft> drafts) {
  CutCost sum;
  for (const StageDraft& draft : drafts) {
    sum.first += drafter.cost(draft);
    sum.second += draft.stats.kernelCalls;
  }
  return sum;
}

std::optional<CutCost> limitOf(const StageDrafter& drafter, std::span<const StageDraft> drafts) {
  if (std::any_of(drafts.begin(), drafts.end(), [](const auto& stage) { return stage.overflows; }))
    return std::nullopt;
  return totalCost(drafter, drafts);
}

std::optional<Cuts> searchCuts(const Graph& graph, const StageDrafter& drafter,
                               const SegmentOptions& options, bool any) {
  return CutSearch(graph, drafter, options, any).run();
}

} // namespace tigris
