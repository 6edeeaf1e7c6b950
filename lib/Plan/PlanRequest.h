// The options of a plan, resolved for one graph.
#pragma once

#include "tigris/Plan/FastBudget.h"
#include "tigris/Plan/PlanOptions.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Plan/Search/StrategyTable.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// The planner reads this class instead of the options. Every default is decided here, once. Refers
/// to the drafts.
class PlanRequest {
public:
  /// Fails like checkOptions, and with DiagId::Usage for an unknown target. Every model output must
  /// have a tensor of its own (insertPortCopies).
  static Expected<PlanRequest> make(PlanDrafts& drafts, const PlanOptions& options);

  const PlanOptions& options() const { return options_; }
  const Graph& graph() const { return drafts_->graph(); }
  const StrategyInfo& strategy() const { return *strategy_; }
  IoMode io() const { return io_; }
  uint64_t align() const { return align_; }
  const FastBudget& fast() const { return fast_; }
  /// Fast bytes for stages.
  uint64_t fastForStages() const { return fast_.forStages(align_); }
  /// The fast budget, without a reserve, that leaves `bytes` bytes for stages.
  uint64_t budgetFor(uint64_t bytes) const { return fast_.neededFor(bytes, align_); }
  /// Whether tensors may be spilled to slow memory.
  bool maySpill() const { return options_.budget.slow && io_ != IoMode::Arena; }

  /// The orders that the strategy tries. References to them stay valid.
  const Schedules& schedules() const;
  StageDrafter drafter(const Schedule& schedule) const;
  /// The op that limits how small the budget of the strategy can be in this order.
  StageNeed stageNeed(const Schedule& schedule) const;
  /// Options of a search. The caller sets their budget.
  SegmentOptions rules() const;

  /// A plan without stages, with everything that follows from the options.
  Plan emptyPlan() const;

private:
  PlanRequest(PlanDrafts& drafts, PlanOptions options, const Target& target);

  PlanDrafts* drafts_;
  PlanOptions options_;
  const StrategyInfo* strategy_;
  std::string target_;
  IoMode io_;
  uint64_t align_;
  FastBudget fast_;
  CostModel costs_;
  std::vector<TensorId> rows_;
};

} // namespace tigris
