// Sets of tensors that stay in fast memory at a cut, and transitions between two cuts.
#pragma once

#include "tigris/IR/Plan.h"

#include <optional>
#include <utility>
#include <vector>

namespace tigris {

/// The states of a cut: for each which tensors stay, bit k for tensors[k].
struct CutStates {
  std::vector<TensorId> crossing;
  /// Those that may stay, at most 63.
  std::vector<TensorId> tensors;
  /// Of each in fast memory, rounded up.
  std::vector<uint64_t> bytes;
  std::vector<uint64_t> masks;
  /// Fast bytes of each state.
  std::vector<uint64_t> taken;

  /// Adds the state if it takes no more than `budget`.
  void add(uint64_t mask, uint64_t budget);
  bool isCrossedBy(TensorId id) const;
  /// Of a tensor in the masks; none when it cannot stay.
  uint64_t bit(TensorId id) const;
};

/// A stage from a state of one cut to a state of another.
struct Transition {
  size_t state = 0;
  size_t next = 0;
  /// Which tensors stay at either cut.
  uint64_t before = 0;
  uint64_t after = 0;
  /// Fast bytes of these.
  uint64_t taken = 0;
  /// Fast bytes for the stage if they do not overlap; nullopt when they alone exceed the budget.
  std::optional<uint64_t> available = {};
};

/// What crosses both of two cuts has been kept at both or at neither.
class Agreement {
public:
  Agreement(const CutStates& from, const CutStates& to);

  /// Which of these tensors a state of the first cut keeps, and one of the second: equal where they
  /// agree.
  uint64_t kept(uint64_t from) const { return keptOf(from, &Bits::first); }
  uint64_t keptNext(uint64_t to) const { return keptOf(to, &Bits::second); }
  /// Bytes that stay at both.
  uint64_t keptBytes(uint64_t from) const;

private:
  /// Of the same tensor at either cut; none where it cannot stay.
  using Bits = std::pair<uint64_t, uint64_t>;

  uint64_t keptOf(uint64_t mask, uint64_t Bits::*bit) const;

  std::vector<Bits> pairs_;
  std::vector<std::pair<uint64_t, uint64_t>> shared_;
};

/// Slow bytes that need not be moved where what a stage loads and spills is resident.
class Savings {
public:
  Savings(const CutStates& from, const CutStates& to) : from_(from), to_(to) {}
  /// A tensor and the slow bytes it costs.
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
