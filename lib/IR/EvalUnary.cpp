// Rules of element-wise operators with one operand, in the operand's own precision.
#include "tigris/IR/ElementFunctions.h"
#include "tigris/IR/EvalRules.h"

namespace tigris::eval {

namespace {

int64_t wrapNeg(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

std::optional<int64_t> integerFunction(OpKind kind, int64_t x) {
  switch (kind) {
  case OpKind::Neg:
    return wrapNeg(x);
  case OpKind::Abs:
    return x < 0 ? wrapNeg(x) : x;
  case OpKind::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  default:
    return std::nullopt;
  }
}

/// Replaces each element by compute(element), which may return nullopt.
template <typename Fn> Outcome mapElements(const OpValues& op, Fn&& compute) {
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    std::vector<T> values = op.load<T>(0);
    for (T& value : values) {
      const std::optional<T> computed = compute(value);
      if (!computed)
        return std::nullopt;
      value = *computed;
    }
    return one(values, op.result().type);
  });
}

} // namespace

Outcome function(const OpValues& op) {
  const OpKind kind = op.op().kind;
  const FunctionParams params = functionParams(op.op());
  return mapElements(op, [&](auto x) -> std::optional<decltype(x)> {
    if constexpr (std::is_integral_v<decltype(x)>)
      return integerFunction(kind, x);
    else
      return elementFunction(kind, x, params);
  });
}

Outcome relu(const OpValues& op) {
  return mapElements(op, [](auto x) { return std::optional(x < 0 ? decltype(x){0} : x); });
}

Outcome relu6(const OpValues& op) {
  return mapElements(op, [](auto x) -> std::optional<decltype(x)> {
    if constexpr (std::is_integral_v<decltype(x)>)
      return std::nullopt;
    else
      return x < 0 ? 0 : x > 6 ? 6 : x;
  });
}

Outcome logicalNot(const OpValues& op) {
  return mapElements(op, [](auto x) { return std::optional(decltype(x)(x == 0 ? 1 : 0)); });
}

Outcome castElements(const OpValues& op) {
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    return one(op.load<decltype(zero)>(0), op.result().type);
  });
}

} // namespace tigris::eval
