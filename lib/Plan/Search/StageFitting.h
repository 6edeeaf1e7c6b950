// Addresses for stages and for the tensors that stay between them.
#pragma once

#include "tigris/Plan/Search/ResidentLayout.h"
#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Lays out what the stages leave in fast memory and what they need for themselves, within `budget`
/// bytes.
///
/// Drafts of streamed stages use all the memory they may have for fewer steps. If that leaves no
/// addresses, more and smaller steps are tried, and then as few as fit the place that each stage
/// has got: `stages` become these. nullopt, with the stages as they were, when no addresses are
/// found.
std::optional<ResidentLayout> fitStages(const Graph& graph, const StageDrafter& drafter,
                                        uint64_t budget, std::vector<StageDraft>& stages);

} // namespace tigris
