// Looks for addresses with smaller and smaller steps, then derives the steps from the addresses.
#include "tigris/Plan/Search/StageFitting.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

uint64_t residentBytes(const StageDrafter& drafter, const StageDraft& stage) {
  uint64_t sum = 0;
  for (const TensorId id : stage.residents)
    sum += alignUp(drafter.bytes(id), drafter.align());
  return sum;
}

/// Bytes available to a stage whose residents have addresses; 0 if a result would overwrite rows
/// that are still needed.
uint64_t availableAt(const Graph& graph, const ResidentLayout& layout, size_t stage,
                     const std::vector<Overlap>& overlaps) {
  for (const Overlap& overlap : overlaps) {
    const auto from = layout.offsets.find(overlap.from);
    const auto to = layout.offsets.find(overlap.to);
    if (from == layout.offsets.end() || to == layout.offsets.end())
      continue;
    const bool isApart = from->second + graph.tensor(overlap.from).bytes() <= to->second ||
                         to->second + graph.tensor(overlap.to).bytes() <= from->second;
    if (!isApart && to->second + overlap.distance > from->second)
      return 0;
  }
  return layout.capacities[stage];
}

/// The stages in as many steps as make anything smaller. Residents overlap only where they still
/// must.
std::vector<StageDraft> finestOf(const StageDrafter& drafter, uint64_t budget,
                                 const std::vector<StageDraft>& stages) {
  std::vector<StageDraft> result = stages;
  for (StageDraft& stage : result)
    if (stage.streamed() != nullptr) {
      stage = drafter.refit(stage, {});
      if (stage.height + residentBytes(drafter, stage) <= budget)
        std::get<StreamedDraft>(stage.execution).overlap.reset();
    }
  return result;
}

/// The stages in as few steps as fit `budget` bytes together with the residents; unchanged if none
/// fit.
std::vector<StageDraft> within(const StageDrafter& drafter, uint64_t budget,
                               const std::vector<StageDraft>& stages) {
  std::vector<StageDraft> result = stages;
  for (StageDraft& stage : result)
    if (stage.streamed() != nullptr) {
      const std::optional<Overlap> kept = stage.overlap();
      stage = drafter.refit(stage, [&](const std::vector<Overlap>& overlaps) {
        uint64_t available = budget;
        for (const Overlap& overlap : overlaps)
          if (kept && overlap.from == kept->from && overlap.to == kept->to)
            available += drafter.saved(overlap);
        return available - std::min(available, residentBytes(drafter, stage));
      });
    }
  return result;
}

} // namespace

std::optional<ResidentLayout> fitStages(const StageDrafter& drafter, uint64_t budget,
                                        std::vector<StageDraft>& stages) {
  const auto layOut = [&](const std::vector<StageDraft>& drafts) {
    return layOutResidents(drafter.view(), drafts, budget);
  };
  std::optional<ResidentLayout> layout = layOut(stages);
  if (layout)
    return layout;
  const std::vector<StageDraft> finest = finestOf(drafter, budget, stages);
  std::vector<StageDraft> drafts;
  constexpr uint64_t Parts[] = {1, 2, 4, 8};
  for (const uint64_t part : Parts)
    if (!layout) {
      drafts = within(drafter, budget - budget / 32 * part, finest);
      layout = layOut(drafts);
    }
  if (!layout) {
    drafts = finest;
    layout = layOut(drafts);
  }
  if (!layout)
    return std::nullopt;
  for (size_t i = 0; i < drafts.size(); ++i)
    if (drafts[i].streamed() != nullptr)
      drafts[i] = drafter.refit(drafts[i], [&](const std::vector<Overlap>& overlaps) {
        return availableAt(drafter.view().graph(), *layout, i, overlaps);
      });
  stages = std::move(drafts);
  return layout;
}

} // namespace tigris
