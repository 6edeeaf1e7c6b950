// Ratios of scales, conditions for halves, and the integers that represent them exactly.
#include "tigris/Emit/EvenScale.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tigris;

namespace {

double denominatorOf(int32_t word) {
  const auto bits = static_cast<uint32_t>(word);
  return std::ldexp(static_cast<double>(bits >> 6), static_cast<int>(bits & 63));
}

double valueOf(const EvenScale& scale, double sum) {
  return (sum * scale.numerator + static_cast<double>(scale.offset)) /
         denominatorOf(scale.denominator);
}

} // namespace

TEST_CASE("a ratio is a fraction in lowest terms and a power of 2") {
  CHECK(ratioOf({0.5F, 0.25F}, {4.0F}) == Ratio{1, 1, 5});
  CHECK(ratioOf({1.5F}, {0.25F}) == Ratio{3, 1, -1});
  CHECK(ratioOf({0.75F}, {1.5F}, 6) == Ratio{1, 3, 2});
  CHECK(ratioOf({0.1F}, {0.1F}, 4) == Ratio{1, 1, 2});
  CHECK(ratioOf({0.1F}, {0.3F}).numerator > 1000);
  CHECK(ratioOf({3.0F}, {5.0F, 7.0F}, 9) == Ratio{1, 105, 0});
  CHECK(ratioOf({0.1F, 0.3F}, {0.7F}).value() ==
        doctest::Approx(double(0.1F) * double(0.3F) / double(0.7F)).epsilon(1e-15));
}

TEST_CASE("halves need a fraction of small numbers and a sum that is large enough") {
  const Ratio quarter = ratioOf({0.25F}, {1.0F});
  CHECK(mayTie(quarter, 2, DType::Int8));
  CHECK_FALSE(mayTie(quarter, 1, DType::Int8));
  CHECK_FALSE(mayTie(ratioOf({2.0F}, {1.0F}), 255, DType::Int8));        // integers only
  CHECK_FALSE(mayTie(ratioOf({1.0F}, {1.0F}, 9), 9 * 255, DType::Int8)); // thirds
  CHECK(mayTie(ratioOf({1.0F}, {1.0F}, 6), 6 * 255, DType::Int8));
  CHECK_FALSE(mayTie(ratioOf({0.1F}, {0.3F}), 1e6, DType::Int8));
  CHECK(mayTie(ratioOf({0.1F}, {0.2F}), 255, DType::Int8));
  const Ratio large = ratioOf({513.0F}, {1024.0F});
  CHECK_FALSE(mayTie(large, 1e6, DType::Int8));
  CHECK(mayTie(large, 1e6, DType::Int16));
}

TEST_CASE("a scale with halves is exact, another as precise as fits") {
  const EvenScale third = evenScale(ratioOf({0.5F}, {1.0F}, 3), 1000, DType::Int8);
  CHECK(valueOf(third, 3) == 0.5);
  CHECK(valueOf(third, 996) == 166.0);
  const EvenScale odd = evenScale(ratioOf({0.1F}, {0.3F}), 1e6, DType::Int8);
  CHECK(valueOf(odd, 1000) == doctest::Approx(1000 * double(0.1F) / double(0.3F)).epsilon(1e-9));
  CHECK(std::abs(valueOf(evenScale(ratioOf({1e-30F}, {1e30F}), 1e6, DType::Int8), 1e6)) < 1e-6);
  CHECK(valueOf(evenScale(ratioOf({1e30F}, {1e-30F}), 255, DType::Int8), 1) > 1e9);
}

TEST_CASE("an offset is exact where it can be, and otherwise on its side of every half") {
  const Ratio half = ratioOf({0.5F}, {1.0F});
  CHECK(valueOf(evenScale(half, 1000, DType::Int8, quotientOf(3, 0.25F, 1.0F)), 1) == 1.25);
  CHECK(valueOf(evenScale(half, 1000, DType::Int8, quotientOf(-3, 0.25F, 1.0F)), 1) == -0.25);
  const EvenScale above = evenScale(half, 1000, DType::Int8, quotientOf(1, 1e-30F, 1.0F));
  CHECK(above.offset == 1);
  const EvenScale below = evenScale(half, 1000, DType::Int8, quotientOf(-1, 1e-30F, 1.0F));
  CHECK(below.offset == -1);
  const EvenScale third = evenScale(half, 1000, DType::Int8, quotientOf(1, 1.0F, 3.0F));
  CHECK(valueOf(third, 0) == doctest::Approx(1.0 / 3).epsilon(1e-8));
  CHECK(third.offset % 2 != 0);
  // outside all bounds: saturated for every sum
  CHECK(valueOf(evenScale(half, 1000, DType::Int8, quotientOf(1, 1e30F, 1e-6F)), -1000) > 1000);
  CHECK(valueOf(evenScale(half, 1000, DType::Int8, quotientOf(-1, 1e30F, 1e-6F)), 1000) < -1000);
}

TEST_CASE("sums and quotients with halves have a common denominator") {
  const auto sum = evenSum(DType::Int8, {0.5F, 3}, {0.75F, 0}, {2.0F, 1});
  REQUIRE(sum.has_value());
  CHECK(sum->a / denominatorOf(sum->denominator) == 0.25);
  CHECK(sum->b / denominatorOf(sum->denominator) == 0.375);
  CHECK_FALSE(evenSum(DType::Int8, {0.5F, 0}, {0.5F, 0}, {0.5F, 0}).has_value());
  CHECK_FALSE(evenSum(DType::Int8, {0.1F, 0}, {0.23F, 0}, {0.31F, 0}).has_value());
  CHECK(evenSum(DType::Int8, {0.1F, 0}, {0.1F, 0}, {0.2F, 0}).has_value());
  CHECK(evenSum(DType::Int16, {0.1F, 0}, {0.1F, 0}, {0.2F, 0}).has_value());
  CHECK_FALSE(evenSum(DType::Int16, {0.1F, 0}, {0.23F, 0}, {0.31F, 0}).has_value());
  CHECK_FALSE(evenSum(DType::Int8, {1e30F, 0}, {1e-30F, 0}, {1.0F, 0}).has_value());
  const auto quotient = evenQuotient({0.5F, 0}, {0.25F, 0}, {3.0F, 0});
  REQUIRE(quotient.has_value());
  CHECK(quotient->numerator / denominatorOf(quotient->denominator) == doctest::Approx(2.0 / 3));
  CHECK_FALSE(evenQuotient({0.1F, 0}, {0.23F, 0}, {0.31F, 0}).has_value());
}
