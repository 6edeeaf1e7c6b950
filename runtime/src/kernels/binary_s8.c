/* int8 operations of two operands with broadcasting, in TensorFlow Lite's arithmetic.
 *
 * Sources: tensorflow/lite/kernels/internal/reference/{add,sub,mul,div}.h. */
#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"

typedef struct LineS8 {
  const int8_t* a;
  const int8_t* b;
  int8_t* y; /* may be a or b */
  uint32_t n;
  int32_t aStep;
  int32_t bStep;
  int32_t aZero;
  int32_t bZero;
  int32_t yZero;
  const tigris_binary_params* p;
} LineS8;

static int32_t scaled(int32_t x, int32_t leftShift, int32_t multiplier, int32_t shift) {
  return tigris_requantize(tigris_shift_left_wrap(x, leftShift), multiplier, shift);
}

/* ADD and SUB; sign is 1 or -1. */
static void addLine(const LineS8* l, int32_t sign) {
  const tigris_binary_params* p = l->p;
  uint32_t i;
  for (i = 0; i < l->n; ++i) {
    const int32_t a = scaled(l->a[(ptrdiff_t)i * l->aStep] - l->aZero, p->left_shift,
                             p->a_multiplier, p->a_shift);
    const int32_t b = scaled(l->b[(ptrdiff_t)i * l->bStep] - l->bZero, p->left_shift,
                             p->b_multiplier, p->b_shift);
    const int32_t sum = (int32_t)((uint32_t)a + (uint32_t)sign * (uint32_t)b);
    const int32_t v = tigris_requantize(sum, p->out_multiplier, p->out_shift);
    l->y[i] = (int8_t)tigris_clamp_s32(tigris_add_wrap(v, l->yZero), p->lo.i, p->hi.i);
  }
}

static void mulLine(const LineS8* l) {
  const tigris_binary_params* p = l->p;
  uint32_t i;
  for (i = 0; i < l->n; ++i) {
    const int32_t product =
        (l->a[(ptrdiff_t)i * l->aStep] - l->aZero) * (l->b[(ptrdiff_t)i * l->bStep] - l->bZero);
    const int32_t v = tigris_requantize(product, p->out_multiplier, p->out_shift);
    l->y[i] = (int8_t)tigris_clamp_s32(tigris_add_wrap(v, l->yZero), p->lo.i, p->hi.i);
  }
}

/* a / b in units of the output for b > 0: the quotient by a Q0.31 reciprocal of b scaled to
 * [1/2, 1). */
static int32_t quotient(int32_t a, int32_t b, const tigris_binary_params* p) {
  const int32_t zeros = tigris_leading_zeros((uint32_t)b);
  const int32_t reciprocal =
      tigris_one_over_one_plus((int32_t)(((uint32_t)b << zeros) - (UINT32_C(1) << 31)));
  const int32_t headroom =
      a >= 0 ? tigris_leading_zeros((uint32_t)a) - 1 : tigris_leading_zeros(2u * (uint32_t)-a - 1u);
  const int32_t unscaled = tigris_high_mul(tigris_shift_left_wrap(a, headroom), reciprocal);
  const int32_t shift = p->out_shift - (31 - zeros) - headroom;
  if (shift < -31)
    return 0;
  return shift > 0 ? tigris_requantize(unscaled, p->out_multiplier, shift < 30 ? shift : 30)
                   : tigris_divide_pot(tigris_high_mul(unscaled, p->out_multiplier), -shift);
}

static void divLine(const LineS8* l) {
  const tigris_binary_params* p = l->p;
  uint32_t i;
  for (i = 0; i < l->n; ++i) {
    int32_t a = l->a[(ptrdiff_t)i * l->aStep] - l->aZero;
    int32_t b = l->b[(ptrdiff_t)i * l->bStep] - l->bZero;
    int32_t v;
    if (b < 0) {
      a = -a;
      b = -b;
    }
    if (b != 0)
      v = tigris_add_wrap(quotient(a, b, p), l->yZero);
    else
      v = a == 0 ? l->yZero : (a > 0 ? p->hi.i : p->lo.i);
    l->y[i] = (int8_t)tigris_clamp_s32(v, p->lo.i, p->hi.i);
  }
}

