// What the shape rules share: an operator seen with its operands, and the rules by family.
// Internal.
#pragma once

#include "tigris/IR/ShapeInference.h"

namespace tigris::shape {

using Results = Expected<std::vector<ResultType>>;

/// "op 'conv1' (Conv): ...", the form of every complaint about an operator.
template <typename... Args> Error opError(DiagId id, const Op& op, const Args&... text) {
  return makeError(id, "op '", op.name, "' (", op.kindName(), "): ", text...);
}

/// An operator and its operands while its rule runs. inferResults has checked that the required
/// operands are there and that every operand has a shape.
class OpView {
public:
  OpView(const Op& op, const KnownValues& values) : op_(&op), values_(&values) {}

  const Op& op() const { return *op_; }
  const AttrMap& attrs() const { return op_->attrs; }
  const KnownValues& values() const { return *values_; }
  const Graph& graph() const { return values_->graph(); }
  Layout layout() const { return graph().layout(); }

  size_t operandCount() const { return op_->inputs.size(); }
  bool has(size_t index) const { return static_cast<bool>(op_->input(index)); }
  const Tensor& operand(size_t index) const { return graph().tensor(op_->input(index)); }
  const Shape& shape(size_t index) const { return operand(index).shape; }
  DType type(size_t index) const { return operand(index).type; }
  /// "'W' (tensor 'conv1.w')".
  std::string describe(size_t index) const;

  template <typename... Args> Error error(DiagId id, const Args&... text) const {
    return opError(id, *op_, text...);
  }

  Expected<std::optional<std::vector<int64_t>>> ints(std::string_view name) const {
    return intArgument(*op_, *values_, name);
  }
  /// As ints(), for arguments the operator cannot do without.
  Expected<std::vector<int64_t>> requiredInts(std::string_view name) const;
  /// Axis in 0..rank-1 from a value of the attribute or operand `name`.
  Expected<size_t> axis(std::string_view name, int64_t value, size_t rank) const;
  /// The same for a list; no axis may occur twice.
  Expected<std::vector<size_t>> axes(std::string_view name, const std::vector<int64_t>& values,
                                     size_t rank) const;
  /// The value of string attribute `name` must be one of `allowed`.
  Status oneOf(std::string_view name, std::string_view fallback,
               std::initializer_list<std::string_view> allowed) const;
  Status sameType(size_t a, size_t b) const;
  /// Weights, operand 1, have the type of operand 0; those of int16 activations may be int8.
  Status weightType() const;
  /// A bias may be int32 beside integers, and real beside quantized ones; otherwise it has the type
  /// of operand 0.
  Status biasType(size_t index) const;
  Status requireRank(size_t index, size_t rank) const;
  /// Operand `index` must be a vector of `size` elements.
  Status requireVector(size_t index, int64_t size) const;

private:
  const Op* op_;
  const KnownValues* values_;
};

inline Results single(DType type, Shape shape) {
  return std::vector<ResultType>{{type, std::move(shape)}};
}

// The rules that Ops.def names, in Shape*.cpp. Each checks attributes, ranks and types, and gives
// one type and shape per result.
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, ...)       \
  Results shape(const OpView& view);
#include "tigris/IR/Ops.def"

} // namespace tigris::shape
