/* Softmax of int8 to int8 or int16, in gemmlowp's fixed point, as TensorFlow Lite's reference and
 * CMSIS-NN compute it.
 *
 * Sources: tensorflow/lite/kernels/internal/reference/softmax.h (5 integer bits for the scaled
 * difference, 12 for the sum) and gemmlowp/fixedpoint/fixedpoint.h (exp_on_negative_values). */
#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"

#define SUM_INTEGER_BITS 12

/* exp(x) in Q0.31 for x <= 0 in Q5.26: a polynomial on (-1/4, 0] times one factor per higher set
 * bit. */
static int32_t expNegative(int32_t x) {
  static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308,
                                     39332535,   720401,     242}; /* exp(-2^k), k = -2..4 */
  const int32_t quarter = 1 << 24;
  const int32_t fraction = (x & (quarter - 1)) - quarter; /* in [-1/4, 0) */
  const int32_t rest = fraction - x;
  const int32_t a = tigris_shift_left_wrap(fraction, 5) + (1 << 28); /* Q0.31, centered at -1/8 */
  const int32_t a2 = tigris_high_mul(a, a);
  const int32_t a3 = tigris_high_mul(a2, a);
  const int32_t a4 = tigris_high_mul(a2, a2);
  const int32_t tail =
      tigris_divide_pot(tigris_high_mul(tigris_divide_pot(a4, 2) + a3, 715827883) + a2, 1);
  int32_t result = 1895147668 + tigris_high_mul(1895147668, a + tail);
  int32_t k;
  if (x == 0)
    return INT32_MAX;
  for (k = 0; k < 7; ++k) {
    if (rest & (quarter << k))
      result = tigris_high_mul(result, factors[k]);
  }
  return result;
}

/* exp of a difference from the maximum (<= 0), both in quantized units. */
static int32_t expOf(int32_t difference, const tigris_softmax_params* p) {
  const int64_t wide = (int64_t)difference * (INT64_C(1) << p->left_shift);
  const int32_t shifted = wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
  return expNegative(tigris_high_mul(shifted, p->multiplier));
}

/* n values, `step` apart, of x and y; y has `bits` per element and may be x. */
static void normalize(uint8_t* y, int32_t bits, const int8_t* x, uint32_t n, size_t step,
                      const tigris_softmax_params* p) {
  const int32_t half = 1 << (bits - 1);
  int32_t top = -128;
  int32_t sum = 0; /* Q12.19, saturated */
  int32_t headroom;
  int32_t scale;
  uint32_t i;
  for (i = 0; i < n; ++i)
    top = x[i * step] > top ? x[i * step] : top;
  for (i = 0; i < n; ++i) {
    const int32_t difference = x[i * step] - top;
    if (difference >= p->diff_min) {
      const int32_t e = tigris_divide_pot(expOf(difference, p), SUM_INTEGER_BITS);
      sum = sum > INT32_MAX - e ? INT32_MAX : sum + e;
    }
  }
  headroom = tigris_leading_zeros((uint32_t)sum);
  scale = tigris_one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - (UINT32_C(1) << 31)));
  for (i = 0; i < n; ++i) {
    const int32_t difference = x[i * step] - top;
    const int32_t exponent = SUM_INTEGER_BITS - headroom + 31 - bits;
    int32_t v = 0;
    if (difference >= p->diff_min && exponent <= 31)
      v = tigris_divide_pot(tigris_high_mul(scale, expOf(difference, p)), exponent);
    v = tigris_clamp_s32(v - half, -half, half - 1);
    if (bits == 8)
      ((int8_t*)(void*)y)[i * step] = (int8_t)v;
    else
      ((int16_t*)(void*)y)[i * step] = (int16_t)v;
  }
}

tigris_status tigris_softmax_s8(const tigris_call* call) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)call->params;
  const tigris_tensor* t = call->out[0].tensor;
  const int32_t* dims = call->out[0].dims;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  const uint32_t size = tigris_element_size(t->dtype);
  const uint32_t n = (uint32_t)dims[p->axis];
  uint32_t inner = 1;
  uint32_t outer;
  uint32_t i;
  for (i = (uint32_t)p->axis + 1; i < t->rank; ++i)
    inner *= (uint32_t)dims[i];
  for (outer = 0; outer < span.count; outer += n * inner) {
    for (i = 0; i < inner; ++i)
      normalize(call->out[0].data + (size_t)(outer + i) * size, 8 * (int32_t)size, x + outer + i, n,
                inner, p);
  }
  return TIGRIS_OK;
}
