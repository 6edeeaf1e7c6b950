// Loads and spills without a placement in the fast arena are used in slow memory.
#include "tigris/Analysis/Overflow.h"

#include "tigris/Analysis/OperandReads.h"

#include <algorithm>

namespace tigris {

std::vector<TensorId> usedInSlow(const Plan& plan, const Stage& stage) {
  std::vector<TensorId> result;
  if (stage.parts() != nullptr)
    return result;
  const auto isIn = [](std::span<const Placement> placements, TensorId id) {
    return std::any_of(placements.begin(), placements.end(),
                       [&](const Placement& placement) { return placement.tensor == id; });
  };
  for (const auto* moved : {&stage.loads, &stage.spills})
    for (const TensorId id : *moved)
      if (!isIn(stage.wholeTensors(), id) && isIn(plan.slow, id))
        result.push_back(id);
  return result;
}

std::vector<TensorId> overflowOf(const Graph& graph, const Plan& plan, const Stage& stage) {
  const bool isOnePass = stage.ops.size() == 1 && worksInOnePass(graph.op(stage.ops.front()).kind);
  return isOnePass ? std::vector<TensorId>() : usedInSlow(plan, stage);
}

bool hasOverflow(const Graph& graph, const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [&](const Stage& stage) { return !overflowOf(graph, plan, stage).empty(); });
}

} // namespace tigris
