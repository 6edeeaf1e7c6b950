/* Fixed-point helpers against 64-bit oracles and known values. */
#include <math.h>

#include "fixed_point.h"
#include "one_op.h"

static void testRequantize(void) {
  static const int32_t edges[] = {
      0, 1, -1, 2, -2, 127, -128, 255, 1 << 30, -(1 << 30), INT32_MAX, INT32_MIN, INT32_MIN + 1};
  uint32_t i;
  uint32_t k;
  int32_t shift;
  for (i = 0; i < sizeof edges / sizeof edges[0]; ++i) {
    for (k = 0; k < sizeof edges / sizeof edges[0]; ++k) {
      for (shift = -31; shift <= 0; ++shift)
        CHECK_EQ(tigris_requantize(edges[i], edges[k], shift),
                 oracleRequantize(edges[i], edges[k], shift));
    }
  }
  for (i = 0; i < 200000; ++i) {
    const int32_t x = (int32_t)randomBits() >> randomInt(0, 31);
    const int32_t m = (int32_t)(randomBits() >> 1);
    shift = randomInt(-31, 0);
    CHECK_EQ(tigris_requantize(x, m, shift), oracleRequantize(x, m, shift));
    shift = randomInt(1, 8);
    CHECK_EQ(tigris_requantize(x >> 9, m, shift), oracleRequantize(x >> 9, m, shift));
  }
}

static void testLeadingZeros(void) {
  int32_t i;
  CHECK_EQ(tigris_leading_zeros(0), 32);
  for (i = 0; i < 32; ++i)
    CHECK_EQ(tigris_leading_zeros(UINT32_C(1) << i), 31 - i);
}

static void testReciprocal(void) {
  int32_t i;
  for (i = 0; i < 1000; ++i) {
    const int32_t x = (int32_t)(randomBits() >> 1);
    const double expected = 1.0 / (1.0 + x / 2147483648.0);
    CHECK(fabs(tigris_one_over_one_plus(x) / 2147483648.0 - expected) < 1e-8);
  }
  CHECK_EQ(tigris_one_over_one_plus(0), INT32_MAX);
}

static void testWrapping(void) {
  CHECK_EQ(tigris_add_wrap(INT32_MAX, 1), INT32_MIN);
  CHECK_EQ(tigris_shift_left_wrap(3, 31), INT32_MIN);
  CHECK_EQ(-5 >> 1, -3); /* arithmetic right shift, on which the library relies */
  CHECK_EQ(tigris_high_mul(INT32_MIN, INT32_MIN), INT32_MAX);
}

int main(void) {
  testRequantize();
  testLeadingZeros();
  testReciprocal();
  testWrapping();
  return finish();
}
