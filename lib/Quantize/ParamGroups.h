// Groups of tensors that share quantization parameters, and those parameters. Internal.
//
//   a ---+
//        +--> Concat --> c --> MaxPool --> d
//   b ---+
// Concat and MaxPool move integers, so c and d form a group with one scale and zero point; its
// range covers the values of a and b. If only Concat reads a, a joins the group. If another op
// reads a as well, a keeps its own parameters and is requantized.
#pragma once

#include "tigris/Quantize/Quantizer.h"

#include <set>

namespace tigris::quantize {

/// The scale and zero point of every quantized tensor.
///
/// Operands and results of a Reshape, MaxPool or Concat on integers must have the same
/// quantization, so they form a group. The group's range covers the values that enter it. An
/// operand of a Concat that has other readers, or whose range is fixed, stays outside and is
/// requantized before the Concat.
class ParamGroups {
public:
  /// `integerOps` are the ops that will run on integers.
  ParamGroups(const Graph& graph, const std::set<OpId>& integerOps,
              const Observations& observations, const RangeOptions& options);

  /// The tensor must have been observed, or be in a group with an observed tensor.
  const QuantParam& of(TensorId tensor) const;

private:
  TensorId root(TensorId tensor) const;
  void join(const Graph& graph, const Op& op);
  void choose(const Graph& graph, const Observations& observations, const RangeOptions& options);

  std::map<TensorId, TensorId> parent_;
  /// Tensors whose values come from outside their group.
  std::set<TensorId> results_;
  std::map<TensorId, QuantParam> fixed_;
  std::map<TensorId, QuantParam> params_;
};

} // namespace tigris::quantize
