/* Quantized integers of one type as those of another: int8, int16, and int32 with zero point 0. */
#include "fixed_point.h"
#include "kernels.h"
#include "number.h"
#include "walk.h"

static int32_t zeroPoint(const tigris_call* call, const tigris_tensor* t) {
  return t->dtype == TIGRIS_S32 ? 0 : tigris_zero_point(call->plan, t);
}

tigris_status tigris_rescale(const tigris_call* call) {
  const tigris_requantize_params* p = (const tigris_requantize_params*)call->params;
  const uint32_t from = call->in[0].tensor->dtype;
  const uint32_t to = call->out[0].tensor->dtype;
  const uint32_t width = tigris_element_size(from);
  const int32_t inZero = zeroPoint(call, call->in[0].tensor);
  const int32_t outZero = zeroPoint(call, call->out[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint8_t* x = tigris_element(&call->in[0], span.begin, width);
  uint32_t i;
  for (i = 0; i < span.count; ++i) {
    const int32_t real = (int32_t)tigris_load_int(x + (size_t)i * width, from) - inZero;
    const int32_t v = tigris_requantize(real, p->multiplier, p->shift);
    const int32_t y = tigris_clamp_s32(tigris_add_wrap(v, outZero), p->lo, p->hi);
    if (to == TIGRIS_S8)
      ((int8_t*)(void*)call->out[0].data)[i] = (int8_t)y;
    else if (to == TIGRIS_S16)
      ((int16_t*)(void*)call->out[0].data)[i] = (int16_t)y;
    else
      ((int32_t*)(void*)call->out[0].data)[i] = y;
  }
  return TIGRIS_OK;
}
