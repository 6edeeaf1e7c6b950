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

/// Cuts the order of the drafter by searchSegments, on residents in place and on copies of their
/// rows, and takes what costs less.
///
/// searchSegments knows how much memory there is, but little of where: the cheapest cuts may have
/// no addresses. Then it searches for cuts that leave a part of the memory unused. If none of these
/// has addresses, in place or on copies, the cuts of the smallest possible budget are tried, which
/// leave most of the memory free, and then cuts in ever less memory. With slow memory the last
/// resort is that nothing stays, which needs no addresses.
///
/// `any`: the first that is found will do. nullopt when nothing fits, or has addresses; with slow
/// memory there are always cuts (SegmentOptions::budget).
std::optional<Cuts> searchCuts(const Graph& graph, const StageDrafter& drafter,
                               const SegmentOptions& options, bool any = false);

} // namespace tigris
