// The interface of the evaluation rules: an operator with its known operands, and the rules by
// family. Internal.
#pragma once

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"

namespace tigris::eval {

/// One blob per result; nullopt if there is no evaluation rule for this use of the operator.
using Outcome = std::optional<std::vector<BlobRef>>;

class OpValues {
public:
  OpValues(const Op& op, const KnownValues& values, std::span<const ResultType> results)
      : op_(&op), values_(&values), results_(results) {}

  const Op& op() const { return *op_; }
  const AttrMap& attrs() const { return op_->attrs; }
  const KnownValues& values() const { return *values_; }
  Layout layout() const { return values_->graph().layout(); }
  const ResultType& result(size_t index = 0) const { return results_[index]; }
  std::span<const ResultType> results() const { return results_; }

  size_t count() const { return op_->inputs.size(); }
  bool has(size_t index) const { return static_cast<bool>(op_->input(index)); }
  const Tensor& tensor(size_t index) const { return values_->graph().tensor(op_->input(index)); }
  const Shape& shape(size_t index) const { return tensor(index).shape; }
  DType type(size_t index) const { return tensor(index).type; }
  BlobRef blob(size_t index) const { return values_->find(op_->input(index)); }
  /// Whether every present operand has a value.
  bool allKnown() const;
  /// Whether the integers of some operand represent real numbers, so that integer arithmetic would
  /// be wrong.
  bool anyQuantized() const;

  /// Operand elements as T, in their own shape.
  template <typename T> std::vector<T> load(size_t index) const {
    return loadElements<T>(*blob(index), type(index));
  }
  /// The same, broadcast to `target` as in numpy.
  template <typename T> std::vector<T> loadAs(size_t index, const Shape& target) const;

private:
  const Op* op_;
  const KnownValues* values_;
  std::span<const ResultType> results_;
};

template <typename T> Outcome one(const std::vector<T>& values, DType type) {
  return std::vector<BlobRef>{storeElements(values, type)};
}

/// Calls `fn` with a zero of the type in which elements of `type` are computed: float, double or
/// int64_t.
template <typename Fn> Outcome inArithmetic(DType type, Fn&& fn) {
  if (type == DType::Float32)
    return fn(float{});
  if (type == DType::Float64)
    return fn(double{});
  return isInteger(type) ? fn(int64_t{}) : Outcome();
}

/// Arithmetic in which integers wrap around.
template <typename T> T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <typename T> T minus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}
template <typename T> T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

/// A walk over memory: element (i, j, ...) of the walk is at offset + i * strides[0] + ...
struct Walk {
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

/// Copies shape.elements() elements of `size` bytes (1, 2, 4 or 8) from their positions in one walk
/// to those in the other.
void copyWalk(const Shape& shape, unsigned size, const uint8_t* from, const Walk& source,
              uint8_t* to, const Walk& target);
/// The walk over a dense tensor in order.
Walk dense(const Shape& shape);
/// The walk that broadcasts a tensor of shape `from` to `to`.
Walk broadcasting(const Shape& from, const Shape& to);

template <typename T> std::vector<T> OpValues::loadAs(size_t index, const Shape& target) const {
  std::vector<T> values = load<T>(index);
  const Shape& own = shape(index);
  if (own == target)
    return values;
  std::vector<T> result(static_cast<size_t>(target.elements()));
  if (values.size() == 1) {
    result.assign(result.size(), values[0]);
    return result;
  }
  copyWalk(target, sizeof(T), reinterpret_cast<const uint8_t*>(values.data()),
           broadcasting(own, target), reinterpret_cast<uint8_t*>(result.data()), dense(target));
  return result;
}

/// Applies the op's fused activation to a float32 result; other types have no activation here.
Outcome activated(const OpValues& op, Outcome outcome);

// The rules that Ops.def names, in Eval*.cpp. A rule runs if every operand has a value and, except
// for rules that move or quantize elements, no operand is quantized. noRule: the operator has none.
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  ...)                                                                             \
  Outcome value(const OpValues& op);
#include "tigris/IR/Ops.def"

} // namespace tigris::eval
