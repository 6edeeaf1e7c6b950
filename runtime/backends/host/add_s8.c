/* int8 sums and differences of two tensors of the same shape. */
#include "kernels/kernels.h"
#include "requant_s8.h"
#include "walk.h"

/* A multiplier and shift broadcast to all lanes. */
typedef struct Scale {
  Sums multiplier;
  Sums left;
  Sums right;
  Sums mask;
} Scale;

static Scale scaleOf(int32_t multiplier, int32_t shift) {
  const int32_t right = shift > 0 ? 0 : -shift;
  Scale s;
  s.multiplier = (Sums){0} + multiplier;
  s.left = (Sums){0} + (shift > 0 ? shift : 0);
  s.right = (Sums){0} + right;
  s.mask = (Sums){0} + (int32_t)((UINT32_C(1) << right) - 1u);
  return s;
}

static inline Sums scaled(const Scale* s, Sums x) {
  return scaleSums(x, s->multiplier, s->left, s->right, s->mask);
}

typedef struct Addition {
  Scale a;
  Scale b;
  Scale out;
  int32_t aZero;
  int32_t bZero;
  int32_t outZero;
  int32_t leftShift;
  int32_t sign;
  int32_t lo;
  int32_t hi;
} Addition;

/* HOST_LANES elements; y may be a or b. */
static inline void addVector(const Addition* k, const int8_t* a, const int8_t* b, int8_t* y) {
  const Sums x = scaled(&k->a, (widen(a) - k->aZero) << k->leftShift);
  const Sums z = scaled(&k->b, (widen(b) - k->bZero) << k->leftShift);
  const Sums v = scaled(&k->out, x + z * k->sign);
  narrow(y, clampSums(v + k->outZero, k->lo, k->hi));
}

static int sameShape(const tigris_view* a, const tigris_view* y) {
  uint32_t i;
  if (a->tensor->rank != y->tensor->rank)
    return 0;
  for (i = 0; i < y->tensor->rank; ++i) {
    if (a->dims[i] != y->dims[i])
      return 0;
  }
  return 1;
}

tigris_status TIGRIS_HOST_NAME(tigris_host_add_s8)(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_span span = tigris_span_of(out);
  const int8_t* a;
  const int8_t* b;
  int8_t* y = (int8_t*)(void*)out->data;
  Addition k;
  uint32_t i;
  if (!sameShape(&call->in[0], out) || !sameShape(&call->in[1], out) || p->a_multiplier < 0 ||
      p->b_multiplier < 0 || p->out_multiplier < 0)
    return tigris_binary_s8(call);
  a = (const int8_t*)(const void*)tigris_element(&call->in[0], span.begin, 1);
  b = (const int8_t*)(const void*)tigris_element(&call->in[1], span.begin, 1);
  k.a = scaleOf(p->a_multiplier, p->a_shift);
  k.b = scaleOf(p->b_multiplier, p->b_shift);
  k.out = scaleOf(p->out_multiplier, p->out_shift);
  k.aZero = tigris_zero_point(call->plan, call->in[0].tensor);
  k.bZero = tigris_zero_point(call->plan, call->in[1].tensor);
  k.outZero = tigris_zero_point(call->plan, out->tensor);
  k.leftShift = p->left_shift;
  k.sign = call->op->opcode == TIGRIS_OP_ADD ? 1 : -1;
  k.lo = p->lo.i;
  k.hi = p->hi.i;
  for (i = 0; i + HOST_LANES <= span.count; i += HOST_LANES)
    addVector(&k, a + i, b + i, y + i);
  if (i < span.count) {
    int8_t rest[2][HOST_LANES] = {{0}, {0}};
    memcpy(rest[0], a + i, span.count - i);
    memcpy(rest[1], b + i, span.count - i);
    addVector(&k, rest[0], rest[1], rest[0]);
    memcpy(y + i, rest[0], span.count - i);
  }
  return TIGRIS_OK;
}
