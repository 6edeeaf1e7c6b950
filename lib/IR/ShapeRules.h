// The interface of the shape rules: a view of an operator with its operands, and the rules by
// family. Internal.
#pragma once

#include "tigris/IR/ShapeInference.h"

namespace tigris::shape {

using Results = Expected<std::vector<ResultType>>;

/// "op 'conv1' (Conv): ...", the form of all errors about an operator.
template <typename... Args> Error opError(DiagId id, const Op& op, const Args&... text) {
  return makeError(id, "op '", op.name, "' (", op.kindName(), "): ", text...);
}

/// A view of an operator and its operands for its rule. inferResults has checked that the required
/// operands are present and that every operand has a shape.
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
  /// Like ints(), for required arguments.
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
  /// The weights, operand 1, must have the type of operand 0; with int16 activations they may be
  /// int8.
  Status weightType() const;
  /// A bias must have the type of operand 0; it may be int32 with integers, and real with quantized
  /// operands.
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

// The rules that Ops.def names, in Shape*.cpp. Each checks attributes, ranks and types, and returns
// one type and shape per result.
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, ...)       \
  Results shape(const OpView& view);
#include "tigris/IR/Ops.def"

} // namespace tigris::shape
