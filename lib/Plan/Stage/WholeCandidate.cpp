// Computes the bound first. A layout takes longer and is needed only if the bound fits.
#include "tigris/Plan/Stage/WholeCandidate.h"

#include <algorithm>

namespace tigris {

WholeCandidate::WholeCandidate(const OrderView& view, size_t begin, size_t end)
    : view_(view), begin_(begin), stage_(draftWhole(view, begin, end, {})),
      bound_(wholeBound(view, stage_)) {
  stage_.execution = WholeDraft();
}

WholeCandidate::Need WholeCandidate::needFor(const Residents& residents) const {
  const StageDraft draft = draftWhole(view_, begin_, begin_ + stage_.ops.size(), residents);
  const std::vector<LiveBuffer>& pinned = std::get<WholeDraft>(draft.execution).pinned;
  Need need;
  need.isPossible = std::none_of(pinned.begin(), pinned.end(), [&](const LiveBuffer& buffer) {
    return std::count_if(buffer.tensors.begin(), buffer.tensors.end(),
                         [&](TensorId id) { return residents.count(id) != 0; }) > 1;
  });
  need.bound = wholeBound(view_, draft);
  return need;
}

std::optional<uint64_t> WholeCandidate::heightWithin(uint64_t available,
                                                     const Residents& residents) {
  std::vector<bool> stays;
  for (const auto* moved : {&stage_.loads, &stage_.spills})
    for (const TensorId id : *moved)
      stays.push_back(residents.count(id) != 0);
  const auto [entry, isNew] = needs_.try_emplace(std::move(stays));
  Need& need = entry->second;
  if (isNew)
    need = needFor(residents);
  if (!need.isPossible || need.bound > available)
    return std::nullopt;
  if (!need.height) {
    StageDraft draft = draftWhole(view_, begin_, begin_ + stage_.ops.size(), residents);
    layOutWhole(view_, draft);
    need.height = draft.height;
  }
  return *need.height <= available ? need.height : std::nullopt;
}

} // namespace tigris
