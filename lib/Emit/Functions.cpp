// The table of unary functions, and their evaluation in double precision.
#include "tigris/Emit/Functions.h"

#include "tigris/Support/Check.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

constexpr double SeluAlpha = 1.67326319217681884765625;
constexpr double SeluGamma = 1.05070102214813232421875;
constexpr double SqrtTwo = 1.41421356237309504880;
constexpr double SqrtTwoOverPi = 0.79788456080286535588;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
/// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// Rounds half to even, independent of the rounding mode.
double roundEven(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5)
    return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

} // namespace

std::optional<tigris_unary_params> unaryFunction(const Op& op) {
  const auto plain = [](tigris_function number) {
    return tigris_unary_params{static_cast<uint32_t>(number), 0, 0};
  };
  const auto attribute = [&](const char* name, double fallback) {
    return static_cast<float>(op.attrs.getFloat(name, fallback));
  };
  const auto withAlpha = [&](tigris_function number, double alpha) {
    return tigris_unary_params{static_cast<uint32_t>(number), attribute("alpha", alpha), 0};
  };
  switch (op.kind) {
  case OpKind::LeakyRelu:
    return withAlpha(TIGRIS_FN_LEAKY_RELU, 0.01);
  case OpKind::Elu:
    return withAlpha(TIGRIS_FN_ELU, 1);
  case OpKind::Celu:
    return withAlpha(TIGRIS_FN_CELU, 1);
  case OpKind::Selu:
    return tigris_unary_params{TIGRIS_FN_SELU, attribute("alpha", SeluAlpha),
                               attribute("gamma", SeluGamma)};
  case OpKind::HardSigmoid:
    return tigris_unary_params{TIGRIS_FN_HARD_SIGMOID, attribute("alpha", 0.2),
                               attribute("beta", 0.5)};
  case OpKind::Gelu:
    return plain(op.attrs.getString("approximate", "none") == "tanh" ? TIGRIS_FN_GELU_TANH
                                                                     : TIGRIS_FN_GELU_ERF);
  case OpKind::Sigmoid:
    return plain(TIGRIS_FN_SIGMOID);
  case OpKind::HardSwish:
    return plain(TIGRIS_FN_HARD_SWISH);
  case OpKind::Tanh:
    return plain(TIGRIS_FN_TANH);
  case OpKind::Softplus:
    return plain(TIGRIS_FN_SOFTPLUS);
  case OpKind::Softsign:
    return plain(TIGRIS_FN_SOFTSIGN);
  case OpKind::Silu:
    return plain(TIGRIS_FN_SILU);
  case OpKind::Mish:
    return plain(TIGRIS_FN_MISH);
  case OpKind::Erf:
    return plain(TIGRIS_FN_ERF);
  case OpKind::Exp:
    return plain(TIGRIS_FN_EXP);
  case OpKind::Log:
    return plain(TIGRIS_FN_LOG);
  case OpKind::Sqrt:
    return plain(TIGRIS_FN_SQRT);
  case OpKind::Reciprocal:
    return plain(TIGRIS_FN_RECIPROCAL);
  case OpKind::Neg:
    return plain(TIGRIS_FN_NEG);
  case OpKind::Abs:
    return plain(TIGRIS_FN_ABS);
  case OpKind::Sign:
    return plain(TIGRIS_FN_SIGN);
  case OpKind::Floor:
    return plain(TIGRIS_FN_FLOOR);
  case OpKind::Ceil:
    return plain(TIGRIS_FN_CEIL);
  case OpKind::Round:
    return plain(TIGRIS_FN_ROUND);
  case OpKind::Sin:
    return plain(TIGRIS_FN_SIN);
  case OpKind::Cos:
    return plain(TIGRIS_FN_COS);
  case OpKind::Tan:
    return plain(TIGRIS_FN_TAN);
  case OpKind::Asin:
    return plain(TIGRIS_FN_ASIN);
  case OpKind::Acos:
    return plain(TIGRIS_FN_ACOS);
  case OpKind::Atan:
    return plain(TIGRIS_FN_ATAN);
  case OpKind::Sinh:
    return plain(TIGRIS_FN_SINH);
  case OpKind::Cosh:
    return plain(TIGRIS_FN_COSH);
  case OpKind::Asinh:
    return plain(TIGRIS_FN_ASINH);
  case OpKind::Acosh:
    return plain(TIGRIS_FN_ACOSH);
  case OpKind::Atanh:
    return plain(TIGRIS_FN_ATANH);
  case OpKind::ThresholdedRelu:
    return withAlpha(TIGRIS_FN_THRESHOLDED_RELU, 1);
  case OpKind::Shrink:
    return tigris_unary_params{TIGRIS_FN_SHRINK, attribute("lambd", 0.5), attribute("bias", 0)};
  default:
    return std::nullopt;
  }
}

