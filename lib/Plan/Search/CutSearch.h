// The cheapest cuts of an order for which addresses are found.
#pragma once

#include "tigris/Plan/Search/ResidentLayout.h"
#include "tigris/Plan/Search/SegmentSearch.h"

namespace tigris {

/// Stages, and where their own memory and what stays between them lie.
struct Cuts {
  std::vector<StageDraft> drafts;
  ResidentLayout residents;
};

/// What stages cost together, and their kernel calls, which decide between equals.
std::pair<uint64_t, uint64_t> totalCost(const StageDrafter& drafter,
                                        std::span<const StageDraft> drafts);

/// Cuts the order of the drafter by searchSegments, on residents in place and on copies of their rows, and takes what
/// costs less.
///
/// searchSegments knows how much memory there is, but hardly where: for the cheapest cuts there may be no addresses. Then
/// cuts are searched that leave a part of the memory unused; and if neither in place nor on copies any of them
/// finds its addresses, those of the least budget in which there are any cuts, which leave most room, or cuts in ever less memory. With
/// slow memory nothing stays at last, which needs no addresses.
///
/// `any`: the first that is found will do. nullopt when nothing fits, or has addresses; with slow memory there
/// are always cuts (SegmentOptions::budget).
std::optional<Cuts> searchCuts(const Graph& graph, StageDrafter& drafter,
                               const SegmentOptions& options, bool any = false);

} // namespace tigris
