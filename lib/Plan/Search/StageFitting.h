// Addresses for stages and for what stays between them: in as few steps as there is room for.
#pragma once

#include "tigris/Plan/Search/ResidentLayout.h"

namespace tigris {

/// Lays out what the stages leave in fast memory and what they need for themselves, within `budget` bytes.
///
/// Drafts of streamed stages take all the room there is for fewer steps. If no addresses are found for them so, smaller
/// steps are tried, and then as few as the place allows that each stage has got: `stages` become these.
/// nullopt, with the stages as they were, when that does not help either.
std::optional<ResidentLayout> fitStages(const Graph& graph, StageDrafter& drafter, uint64_t budget,
                                        std::vector<StageDraft>& stages);

} // namespace tigris
