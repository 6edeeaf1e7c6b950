// The cheapest stages from each cut of an order to its end, and what stages may use between cuts.
#pragma once

#include "tigris/Plan/Search/CutStates.h"
#include "tigris/Plan/Search/ResidentChain.h"
#include "tigris/Plan/Search/SegmentSearch.h"

#include <limits>
#include <span>

namespace tigris {

/// The table of the dynamic programming of searchSegments. Cut `i` is before op `i`; the states of
/// a cut are the sets of tensors that stay in fast memory there.
class SegmentTable {
public:
  /// The cheapest stages from a cut to the end.
  struct Entry {
    static constexpr uint64_t Unreached = std::numeric_limits<uint64_t>::max();

    uint64_t cost = Unreached;
    uint64_t calls = 0;
    size_t end = 0;
    size_t nextState = 0;
    StageMode mode = StageMode::Whole;
    int64_t stripes = 1;
    /// Whether the op alone uses tensors in slow memory.
    bool overflows = false;
    ResidentChain chain = {};

    bool isReached() const { return cost != Unreached; }
  };

  /// The cost of a stage itself, in any transition.
  struct Price {
    StageMode mode = StageMode::Whole;
    StageStats stats;
    CostWeights weights;
    uint64_t lacking = 0; // for lack of scratch
  };

  SegmentTable(const StageDrafter& drafter, const SegmentOptions& options)
      : drafter_(drafter), options_(options), cuts_(drafter.order().size() + 1) {}

  /// Finds the states of all cuts; only those of the last cut have an entry. False if no sequence
  /// of stages can reach the end.
  bool open();

  const StageDrafter& drafter() const { return drafter_; }
  const SegmentOptions& options() const { return options_; }
  size_t ops() const { return cuts_.size() - 1; }
  /// Whether stages from the first op on can end at the cut.
  bool isOpen(size_t at) const { return isOpen_[at]; }
  const Entry& best(size_t at, size_t state) const { return cuts_[at].best[state]; }

  // --- stages of the ops [begin, end)

  /// Whether they may be a stage; `byRows`: one that moves tensors by rows.
  bool mayRun(size_t begin, size_t end, bool byRows) const;
  std::vector<Transition> transitions(size_t begin, size_t end) const;
  bool holds(size_t begin, size_t end, const Transition& transition, TensorId id) const;
  Residents residents(size_t begin, size_t end, const Transition& transition) const;

  /// An upper bound for the fast bytes available to a stage. An overlap saves at most the bytes of
  /// the smaller of two residents.
  uint64_t mostAvailable(const Transition& transition, bool mayOverlap) const;
  /// The fast bytes that a streamed stage may use, with the best of its overlaps.
  StreamCapacity capacity(size_t begin, size_t end, const Transition& transition) const;
  /// The overlap that saves the most, between a tensor that dies and one that is born between two
  /// cuts.
  std::optional<Overlap> bestOverlap(const std::vector<Overlap>& overlaps, size_t begin, size_t end,
                                     const Transition& transition) const;

  /// The chain that crosses the cut `begin` if the stage after it has `height` bytes of its own and
  /// is followed by the cheapest stages. nullopt if the chain has no place.
  std::optional<ResidentChain> chain(size_t begin, size_t end, const Transition& transition,
                                     uint64_t height,
                                     const std::optional<Overlap>& overlap = {}) const;
  /// chain() for a streamed stage, in which residents overlap only if they must.
  std::optional<ResidentChain> streamChain(size_t begin, size_t end, const Transition& transition,
                                           uint64_t height,
                                           const std::vector<Overlap>& overlaps) const;

  /// No savings yet.
  Savings savings(size_t begin, size_t end) const { return {cuts_[begin], cuts_[end]}; }
  Price price(const StageDraft& stage) const {
    return {stage.mode(), stage.stats, drafter_.weights(stage), drafter_.lackingCost(stage)};
  }
  /// The entry for a stage of this price in this transition, followed by the cheapest stages.
  Entry entry(size_t end, const Transition& transition, const Price& price, uint64_t savedTraffic,
              int64_t stripes = 1) const;
  /// Whether the entry is better than the known one, and the limit.
  bool improves(size_t begin, const Transition& transition, const Entry& entry) const;
  /// Stores the entry, with its chain, if it is better than the known one.
  void offer(size_t begin, const Transition& transition, Entry entry,
             std::optional<ResidentChain> chain);

private:
  /// A cut, with the cheapest stages from each of its states to the end.
  struct Cut : CutStates {
    std::vector<Entry> best;
  };

  bool openCut(size_t at);
  void findOpenCuts();
  void findRowUsers();
  void countCalls();
  TensorId resident(TensorId id) const { return drafter_.view().resident(id); }
  std::optional<uint64_t> availableBeside(const Transition& transition, uint64_t saved = 0) const;

  const StageDrafter& drafter_;
  SegmentOptions options_;
  std::vector<Cut> cuts_;
  /// The first and the last op that use each tensor that is moved by rows.
  std::vector<std::pair<size_t, size_t>> rowUsers_;
  std::vector<bool> isOpen_;
  /// Of the ops before a cut: one of each that is not a view.
  std::vector<uint64_t> leastCalls_;
};

} // namespace tigris
