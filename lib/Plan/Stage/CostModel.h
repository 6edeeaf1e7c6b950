// The weights that turn the figures of a stage into one cost.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Target/KernelCosts.h"

#include <span>

namespace tigris {

/// Multiply-accumulates a slow byte is worth where traffic is what counts. On a microcontroller a
/// byte of external memory takes as long as some ten of them. Of the values tried on the cases of
/// bench/plan_quality, twice as much saves 2 % of the traffic (geometric mean) for twice the
/// recomputation.
constexpr uint64_t MacsPerSlowByte = 16;

/// Per byte of slow memory, recomputed multiply-accumulate and kernel call of one stage.
struct CostWeights {
  double byte = 1;
  double mac = 1.0 / MacsPerSlowByte;
  double call = 0;

  auto operator<=>(const CostWeights&) const = default;
  uint64_t of(uint64_t bytes, uint64_t macs, uint64_t calls) const {
    const auto part = [](double weight, uint64_t count) {
      return static_cast<uint64_t>(weight * static_cast<double>(count));
    };
    return part(byte, bytes) + part(mac, macs) + part(call, calls);
  }
};

/// Default: slow bytes, with recomputed multiply-accumulates at MacsPerSlowByte; calls decide
/// between equals.
class CostModel {
public:
  CostModel() = default;
  /// Time: what bytes, recomputation and calls cost with the target's kernels, in the unit of
  /// KernelCosts. The work every plan has to do is not counted.
  static CostModel latency(const KernelCosts& costs);
  /// Slow bytes, each worth so many multiply-accumulates; 0: a multiply-accumulate is worth
  /// thousands of bytes.
  static CostModel traffic(uint64_t macsPerSlowByte);

  bool operator==(const CostModel&) const = default;
  bool countsCalls() const { return costs_.has_value(); }
  /// For a stage of these ops; `isWhole`: on whole tensors. What a stage's calls cost is the mean
  /// over its ops.
  CostWeights weights(const Graph& graph, std::span<const OpId> ops, bool isWhole) const;

private:
  std::optional<KernelCosts> costs_;
  uint64_t macsPerSlowByte_ = MacsPerSlowByte;
};

} // namespace tigris
