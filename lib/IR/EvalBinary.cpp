// Element-wise operators with several operands, which are broadcast to the result's shape.
#include "tigris/IR/EvalRules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tigris::eval {

namespace {

int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1 || base == -1)
      return exponent % 2 == 0 ? 1 : base;
    return 0;
  }
  int64_t result = 1;
  for (int64_t square = base; exponent > 0; exponent /= 2, square = times(square, square))
    if (exponent % 2 != 0)
      result = times(result, square);
  return result;
}

/// Truncates toward zero; the one quotient that does not fit wraps around. The divisor is not 0.
template <typename T> T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b == -1 ? minus(T{0}, a) : a / b;
  else
    return a / b;
}

/// Remainder with the sign of the divisor, or of the dividend if `truncated` (ONNX fmod).
template <typename T> T remainder(T a, T b, bool truncated) {
  if constexpr (std::is_integral_v<T>) {
    const T rest = b == -1 ? 0 : a % b;
    return rest != 0 && !truncated && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    return std::fmod(a, b);
  }
}

template <typename T> T power(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return integerPower(a, b);
  else
    return std::pow(a, b);
}

template <typename T> bool isNan(T a) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(a);
}

/// NaN takes precedence, as in numpy.
template <typename T> T larger(T a, T b) { return a > b || isNan(a) ? a : b; }
template <typename T> T smaller(T a, T b) { return a < b || isNan(a) ? a : b; }

/// first = fn(first, next) for each element.
template <typename T, typename Fn>
bool each(std::vector<T>& first, const std::vector<T>& next, Fn fn) {
  for (size_t i = 0; i < first.size(); ++i)
    first[i] = fn(first[i], next[i]);
  return true;
}

/// False if there is no such rule, or for an integer division by zero.
template <typename T> bool fold(const Op& op, std::vector<T>& first, const std::vector<T>& next) {
  const bool divides = op.kind == OpKind::Div || op.kind == OpKind::Mod;
  if (std::is_integral_v<T> && divides && std::find(next.begin(), next.end(), T{}) != next.end())
    return false;
  switch (op.kind) {
  case OpKind::Add:
  case OpKind::Sum:
    return each(first, next, [](T a, T b) { return plus(a, b); });
  case OpKind::Sub:
    return each(first, next, [](T a, T b) { return minus(a, b); });
  case OpKind::Mul:
    return each(first, next, [](T a, T b) { return times(a, b); });
  case OpKind::Div:
    return each(first, next, [](T a, T b) { return quotient(a, b); });
  case OpKind::Mod: {
    const bool truncated = op.attrs.getInt("fmod") != 0;
    return each(first, next, [truncated](T a, T b) { return remainder(a, b, truncated); });
  }
  case OpKind::Pow:
    return each(first, next, [](T a, T b) { return power(a, b); });
  case OpKind::PRelu:
    return each(first, next, [](T a, T b) { return a < 0 ? times(a, b) : a; });
  case OpKind::Max:
    return each(first, next, [](T a, T b) { return larger(a, b); });
  case OpKind::Min:
    return each(first, next, [](T a, T b) { return smaller(a, b); });
  default:
    return false;
  }
}

template <typename T> bool holds(OpKind kind, T a, T b) {
  switch (kind) {
  case OpKind::Equal:
    return a == b;
  case OpKind::Less:
    return a < b;
  case OpKind::LessOrEqual:
    return a <= b;
  case OpKind::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

template <typename T> void clamp(std::vector<T>& values, T low, T high) {
  for (T& value : values)
    value = value < low ? low : value > high ? high : value;
}

} // namespace

Outcome variadic(const OpValues& op) {
  const Shape& shape = op.result().shape;
  return inArithmetic(op.result().type, [&](auto zero) -> Outcome {
    using T = decltype(zero);
    std::vector<T> values = op.loadAs<T>(0, shape);
    for (size_t i = 1; i < op.count(); ++i)
      if (!fold(op.op(), values, op.loadAs<T>(i, shape)))
        return std::nullopt;
    return one(values, op.result().type);
  });
}

Outcome binary(const OpValues& op) {
  if (op.op().kind != OpKind::Pow || !isInteger(op.type(0)) || !isFloat(op.type(1)))
    return variadic(op);
  // With a real exponent the power of an integer base is real until it is stored.
  const Shape& shape = op.result().shape;
  std::vector<double> values = op.loadAs<double>(0, shape);
  fold(op.op(), values, op.loadAs<double>(1, shape));
  return one(values, op.result().type);
}

Outcome compare(const OpValues& op) {
  const Shape& shape = op.result().shape;
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    const std::vector<T> a = op.loadAs<T>(0, shape);
    const std::vector<T> b = op.loadAs<T>(1, shape);
    std::vector<int64_t> result(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      result[i] = holds(op.op().kind, a[i], b[i]) ? 1 : 0;
    return one(result, DType::Bool);
  });
}

