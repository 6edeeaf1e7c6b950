// A factor and a summand per channel, and how they become part of the convolution or Gemm before or after them.
#pragma once

#include "tigris/IR/Graph.h"

#include <optional>
#include <vector>

namespace tigris {

/// y = scale * x + shift, one of each per channel.
struct ScaleAndShift {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// True for a float Mul, Add, Sub, Div or BatchNorm, whose constants may be such a form.
bool mayScaleAndShift(const Graph& graph, OpId id);

/// What `op` makes of operand `slot`, a tensor with `channels` on axis 1, when its other operands are constants: one
/// value per channel, or one for all. nullopt otherwise.
std::optional<ScaleAndShift> scaleAndShift(const Graph& graph, const Op& op, size_t slot,
                                           size_t channels);

/// Puts the form that op `id` computes from its result into the weights and the bias of the float convolution or
/// Gemm that makes operand `between` for `id` alone; that op takes over the results of `id`, which disappears.
/// False, and nothing changed, where there is no such op or its weights are not constant.
bool scaleProducer(Graph& graph, OpId id, TensorId between, const ScaleAndShift& form);

/// Puts the form that op `id` computes from operand `from` into the weights and the bias of the float convolution or Gemm
/// that alone reads its result; that op then reads `from`, and `id` disappears. False, and nothing changed, where
/// there is no such op, its weights are not constant, or it pads: zeros around the operand are not shifted.
bool scaleReader(Graph& graph, OpId id, TensorId from, const ScaleAndShift& form);

/// Output channels of the op that makes `between` for `id` alone, or 0.
size_t scalableChannels(const Graph& graph, OpId id, TensorId between);

} // namespace tigris
