// Functions as the parameters of the float kernel, and as tables.
#include "tigris/Emit/Functions.h"

#include "tigris/Emit/MicroFunctions.h"
#include "tigris/IR/ElementFunctions.h"
#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

namespace {

tigris_function functionNumber(OpKind kind) {
  switch (kind) {
#define TIGRIS_FORMULA(kind, name, formula)                                                        \
  case OpKind::kind:                                                                               \
    return TIGRIS_FN_##name;
#include "tigris/IR/Ops.def"
  default:
    TIGRIS_UNREACHABLE("not a function of one element");
  }
}

} // namespace

tigris_unary_params unaryParams(const Op& op) {
  const FunctionParams params = functionParams(op);
  const tigris_function number = params.tanhForm ? TIGRIS_FN_GELU_TANH : functionNumber(op.kind);
  return {static_cast<uint32_t>(number), params.a, params.b};
}

std::array<int8_t, 256> lookupTable(const Op& op, const Quant& input, const Quant& output,
                                    IntegerRounding rounding) {
  const FunctionParams params = functionParams(op);
  std::array<int8_t, 256> table = {};
  for (int32_t i = 0; i < 256; ++i) {
    const double x = static_cast<double>(input.scale) * (i - 128 - input.zeroPoint);
    const auto micro = rounding == IntegerRounding::Micro
                           ? microFunction(op, i - 128, input, output)
                           : std::nullopt;
    table[static_cast<size_t>(i)] =
        micro ? *micro
              : static_cast<int8_t>(
                    quantizeTo(DType::Int8, elementFunction(op.kind, x, params), output, rounding));
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
