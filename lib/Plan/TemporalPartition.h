// Cuts an order into stages that each fit the fast arena; what crosses a cut spends the time in slow memory.
#pragma once

#include "tigris/Analysis/Lifetime.h"
#include "tigris/Plan/ArenaLayout.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// A run of consecutive ops with the arena to itself.
struct StageDraft {
  std::vector<OpId> ops;
  /// In order of first use: produced by an earlier stage, or model inputs that live in slow memory.
  std::vector<TensorId> loads;
  /// In order of production: read by a later stage, or model outputs that live in slow memory.
  std::vector<TensorId> spills;
  std::vector<LiveBuffer> buffers;
  ArenaLayout layout;
};

/// What limits a partition when an op does not fit even alone.
struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The largest arena any op needs alone with its operands and results: no partition of the order works
/// below it, and one stage per op works at it.
StageNeed largestStageNeed(const Graph& graph, std::span<const OpId> order,
                           const AliasSets& aliases, IoMode io, uint64_t align);

/// Greedy forward cuts: a stage takes the next op as long as its arena stays within `budget` bytes. Needs
/// budget >= largestStageNeed. `io` is Slow (inputs are loaded, outputs spilled) or Caller
/// (tensors that are views of the interface stay in the caller's buffers).
std::vector<StageDraft> partitionOrder(const Graph& graph, std::span<const OpId> order,
                                       const AliasSets& aliases, IoMode io, uint64_t align,
                                       uint64_t budget);

/// Slow offsets from `base` on for the tensors that cross a cut and have no interface place: alive from the
/// stage that spills them to the last one that loads them. Returns the end of the highest.
uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages, uint64_t align,
                     uint64_t base, std::vector<Placement>& slow);

} // namespace tigris
