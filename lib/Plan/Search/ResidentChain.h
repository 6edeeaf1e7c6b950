// Possible addresses of resident tensors that overwrite each other, each at a lower address than
// the one before.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Addresses from `least` to `most`, both included.
struct AddressSpan {
  uint64_t least = 0;
  uint64_t most = 0;

  bool operator==(const AddressSpan&) const = default;
};

/// A tensor that crosses a cut and is overwritten later, by a tensor that may be overwritten in
/// turn. `offsets` are the offsets of the first tensor at which all of them have a place, each
/// below the one before. An invalid `tensor` means that nothing is overwritten.
struct ResidentChain {
  TensorId tensor;
  std::vector<AddressSpan> offsets;
};

/// What a stage adds to a chain. All bytes are multiples of the alignment.
struct ChainLink {
  /// Bytes for everything.
  uint64_t budget = 0;
  /// Bytes of the stage's own memory, in one piece beside the chain.
  uint64_t height = 0;
  /// Bytes of the chain's tensor after the stage; with an overlap, of the tensor that the stage
  /// produces.
  uint64_t bytes = 0;
  /// Set if the stage overwrites a tensor. `fromBytes` are the bytes of that tensor.
  std::optional<Overlap> overlap = {};
  uint64_t fromBytes = 0;
  /// Bytes of all other residents, taken to be in one piece.
  uint64_t others = 0;
};

/// The chain before a stage, given the chain after it. nullopt if it has no place.
std::optional<ResidentChain> chainBefore(const ResidentChain& next, const ChainLink& link);

} // namespace tigris
