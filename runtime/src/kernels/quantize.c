/* Conversions between float and int8, and between two int8 quantisations. */
#include <math.h>

#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"

tigris_status tigris_quantize(const tigris_call* call) {
  const tigris_quant* q = call->plan->quant + call->out[0].tensor->quant;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const float* x = (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4);
  const float lo = (float)(-128 - q->zero_point);
  const float hi = (float)(127 - q->zero_point);
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i) {
    /* Divided, not multiplied by the inverse: ONNX asks for it. NaN becomes the lowest value. */
    const float v = rintf(x[i] / q->scale);
    const float bounded = v > lo ? (v < hi ? v : hi) : lo;
    y[i] = (int8_t)((int32_t)bounded + q->zero_point);
  }
  return TIGRIS_OK;
}

tigris_status tigris_dequantize(const tigris_call* call) {
  const tigris_quant* q = call->plan->quant + call->in[0].tensor->quant;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  float* y = (float*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i)
    y[i] = (float)(x[i] - q->zero_point) * q->scale;
  return TIGRIS_OK;
}

tigris_status tigris_requantize_s8(const tigris_call* call) {
  const tigris_requantize_params* p = (const tigris_requantize_params*)call->params;
  const int32_t inZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i) {
    const int32_t v = tigris_requantize(x[i] - inZero, p->multiplier, p->shift);
    y[i] = (int8_t)tigris_clamp_s32(tigris_add_wrap(v, outZero), p->lo, p->hi);
  }
  return TIGRIS_OK;
}
