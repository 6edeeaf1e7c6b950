// Constants and tables that only TensorFlow Lite's integer operators have. The numbers are those of
// TensorFlow Lite Micro.
#include "tigris/Emit/Functions.h"
#include "tigris/Emit/SigmoidConstants.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tigris;

namespace {

constexpr Quant Fraction = {1.0F / 32768, 0};

std::array<int8_t, 256> microTable(OpKind kind, const Quant& input, const Quant& output) {
  Op op;
  op.kind = kind;
  return lookupTable(op, input, output, IntegerRounding::Micro);
}

} // namespace

TEST_CASE("sigmoid and tanh of int16: powers of two need no multiplier") {
  CHECK(sigmoidConstants(OpKind::Sigmoid, {std::ldexp(1.0F, -12), 0}, Fraction) ==
        SigmoidConstants{3, 0});
  CHECK(sigmoidConstants(OpKind::Tanh, {std::ldexp(1.0F, -11), 0}, Fraction) ==
        SigmoidConstants{6, 0});
  CHECK(sigmoidConstants(OpKind::Sigmoid, {std::ldexp(1.0F, -11), 0}, Fraction) ==
        SigmoidConstants{24576, 12});
  CHECK(sigmoidConstants(OpKind::Sigmoid, {0.001F, 0}, Fraction) == SigmoidConstants{25165, 11});
  CHECK(sigmoidConstants(OpKind::Tanh, {0.0003F, 0}, Fraction) == SigmoidConstants{30198, 13});
}

TEST_CASE("sigmoid and tanh of int16: other quantizations have none") {
  CHECK(!sigmoidConstants(OpKind::Tanh, {0.001F, 1}, Fraction));
  CHECK(!sigmoidConstants(OpKind::Tanh, {0.001F, 0}, {1.0F / 32768, 1}));
  CHECK(!sigmoidConstants(OpKind::Tanh, {0.001F, 0}, {1.0F / 16384, 0}));
  CHECK(!sigmoidConstants(OpKind::Tanh, {2.7F, 0}, Fraction));
  CHECK(sigmoidConstants(OpKind::Tanh, {2.6F, 0}, Fraction));
}

TEST_CASE("tables of RSQRT and ABS") {
  const auto root = microTable(OpKind::Rsqrt, {0.05F, -128}, {0.04F, -128});
  const std::array<int8_t, 16> roots = {127,  -101, -109, -112, -114, -116, -117, -118,
                                        -118, -119, -119, -120, -120, -120, -121, -121};
  const auto absolute = microTable(OpKind::Abs, {0.05F, -3}, {0.04F, 5});
  const std::array<int8_t, 16> absolutes = {127, 127, 119, 98, 76,  55,  34,  13,
                                            19,  40,  61,  83, 104, 125, 127, 127};
  for (size_t i = 0; i < 16; ++i) {
    CHECK(root[17 * i] == roots[i]);
    CHECK(absolute[17 * i] == absolutes[i]);
  }
}

TEST_CASE("int16 softmax scales differences to 65535 steps for 10") {
  const SoftmaxConstants constants = wideSoftmaxConstants(10.0 / 65535.0);
  CHECK(constants.multiplier == 1 << 30);
  CHECK(constants.leftShift == 1);
  CHECK(constants.diffMin == 0);
}
