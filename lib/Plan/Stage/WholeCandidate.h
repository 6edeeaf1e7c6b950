// A run of ops on whole tensors, evaluated for many sets of residents.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Stores its results. Refers to the view.
class WholeCandidate {
public:
  WholeCandidate(const OrderView& view, size_t begin, size_t end);

  /// The stage without residents and without buffers.
  const StageDraft& stage() const { return stage_; }
  /// A lower bound for its fast bytes, without residents.
  uint64_t bound() const { return bound_; }
  /// The fast bytes that the stage uses beside the residents. nullopt if they exceed `available`.
  std::optional<uint64_t> heightWithin(uint64_t available, const Residents& residents);

private:
  struct Need {
    uint64_t bound = 0;
    std::optional<uint64_t> height;
  };
  Need needFor(const Residents& residents) const;

  const OrderView& view_;
  size_t begin_;
  StageDraft stage_;
  uint64_t bound_;
  /// By the loads and spills that are in fast memory.
  std::map<std::vector<bool>, Need> needs_;
};

} // namespace tigris
