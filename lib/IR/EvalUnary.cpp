// Functions of one element. Formulas: the ONNX operator pages; every step in the operand's own precision.
#include "tigris/IR/EvalRules.h"

#include <cmath>

namespace tigris::eval {

namespace {

int64_t wrapNeg(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

/// Constants of one operator, read once.
template <typename T> struct UnaryParams {
  explicit UnaryParams(const Op& op) {
    const auto get = [&](const char* name, double fallback) {
      return static_cast<T>(op.attrs.getFloat(name, fallback));
    };
    switch (op.kind) {
    case OpKind::LeakyRelu:
      alpha = get("alpha", 0.01);
      break;
    case OpKind::Selu:
      alpha = get("alpha", 1.67326319217681884765625);
      gamma = get("gamma", 1.05070102214813232421875);
      break;
    case OpKind::HardSigmoid:
      alpha = get("alpha", 0.2);
      beta = get("beta", 0.5);
      break;
    case OpKind::Elu:
    case OpKind::Celu:
    case OpKind::ThresholdedRelu:
      alpha = get("alpha", 1.0);
      break;
    case OpKind::Shrink:
      alpha = get("lambd", 0.5);
      beta = get("bias", 0);
      break;
    case OpKind::Gelu:
      tanhForm = op.attrs.getString("approximate", "none") == "tanh";
      break;
    default:
      break;
    }
  }
  T alpha = 1;
  T beta = 0;
  T gamma = 1;
  bool tanhForm = false;
};

template <typename T> T sigmoid(T x) { return T(1) / (T(1) + std::exp(-x)); }

template <typename T> T softplus(T x) {
  // The two forms are equal; each overflows where the other does not.
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <typename T> T gelu(T x, bool tanhForm) {
  if (tanhForm)
    return T(0.5) * x * (T(1) + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
  return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));
}

template <typename T> T hardSigmoid(T x, T alpha, T beta) {
  return std::max(T(0), std::min(T(1), alpha * x + beta));
}

template <typename T> std::optional<T> realFunction(OpKind kind, T x, const UnaryParams<T>& p) {
  switch (kind) {
  case OpKind::Relu:
    return x < 0 ? T(0) : x;
  case OpKind::Relu6:
    return x < 0 ? T(0) : x > 6 ? T(6) : x;
  case OpKind::LeakyRelu:
    return x < 0 ? p.alpha * x : x;
  case OpKind::Elu:
    return x < 0 ? p.alpha * std::expm1(x) : x;
  case OpKind::Selu:
    return p.gamma * (x < 0 ? p.alpha * std::expm1(x) : x);
  case OpKind::Celu:
    return std::max(T(0), x) + std::min(T(0), p.alpha * std::expm1(x / p.alpha));
  case OpKind::Sigmoid:
    return sigmoid(x);
  case OpKind::Silu:
    return x * sigmoid(x);
  case OpKind::HardSigmoid:
    return hardSigmoid(x, p.alpha, p.beta);
  case OpKind::HardSwish:
    return x * hardSigmoid(x, T(1) / T(6), T(0.5));
  case OpKind::Tanh:
    return std::tanh(x);
  case OpKind::Softplus:
    return softplus(x);
  case OpKind::Softsign:
    return x / (T(1) + std::abs(x));
  case OpKind::Mish:
    return x * std::tanh(softplus(x));
  case OpKind::Gelu:
    return gelu(x, p.tanhForm);
  case OpKind::Erf:
    return std::erf(x);
  case OpKind::Exp:
    return std::exp(x);
  case OpKind::Log:
    return std::log(x);
  case OpKind::Sqrt:
    return std::sqrt(x);
  case OpKind::Reciprocal:
    return T(1) / x;
  case OpKind::Neg:
    return -x;
  case OpKind::Abs:
    return std::abs(x);
  case OpKind::Sign:
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  case OpKind::Floor:
    return std::floor(x);
  case OpKind::Ceil:
    return std::ceil(x);
  case OpKind::Round:
    return std::nearbyint(x);
  case OpKind::Sin:
    return std::sin(x);
  case OpKind::Cos:
    return std::cos(x);
  case OpKind::Tan:
    return std::tan(x);
  case OpKind::Asin:
    return std::asin(x);
  case OpKind::Acos:
    return std::acos(x);
  case OpKind::Atan:
    return std::atan(x);
  case OpKind::Sinh:
    return std::sinh(x);
  case OpKind::Cosh:
    return std::cosh(x);
  case OpKind::Asinh:
    return std::asinh(x);
  case OpKind::Acosh:
    return std::acosh(x);
  case OpKind::Atanh:
    return std::atanh(x);
  case OpKind::ThresholdedRelu:
    return x > p.alpha ? x : T(0);
  case OpKind::Shrink:
    return x < -p.alpha ? x + p.beta : x > p.alpha ? x - p.beta : T(0);
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> integerFunction(OpKind kind, int64_t x) {
  switch (kind) {
  case OpKind::Relu:
    return x < 0 ? 0 : x;
  case OpKind::Neg:
    return wrapNeg(x);
  case OpKind::Abs:
    return x < 0 ? wrapNeg(x) : x;
  case OpKind::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case OpKind::Not:
    return x == 0 ? 1 : 0;
  default:
    return std::nullopt;
  }
}

} // namespace

Outcome unary(const OpValues& op) {
  if (op.count() != 1 || op.results().size() != 1)
    return std::nullopt;
  const OpKind kind = op.op().kind;
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    std::vector<T> values = op.load<T>(0);
    const UnaryParams<T> params(op.op());
    for (T& value : values) {
      std::optional<T> computed;
      if constexpr (std::is_integral_v<T>)
        computed = integerFunction(kind, value);
      else
        computed = realFunction(kind, value, params);
      if (!computed)
        return std::nullopt;
      value = *computed;
    }
    return one(values, op.result().type);
  });
}

Outcome castElements(const OpValues& op) {
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    return one(op.load<decltype(zero)>(0), op.result().type);
  });
}

} // namespace tigris::eval
