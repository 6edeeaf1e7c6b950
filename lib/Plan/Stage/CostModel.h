// The weights that combine the figures of a stage into one cost.
#pragma once

#include "tigris/Plan/Stage/KernelChoice.h"

#include <span>

namespace tigris {

/// The number of multiply-accumulates that one slow byte is worth if traffic is minimized. On a
/// microcontroller a byte of external memory takes as long as some ten of them. Of the values tried
/// on the cases of bench/plan_quality, twice this value saves 2 % of the traffic (geometric mean)
/// at twice the recomputation.
constexpr uint64_t MacsPerSlowByte = 16;

/// Weights of a byte of slow memory, a recomputed multiply-accumulate and a kernel call of one
/// stage.
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

/// Default: slow bytes, plus recomputed multiply-accumulates of which MacsPerSlowByte count as one
/// byte. Kernel calls decide between equal costs.
class CostModel {
public:
  CostModel() = default;
  /// Time: the cost of bytes, recomputation and calls with the target's kernels, in the unit of
  /// KernelCosts. Work that every plan has to do is not counted.
  static CostModel latency(const KernelCosts& costs);
  /// Slow bytes, each of which is worth `macsPerSlowByte` multiply-accumulates. With 0, one
  /// multiply-accumulate is worth thousands of bytes.
  static CostModel traffic(uint64_t macsPerSlowByte);
  /// The same with a limited scratch.
  CostModel withKernels(KernelChoice kernels) const;

  bool operator==(const CostModel&) const = default;
  bool countsCalls() const { return costs_.has_value(); }
  /// The weights for a stage of these ops; `isWhole`: on whole tensors. The weight of a call is the
  /// mean over the ops.
  CostWeights weights(const Graph& graph, std::span<const OpId> ops, bool isWhole) const;
  const KernelChoice& kernels() const { return kernels_; }
  /// What a stage costs more for lack of scratch. Only time counts it.
  uint64_t lackingCost(const Graph& graph, std::span<const OpId> ops, const StageCut& cut) const {
    return countsCalls() ? kernels_.lacking(graph, ops, cut) : 0;
  }

private:
  std::optional<KernelCosts> costs_;
  uint64_t macsPerSlowByte_ = MacsPerSlowByte;
  KernelChoice kernels_;
};

} // namespace tigris
