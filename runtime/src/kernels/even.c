/* Quotients rounded to the nearest integer, halves to even. */
#include "fixed_point.h"

int64_t tigris_divide_even(int64_t n, int64_t d) {
  int64_t quotient = n / d;
  int64_t rest = n % d;
  if (rest < 0) {
    --quotient;
    rest += d;
  }
  return quotient + (2 * rest > d || (2 * rest == d && (quotient & 1) != 0));
}

int64_t tigris_quotient_even(int64_t n, int32_t word) {
  const int64_t d = tigris_denominator(word);
  const int64_t rest = n & (d - 1);
  int64_t quotient;
  if ((uint32_t)word >> 6 != 1)
    return tigris_divide_even(n, d);
  quotient = n >> (word & 63);
  return quotient + (2 * rest > d || (2 * rest == d && (quotient & 1) != 0));
}
