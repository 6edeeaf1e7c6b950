// Compares the op on whole tensors, in slow memory, and in the finest tiles.
#include "tigris/Plan/Stage/StageNeed.h"

#include "tigris/Analysis/OperandReads.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

uint64_t leastNeed(const StageDrafter& drafter, size_t step) {
  if (worksInOnePass(drafter.op(step).kind))
    return 0;
  const uint64_t whole = drafter.whole(step, step + 1).height;
  return std::min(whole, drafter.finestNeed(step).value_or(whole));
}

StageNeed largestStageNeed(const StageDrafter& drafter, OpNeed needOf) {
  StageNeed need;
  Progress progress("least memory of op", drafter.order().size());
  for (size_t step = 0; step < drafter.order().size(); ++step) {
    progress.step();
    const uint64_t bytes = needOf(drafter, step);
    if (!need.op || bytes > need.bytes)
      need = {drafter.order()[step], bytes};
  }
  return need;
}

} // namespace tigris
