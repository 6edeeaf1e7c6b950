/* Element maps: clamps, int8 tables and per-channel scale and offset. */
#include "dense_f32.h"
#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"

tigris_status tigris_clamp_f32(const tigris_call* call) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  tigris_store_f32((float*)(void*)call->out[0].data,
                   (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4),
                   span.count, p->lo.f, p->hi.f);
  return TIGRIS_OK;
}

tigris_status tigris_clamp_s8(const tigris_call* call) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  const int8_t lo = (int8_t)p->lo.i;
  const int8_t hi = (int8_t)p->hi.i;
  uint32_t i;
  for (i = 0; i < span.count; ++i)
    y[i] = x[i] < lo ? lo : (x[i] > hi ? hi : x[i]);
  return TIGRIS_OK;
}

tigris_status tigris_lookup_s8(const tigris_call* call) {
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  const int8_t* table = (const int8_t*)(const void*)call->in[1].data;
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i)
    y[i] = table[x[i] + 128];
  return TIGRIS_OK;
}

tigris_status tigris_batch_norm_f32(const tigris_call* call) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)call->params;
  const tigris_tensor* t = call->out[0].tensor;
  const uint32_t channels = (uint32_t)call->out[0].dims[t->rank - 1];
  const tigris_span span = tigris_span_of(&call->out[0]);
  const float* x = (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4);
  const float* scale = (const float*)(const void*)call->in[1].data;
  const float* offset = (const float*)(const void*)call->in[2].data;
  float* y = (float*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; i += channels) {
    uint32_t c;
    for (c = 0; c < channels; ++c)
      y[i + c] = tigris_clamp1_f32(x[i + c] * scale[c] + offset[c], p->lo.f, p->hi.f);
  }
  return TIGRIS_OK;
}
