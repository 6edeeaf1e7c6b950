// Streamed stages from one cut of an order.
#pragma once

#include "tigris/Plan/Search/SegmentTable.h"

#include <map>
#include <queue>
#include <tuple>

namespace tigris {

/// A longer run of ops may fit although shorter ones do not, if the wide tensors are inside it.
/// Layouts take the most time, so the stages with the lowest bounds are tried first.
class StreamTrials {
public:
  /// `transitions`: by the number of ops of the stage, from 1 on. Both must outlive the trials.
  StreamTrials(SegmentTable& table, size_t begin,
               std::span<const std::vector<Transition>> transitions)
      : table_(table), drafter_(table.drafter()), begin_(begin), transitions_(transitions) {}

  /// Offers the table the cheapest streamed stages from the cut `begin` on.
  void run();

private:
  using Entry = SegmentTable::Entry;
  using Price = SegmentTable::Price;

  /// A stage that is still to be tried, and a lower bound for its entry.
  struct Attempt {
    uint64_t cost = 0;
    uint64_t calls = 0;
    size_t end = 0;
    size_t transition = 0;
    /// The variant of the stage. The bound holds for later ones, too.
    size_t variant = 0;
    /// What the bound counts: any variant; this one, with one call per op and stripe; the calls of
    /// as few steps as may fit.
    enum class Level { Any, Cost, Calls } level = Level::Any;

    bool operator>(const Attempt& other) const {
      return std::tie(cost, calls, end, transition) >
             std::tie(other.cost, other.calls, other.end, other.transition);
    }
  };

  /// The price of a variant in its fewest calls, and what residents save.
  struct VariantPrice {
    Price price;
    Savings savings;
  };

  void addRuns(size_t end);
  const Transition& transition(const Attempt& attempt) const {
    return transitions_[attempt.end - begin_ - 1][attempt.transition];
  }
  bool improves(const Attempt& attempt) const {
    return table_.improves(begin_, transition(attempt), {attempt.cost, attempt.calls});
  }
  VariantPrice priceOf(size_t end, StreamCandidate& streams, size_t index) const;
  const VariantPrice& price(const Attempt& attempt, StreamCandidate& streams);
  std::optional<Entry> entry(const Attempt& attempt, StreamCandidate& streams,
                             std::optional<uint64_t> calls = {});
  bool refine(Attempt& attempt);
  bool findVariant(Attempt& attempt, StreamCandidate& streams) const;
  bool addCost(Attempt& attempt, StreamCandidate& streams);
  bool addCalls(Attempt& attempt, StreamCandidate& streams, const StreamResidents& residents);
  bool take(const Attempt& attempt, StreamCandidate& streams, const StreamResidents& residents);

  SegmentTable& table_;
  const StageDrafter& drafter_;
  size_t begin_;
  std::span<const std::vector<Transition>> transitions_;
  std::priority_queue<Attempt, std::vector<Attempt>, std::greater<>> attempts_;
  /// By the end of the stage and the variant.
  std::map<std::pair<size_t, size_t>, VariantPrice> prices_;
};

} // namespace tigris
