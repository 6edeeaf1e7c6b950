// The cheapest cuts of an order for which addresses are found.
#pragma once

#include "tigris/Plan/Search/ResidentLayout.h"
#include "tigris/Plan/Search/SegmentSearch.h"

namespace tigris {

/// Stages, and the addresses of their own memory and of residents.
struct Cuts {
  std::vector<StageDraft> drafts;
  ResidentLayout residents;
};

/// A limit for other searches: they need not find what costs as much. None if ops overflow, because
/// fewer that do are worth more than a lower cost.
std::optional<CutCost> limitOf(const StageDrafter& drafter, std::span<const StageDraft> drafts);

/// The sum over the stages.
CutCost totalCost(const StageDrafter& drafter, std::span<const StageDraft> drafts);

/// Cuts the order of the drafter with searchSegments, once with stages that work on residents in
/// place and once with stages that work on copies of their rows. Returns the cheaper cuts.
///
/// searchSegments tracks how much memory is used, but only partly where, so the cheapest cuts may
/// have no addresses, or only with smaller steps. The search is then repeated with a part of the
/// memory left unused, while the cost of its cuts is below that of the cheapest with addresses.
/// Without slow memory, if all these searches fail, the stages for the smallest possible budget are
/// tried, which leave most of the memory free, and then cuts for less and less memory. With slow
/// memory, the last resort is that no tensor stays in fast memory between stages, which needs no
/// addresses.
///
/// `any`: returns the first cuts that are found. nullopt if nothing fits, no addresses are found,
/// or nothing costs less than the limit. With slow memory and without a limit there are always
/// cuts.
std::optional<Cuts> searchCuts(const Graph& graph, const StageDrafter& drafter,
                               const SegmentOptions& options, bool any = false);

} // namespace tigris
