// Compares the op on whole tensors, as a direct stage, and in the finest tiles.
#include "tigris/Plan/Stage/StageNeed.h"

#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

StageNeed largestStageNeed(const StageDrafter& drafter) {
  StageNeed need;
  Progress progress("least memory of op", drafter.order().size());
  for (size_t step = 0; step < drafter.order().size(); ++step) {
    progress.step();
    uint64_t bytes = drafter.whole(step, step + 1).height;
    if (drafter.direct(step))
      bytes = 0;
    else if (const std::optional<uint64_t> finest = drafter.finestNeed(step))
      bytes = std::min(bytes, *finest);
    if (!need.op || bytes > need.bytes)
      need = {drafter.order()[step], bytes};
  }
  return need;
}

} // namespace tigris
