// Integer constants against the values of TensorFlow Lite's tests and definitions.
#include "tigris/Emit/Requant.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace tigris;

TEST_CASE("quantizeMultiplier: TensorFlow Lite's values") {
  // quantization_util_test.cc
  CHECK(quantizeMultiplier(0.25) == Multiplier{1 << 30, -1});
  CHECK(quantizeMultiplier(0.50 - 5e-9) == Multiplier{2147483627, -1});
  CHECK(quantizeMultiplier(0.50 - 1e-10) == Multiplier{1 << 30, 0});
  CHECK(quantizeMultiplier(0.5) == Multiplier{1 << 30, 0});
  CHECK(quantizeMultiplier(1.0) == Multiplier{1 << 30, 1});
  CHECK(quantizeMultiplier(2.0) == Multiplier{1 << 30, 2});
  CHECK(quantizeMultiplier(0.999999999999) == Multiplier{1 << 30, 1}); // rounds up to 2^31
  CHECK(quantizeMultiplier(0.0) == Multiplier{0, 0});
}

TEST_CASE("quantizeMultiplier: ends of the range") {
  CHECK(quantizeMultiplier(std::ldexp(1.0, -33)) == Multiplier{0, 0});
  CHECK(quantizeMultiplier(std::ldexp(1.0, -32)) == Multiplier{1 << 30, -31});
  CHECK(quantizeMultiplier(std::ldexp(1.0, 29)) == Multiplier{1 << 30, 30});
  CHECK(quantizeMultiplier(std::ldexp(1.0, 31)) ==
        Multiplier{std::numeric_limits<int32_t>::max(), 30});
}

TEST_CASE("both forms stand for the same value") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double real = std::ldexp(1.0 + random() / 4294967296.0, -static_cast<int>(random() % 31));
    const auto value = [](const Multiplier& m) {
      return std::ldexp(static_cast<double>(m.multiplier), m.shift - 31);
    };
    CHECK(std::abs(value(quantizeMultiplier(real)) / real - 1) < 1e-9);
    const Multiplier once = roundOnceMultiplier(real);
    CHECK(std::abs(value(once) / real - 1) <= 1.0 / (1 << 20));
    if (real < 1 && real >= 1.0 / 4096)
      CHECK(once.shift == 0);
    CHECK(makeMultiplier(real, IntegerRounding::Twice) == quantizeMultiplier(real));
    CHECK(makeMultiplier(real, IntegerRounding::Once, DType::Int16) == quantizeMultiplier(real));
  }
}

TEST_CASE("a clamp in quantized units rounds half away from zero and stays inside the type") {
  constexpr float Unbounded = std::numeric_limits<float>::infinity();
  const auto same = [](const IntegerRange& range, int32_t lo, int32_t hi) {
    return range.lo == lo && range.hi == hi;
  };
  CHECK(same(clampRange(DType::Int8, -Unbounded, Unbounded, {0.1F, 3}, IntegerRounding::Twice),
             -128, 127));
  CHECK(same(clampRange(DType::Int8, 0, Unbounded, {0.1F, -20}, IntegerRounding::Twice), -20, 127));
  CHECK(same(clampRange(DType::Int8, 0, 6, {0.1F, -128}, IntegerRounding::Twice), -128, -68));
  CHECK(same(clampRange(DType::Int8, 0, 6, {0.01F, -128}, IntegerRounding::Twice), -128, 127));
  CHECK(same(clampRange(DType::Int8, -0.25F, 0.25F, {0.1F, 0}, IntegerRounding::Twice), -3, 3));
  CHECK(same(clampRange(DType::Int8, -0.25F, 0.75F, {0.5F, 1}, IntegerRounding::Once), 1, 3));
  CHECK(same(clampRange(DType::Int8, -100, 100, {0.1F, 0}, IntegerRounding::Twice), -128, 127));
  CHECK(same(clampRange(DType::Int16, -Unbounded, Unbounded, {0.1F, 3}, IntegerRounding::Twice),
             -32768, 32767));
  CHECK(same(clampRange(DType::Int16, 0, 6, {0.001F, -100}, IntegerRounding::Twice), -100, 5900));
}

TEST_CASE("stored values saturate; what is no number is real 0") {
  CHECK(quantizeTo(DType::Int8, 1.0, {0.5F, 10}, IntegerRounding::Once) == 12);
  CHECK(quantizeTo(DType::Int8, -0.25, {0.5F, 0}, IntegerRounding::Once) == 0);
  CHECK(quantizeTo(DType::Int8, -0.25, {0.5F, 0}, IntegerRounding::Twice) == -1);
  CHECK(quantizeTo(DType::Int8, 0.75, {0.5F, 1}, IntegerRounding::Once) == 3);
  CHECK(quantizeTo(DType::Int8, 1e30, {0.5F, 0}, IntegerRounding::Once) == 127);
  CHECK(quantizeTo(DType::Int8, -std::numeric_limits<double>::infinity(), {0.5F, 0},
                   IntegerRounding::Once) == -128);
  CHECK(quantizeTo(DType::Int8, std::nan(""), {0.5F, 7}, IntegerRounding::Once) == 7);
  CHECK(quantizeTo(DType::Int16, 1000.0, {0.5F, -7}, IntegerRounding::Once) == 1993);
  CHECK(quantizeTo(DType::Int16, 1e30, {0.5F, 0}, IntegerRounding::Once) == 32767);
}

TEST_CASE("int16 addition has factors with one shift, the larger one with 31 bits") {
  const AddConstants c = wideAddConstants(0.5F, 0.125F, 0.25F);
  CHECK(c.out.shift == 2); // 2 = 2^30 * 2^(2 - 31)
  CHECK(c.a.multiplier == 1 << 30);
  CHECK(c.b.multiplier == 1 << 28);
  const AddConstants small = wideAddConstants(1e-30F, 1e-30F, 1e10F);
  CHECK(small.a.multiplier == 0);
  CHECK(small.b.multiplier == 0);
}

TEST_CASE("addition scales both operands to twice the larger scale") {
  const AddConstants c = addConstants(0.5F, 0.25F, 0.5F, IntegerRounding::Twice);
  CHECK(c.leftShift == 20);
  CHECK(c.a == Multiplier{1 << 30, 0});     // 1/2
  CHECK(c.b == Multiplier{1 << 30, -1});    // 1/4
  CHECK(c.out == Multiplier{1 << 30, -18}); // 1 / (2^20 * 0.5)
}

TEST_CASE("softmax constants of known scales") {
  // scale * 2^26 as multiplier and left shift; radius 31 * 2^26 / 2^left_shift
  const SoftmaxConstants c = softmaxConstants(1.0F / 16);
  CHECK(c.multiplier == 1 << 30);
  CHECK(c.leftShift == 23);
  CHECK(c.diffMin == -248);
  const SoftmaxConstants large = softmaxConstants(100.0F);
  CHECK(large.leftShift == 30);
  CHECK(large.diffMin == -1);
}

TEST_CASE("per-tensor dense layers multiply scales in float32") {
  const float in = 0.39101523F;
  const float weight = 0.000376875F;
  const float out = 0.04945913F;
  CHECK(denseScale(in, weight, out) == static_cast<double>(in * weight) / static_cast<double>(out));
  CHECK(convScale(in, weight, out) != denseScale(in, weight, out));
  CHECK(std::abs(convScale(in, weight, out) / denseScale(in, weight, out) - 1) < 1e-7);
}
