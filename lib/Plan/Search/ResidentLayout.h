// Fast addresses for tensors that stay across cuts, and for the stages' own memory between them.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

struct ResidentLayout {
  /// Of residents and their views.
  std::map<TensorId, uint64_t> offsets;
  /// Per stage: the offset of its own memory, and the number of bytes available there.
  std::vector<uint64_t> bases;
  std::vector<uint64_t> capacities;
};

/// Lays out resident tensors and the stages' own memory. A resident is near the lower or the upper
/// end of the arena from the first stage that uses it to the last one. Model inputs in the arena
/// are there from the first stage on, model outputs to the last one. The own memory of a stage is
/// in one piece beside the residents. Two residents may share bytes in a stage that allows it
/// (Overlap). A backtracking search of limited effort selects the end for each tensor. nullopt if
/// it finds nothing within `budget` bytes.
std::optional<ResidentLayout> layOutResidents(const OrderView& view,
                                              std::span<const StageDraft> stages, uint64_t budget);

/// The highest fast byte that the stages and the residents use.
uint64_t heightOf(const Graph& graph, std::span<const StageDraft> stages,
                  const ResidentLayout& layout);

/// The lowest layout of the same stages that a bisection of limited effort finds, or `layout`
/// itself. layOutResidents uses both ends of a budget, even if little is between them.
ResidentLayout lowerResidents(const OrderView& view, std::span<const StageDraft> stages,
                              ResidentLayout layout);

} // namespace tigris
