// Per-channel affine maps y = scale * x + shift, and folding them into an adjacent convolution or
// Gemm.
#pragma once

#include "tigris/IR/Graph.h"

#include <optional>
#include <vector>

namespace tigris {

/// y = scale * x + shift, with one value of each per channel.
struct ScaleAndShift {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// Whether the op is a float Mul, Add, Sub, Div or BatchNorm, which may have this form.
bool mayScaleAndShift(const Graph& graph, OpId id);

/// The map that `op` applies to operand `slot`, a tensor with `channels` on axis 1, if its other
/// operands are constants with one value per channel or one for all; nullopt otherwise.
std::optional<ScaleAndShift> scaleAndShift(const Graph& graph, const Op& op, size_t slot,
                                           size_t channels);

/// Folds the map that op `id` applies to `between` into the weights and bias of the float
/// convolution or Gemm that produces `between` for `id` only. That op takes over the results of
/// `id`, which is erased. Returns false without a change if there is no such op or its weights are
/// not constant.
bool scaleProducer(Graph& graph, OpId id, TensorId between, const ScaleAndShift& form);

/// Folds the map that op `id` applies to operand `from` into the weights and bias of the float
/// convolution or Gemm that is the only reader of its result. That op then reads `from`, and `id`
/// is erased. Returns false without a change if there is no such op, its weights are not constant,
/// or it pads: zeros of the padding are not shifted.
bool scaleReader(Graph& graph, OpId id, TensorId from, const ScaleAndShift& form);

/// Output channels of the op that produces `between` for `id` only, or 0.
size_t scalableChannels(const Graph& graph, OpId id, TensorId between);

} // namespace tigris
