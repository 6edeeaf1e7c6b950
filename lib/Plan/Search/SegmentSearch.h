// The cheapest cuts of an order into whole, direct, tiled and streamed stages.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Longest stage of several ops that is tried: so the effort is linear in the number of ops.
constexpr size_t MaxSegmentOps = 40;

struct SegmentOptions {
  /// Fast bytes; at least largestStageNeed unless `stay`.
  uint64_t budget = 0;
  /// Fast bytes that stages and resident tensors together leave unused, so that their addresses can
  /// be found.
  uint64_t slack = 0;
  /// Whether tensors may stay in fast memory across cuts.
  bool keep = true;
  /// There is no slow memory: all must.
  bool stay = false;
  /// Whether the search tracks the addresses that tensors which overwrite each other can have. It
  /// then misses other arrangements, but finds addresses far more often for what it chooses.
  bool follow = true;
  /// Model inputs and outputs that a streamed stage must move, each alone; only where all stays.
  std::vector<TensorId> rows = {};
  /// Whether anything may be computed twice; false only where all stays.
  bool recompute = true;
};

/// Cuts the order into stages so that the sum of their costs (StageDrafter::cost) is least, with
/// fewer kernel calls where that is equal.
///
/// Dynamic programming over (cut, which of the tensors that cross it stay in fast memory); of a cut
/// with more than MaxChoices such tensors the smallest are considered. Candidates from every op on:
/// whole and streamed stages of up to MaxSegmentOps ops, and the op alone, tiled or direct. A stage
/// has the budget less what is resident before, after, or throughout it. nullopt when `stay` and
/// nothing fits.
std::optional<std::vector<StageDraft>> searchSegments(const StageDrafter& drafter,
                                                      const SegmentOptions& options);

} // namespace tigris
