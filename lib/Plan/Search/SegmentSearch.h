// Finds the cheapest cuts of an order into whole, direct, tiled and streamed stages.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Maximum number of ops of a stage. It keeps the effort linear in the number of ops of the order.
constexpr size_t MaxSegmentOps = 40;

/// The total cost of stages, and their kernel calls, which decide between equal costs.
using CutCost = std::pair<uint64_t, uint64_t>;

struct SegmentOptions {
  /// Fast bytes.
  uint64_t budget = 0;
  /// Fast bytes that stages and resident tensors together leave unused, so that their addresses can
  /// be found.
  uint64_t slack = 0;
  /// Whether tensors may stay in fast memory across cuts.
  bool keep = true;
  /// Whether all tensors must stay, because there is no slow memory.
  bool stay = false;
  /// Whether the search tracks the possible addresses of tensors that overwrite each other. It then
  /// misses other arrangements, but the chosen cuts have addresses far more often.
  bool follow = true;
  /// Model inputs and outputs that must each be moved by a single streamed stage; only with `stay`.
  std::vector<TensorId> rows = {};
  /// Whether anything may be computed twice; false only with `stay`.
  bool recompute = true;
  /// A cost that is known to be possible without overflow. Cuts that cost as much, or that need
  /// overflow, are of no use: the search leaves them out and is faster.
  std::optional<CutCost> limit = {};
};

/// Cuts the order into stages with the lowest sum of costs (StageDrafter::cost); of equal sums,
/// with the fewest kernel calls.
///
/// Dynamic programming over pairs of a cut and the set of tensors that stay in fast memory there.
/// With slow memory, if more than four tensors cross a cut, only the smallest may stay. The
/// candidates from every op on are whole and streamed stages of up to MaxSegmentOps ops, and the op
/// alone, tiled or direct. A stage may use the budget minus the bytes of the tensors that are
/// resident before, after, or throughout it. If no stage from an op on fits, the op alone uses
/// tensors in slow memory (draftOverflow), but not if there is a limit. nullopt if nothing fits, or
/// nothing costs less than the limit.
std::optional<std::vector<StageDraft>> searchSegments(const StageDrafter& drafter,
                                                      const SegmentOptions& options);

} // namespace tigris
