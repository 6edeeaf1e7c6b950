// Which kernel computes a call: the target's own, or the reference kernel for lack of scratch.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/IR/Plan.h"
#include "tigris/Target/KernelScratch.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>

namespace tigris {

/// How a stage divides the results of its ops into calls.
struct StageCut {
  StageMode mode = StageMode::Whole;
  TileCounts counts = {1, 1, 1, 1};
  /// Tiled chains: bytes of a tensor's buffer.
  std::function<uint64_t(TensorId)> bytes = {};
};

/// The cut of a stage of a plan.
StageCut cutOf(const Stage& stage);

/// The most of its result that the op computes in one call.
CallExtents callExtents(const Graph& graph, const Op& op, const StageCut& cut);

/// The scratch of a plan for kernels whose need depends on the call. Copies share a cache.
class KernelChoice {
public:
  /// All calls have the scratch that they need.
  KernelChoice() = default;
  KernelChoice(KernelLibrary kernels, uint64_t scratch, const KernelCosts& own);

  /// Whether any call may lack scratch.
  bool isLimited() const { return limited_ != nullptr; }
  uint64_t scratch() const { return limited_ != nullptr ? limited_->scratch : 0; }
  bool operator==(const KernelChoice& other) const;

  /// What the ops of a stage cost more, in the unit of KernelCosts, because some of their calls run
  /// on reference kernels.
  uint64_t lacking(const Graph& graph, std::span<const OpId> ops, const StageCut& cut) const;

private:
  struct Limited {
    KernelLibrary kernels = KernelLibrary::Reference;
    uint64_t scratch = 0;
    KernelCosts own;
    std::map<std::pair<OpId, CallExtents>, uint64_t> known;
  };
  std::shared_ptr<Limited> limited_;
};

} // namespace tigris
