// Finds the candidate, or creates it.
#include "tigris/Plan/Stage/StreamTable.h"

namespace tigris {

StreamCandidate* StreamTable::find(const OrderView& view, const StageDraft& stage) {
  std::vector<bool> areSlow;
  for (const auto* moved : {&stage.loads, &stage.spills})
    for (const TensorId id : *moved)
      areSlow.push_back(view.isSlow(id));
  const auto [entry, isNew] =
      candidates_.try_emplace({stage.ops, stage.loads, stage.spills, std::move(areSlow)});
  std::optional<StreamCandidate>& candidate = entry->second;
  if (isNew)
    if (auto made = StreamCandidate::make(view, rows_, callers_, stage))
      candidate.emplace(std::move(*made));
  return candidate ? &*candidate : nullptr;
}

} // namespace tigris
