// Possible addresses of resident tensors that overwrite each other, each lower than the one before.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Addresses from `least` to `most`.
struct AddressSpan {
  uint64_t least = 0;
  uint64_t most = 0;

  bool operator==(const AddressSpan&) const = default;
};

/// A tensor that crosses a cut and is overwritten later, by a tensor that is overwritten in turn:
/// the offsets at which all of these, each below the one before, have a place. Without a tensor,
/// nothing is overwritten.
struct ResidentChain {
  TensorId tensor;
  std::vector<AddressSpan> offsets;
};

/// What a stage adds to a chain. All bytes are multiples of the alignment.
struct ChainLink {
  /// Bytes for the stage and the chain.
  uint64_t budget = 0;
  /// The stage's own memory, in one piece beside the chain.
  uint64_t height = 0;
  /// The chain's tensor after the stage; with an overlap, the one that is made.
  uint64_t bytes = 0;
  /// The stage writes over a tensor of so many bytes.
  std::optional<Overlap> overlap = {};
  uint64_t fromBytes = 0;
};

/// The chain before a stage that `next` follows. nullopt if it has no place.
std::optional<ResidentChain> chainBefore(const ResidentChain& next, const ChainLink& link);

} // namespace tigris
