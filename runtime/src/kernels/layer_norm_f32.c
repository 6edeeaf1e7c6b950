/* Float layer normalization over the last axes: first the mean, then the variance about it. */
#include <math.h>

#include "kernels.h"
#include "walk.h"

tigris_status tigris_layer_norm_f32(const tigris_call* call) {
  const tigris_layer_norm_params* p = (const tigris_layer_norm_params*)call->params;
  const tigris_tensor* t = call->out[0].tensor;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const float* x = (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4);
  const float* scale = call->op->inputs > 1 ? (const float*)(const void*)call->in[1].data : NULL;
  const float* bias = call->op->inputs > 2 ? (const float*)(const void*)call->in[2].data : NULL;
  float* y = (float*)(void*)call->out[0].data;
  uint32_t n = 1;
  uint32_t outer;
  uint32_t i;
  for (i = t->rank - p->axes; i < t->rank; ++i)
    n *= (uint32_t)call->out[0].dims[i];
  for (outer = 0; outer < span.count; outer += n, x += n, y += n) {
    float mean = 0.0f;
    float variance = 0.0f;
    float inverse;
    for (i = 0; i < n; ++i)
      mean += x[i];
    mean /= (float)n;
    for (i = 0; i < n; ++i)
      variance += (x[i] - mean) * (x[i] - mean);
    inverse = 1.0f / sqrtf(variance / (float)n + p->epsilon);
    for (i = 0; i < n; ++i) {
      const float v = (x[i] - mean) * inverse * (scale == NULL ? 1.0f : scale[i]);
      y[i] = v + (bias == NULL ? 0.0f : bias[i]);
    }
  }
  return TIGRIS_OK;
}
