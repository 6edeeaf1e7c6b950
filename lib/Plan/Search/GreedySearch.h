// Greedy forward cuts: every stage is the best one that begins where the previous one ended.
#pragma once

#include "tigris/Plan/Search/SegmentSearch.h"

namespace tigris {

/// Stages within `budget` bytes, which is at least largestStageNeed. No tensor stays in fast memory
/// between them. From each op on, the longest stage of whole tensors that fits competes with the
/// best tiled stage. The one that saves more, compared with running its ops one by one, is taken. A
/// tiled stage grows op by op, over several spatial operators if they follow (a chain), until
/// growing no longer pays off.
///
/// nullopt if the stages cost as much as the limit, or more. The search stops as soon as that is
/// certain.
std::optional<std::vector<StageDraft>> searchGreedily(const StageDrafter& drafter, uint64_t budget,
                                                      const std::optional<CutCost>& limit = {});

} // namespace tigris
