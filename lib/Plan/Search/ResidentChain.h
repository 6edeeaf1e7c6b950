// Where resident tensors can lie that are written over each other, each lower than the one before.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Addresses from `least` to `most`.
struct AddressSpan {
  uint64_t least = 0;
  uint64_t most = 0;

  bool operator==(const AddressSpan&) const = default;
};

/// A tensor that crosses a cut and is written over later on, by what is written over in turn: where it may lie so that
/// all of these, each below the one before, find a place. No tensor: nothing is written over.
struct ResidentChain {
  TensorId tensor;
  std::vector<AddressSpan> offsets;
};

/// What a stage adds to a chain, in bytes that are multiples of the alignment.
struct ChainLink {
  /// What the stage and the chain have for themselves.
  uint64_t budget = 0;
  /// The stage's own memory, in one piece beside the chain.
  uint64_t height = 0;
  /// The chain's tensor after the stage; with an overlap, the one that is made.
  uint64_t bytes = 0;
  /// The stage writes over a tensor of so many bytes.
  std::optional<Overlap> overlap = {};
  uint64_t fromBytes = 0;
};

/// The chain before a stage, which `next` follows. nullopt when it finds no place.
std::optional<ResidentChain> chainBefore(const ResidentChain& next, const ChainLink& link);

} // namespace tigris
