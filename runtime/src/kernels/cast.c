/* Conversions between number types, element by element. Elements of quantized tensors are counted
 * from their zero point; a scale other than 1 has no effect. */
#include <math.h>

#include "kernels.h"
#include "number.h"
#include "walk.h"

/* Truncates toward zero and saturates; NaN becomes 0. */
static int64_t truncated(float v, uint32_t dtype) {
  const int narrow = dtype == TIGRIS_S32;
  const float limit = narrow ? 2147483648.0f : 9223372036854775808.0f; /* one above the largest */
  if (dtype == TIGRIS_BOOL)
    return v != 0.0f;
  if (v >= limit)
    return narrow ? INT32_MAX : INT64_MAX;
  if (v < -limit)
    return narrow ? INT32_MIN : INT64_MIN;
  return isnan(v) ? 0 : (int64_t)v;
}

static uint64_t zeroOf(const tigris_call* call, const tigris_view* view) {
  return tigris_is_quantized(view->tensor)
             ? (uint64_t)(int64_t)tigris_zero_point(call->plan, view->tensor)
             : 0;
}

tigris_status tigris_cast(const tigris_call* call) {
  const uint32_t from = call->in[0].tensor->dtype;
  const uint32_t to = call->out[0].tensor->dtype;
  const uint32_t fromSize = tigris_element_size(from);
  const uint32_t toSize = tigris_element_size(to);
  const uint64_t fromZero = zeroOf(call, &call->in[0]);
  const uint64_t toZero = zeroOf(call, &call->out[0]);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint8_t* x = tigris_element(&call->in[0], span.begin, fromSize);
  uint8_t* y = call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i, x += fromSize, y += toSize) {
    if (to == TIGRIS_F32) {
      const float value = from == TIGRIS_F32
                              ? tigris_load_float(x)
                              : (float)(int64_t)((uint64_t)tigris_load_int(x, from) - fromZero);
      memcpy(y, &value, sizeof value);
    } else {
      uint64_t value = from == TIGRIS_F32 ? (uint64_t)truncated(tigris_load_float(x), to)
                                          : (uint64_t)tigris_load_int(x, from) - fromZero;
      value = to == TIGRIS_BOOL ? value != 0 : value + toZero;
      memcpy(y, &value, toSize); /* the low bytes come first */
    }
  }
  return TIGRIS_OK;
}