double evaluateFunction(const tigris_unary_params& function, double x) {
  const double alpha = function.alpha;
  const double beta = function.beta;
  switch (function.function) {
  case TIGRIS_FN_LEAKY_RELU:
    return x < 0 ? alpha * x : x;
  case TIGRIS_FN_ELU:
    return x < 0 ? alpha * std::expm1(x) : x;
  case TIGRIS_FN_CELU:
    return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha));
  case TIGRIS_FN_SELU:
    return beta * (x < 0 ? alpha * std::expm1(x) : x);
  case TIGRIS_FN_HARD_SIGMOID:
    return std::clamp(alpha * x + beta, 0.0, 1.0);
  case TIGRIS_FN_GELU_ERF:
    return x / 2 * (1 + std::erf(x / SqrtTwo));
  case TIGRIS_FN_GELU_TANH:
    return x / 2 * (1 + std::tanh(SqrtTwoOverPi * (x + 0.044715 * x * x * x)));
  case TIGRIS_FN_SIGMOID:
    return sigmoid(x);
  case TIGRIS_FN_SILU:
    return x * sigmoid(x);
  case TIGRIS_FN_HARD_SWISH:
    return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
  case TIGRIS_FN_TANH:
    return std::tanh(x);
  case TIGRIS_FN_SOFTPLUS:
    return softplus(x);
  case TIGRIS_FN_SOFTSIGN:
    return x / (1 + std::abs(x));
  case TIGRIS_FN_MISH:
    return x * std::tanh(softplus(x));
  case TIGRIS_FN_ERF:
    return std::erf(x);
  case TIGRIS_FN_EXP:
    return std::exp(x);
  case TIGRIS_FN_LOG:
    return std::log(x);
  case TIGRIS_FN_SQRT:
    return std::sqrt(x);
  case TIGRIS_FN_RECIPROCAL:
    return 1 / x;
  case TIGRIS_FN_NEG:
    return -x;
  case TIGRIS_FN_ABS:
    return std::abs(x);
  case TIGRIS_FN_SIGN:
    return static_cast<double>((x > 0) - (x < 0));
  case TIGRIS_FN_FLOOR:
    return std::floor(x);
  case TIGRIS_FN_CEIL:
    return std::ceil(x);
  case TIGRIS_FN_ROUND:
    return roundEven(x);
  case TIGRIS_FN_SIN:
    return std::sin(x);
  case TIGRIS_FN_COS:
    return std::cos(x);
  case TIGRIS_FN_TAN:
    return std::tan(x);
  case TIGRIS_FN_ASIN:
    return std::asin(x);
  case TIGRIS_FN_ACOS:
    return std::acos(x);
  case TIGRIS_FN_ATAN:
    return std::atan(x);
  case TIGRIS_FN_SINH:
    return std::sinh(x);
  case TIGRIS_FN_COSH:
    return std::cosh(x);
  case TIGRIS_FN_ASINH:
    return std::asinh(x);
  case TIGRIS_FN_ACOSH:
    return std::acosh(x);
  case TIGRIS_FN_ATANH:
    return std::atanh(x);
  case TIGRIS_FN_THRESHOLDED_RELU:
    return x > alpha ? x : 0;
  case TIGRIS_FN_SHRINK:
    return x < -alpha ? x + beta : x > alpha ? x - beta : 0;
  default:
    TIGRIS_UNREACHABLE("a function unaryFunction does not return");
  }
}

std::array<int8_t, 256> lookupTable(const tigris_unary_params& function, const Quant& input,
                                    const Quant& output, IntegerRounding rounding) {
  std::array<int8_t, 256> table = {};
  for (int32_t i = 0; i < 256; ++i) {
    const double x = static_cast<double>(input.scale) * (i - 128 - input.zeroPoint);
    table[static_cast<size_t>(i)] = static_cast<int8_t>(
        quantizeTo(DType::Int8, evaluateFunction(function, x), output, rounding));
  }
  return table;
}

std::array<int8_t, 256> requantizeTable(const Quant& input, const Quant& output,
                                        const IntegerRange& range, IntegerRounding rounding) {
  std::array<int8_t, 256> table = {};
  for (int32_t i = 0; i < 256; ++i) {
    const double x = static_cast<double>(input.scale) * (i - 128 - input.zeroPoint);
    const int32_t stored = quantizeTo(DType::Int8, x, output, rounding);
    table[static_cast<size_t>(i)] = static_cast<int8_t>(std::clamp(stored, range.lo, range.hi));
  }
  return table;
}

} // namespace tigris