/* ADD, SUB, MUL and DIV with TIGRIS_ROUND_EVEN. */
static void evenLine(uint32_t opcode, const LineS8* l) {
  const tigris_binary_params* p = l->p;
  const int64_t denominator = tigris_denominator(p->out_shift);
  uint32_t i;
  for (i = 0; i < l->n; ++i) {
    const int32_t a = l->a[(ptrdiff_t)i * l->aStep] - l->aZero;
    const int32_t b = l->b[(ptrdiff_t)i * l->bStep] - l->bZero;
    int64_t v;
    if (opcode == TIGRIS_OP_DIV)
      v = b == 0 ? (int64_t)a * 256
                 : tigris_divide_even((int64_t)(b < 0 ? -a : a) * p->out_multiplier,
                                      (b < 0 ? -b : b) * denominator);
    else if (opcode == TIGRIS_OP_MUL)
      v = tigris_quotient_even((int64_t)(a * b) * p->out_multiplier, p->out_shift);
    else
      v = tigris_quotient_even((int64_t)a * p->a_multiplier + (int64_t)b * p->b_multiplier,
                               p->out_shift);
    l->y[i] = (int8_t)tigris_clamp_s64(v + l->yZero, p->lo.i, p->hi.i);
  }
}

/* MAXIMUM (sign 1) and MINIMUM (sign -1) of operands with the same quantization. */
static void extremeLine(const LineS8* l, int32_t sign) {
  uint32_t i;
  for (i = 0; i < l->n; ++i) {
    const int32_t a = l->a[(ptrdiff_t)i * l->aStep];
    const int32_t b = l->b[(ptrdiff_t)i * l->bStep];
    l->y[i] = (int8_t)tigris_clamp_s32((a - b) * sign > 0 ? a : b, l->p->lo.i, l->p->hi.i);
  }
}

static void line(uint32_t opcode, const LineS8* l) {
  switch (opcode) {
  case TIGRIS_OP_ADD:
    addLine(l, 1);
    break;
  case TIGRIS_OP_SUB:
    addLine(l, -1);
    break;
  case TIGRIS_OP_MUL:
    mulLine(l);
    break;
  case TIGRIS_OP_DIV:
    divLine(l);
    break;
  default:
    extremeLine(l, opcode == TIGRIS_OP_MAXIMUM ? 1 : -1);
    break;
  }
}

tigris_status tigris_binary_s8(const tigris_call* call) {
  tigris_walk w;
  LineS8 l;
  tigris_walk_begin(&w, call, 2);
  l.p = (const tigris_binary_params*)call->params;
  l.aZero = tigris_zero_point(call->plan, call->in[0].tensor);
  l.bZero = tigris_zero_point(call->plan, call->in[1].tensor);
  l.yZero = tigris_zero_point(call->plan, call->out[0].tensor);
  l.aStep = w.stride[0][w.rank - 1];
  l.bStep = w.stride[1][w.rank - 1];
  l.y = (int8_t*)(void*)call->out[0].data;
  for (; w.left != 0; tigris_walk_advance(&w, l.n)) {
    l.n = tigris_walk_run(&w);
    l.a = (const int8_t*)(const void*)tigris_element(&call->in[0], (uint32_t)w.at[0], 1);
    l.b = (const int8_t*)(const void*)tigris_element(&call->in[1], (uint32_t)w.at[1], 1);
    if (tigris_rounds_even(call->op))
      evenLine(call->op->opcode, &l);
    else
      line(call->op->opcode, &l);
    l.y += l.n;
  }
  return TIGRIS_OK;
}
