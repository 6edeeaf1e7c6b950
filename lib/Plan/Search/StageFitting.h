// Finds addresses for stages and for the tensors that stay between them.
#pragma once

#include "tigris/Plan/Search/ResidentLayout.h"
#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Lays out the stages' own memory and the tensors that stay between them, within `budget` bytes.
///
/// Drafts of streamed stages use all the memory available to them for fewer steps. If these have no
/// addresses, more and smaller steps are tried, and finally as few steps as fit the place that each
/// stage has got; `stages` are replaced by these. nullopt, with the stages unchanged, if no
/// addresses are found.
std::optional<ResidentLayout> fitStages(const StageDrafter& drafter, uint64_t budget,
                                        std::vector<StageDraft>& stages);

} // namespace tigris
