// Proceeds from the end of the chain to its start: each stage reduces the possible addresses.
#include "tigris/Plan/Search/ResidentChain.h"

#include <algorithm>

namespace tigris {

namespace {

/// The offsets at which a block of `bytes` bytes leaves space for the stage and for the other
/// residents, each below or above it.
std::vector<AddressSpan> placesOf(uint64_t bytes, const ChainLink& link) {
  const uint64_t all = bytes + link.height + link.others;
  if (all > link.budget)
    return {};
  std::vector<uint64_t> below = {0, link.height, link.others, link.height + link.others};
  std::sort(below.begin(), below.end());
  std::vector<AddressSpan> result;
  for (const uint64_t least : below) {
    const uint64_t most = link.budget - all + least;
    if (!result.empty() && least <= result.back().most + 1)
      result.back().most = most;
    else
      result.push_back({least, most});
  }
  return result;
}

std::vector<AddressSpan> common(std::span<const AddressSpan> some,
                                std::span<const AddressSpan> others) {
  std::vector<AddressSpan> result;
  for (const AddressSpan& a : some)
    for (const AddressSpan& b : others) {
      const AddressSpan both = {std::max(a.least, b.least), std::min(a.most, b.most)};
      if (both.least <= both.most)
        result.push_back(both);
    }
  return result;
}

} // namespace

std::optional<ResidentChain> chainBefore(const ResidentChain& next, const ChainLink& link) {
  const TensorId last = link.overlap ? link.overlap->to : next.tensor;
  if (!last)
    return ResidentChain();
  const uint64_t bytes =
      link.overlap ? std::max(link.bytes, link.fromBytes + link.overlap->distance) : link.bytes;
  ResidentChain chain = {last, placesOf(bytes, link)};
  if (last == next.tensor)
    chain.offsets = common(chain.offsets, next.offsets);
  if (chain.offsets.empty())
    return std::nullopt;
  if (link.overlap) {
    chain.tensor = link.overlap->from;
    for (AddressSpan& span : chain.offsets)
      span = {span.least + link.overlap->distance, span.most + link.overlap->distance};
  }
  return chain;
}

} // namespace tigris
