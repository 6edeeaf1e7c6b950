/* Float operations of two operands with broadcasting. */
#include <math.h>

#include "dense_f32.h"
#include "kernels.h"
#include "walk.h"

typedef struct LineF32 {
  const float* a;
  const float* b;
  float* y; /* may be a or b */
  uint32_t n;
  int32_t aStep; /* 1: one value per output element; 0: a single value */
  int32_t bStep;
  float lo;
  float hi;
} LineF32;

/* One loop per broadcast case, so that each loop vectorizes. */
#define LINE(EXPRESSION)                                                                           \
  if (l->aStep == 1 && l->bStep == 1) {                                                            \
    for (i = 0; i < l->n; ++i) {                                                                   \
      const float a = l->a[i];                                                                     \
      const float b = l->b[i];                                                                     \
      l->y[i] = tigris_clamp1_f32(EXPRESSION, l->lo, l->hi);                                       \
    }                                                                                              \
  } else if (l->bStep == 0) {                                                                      \
    const float b = l->b[0];                                                                       \
    for (i = 0; i < l->n; ++i) {                                                                   \
      const float a = l->a[(ptrdiff_t)i * l->aStep];                                               \
      l->y[i] = tigris_clamp1_f32(EXPRESSION, l->lo, l->hi);                                       \
    }                                                                                              \
  } else {                                                                                         \
    const float a = l->a[0];                                                                       \
    for (i = 0; i < l->n; ++i) {                                                                   \
      const float b = l->b[i];                                                                     \
      l->y[i] = tigris_clamp1_f32(EXPRESSION, l->lo, l->hi);                                       \
    }                                                                                              \
  }                                                                                                \
  break

static void line(uint32_t opcode, const LineF32* l) {
  uint32_t i;
  switch (opcode) {
  case TIGRIS_OP_ADD:
    LINE(a + b);
  case TIGRIS_OP_SUB:
    LINE(a - b);
  case TIGRIS_OP_MUL:
    LINE(a * b);
  case TIGRIS_OP_DIV:
    LINE(a / b);
  case TIGRIS_OP_MAXIMUM:
    LINE(a > b ? a : b);
  case TIGRIS_OP_MINIMUM:
    LINE(a < b ? a : b);
  case TIGRIS_OP_POW:
    LINE(powf(a, b));
  case TIGRIS_OP_FMOD:
    LINE(fmodf(a, b));
  default: /* PRELU */
    LINE(a < 0.0f ? a * b : a);
  }
}

tigris_status tigris_binary_f32(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  tigris_walk w;
  LineF32 l;
  tigris_walk_begin(&w, call, 2);
  l.lo = p == NULL ? -HUGE_VALF : p->lo.f;
  l.hi = p == NULL ? HUGE_VALF : p->hi.f;
  l.aStep = w.stride[0][w.rank - 1];
  l.bStep = w.stride[1][w.rank - 1];
  l.y = (float*)(void*)call->out[0].data;
  for (; w.left != 0; tigris_walk_advance(&w, l.n)) {
    l.n = tigris_walk_run(&w);
    l.a = (const float*)(const void*)tigris_element(&call->in[0], (uint32_t)w.at[0], 4);
    l.b = (const float*)(const void*)tigris_element(&call->in[1], (uint32_t)w.at[1], 4);
    line(call->op->opcode, &l);
    l.y += l.n;
  }
  return TIGRIS_OK;
}
