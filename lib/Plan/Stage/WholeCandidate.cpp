// Computes the bound first. A layout takes longer and is needed only if the bound fits.
#include "tigris/Plan/Stage/WholeCandidate.h"

namespace tigris {

WholeCandidate::WholeCandidate(const OrderView& view, size_t begin, size_t end)
    : view_(view), begin_(begin), stage_(draftWhole(view, begin, end, {})),
      bound_(wholeBound(view, stage_)) {
  stage_.execution = WholeDraft();
}

WholeCandidate::Need WholeCandidate::needFor(const Residents& residents) const {
  return {wholeBound(view_, draftWhole(view_, begin_, begin_ + stage_.ops.size(), residents)), {}};
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
  if (need.bound > available)
    return std::nullopt;
  if (!need.height) {
    StageDraft draft = draftWhole(view_, begin_, begin_ + stage_.ops.size(), residents);
    layOutWhole(view_, draft);
    need.height = draft.height;
  }
  return *need.height <= available ? need.height : std::nullopt;
}

} // namespace tigris
