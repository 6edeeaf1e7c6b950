/* Float functions of one value. */
#include <math.h>

#include "kernels.h"
#include "walk.h"

#define EACH(EXPRESSION)                                                                           \
  for (i = 0; i < n; ++i) {                                                                        \
    const float v = x[i];                                                                          \
    y[i] = EXPRESSION;                                                                             \
  }                                                                                                \
  break

static float clamp01(float v) { return v < 0.0f ? 0.0f : (v > 1.0f ? 1.0f : v); }

static float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

/* log(1 + exp(v)) without overflow. */
static float softplus(float v) { return (v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v))); }

static float sign(float v) { return v > 0.0f ? 1.0f : (v < 0.0f ? -1.0f : 0.0f); }

static float geluTanh(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

void tigris_apply_function(const tigris_unary_params* p, float* y, const float* x, uint32_t n) {
  const float alpha = p->alpha;
  const float beta = p->beta;
  uint32_t i;
  switch (p->function) {
  case TIGRIS_FN_ABS:
    EACH(fabsf(v));
  case TIGRIS_FN_NEG:
    EACH(-v);
  case TIGRIS_FN_EXP:
    EACH(expf(v));
  case TIGRIS_FN_LOG:
    EACH(logf(v));
  case TIGRIS_FN_SQRT:
    EACH(sqrtf(v));
  case TIGRIS_FN_RSQRT:
    EACH(1.0f / sqrtf(v));
  case TIGRIS_FN_RECIPROCAL:
    EACH(1.0f / v);
  case TIGRIS_FN_SQUARE:
    EACH(v * v);
  case TIGRIS_FN_ERF:
    EACH(erff(v));
  case TIGRIS_FN_SIGMOID:
    EACH(sigmoid(v));
  case TIGRIS_FN_TANH:
    EACH(tanhf(v));
  case TIGRIS_FN_HARD_SIGMOID:
    EACH(clamp01(alpha * v + beta));
  case TIGRIS_FN_HARD_SWISH:
    EACH(v * clamp01(v * (1.0f / 6.0f) + 0.5f));
  case TIGRIS_FN_SILU:
    EACH(v * sigmoid(v));
  case TIGRIS_FN_GELU_ERF:
    EACH(0.5f * v * (1.0f + erff(v * 0.70710678118f)));
  case TIGRIS_FN_GELU_TANH:
    EACH(geluTanh(v));
  case TIGRIS_FN_ELU:
    EACH(v < 0.0f ? alpha * expm1f(v) : v);
  case TIGRIS_FN_LEAKY_RELU:
    EACH(v < 0.0f ? alpha * v : v);
  case TIGRIS_FN_SOFTPLUS:
    EACH(softplus(v));
  case TIGRIS_FN_MISH:
    EACH(v * tanhf(softplus(v)));
  case TIGRIS_FN_FLOOR:
    EACH(floorf(v));
  case TIGRIS_FN_CEIL:
    EACH(ceilf(v));
  case TIGRIS_FN_ROUND:
    EACH(rintf(v));
  case TIGRIS_FN_SIN:
    EACH(sinf(v));
  case TIGRIS_FN_COS:
    EACH(cosf(v));
  case TIGRIS_FN_SIGN:
    EACH(sign(v));
  case TIGRIS_FN_SELU:
    EACH(beta * (v < 0.0f ? alpha * expm1f(v) : v));
  case TIGRIS_FN_SOFTSIGN:
    EACH(v / (1.0f + fabsf(v)));
  case TIGRIS_FN_CELU:
    EACH(v < 0.0f ? alpha * expm1f(v / alpha) : v);
  case TIGRIS_FN_THRESHOLDED_RELU:
    EACH(v > alpha ? v : 0.0f);
  case TIGRIS_FN_TAN:
    EACH(tanf(v));
  case TIGRIS_FN_ASIN:
    EACH(asinf(v));
  case TIGRIS_FN_ACOS:
    EACH(acosf(v));
  case TIGRIS_FN_ATAN:
    EACH(atanf(v));
  case TIGRIS_FN_SINH:
    EACH(sinhf(v));
  case TIGRIS_FN_COSH:
    EACH(coshf(v));
  case TIGRIS_FN_ASINH:
    EACH(asinhf(v));
  case TIGRIS_FN_ACOSH:
    EACH(acoshf(v));
  case TIGRIS_FN_ATANH:
    EACH(atanhf(v));
  default: /* SHRINK */
    EACH(v < -alpha ? v + beta : (v > alpha ? v - beta : 0.0f));
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
