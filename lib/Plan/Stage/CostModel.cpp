// Computes weights from the kernel costs of a stage's ops.
#include "tigris/Plan/Stage/CostModel.h"

#include <algorithm>

namespace tigris {

CostModel CostModel::latency(const KernelCosts& costs) {
  CostModel model;
  model.costs_ = costs;
  return model;
}

CostModel CostModel::traffic(uint64_t macsPerSlowByte) {
  CostModel model;
  model.macsPerSlowByte_ = macsPerSlowByte;
  return model;
}

CostModel CostModel::withKernels(KernelChoice kernels) const {
  CostModel model = *this;
  model.kernels_ = std::move(kernels);
  return model;
}

CostWeights CostModel::weights(const Graph& graph, std::span<const OpId> ops, bool isWhole) const {
  constexpr double Prohibitive = 4096;
  if (!costs_)
    return {1, macsPerSlowByte_ == 0 ? Prohibitive : 1.0 / static_cast<double>(macsPerSlowByte_),
            0};
  CostWeights weights = {costs_->slowByte, 0, 0};
  for (const OpId id : ops) {
    const WorkClass kind = workClass(graph, graph.op(id));
    const WorkCost& cost = costs_->of(kind);
    weights.call += cost.call + (isWhole ? costs_->wholeCall : costs_->partCall);
    // Only these have multiply-accumulates.
    if (kind == WorkClass::Conv || kind == WorkClass::Depthwise || kind == WorkClass::Dense)
      weights.mac = std::max(weights.mac, cost.unit);
  }
  weights.call /= static_cast<double>(std::max<size_t>(ops.size(), 1));
  return weights;
}

} // namespace tigris
