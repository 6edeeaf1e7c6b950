// Resolves defaults and the properties of the target.
#include "tigris/Plan/PlanRequest.h"

#include "tigris/Plan/PortCopies.h"
#include "tigris/Support/Check.h"
#include "tigris/Target/KernelScratch.h"

namespace tigris {

namespace {

CostModel costModel(const PlanOptions& options, const Target& target) {
  if (options.optimize == Objective::Latency)
    return CostModel::latency(options.costs.value_or(target.costs));
  return CostModel::traffic(options.macsPerSlowByte);
}

} // namespace

PlanRequest::PlanRequest(PlanDrafts& drafts, PlanOptions options, const Target& target)
    : drafts_(&drafts), options_(std::move(options)), strategy_(&strategyInfo(options_.planner)),
      target_(target.name), costs_(costModel(options_, target)),
      io_(options_.io.value_or(options_.budget.slow ? IoMode::Slow : IoMode::Caller)),
      align_(target.align), fast_{options_.budget.fast, options_.reserve,
                                  kernelScratch(drafts.graph(), target.kernels)},
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
  return drafts_->drafter(schedule, costs_, rows_);
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
