// Sets of tensors that stay in fast memory at a cut, and transitions between two cuts.
#pragma once

#include "tigris/IR/Plan.h"

#include <optional>
#include <utility>
#include <vector>

namespace tigris {

/// The states of a cut. A state is the set of tensors that stay: bit k of its mask is tensors[k].
struct CutStates {
  std::vector<TensorId> crossing;
  /// The tensors that may stay, at most 63.
  std::vector<TensorId> tensors;
  /// Bytes of each of these tensors in fast memory, rounded up.
  std::vector<uint64_t> bytes;
  std::vector<uint64_t> masks;
  /// Fast bytes of each state.
  std::vector<uint64_t> taken;

  /// Adds the state if it takes at most `budget` bytes.
  void add(uint64_t mask, uint64_t budget);
  bool isCrossedBy(TensorId id) const;
  /// The mask bit of a tensor; 0 if it cannot stay.
  uint64_t bit(TensorId id) const;
};

/// A stage from a state of one cut to a state of another.
struct Transition {
  size_t state = 0;
  size_t next = 0;
  /// Masks of the tensors that stay at the first and at the second cut.
  uint64_t before = 0;
  uint64_t after = 0;
  /// Fast bytes of these tensors.
  uint64_t taken = 0;
  /// Fast bytes for the stage if the tensors do not overlap; nullopt if they exceed the budget
  /// alone.
  std::optional<uint64_t> available = {};
};

/// Whether two states agree: each tensor that crosses both cuts stays at both or at neither.
class Agreement {
public:
  Agreement(const CutStates& from, const CutStates& to);

  /// Which of the tensors that cross both cuts a state of the first cut keeps, and which a state of
  /// the second cut keeps. The numbers are equal if the states agree.
  uint64_t kept(uint64_t from) const { return keptOf(from, &Bits::first); }
  uint64_t keptNext(uint64_t to) const { return keptOf(to, &Bits::second); }
  /// Bytes of the tensors that stay at both cuts.
  uint64_t keptBytes(uint64_t from) const;

private:
  /// The mask bits of one tensor at the two cuts; 0 where it cannot stay.
  using Bits = std::pair<uint64_t, uint64_t>;

  uint64_t keptOf(uint64_t mask, uint64_t Bits::*bit) const;

  std::vector<Bits> pairs_;
  std::vector<std::pair<uint64_t, uint64_t>> shared_;
};

/// Slow bytes that a stage does not move because tensors that it loads and spills are resident.
class Savings {
public:
  Savings(const CutStates& from, const CutStates& to) : from_(from), to_(to) {}
  /// Adds a tensor and the slow bytes that it costs if it is not resident.
  void add(TensorId id, uint64_t bytes);
  uint64_t of(const Transition& transition) const;

private:
  struct Part {
    uint64_t before = 0;
    uint64_t after = 0;
    uint64_t bytes = 0;
  };
  const CutStates& from_;
  const CutStates& to_;
  std::vector<Part> parts_;
};

} // namespace tigris
