// One pass from the first stage to the last.
#include "tigris/Plan/StageMerge.h"

#include "tigris/Analysis/Overflow.h"

#include <algorithm>

namespace tigris {

namespace {

const Placement* findPlacement(std::span<const Placement> placements, TensorId tensor) {
  const auto same = [&](const Placement& placement) { return placement.tensor == tensor; };
  const auto found = std::find_if(placements.begin(), placements.end(), same);
  return found != placements.end() ? &*found : nullptr;
}

bool isPlaced(const Stage& stage, TensorId tensor) {
  return findPlacement(stage.wholeTensors(), tensor) != nullptr;
}

bool isListed(const std::vector<TensorId>& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// Whether what `stage` copies from or to the fast arena could be there during `other`, too: no
/// other tensor has its bytes, and `other` neither copies it nor uses it in slow memory.
bool couldStay(const Graph& graph, const Stage& stage, const std::vector<TensorId>& moved,
               const Stage& other) {
  return std::all_of(moved.begin(), moved.end(), [&](TensorId id) {
    const Placement* at = findPlacement(stage.wholeTensors(), id);
    if (at == nullptr)
      return true;
    const uint64_t end = at->offset + graph.tensor(id).bytes();
    const std::span<const Placement> placements = other.wholeTensors();
    return !isListed(other.loads, id) && !isListed(other.spills, id) &&
           std::none_of(placements.begin(), placements.end(), [&](const Placement& its) {
             return its.tensor != id && its.offset < end &&
                    at->offset < its.offset + graph.tensor(its.tensor).bytes();
           });
  });
}

/// Whether tensors that both stages use have one address.
bool haveSameAddresses(const Stage& first, const Stage& second) {
  const std::span<const Placement> placements = second.wholeTensors();
  return std::all_of(placements.begin(), placements.end(), [&](const Placement& at) {
    const Placement* other = findPlacement(first.wholeTensors(), at.tensor);
    return other == nullptr || other->offset == at.offset;
  });
}

/// Whether ops of `stage` use a tensor outside the arena that `other` has there.
bool usesOutside(const Stage& stage, const Stage& other) {
  const auto isElsewhere = [&](TensorId id) { return !isPlaced(stage, id) && isPlaced(other, id); };
  return std::any_of(stage.loads.begin(), stage.loads.end(), isElsewhere) ||
         std::any_of(stage.spills.begin(), stage.spills.end(), isElsewhere);
}

/// What the stages use together, as the lists of one stage. Of the caller's tensors, whole stages
/// list none.
void joinTransfers(const Plan& plan, const Stage& next, Stage& stage) {
  for (const TensorId id : next.loads)
    if (!isListed(stage.loads, id) && !isListed(stage.spills, id))
      stage.loads.push_back(id);
  for (const TensorId id : next.spills)
    if (!isListed(stage.spills, id))
      stage.spills.push_back(id);
  if (stage.mode() == StageMode::Whole)
    for (auto* moved : {&stage.loads, &stage.spills})
      std::erase_if(*moved, [&](TensorId id) { return findPlacement(plan.slow, id) == nullptr; });
}

bool append(const Graph& graph, const Plan& plan, Stage& stage, const Stage& next) {
  if (worksOnParts(stage.mode()) || worksOnParts(next.mode()) ||
      !couldStay(graph, stage, stage.spills, next) || !couldStay(graph, next, next.loads, stage) ||
      !haveSameAddresses(stage, next) || usesOutside(stage, next) || usesOutside(next, stage))
    return false;
  WholeStage whole{{stage.wholeTensors().begin(), stage.wholeTensors().end()}};
  for (const Placement& placement : next.wholeTensors())
    if (findPlacement(whole.placements, placement.tensor) == nullptr)
      whole.placements.push_back(placement);
  if (stage.mode() == StageMode::Whole || next.mode() == StageMode::Whole)
    stage.execution = std::move(whole);
  joinTransfers(plan, next, stage);
  stage.ops.insert(stage.ops.end(), next.ops.begin(), next.ops.end());
  stage.peak = std::max(stage.peak, next.peak);
  stage.stats.slowReadBytes += next.stats.slowReadBytes;
  stage.stats.slowWriteBytes += next.stats.slowWriteBytes;
  stage.stats.kernelCalls += next.stats.kernelCalls;
  stage.stats.recomputeMacs += next.stats.recomputeMacs;
  return true;
}

} // namespace

void mergeStages(const Graph& graph, Plan& plan) {
  std::vector<Stage> merged;
  for (Stage& stage : plan.stages)
    if (merged.empty() || !append(graph, plan, merged.back(), stage))
      merged.push_back(std::move(stage));
  plan.stages = std::move(merged);
}

} // namespace tigris
