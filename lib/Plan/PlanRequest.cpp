// Resolves defaults and the properties of the target.
#include "tigris/Plan/PlanRequest.h"

#include "tigris/Plan/PortCopies.h"
#include "tigris/Support/Check.h"
#include "tigris/Target/KernelScratch.h"

namespace tigris {

namespace {

/// Where the need depends on the call, none.
uint64_t scratchOf(const Graph& graph, const PlanOptions& options, const Target& target) {
  if (options.scratch)
    return *options.scratch;
  return scratchDependsOnCall(target.kernels) ? 0 : kernelScratch(graph, target.kernels);
}

CostModel costModel(const PlanOptions& options, const Target& target, uint64_t scratch) {
  const KernelCosts costs = options.costs.value_or(target.costs);
  const CostModel model = options.optimize == Objective::Latency
                              ? CostModel::latency(costs)
                              : CostModel::traffic(options.macsPerSlowByte);
  return model.withKernels(KernelChoice(target.kernels, scratch, costs));
}

} // namespace

PlanRequest::PlanRequest(PlanDrafts& drafts, PlanOptions options, const Target& target)
    : drafts_(&drafts), options_(std::move(options)), strategy_(&strategyInfo(options_.planner)),
      target_(target.name),
      io_(options_.io.value_or(options_.budget.slow ? IoMode::Slow : IoMode::Caller)),
      align_(options_.align.value_or(target.align)), fast_{options_.budget.fast, options_.reserve,
                                                           scratchOf(drafts.graph(), options_,
                                                                     target)},
      costs_(costModel(options_, target, fast_.scratch)),
      rows_(movedByRows(drafts.graph(), options_)) {}

Expected<PlanRequest> PlanRequest::make(PlanDrafts& drafts, const PlanOptions& options) {
  TIGRIS_CHECK_MSG(hasOwnOutputTensors(drafts.graph()), "insertPortCopies was not called");
  if (Status status = checkOptions(drafts.graph(), options); !status)
    return status.takeError();
  const Expected<Target> target = findTarget(options.target);
  if (!target)
    return target.error();
  return PlanRequest(drafts, options, *target);
}

const Schedules& PlanRequest::schedules() const {
  return drafts_->orders(io_, align_, strategy_->allOrders);
}

StageDrafter PlanRequest::drafter(const Schedule& schedule) const {
  StageDrafter drafter = drafts_->drafter(schedule, costs_, rows_);
  if (const auto& weights = options_.partWeights)
    return drafter.withWeights(weights->bytes, weights->most);
  return drafter;
}

StageNeed PlanRequest::stageNeed(const Schedule& schedule) const {
  return largestStageNeed(drafter(schedule), strategy_->need);
}

SegmentOptions PlanRequest::rules() const {
  SegmentOptions rules;
  rules.stay = !maySpill();
  rules.rows = rows_;
  rules.recompute = options_.recompute != 0;
  return rules;
}

Plan PlanRequest::emptyPlan() const {
  Plan plan;
  plan.budget = options_.budget;
  plan.target = target_;
  plan.planner = strategy_->name;
  plan.optimize = objectiveName(options_.optimize);
  plan.io = io_;
  plan.align = align_;
  plan.scratch = fast_.scratch;
  return plan;
}

} // namespace tigris
