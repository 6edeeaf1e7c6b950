// Repeats the planner's questions to the drafter for each stage of the chosen plan.
#include "tigris/Plan/PlanRemarks.h"

#include "tigris/Analysis/OperandReads.h"
#include "tigris/Analysis/Overflow.h"
#include "tigris/Plan/PlanRequest.h"
#include "tigris/Plan/Specification/SpecificationRemarks.h"
#include "tigris/Plan/Stage/StageNeed.h"
#include "tigris/Support/Remarks.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

class PlanRemarks {
public:
  PlanRemarks(const PlanRequest& request, const Schedule& schedule)
      : graph_(request.graph()), drafter_(request.drafter(schedule)),
        available_(request.fastForStages()), needOf_(request.strategy().need) {}

  /// Remarks on what ops cannot do in any plan.
  void onOps() {
    for (size_t step = 0; step < drafter_.order().size(); ++step) {
      const OpId id = drafter_.order()[step];
      const std::string refusal = drafter_.streamRefusal(id);
      if (!refusal.empty())
        remarkOn(graph_.op(id), "not-streamed", "it ", refusal);
      if (!drafter_.runsInBoxes(id))
        remarkOn(graph_.op(id), "not-tiled", "it runs on whole tensors only");
    }
  }

  void onStages(const Plan& plan) {
    size_t begin = 0;
    for (const Stage& stage : plan.stages) {
      const size_t end = begin + stage.ops.size();
      if (stage.mode() == StageMode::Whole && end < drafter_.order().size())
        onEnd(begin, end);
      if (stage.tiled() != nullptr)
        onTiles(begin, end, plan.planner);
      onOverflow(begin, end, overflowOf(graph_, plan, stage));
      begin = end;
    }
    if (plan.planner == strategyName(Strategy::Specification))
      remarkOnSpecification(drafter_, plan, available_);
  }

private:
  const Op& op(size_t step) const { return drafter_.op(step); }

  uint64_t wholeBytes(size_t begin, size_t end) const {
    return drafter_.wholeCandidate(begin, end).bound();
  }

  /// Remarks on the op after a whole stage if adding it would need more memory. If the memory
  /// suffices, another stage costs less, and there is no remark.
  void onEnd(size_t begin, size_t end) const {
    if (const uint64_t bytes = wholeBytes(begin, end + 1); bytes > available_)
      remarkOn(op(end), "not-added", "the whole stage before it would need at least ", bytes,
               " bytes with it, ", available_, " are available");
  }

  /// Remarks on ops that use tensors in slow memory.
  void onOverflow(size_t begin, size_t end, const std::vector<TensorId>& overflow) const {
    for (size_t step = begin; step < end; ++step) {
      std::vector<std::string> uses;
      const auto add = [&](TensorId id, const std::string& how) {
        if (std::find(overflow.begin(), overflow.end(), id) != overflow.end())
          uses.push_back(
              strCat("'", graph_.tensor(id).name, "' (", drafter_.bytes(id), " bytes, ", how, ")"));
      };
      for (size_t i = 0; i < op(step).inputs.size(); ++i)
        if (op(step).inputs[i])
          add(op(step).inputs[i], strCat("read ", operandReads(graph_, op(step), i), "x"));
      for (const TensorId output : op(step).outputs)
        add(output, "written");
      if (!uses.empty())
        remarkOn(op(step), "overflow", "it needs at least ", needOf_(drafter_, step),
                 " bytes when it is cut as finely as possible, ", available_,
                 " are available; it uses ", join(uses, ", "), " in slow memory");
    }
  }

  void onTiles(size_t begin, size_t end, const std::string& strategy) {
    const uint64_t whole = wholeBytes(begin, end);
    if (whole > available_)
      remarkOn(op(begin), "not-whole", "its stage would need at least ", whole,
               " bytes on whole tensors, ", available_, " are available");
    StreamCandidate* candidate = drafter_.streamCandidate(begin, end);
    if (candidate == nullptr)
      return; // onOps() remarks on the ops that prevent it
    const Residents none;
    uint64_t least = UINT64_MAX;
    for (size_t k = 0; k < candidate->variants(); ++k)
      if (candidate->variant(k) != nullptr)
        least = std::min(least, candidate->need(k, drafter_.streamResidents(none)).lowerBound);
    if (least > available_)
      remarkOn(op(begin), "not-streamed", "its stage would need at least ", least,
               " bytes by rows, ", available_, " are available");
    else
      remarkOn(op(begin), "not-streamed", "its stage would fit by rows, but strategy '", strategy,
               "' found tiles to be cheaper or does not support streaming");
  }

  const Graph& graph_;
  StageDrafter drafter_;
  uint64_t available_;
  OpNeed needOf_;
};

/// The schedule with the order of the plan; null if there is none.
const Schedule* scheduleOf(const PlanRequest& request, const Plan* plan) {
  if (plan == nullptr)
    return &request.schedules().best();
  std::vector<OpId> order;
  for (const Stage& stage : plan->stages)
    order.insert(order.end(), stage.ops.begin(), stage.ops.end());
  for (const Schedule& schedule : request.schedules().all())
    if (schedule.order == order)
      return &schedule;
  return nullptr;
}

} // namespace

void remarkOnPlan(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts,
                  const Plan* plan) {
  if (RemarkCollector::current() == nullptr || graph.order().empty())
    return;
  const RemarkOrigin origin("planner");
  if (plan != nullptr && plan->stages.size() == 1 && plan->stages[0].mode() == StageMode::Whole)
    return;
  PlanOptions used = mayAddSlow(options) ? withSlowAsNeeded(options) : options;
  if (plan != nullptr) {
    used.budget.slow = plan->budget.slow;
    used.io = plan->io;
  }
  const Expected<PlanRequest> request = PlanRequest::make(drafts, used);
  const Schedule* schedule = request ? scheduleOf(*request, plan) : nullptr;
  if (schedule == nullptr)
    return;
  PlanRemarks remarks(*request, *schedule);
  remarks.onOps();
  if (plan != nullptr)
    remarks.onStages(*plan);
}

} // namespace tigris
