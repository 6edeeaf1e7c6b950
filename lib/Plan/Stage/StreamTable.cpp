// Finds the candidate, or creates it.
#include "tigris/Plan/Stage/StreamTable.h"

#include <algorithm>

namespace tigris {

StreamCandidate* StreamTable::find(const OrderView& view, const StageDraft& stage) {
  std::vector<bool> areSlow;
  std::vector<TensorId> callers;
  for (const auto* moved : {&stage.loads, &stage.spills})
    for (const TensorId id : *moved) {
      areSlow.push_back(view.isSlow(id));
      const TensorId port = view.aliases().interfaceTensor(id);
      if (!areSlow.back() &&
          std::find(movedRows_.begin(), movedRows_.end(), port) == movedRows_.end())
        callers.push_back(id);
    }
  const auto [entry, isNew] =
      candidates_.try_emplace({stage.ops, stage.loads, stage.spills, std::move(areSlow), callers});
  std::optional<StreamCandidate>& candidate = entry->second;
  if (isNew)
    if (auto made = StreamCandidate::make(view, rows_, std::move(callers), stage))
      candidate.emplace(std::move(*made));
  return candidate ? &*candidate : nullptr;
}

} // namespace tigris
