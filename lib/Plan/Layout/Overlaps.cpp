// Sweeps over the births with a list of the buffers that are alive.
#include "tigris/Plan/Layout/Overlaps.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tigris {

namespace {

using OverlapPairs = std::vector<std::pair<uint32_t, uint32_t>>;

std::optional<OverlapPairs> overlappingPairs(std::span<const LiveBuffer> buffers, size_t most) {
  std::vector<uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(buffers[a].birth, a) < std::pair(buffers[b].birth, b);
  });
  std::vector<uint32_t> live;
  OverlapPairs pairs;
  for (const uint32_t index : order) {
    std::erase_if(live,
                  [&](uint32_t other) { return buffers[other].death < buffers[index].birth; });
    if (pairs.size() + live.size() > most)
      return std::nullopt;
    for (const uint32_t other : live)
      pairs.emplace_back(other, index);
    live.push_back(index);
  }
  return pairs;
}

} // namespace

std::optional<Overlaps> Overlaps::find(std::span<const LiveBuffer> buffers, size_t most) {
  const std::optional<OverlapPairs> pairs = overlappingPairs(buffers, most);
  if (!pairs)
    return std::nullopt;
  Overlaps result;
  result.first_.resize(buffers.size() + 1);
  for (const auto& [a, b] : *pairs) {
    ++result.first_[a + 1];
    ++result.first_[b + 1];
  }
  std::partial_sum(result.first_.begin(), result.first_.end(), result.first_.begin());
  result.others_.resize(result.first_.back());
  std::vector<size_t> next = result.first_;
  for (const auto& [a, b] : *pairs) {
    result.others_[next[a]++] = b;
    result.others_[next[b]++] = a;
  }
  // The relation is symmetric: visiting the buffers in order sorts every list.
  std::vector<uint32_t> sorted(result.others_.size());
  next = result.first_;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    for (const uint32_t other : result.of(i))
      sorted[next[other]++] = i;
  result.others_ = std::move(sorted);
  return result;
}

} // namespace tigris
