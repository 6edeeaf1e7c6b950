// Sets of tensors are bit masks, because there are many transitions between two cuts and each is
// examined several times.
#include "tigris/Plan/Search/CutStates.h"

#include <algorithm>

namespace tigris {

void CutStates::add(uint64_t mask, uint64_t budget) {
  uint64_t sum = 0;
  for (size_t k = 0; k < bytes.size(); ++k)
    sum += (mask >> k & 1U) != 0 ? bytes[k] : 0;
  if (sum > budget)
    return;
  masks.push_back(mask);
  taken.push_back(sum);
}

bool CutStates::isCrossedBy(TensorId id) const {
  return std::find(crossing.begin(), crossing.end(), id) != crossing.end();
}

uint64_t CutStates::bit(TensorId id) const {
  const auto found = std::find(tensors.begin(), tensors.end(), id);
  return found == tensors.end() ? 0 : uint64_t{1} << (found - tensors.begin());
}

Agreement::Agreement(const CutStates& from, const CutStates& to) {
  for (size_t k = 0; k < from.tensors.size(); ++k)
    if (to.isCrossedBy(from.tensors[k])) {
      pairs_.emplace_back(uint64_t{1} << k, to.bit(from.tensors[k]));
      if (pairs_.back().second != 0)
        shared_.emplace_back(pairs_.back().first, from.bytes[k]);
    }
  for (size_t k = 0; k < to.tensors.size(); ++k)
    if (from.isCrossedBy(to.tensors[k]) && from.bit(to.tensors[k]) == 0)
      pairs_.emplace_back(0, uint64_t{1} << k);
}

uint64_t Agreement::keptBytes(uint64_t from) const {
  uint64_t sum = 0;
  for (const auto& [bit, bytes] : shared_)
    sum += (from & bit) != 0 ? bytes : 0;
  return sum;
}

uint64_t Agreement::keptOf(uint64_t mask, uint64_t Bits::*bit) const {
  uint64_t result = 0;
  for (const Bits& pair : pairs_)
    result = result << 1U | ((mask & pair.*bit) != 0 ? 1U : 0U);
  return result;
}

void Savings::add(TensorId id, uint64_t bytes) {
  const Part part = {from_.bit(id), to_.bit(id), bytes};
  if (part.before != 0 || part.after != 0)
    parts_.push_back(part);
}

uint64_t Savings::of(const Transition& transition) const {
  uint64_t sum = 0;
  for (const Part& part : parts_)
    sum += (transition.before & part.before) != 0 || (transition.after & part.after) != 0
               ? part.bytes
               : 0;
  return sum;
}

} // namespace tigris
