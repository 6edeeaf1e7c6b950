// The formulas of Ops.def as a switch, and functions that several of them use. Definitions: the
// ONNX operator pages.
#include "tigris/IR/ElementFunctions.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tigris {

namespace {

template <typename T> T sigmoid(T x) { return T(1) / (T(1) + std::exp(-x)); }

template <typename T> T softplus(T x) {
  // The two forms are equal; each overflows where the other does not.
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <typename T> T gelu(T x) {
  return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));
}

template <typename T> T geluTanh(T x) {
  return T(0.5) * x * (T(1) + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
}

template <typename T> T hardSigmoid(T x, T alpha, T beta) {
  return std::max(T(0), std::min(T(1), alpha * x + beta));
}

} // namespace

FunctionParams functionParams(const Op& op) {
  FunctionParams params;
  float* next[] = {&params.a, &params.b};
  size_t found = 0;
  for (const AttrInfo& info : opInfo(op.kind).attributes)
    if (info.kind == AttrKind::Float && found < std::size(next))
      *next[found++] = static_cast<float>(op.attrs.getFloat(info.name, info.fallback.value_or(0)));
  params.tanhForm = op.attrs.getString("approximate", "none") == "tanh";
  return params;
}

template <typename T> T elementFunction(OpKind kind, T x, const FunctionParams& params) {
  const auto a = static_cast<T>(params.a);
  const auto b = static_cast<T>(params.b);
  const bool tanhForm = params.tanhForm;
  switch (kind) {
#define TIGRIS_FORMULA(kind, name, formula)                                                        \
  case OpKind::kind:                                                                               \
    return formula;
#include "tigris/IR/Ops.def"
  default:
    TIGRIS_UNREACHABLE("not a function of one element");
  }
}

template float elementFunction(OpKind, float, const FunctionParams&);
template double elementFunction(OpKind, double, const FunctionParams&);

} // namespace tigris
