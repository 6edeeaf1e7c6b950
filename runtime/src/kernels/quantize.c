/* Conversions between float and quantized integers, and between two quantizations of one type. */
#include "quantize.h"

#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"
#include "wide_s16.h"

tigris_status tigris_quantize(const tigris_call* call) {
  const tigris_quant* q = call->plan->quant + call->out[0].tensor->quant;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const float* x = (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4);
  uint32_t i;
  if (call->out[0].tensor->dtype == TIGRIS_S16) {
    int16_t* y = (int16_t*)(void*)call->out[0].data;
    for (i = 0; i < span.count; ++i)
      y[i] = (int16_t)tigris_quantize_one(x[i], q, INT16_MIN, INT16_MAX);
  } else {
    int8_t* y = (int8_t*)(void*)call->out[0].data;
    for (i = 0; i < span.count; ++i)
      y[i] = (int8_t)tigris_quantize_one(x[i], q, INT8_MIN, INT8_MAX);
  }
  return TIGRIS_OK;
}

tigris_status tigris_dequantize(const tigris_call* call) {
  const tigris_quant* q = call->plan->quant + call->in[0].tensor->quant;
  const tigris_span span = tigris_span_of(&call->out[0]);
  float* y = (float*)(void*)call->out[0].data;
  uint32_t i;
  if (call->in[0].tensor->dtype == TIGRIS_S16) {
    const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], span.begin, 2);
    for (i = 0; i < span.count; ++i)
      y[i] = (float)(x[i] - q->zero_point) * q->scale;
  } else {
    const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
    for (i = 0; i < span.count; ++i)
      y[i] = (float)(x[i] - q->zero_point) * q->scale;
  }
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

tigris_status tigris_requantize_s16(const tigris_call* call) {
  const tigris_requantize_params* p = (const tigris_requantize_params*)call->params;
  const int32_t inZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], span.begin, 2);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i)
    y[i] =
        tigris_scale_s16(call->op, x[i] - inZero, p->multiplier, p->shift, outZero, p->lo, p->hi);
  return TIGRIS_OK;
}
