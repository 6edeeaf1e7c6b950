// Drafts stages for runs of ops of one order.
#pragma once

#include "tigris/Plan/Stage/OverflowDraft.h"
#include "tigris/Plan/Stage/RunTable.h"
#include "tigris/Plan/Stage/StreamTable.h"
#include "tigris/Plan/Stage/TiledCandidate.h"
#include "tigris/Plan/Stage/WholeCandidate.h"

#include <map>
#include <memory>

namespace tigris {

/// Drafts stages of an order: whole, direct, tiled and streamed. Residents need no memory of the
/// stage's own and cause no slow traffic.
///
/// A drafter consists of a cost model, a treatment of residents, and candidates that copies of the
/// drafter share. Earlier drafts make later ones faster, but do not change them. Refers to the
/// graph, the order and the aliases.
class StageDrafter {
public:
  /// Streamed stages work in place on tensors in the caller's buffers, except on `rows`, which are
  /// moved row by row.
  StageDrafter(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
               uint64_t align, CostModel costs = {}, const std::vector<TensorId>& rows = {});
  /// A drafter of another order of the same graph. It shares the candidates for streamed stages.
  StageDrafter(const StageDrafter& other, std::span<const OpId> order, const AliasSets& aliases,
               CostModel costs);

  /// The same drafter with other costs.
  StageDrafter withCosts(const CostModel& costs) const;
  /// The same drafter with streamed stages that work on copies of residents' rows. In place, a
  /// stage takes no more memory than on copies. But a result that overwrites copied rows need not
  /// be at a lower address, which it must be in place.
  StageDrafter onCopies() const;
  /// The same with streamed stages whose lowest layouts decide what fits, which takes longer: for
  /// plans without slow memory, where every byte counts.
  StageDrafter atLowest() const;

  /// The same without tiled and streamed stages whose ops have more than `most` bytes of weights
  /// together.
  StageDrafter withWeights(const std::map<OpId, uint64_t>& bytes, uint64_t most) const;

  const OrderView& view() const { return candidates_->view; }
  std::span<const OpId> order() const { return view().order(); }
  uint64_t align() const { return view().align(); }
  uint64_t bytes(TensorId id) const { return view().bytes(id); }
  const Op& op(size_t step) const { return view().op(step); }
  uint64_t saved(const Overlap& overlap) const { return overlap.saved(view().graph(), align()); }

  const CostModel& costs() const { return costs_; }
  /// The weights for the figures of the stage.
  CostWeights weights(const StageDraft& stage) const;
  /// What the stage costs more for lack of scratch.
  uint64_t lackingCost(const StageDraft& stage) const;
  /// The cost of the stage beyond the work of its ops on the target's kernels.
  uint64_t cost(const StageDraft& stage) const;

  /// Ops [begin, end) on whole tensors, with addresses.
  StageDraft whole(size_t begin, size_t end, const Residents& residents = {}) const;
  WholeCandidate& wholeCandidate(size_t begin, size_t end) const;
  /// See draftDirect.
  std::optional<StageDraft> direct(size_t step) const { return draftDirect(view(), step); }
  /// See draftOverflow.
  StageDraft overflow(size_t begin, size_t end, uint64_t budget,
                      const Residents& residents = {}) const {
    return draftOverflow(view(), begin, end, budget, residents);
  }
  /// See TiledCandidate.
  std::optional<StageDraft> tiled(size_t begin, size_t end, uint64_t budget,
                                  const Residents& residents = {}) const;
  /// See TiledCandidate.
  std::optional<StageDraft> cut(size_t begin, size_t end, const TileCounts& tiles) const;
  /// Fast memory of the finest cut of one op; nullopt if it cannot run in tiles.
  std::optional<uint64_t> finestNeed(size_t step) const;
  /// See draftInterface. The mode is Streamed.
  const StageDraft& interface(size_t begin, size_t end) const;
  /// Null if ops [begin, end) cannot run row by row, or have too many weights.
  StreamCandidate* streamCandidate(size_t begin, size_t end) const;
  StreamResidents streamResidents(const Residents& residents) const {
    return {residents, inPlace_, lowest_, &costs_};
  }
  /// Why the op cannot run row by row, as a clause about it; empty if it can.
  std::string streamRefusal(OpId op) const { return candidates_->streams->rows().refusal(op); }
  /// Whether the op can compute a part of its result from boxes of its operands.
  bool runsInBoxes(OpId op) const { return candidates_->streams->access().find(op) != nullptr; }
  /// A streamed stage with the same residents and overlap, in as few steps as fit the capacity;
  /// without a capacity, in as many steps as make anything smaller. The stage unchanged if it does
  /// not fit.
  StageDraft refit(const StageDraft& streamed, const StreamCapacity& capacity) const;

private:
  TiledCandidate& tiledCandidate(size_t begin, size_t end) const;

  /// Knowledge about runs of the order that does not depend on costs.
  struct Candidates {
    OrderView view;
    std::shared_ptr<StreamTable> streams;
    RunTable<WholeCandidate> whole;
    RunTable<TiledCandidate> tiled;
    RunTable<StageDraft> interfaces;
    RunTable<StreamCandidate*> streamed;
  };

  bool weightsFit(size_t begin, size_t end) const {
    return weights_.empty() || weights_[end] - weights_[begin] <= mostWeights_;
  }

  std::shared_ptr<Candidates> candidates_;
  CostModel costs_;
  /// Bytes of weights before each step of the order, and of all; empty: no limit.
  std::vector<uint64_t> weights_;
  uint64_t mostWeights_ = 0;
  bool inPlace_ = true;
  bool lowest_ = false;
};

} // namespace tigris
