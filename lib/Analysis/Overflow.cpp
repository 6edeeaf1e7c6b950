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
  std::vector<TensorId> result = usedInSlow(plan, stage);
  std::erase_if(result, [&](TensorId id) {
    return std::none_of(stage.ops.begin(), stage.ops.end(), [&](OpId user) {
      const Op& op = graph.op(user);
      const auto uses = [&](const std::vector<TensorId>& operands) {
        return std::find(operands.begin(), operands.end(), id) != operands.end();
      };
      return !worksInOnePass(op.kind) && (uses(op.inputs) || uses(op.outputs));
    });
  });
  return result;
}

bool hasOverflow(const Graph& graph, const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [&](const Stage& stage) { return !overflowOf(graph, plan, stage).empty(); });
}

} // namespace tigris
