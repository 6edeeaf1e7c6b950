/* SVDF: per filter, a product of the input with feature weights and a product of its last results
 * with time weights. In the arithmetic of TensorFlow Lite Micro (svdf_common.cc). */
#include <string.h>

#include "fixed_point.h"
#include "kernels.h"
#include "view.h"

typedef struct Layer {
  uint32_t batch;
  uint32_t inputs;
  uint32_t filters;
  uint32_t memory; /* results that a filter keeps */
  uint32_t rank;   /* filters per unit */
} Layer;

static Layer layerOf(const tigris_call* call) {
  const int32_t* time = call->in[2].dims;
  Layer l;
  l.batch = (uint32_t)call->in[0].dims[0];
  l.inputs = (uint32_t)call->in[0].dims[1];
  l.filters = (uint32_t)time[0];
  l.memory = (uint32_t)time[1];
  l.rank = (uint32_t)((const tigris_svdf_params*)call->params)->rank;
  return l;
}

/* The results that stay: those of filter `f` of all sequences, without the oldest one. */
static void shift(const tigris_call* call, const Layer* l, uint32_t f) {
  const size_t size = tigris_element_size(call->out[1].tensor->dtype);
  const size_t line = l->memory * size;
  memcpy(call->out[1].data + f * line, call->in[4].data + f * line + size, line - size);
}

tigris_status tigris_svdf_f32(const tigris_call* call) {
  const Layer l = layerOf(call);
  const float* x = (const float*)(const void*)call->in[0].data;
  const float* bias = (const float*)(const void*)call->in[3].data;
  float* state = (float*)(void*)call->out[1].data;
  float* y = (float*)(void*)call->out[0].data;
  uint32_t b;
  uint32_t f;
  uint32_t i;
  for (b = 0; b < l.batch; ++b, x += l.inputs) {
    const float* feature = (const float*)(const void*)call->in[1].data;
    const float* time = (const float*)(const void*)call->in[2].data;
    float sum = 0.0f;
    for (f = 0; f < l.filters; ++f, feature += l.inputs, time += l.memory, state += l.memory) {
      float v = 0.0f;
      for (i = 0; i < l.inputs; ++i)
        v += feature[i] * x[i];
      shift(call, &l, b * l.filters + f);
      state[l.memory - 1] = v;
      v = 0.0f;
      for (i = 0; i < l.memory; ++i)
        v += time[i] * state[i];
      if (f % l.rank == 0)
        sum = bias[f / l.rank];
      sum += v;
      if (f % l.rank == l.rank - 1)
        *y++ = sum;
    }
  }
  return TIGRIS_OK;
}

/* The int32 sum of time weights times results, both s8 or both s16. */
static int32_t overTime(const void* time, const void* state, uint32_t dtype, uint32_t n,
                        int32_t zero) {
  int32_t sum = 0;
  uint32_t i;
  if (dtype == TIGRIS_S16) {
    for (i = 0; i < n; ++i)
      sum = tigris_add_wrap(sum, (int32_t)((uint32_t)((const int16_t*)time)[i] *
                                           (uint32_t)(((const int16_t*)state)[i] - zero)));
  } else {
    for (i = 0; i < n; ++i)
      sum = tigris_add_wrap(sum, ((const int8_t*)time)[i] * (((const int8_t*)state)[i] - zero));
  }
  return sum;
}

static int32_t feature(const int8_t* w, const int8_t* x, uint32_t n, int32_t zero) {
  int32_t sum = 0;
  uint32_t i;
  for (i = 0; i < n; ++i)
    sum = tigris_add_wrap(sum, w[i] * (x[i] - zero));
  return sum;
}

tigris_status tigris_svdf_s8(const tigris_call* call) {
  const tigris_svdf_params* p = (const tigris_svdf_params*)call->params;
  const Layer l = layerOf(call);
  const tigris_tensor* kept = call->out[1].tensor;
  const uint32_t size = tigris_element_size(kept->dtype);
  const int32_t most = kept->dtype == TIGRIS_S16 ? INT16_MAX : INT8_MAX;
  const int32_t zeroX = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t zeroY = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t zero = tigris_zero_point(call->plan, kept);
  const int32_t* bias = (const int32_t*)(const void*)call->in[3].data;
  const int8_t* w = (const int8_t*)call->in[1].data;
  int8_t* y = (int8_t*)call->out[0].data;
  const uint32_t all = l.batch * l.filters;
  int32_t sum = 0;
  uint32_t at;
  for (at = 0; at < all; ++at) {
    const uint32_t f = at % l.filters;
    const int8_t* x = (const int8_t*)call->in[0].data + (size_t)(at / l.filters) * l.inputs;
    uint8_t* state = call->out[1].data + (size_t)at * l.memory * size;
    const int32_t products = feature(w + (size_t)f * l.inputs, x, l.inputs, zeroX);
    /* the sum with the zero point is not clamped; its low byte is stored */
    const int32_t v =
        tigris_clamp_s32(tigris_requantize(products, p->feature_multiplier, p->feature_shift),
                         -most - 1, most) +
        zero;
    shift(call, &l, at);
    if (size == 2)
      ((int16_t*)(void*)state)[l.memory - 1] = (int16_t)v;
    else
      state[l.memory - 1] = (uint8_t)v;
    if (f % l.rank == 0)
      sum = bias[f / l.rank];
    sum = tigris_add_wrap(sum, overTime(call->in[2].data + (size_t)f * l.memory * size, state,
                                        kept->dtype, l.memory, zero));
    if (f % l.rank == l.rank - 1)
      *y++ = (int8_t)tigris_clamp_s32(
          tigris_add_wrap(tigris_requantize(sum, p->time_multiplier, p->time_shift), zeroY),
          INT8_MIN, INT8_MAX);
  }
  return TIGRIS_OK;
}
