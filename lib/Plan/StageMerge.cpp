// One pass from the first stage to the last.
#include "tigris/Plan/StageMerge.h"

#include "tigris/Analysis/Overflow.h"

#include <algorithm>

namespace tigris {

namespace {

const Placement* findPlacement(const WholeStage& stage, TensorId tensor) {
  const auto same = [&](const Placement& placement) { return placement.tensor == tensor; };
  const auto found = std::find_if(stage.placements.begin(), stage.placements.end(), same);
  return found != stage.placements.end() ? &*found : nullptr;
}

/// Whether tensors that both stages use have one address.
bool haveSameAddresses(const WholeStage& first, const WholeStage& second) {
  return std::all_of(second.placements.begin(), second.placements.end(), [&](const Placement& at) {
    const Placement* other = findPlacement(first, at.tensor);
    return other == nullptr || other->offset == at.offset;
  });
}

bool append(const Plan& plan, Stage& stage, const Stage& next) {
  auto* whole = std::get_if<WholeStage>(&stage.execution);
  const auto* other = std::get_if<WholeStage>(&next.execution);
  if (whole == nullptr || other == nullptr || !stage.spills.empty() || !next.loads.empty() ||
      !usedInSlow(plan, stage).empty() || !usedInSlow(plan, next).empty() ||
      !haveSameAddresses(*whole, *other))
    return false;
  for (const Placement& placement : other->placements)
    if (findPlacement(*whole, placement.tensor) == nullptr)
      whole->placements.push_back(placement);
  stage.ops.insert(stage.ops.end(), next.ops.begin(), next.ops.end());
  stage.spills = next.spills;
  stage.peak = std::max(stage.peak, next.peak);
  stage.stats.slowReadBytes += next.stats.slowReadBytes;
  stage.stats.slowWriteBytes += next.stats.slowWriteBytes;
  stage.stats.kernelCalls += next.stats.kernelCalls;
  stage.stats.recomputeMacs += next.stats.recomputeMacs;
  return true;
}

} // namespace

void mergeWholeStages(Plan& plan) {
  std::vector<Stage> merged;
  for (Stage& stage : plan.stages)
    if (merged.empty() || !append(plan, merged.back(), stage))
      merged.push_back(std::move(stage));
  plan.stages = std::move(merged);
}

} // namespace tigris
