/* Float functions of one value. */
#include <math.h>

#include "kernels.h"
#include "walk.h"

static float clamp01(float v) { return v < 0.0f ? 0.0f : (v > 1.0f ? 1.0f : v); }

static float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

/* log(1 + exp(v)) without overflow. */
static float softplus(float v) { return (v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v))); }

static float sign(float v) { return v > 0.0f ? 1.0f : (v < 0.0f ? -1.0f : 0.0f); }

static float geluTanh(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

void tigris_apply_function(const tigris_unary_params* p, float* y, const float* x, uint32_t n) {
  const float a = p->alpha;
  const float b = p->beta;
  uint32_t i;
  switch (p->function) {
#define TIGRIS_FN(name, number, value)                                                             \
  case number:                                                                                     \
    for (i = 0; i < n; ++i) {                                                                      \
      const float v = x[i];                                                                        \
      y[i] = value;                                                                                \
    }                                                                                              \
    break;
#include "tigris_opcodes.def"
  default:
    break;
  }
}

tigris_status tigris_unary_f32(const tigris_call* call) {
  const tigris_unary_params* p = (const tigris_unary_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  tigris_apply_function(p, (float*)(void*)call->out[0].data,
                        (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4),
                        span.count);
  return TIGRIS_OK;
}