Outcome logic(const OpValues& op) {
  const Shape& shape = op.result().shape;
  std::vector<int64_t> a = op.loadAs<int64_t>(0, shape);
  const std::vector<int64_t> b = op.loadAs<int64_t>(1, shape);
  const OpKind kind = op.op().kind;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool left = a[i] != 0;
    const bool right = b[i] != 0;
    a[i] = kind == OpKind::And ? left && right : kind == OpKind::Or ? left || right : left != right;
  }
  return one(a, DType::Bool);
}

Outcome where(const OpValues& op) {
  const Shape& shape = op.result().shape;
  const std::vector<int64_t> condition = op.loadAs<int64_t>(0, shape);
  return inArithmetic(op.result().type, [&](auto zero) -> Outcome {
    using T = decltype(zero);
    std::vector<T> values = op.loadAs<T>(1, shape);
    const std::vector<T> otherwise = op.loadAs<T>(2, shape);
    for (size_t i = 0; i < values.size(); ++i)
      if (condition[i] == 0)
        values[i] = otherwise[i];
    return one(values, op.result().type);
  });
}

Outcome clip(const OpValues& op) {
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    const auto bound = [&](size_t index, const char* name, T fallback) {
      if (op.has(index))
        return op.load<T>(index)[0];
      return op.attrs().has(name) ? convertElement<T>(op.attrs().getFloat(name)) : fallback;
    };
    std::vector<T> values = op.load<T>(0);
    const T high = bound(2, "max", Limits::has_infinity ? Limits::infinity() : Limits::max());
    const T low = bound(1, "min", Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    // If the bounds cross, every element becomes `max`, as in ONNX.
    clamp(values, std::min(low, high), high);
    return one(values, op.result().type);
  });
}

Outcome batchNorm(const OpValues& op) {
  if (op.type(0) != DType::Float32 || op.results().size() != 1)
    return std::nullopt;
  const Shape& x = op.shape(0);
  const size_t axis = channelAxis(op.layout(), x.rank());
  std::vector<float> scale = op.load<float>(1);
  std::vector<float> offset = op.load<float>(2);
  if (op.op().kind == OpKind::BatchNormalization) {
    const std::vector<double> mean = op.load<double>(3);
    const std::vector<double> variance = op.load<double>(4);
    const double epsilon = op.attrs().getFloat("epsilon", 1e-5);
    for (size_t c = 0; c < scale.size(); ++c) {
      const double factor = scale[c] / std::sqrt(variance[c] + epsilon);
      offset[c] = static_cast<float>(offset[c] - mean[c] * factor);
      scale[c] = static_cast<float>(factor);
    }
  }
  std::vector<float> values = op.load<float>(0);
  const auto inner = static_cast<size_t>(x.elementsFrom(axis + 1));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t c = i / inner % scale.size();
    values[i] = values[i] * scale[c] + offset[c];
  }
  return one(values, DType::Float32);
}

Outcome activated(const OpValues& op, Outcome outcome) {
  const Activation act = op.op().act;
  if (!outcome || act == Activation::None)
    return outcome;
  if (op.result().type != DType::Float32)
    return std::nullopt;
  constexpr float Infinity = std::numeric_limits<float>::infinity();
  float low = 0;
  float high = act == Activation::Relu6 ? 6.0F : Infinity;
  if (act == Activation::Clip) {
    low = static_cast<float>(op.attrs().getFloat("act_min", -Infinity));
    high = static_cast<float>(op.attrs().getFloat("act_max", Infinity));
  }
  std::vector<float> values = loadElements<float>(*outcome->front(), DType::Float32);
  clamp(values, low, high);
  return one(values, DType::Float32);
}

} // namespace tigris::eval
