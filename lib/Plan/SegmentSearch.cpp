// Dynamic programming from the end of the order: the best way to run what is left from each op on.
#include "tigris/Plan/SegmentSearch.h"

#include "tigris/Support/Check.h"

#include <limits>
#include <tuple>

namespace tigris {

namespace {

/// A longer run of ops may fit where a shorter one does not: its wide middle has been left behind.
constexpr size_t Patience = 6;

class SegmentSearch {
public:
  SegmentSearch(StageDrafter& drafter, uint64_t budget)
      : drafter_(drafter), budget_(budget), best_(drafter.order().size() + 1) {}

  std::vector<StageDraft> run() {
    const size_t count = drafter_.order().size();
    best_[count] = {0, 0, count, {}};
    for (size_t begin = count; begin-- > 0;)
      searchFrom(begin);
    std::vector<StageDraft> stages;
    for (size_t at = 0; at < count; at = best_[at].end)
      stages.push_back(std::move(best_[at].stage));
    return stages;
  }

private:
  struct Entry {
    uint64_t cost = std::numeric_limits<uint64_t>::max();
    uint64_t calls = 0;
    size_t end = 0;
    StageDraft stage;
  };

  /// Keeps the stage when it and the best continuation cost less than what is known.
  void offer(size_t begin, size_t end, StageDraft stage) {
    const Entry& rest = best_[end];
    Entry& entry = best_[begin];
    const uint64_t cost = draftCost(stage) + rest.cost;
    const uint64_t calls = stage.stats.kernelCalls + rest.calls;
    if (std::tie(cost, calls) < std::tie(entry.cost, entry.calls))
      entry = {cost, calls, end, std::move(stage)};
  }

  void searchFrom(size_t begin) {
    const size_t count = drafter_.order().size();
    for (size_t end = begin + 1; end <= count; ++end) {
      StageDraft stage = drafter_.whole(begin, end);
      if (drafter_.bound(stage) > budget_)
        break;
      drafter_.layOut(stage);
      if (stage.height <= budget_)
        offer(begin, end, std::move(stage));
    }
    if (auto stage = drafter_.direct(begin))
      offer(begin, begin + 1, std::move(*stage));
    if (auto stage = drafter_.tiled(begin, begin + 1, budget_))
      offer(begin, begin + 1, std::move(*stage));
    size_t failures = 0;
    for (size_t end = begin + 1;
         end <= count && end - begin <= MaxStreamedOps && failures < Patience; ++end) {
      if (auto stage = drafter_.streamed(begin, end, budget_)) {
        offer(begin, end, std::move(*stage));
        failures = 0;
      } else {
        ++failures;
      }
    }
    TIGRIS_CHECK_MSG(best_[begin].end != 0, "an op fits in no way, although the budget allows all");
  }

  StageDrafter& drafter_;
  uint64_t budget_;
  std::vector<Entry> best_;
};

} // namespace

std::vector<StageDraft> searchSegments(StageDrafter& drafter, uint64_t budget) {
  return SegmentSearch(drafter, budget).run();
}

} // namespace tigris
