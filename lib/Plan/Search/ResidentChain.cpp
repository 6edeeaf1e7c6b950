// Proceeds from the end of the chain to its start: each stage reduces the possible addresses.
#include "tigris/Plan/Search/ResidentChain.h"

#include <algorithm>

namespace tigris {

namespace {

/// The part of `offsets` at which a block of `bytes` bytes leaves space for another block of
/// `height` bytes beside it.
std::vector<AddressSpan> beside(std::span<const AddressSpan> offsets, uint64_t bytes,
                                uint64_t height, uint64_t budget) {
  std::vector<AddressSpan> result;
  if (bytes + height > budget)
    return result;
  const uint64_t top = budget - bytes;
  const uint64_t below = top - height; // with the other one above
  const uint64_t above = height;
  const AddressSpan parts[] = {{0, above <= below + 1 ? top : below}, {above, top}};
  const size_t count = above <= below + 1 ? 1 : 2;
  for (const AddressSpan& span : offsets)
    for (const AddressSpan& part : std::span(parts, count)) {
      const AddressSpan both = {std::max(span.least, part.least), std::min(span.most, part.most)};
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
  const AddressSpan anywhere[] = {{0, link.budget}};
  const uint64_t bytes =
      link.overlap ? std::max(link.bytes, link.fromBytes + link.overlap->distance) : link.bytes;
  ResidentChain chain = {last, beside(last == next.tensor ? std::span(next.offsets) : anywhere,
                                      bytes, link.height, link.budget)};
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
