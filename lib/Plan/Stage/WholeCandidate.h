// A run of ops on whole tensors, judged for many sets of residents.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Remembers what it has found. Refers to the view.
class WholeCandidate {
public:
  WholeCandidate(const OrderView& view, size_t begin, size_t end);

  /// Without residents and without buffers.
  const StageDraft& stage() const { return stage_; }
  /// Fast bytes it needs at least, without residents.
  uint64_t bound() const { return bound_; }
  /// The fast bytes it takes beside the residents; nullopt when these are more than `available`, or
  /// when a view and its source are both resident: they are one buffer.
  std::optional<uint64_t> heightWithin(uint64_t available, const Residents& residents);

private:
  struct Need {
    bool isPossible = true;
    uint64_t bound = 0;
    std::optional<uint64_t> height;
  };
  Need needFor(const Residents& residents) const;

  const OrderView& view_;
  size_t begin_;
  StageDraft stage_;
  uint64_t bound_;
  /// By what of the loads and spills is in fast memory.
  std::map<std::vector<bool>, Need> needs_;
};

} // namespace tigris
