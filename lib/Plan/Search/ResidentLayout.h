// Fast addresses for tensors that stay across cuts, and for the stages' own memory between them.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

struct ResidentLayout {
  std::map<TensorId, uint64_t> offsets;
  /// Per stage: where its own memory begins, and how many bytes it may take from there.
  std::vector<uint64_t> bases;
  std::vector<uint64_t> capacities;
};

/// Resident tensors lie toward the lower or the upper end of the arena from the first stage that
/// touches them to the last one; the stages' own memory lies in one piece beside them. Two that a
/// stage lets overlap (Overlap) need not lie apart. A backtracking search over the end for each
/// tensor, of limited effort. nullopt when it finds nothing within `budget` bytes.
std::optional<ResidentLayout> layOutResidents(const Graph& graph,
                                              std::span<const StageDraft> stages, uint64_t budget,
                                              uint64_t align);

/// Highest fast byte of the stages and of what stays between them.
uint64_t heightOf(const Graph& graph, std::span<const StageDraft> stages,
                  const ResidentLayout& layout);

/// The lowest layout of the same stages that a bisection of limited effort finds, or `layout`
/// itself. A layout within a budget uses both ends of it, even if little is between them.
ResidentLayout lowerResidents(const Graph& graph, std::span<const StageDraft> stages,
                              ResidentLayout layout, uint64_t align);

} // namespace tigris
