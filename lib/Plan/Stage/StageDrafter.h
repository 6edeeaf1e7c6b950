// Drafts stages of runs of one order.
#pragma once

#include "tigris/Plan/Stage/RunTable.h"
#include "tigris/Plan/Stage/StreamCandidate.h"
#include "tigris/Plan/Stage/TiledCandidate.h"
#include "tigris/Plan/Stage/WholeCandidate.h"

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
  /// Streamed stages work in place on what lies in the caller's buffers, except on `rows`, which
  /// are moved row by row.
  StageDrafter(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
               uint64_t align, CostModel costs = {}, const std::vector<TensorId>& rows = {});

  /// The same with other costs.
  StageDrafter withCosts(const CostModel& costs) const;
  /// The same with streamed stages that work on copies of residents' rows rather than in place. In
  /// place takes no more memory in a stage; but what overwrites copies need not lie at ever lower
  /// addresses.
  StageDrafter onCopies() const;

  const OrderView& view() const { return candidates_->view; }
  std::span<const OpId> order() const { return view().order(); }
  uint64_t align() const { return view().align(); }
  uint64_t bytes(TensorId id) const { return view().bytes(id); }
  const Op& op(size_t step) const { return view().op(step); }
  uint64_t saved(const Overlap& overlap) const { return overlap.saved(view().graph(), align()); }

  const CostModel& costs() const { return costs_; }
  /// What the figures of the stage are worth.
  CostWeights weights(const StageDraft& stage) const;
  /// What the stage costs beyond its ops' own work.
  uint64_t cost(const StageDraft& stage) const;

  /// Ops [begin, end) on whole tensors, with addresses.
  StageDraft whole(size_t begin, size_t end, const Residents& residents = {}) const;
  WholeCandidate& wholeCandidate(size_t begin, size_t end) const;
  /// See draftDirect.
  std::optional<StageDraft> direct(size_t step) const { return draftDirect(view(), step); }
  /// See TiledCandidate.
  std::optional<StageDraft> tiled(size_t begin, size_t end, uint64_t budget,
                                  const Residents& residents = {}) const;
  /// Fast memory of the finest cut of one op; nullopt when it cannot run in tiles.
  std::optional<uint64_t> finestNeed(size_t step) const;
  /// Null when ops [begin, end) cannot run row by row.
  StreamCandidate* streamCandidate(size_t begin, size_t end) const;
  StreamResidents streamResidents(const Residents& residents) const {
    return {residents, inPlace_};
  }
  /// Why the op cannot run row by row, as a clause about it; empty if it can.
  std::string streamRefusal(OpId op) const { return candidates_->rows.refusal(op); }
  /// Whether parts of the op's result can be made from boxes of its operands.
  bool runsInBoxes(OpId op) const { return candidates_->access.find(op) != nullptr; }
  /// A streamed stage, residents and overlap included, in as few steps as fit its capacity; without
  /// one, in as many as make anything smaller. The stage as it is when it does not fit.
  StageDraft refit(const StageDraft& streamed, const StreamCapacity& capacity) const;

private:
  /// What is known of runs of the order, whatever they are to cost.
  struct Candidates {
    Candidates(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
               uint64_t align, const std::vector<TensorId>& movedRows);

    OrderView view;
    AccessTable access;
    RowTable rows;
    /// Whole in the caller's buffers.
    std::vector<TensorId> callers;
    RunTable<WholeCandidate> whole;
    RunTable<TiledCandidate> tiled;
    RunTable<std::optional<StreamCandidate>> streamed;
  };

  std::shared_ptr<Candidates> candidates_;
  CostModel costs_;
  bool inPlace_ = true;
};

} // namespace tigris
