// Tensors that must be quantized alike, and with what. Internal.
#pragma once

#include "tigris/Quantize/Quantizer.h"

#include <set>

namespace tigris::quantize {

/// Scale and zero point of every tensor that is quantized.
///
/// A Reshape, MaxPool or Concat on integers only works within one quantization, so its operands and
/// results form a group. The group's range is that of the values that enter it; an operand of a Concat that
/// others read too, or whose range is fixed, stays outside and is requantized on the way in.
class ParamGroups {
public:
  /// `integerOps` are the ops that will run on integers.
  ParamGroups(const Graph& graph, const std::set<OpId>& integerOps,
              const Observations& observations, const RangeOptions& options);

  /// The tensor must have been observed or be in a group with one that was.
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
