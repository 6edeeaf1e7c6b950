/* Contracts of the sliding-window and dense ops: convolutions, pools, fully connected, matmul. */
#include "check.h"

static int inLimit(int32_t value, int32_t least) {
  return value >= least && value <= TIGRIS_SPATIAL_LIMIT;
}

/* Whether kernel, stride, dilation and pads of one axis are valid by themselves. */
static int windowOk(int32_t kernel, int32_t stride, int32_t dilation, int32_t before,
                    int32_t after) {
  return inLimit(kernel, 1) && inLimit(stride, 1) && inLimit(dilation, 1) && inLimit(before, 0) &&
         inLimit(after, 0) && (int64_t)(kernel - 1) * dilation < TIGRIS_SPATIAL_LIMIT;
}

static int convSizeOk(int32_t in, int32_t out, int32_t kernel, int32_t stride, int32_t dilation,
                      int32_t before, int32_t after) {
  /* windowOk and spatialPairOk keep the sum below 2^26 */
  const int32_t span = in + before + after - dilation * (kernel - 1) - 1;
  return span >= 0 && span / stride + 1 == out;
}

/* The output padding is the remainder: ONNX allows every size that the formula gives with a value
 * >= 0. */
static int transposeSizeOk(int32_t in, int32_t out, int32_t kernel, int32_t stride,
                           int32_t dilation, int32_t before, int32_t after) {
  const int64_t full =
      (int64_t)stride * (in - 1) + (int64_t)dilation * (kernel - 1) + 1 - before - after;
  return out >= full && out - full <= TIGRIS_SPATIAL_LIMIT;
}

/* Whether the flags of a dense op on integers go together. */
static int formOk(const tigris_op_check* c) {
  const tigris_op* op = c->op;
  const uint32_t zeros = TIGRIS_ONE_ZERO | TIGRIS_CHANNEL_ZEROS;
  const uint32_t shifts = op->flags & (TIGRIS_CHANNEL_SHIFTS | TIGRIS_WIDE_SHIFTS);
  const uint32_t twice =
      tigris_in(c, 0)->dtype == TIGRIS_S16 && !tigris_rounds_even(op) ? TIGRIS_ROUND_TWICE : 0u;
  return (op->flags & ~twice) < 2 * TIGRIS_CHANNEL_ZEROS && (op->flags & zeros) != zeros &&
         (shifts == 0 || (!tigris_rounds_even(op) &&
                          (shifts == TIGRIS_WIDE_SHIFTS || (shifts == TIGRIS_CHANNEL_SHIFTS &&
                                                            (op->flags & TIGRIS_CHANNEL_PAIRS)))));
}

/* Whether the arrays in REQUANT of an op with `channels` outputs exist, and hold legal shifts or
 * denominators. Every zero point is legal. */
static int requantizationOk(const tigris_op_check* c, uint32_t channels) {
  const tigris_op* op = c->op;
  const int even = tigris_rounds_even(op);
  const uint32_t pairs = op->flags & TIGRIS_CHANNEL_PAIRS ? channels : 1;
  const uint32_t zeros =
      op->flags & TIGRIS_CHANNEL_ZEROS ? channels : (op->flags & TIGRIS_ONE_ZERO ? 1 : 0);
  const uint64_t bytes = 4u * (uint64_t)pairs + tigris_shift_bytes(op, pairs) + zeros;
  const int32_t* words;
  const int8_t* shifts;
  uint32_t i;
  if (!formOk(c) || op->requant > c->plan->requant_count ||
      bytes > 4u * (uint64_t)(c->plan->requant_count - op->requant))
    return 0;
  words = c->plan->requant + op->requant + pairs;
  shifts = (const int8_t*)(const void*)words;
  if (even || (op->flags & TIGRIS_WIDE_SHIFTS) != 0) {
    for (i = 0; i < pairs; ++i) {
      if (!tigris_scale_ok(c, words[i]))
        return 0;
    }
    return 1;
  }
  for (i = 0; i < tigris_shift_bytes(op, pairs); ++i) {
    if (!tigris_shift_ok(shifts[i]))
      return 0;
  }
  return 1;
}

/* Types, bounds, bias and requantization of a dense op. */
typedef struct Dense {
  uint32_t channels; /* outputs */
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t channel; /* of the parameters */
} Dense;

static int denseOk(const tigris_op_check* c, const Dense* d) {
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* w = tigris_in(c, 1);
  const tigris_tensor* b = tigris_in(c, 2);
  const tigris_tensor* y = tigris_out(c, 0);
  const int isFloat = x->dtype == TIGRIS_F32;
  if (!tigris_arithmetic_pair(x, y) || w->dtype != (isFloat ? TIGRIS_F32 : TIGRIS_S8) ||
      d->channel != 0 || !tigris_clamp_ok(y->dtype, d->lo, d->hi))
    return 0;
  if (b != NULL &&
      (b->dtype != (isFloat ? TIGRIS_F32 : TIGRIS_S32) || tigris_elements(b) != d->channels))
    return 0;
  if (isFloat)
    return c->op->flags == 0 && c->op->requant == TIGRIS_NONE;
  /* offsets take the place of a bias */
  return (b == NULL || !tigris_rounds_even(c->op)) && requantizationOk(c, d->channels);
}

static int dimsAre(const tigris_op_check* c, const tigris_tensor* t, uint32_t rank,
                   const int32_t* dims) {
  uint32_t i;
  if (t->rank != rank)
    return 0;
  for (i = 0; i < rank; ++i) {
    if (tigris_dims(c->plan, t)[i] != dims[i])
      return 0;
  }
  return 1;
}

static int convWeightsOk(const tigris_op_check* c, const tigris_conv_params* p, int32_t in,
                         int32_t out) {
  const tigris_tensor* w = tigris_in(c, 1);
  if (p->groups < 1 || in % p->groups != 0 || out % p->groups != 0)
    return 0;
  if (c->op->opcode == TIGRIS_OP_DEPTHWISE_CONV) {
    const int32_t dims[3] = {p->kernel_h, p->kernel_w, out};
    return p->groups == in && dimsAre(c, w, 3, dims);
  }
  if (w->dtype == TIGRIS_F32) {
    const int32_t dims[5] = {p->groups, p->kernel_h, p->kernel_w, in / p->groups, out / p->groups};
    return dimsAre(c, w, 5, dims);
  } else {
    const int32_t dims[4] = {out, p->kernel_h, p->kernel_w, in / p->groups};
    return dimsAre(c, w, 4, dims);
  }
}

/* Ranks 2..4, and spatial sizes for which coordinates fit int32. */
static int spatialPairOk(const tigris_tensor* x, const tigris_tensor* y, const tigris_shape4* sx,
                         const tigris_shape4* sy) {
  return x->rank == y->rank && x->rank >= 2 && x->rank <= 4 && sx->n == sy->n &&
         sx->h <= TIGRIS_SPATIAL_LIMIT && sx->w <= TIGRIS_SPATIAL_LIMIT &&
         sy->h <= TIGRIS_SPATIAL_LIMIT && sy->w <= TIGRIS_SPATIAL_LIMIT;
}

tigris_status tigris_check_conv(const tigris_op_check* c) {
  const tigris_conv_params* p = (const tigris_conv_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_shape4 sx = tigris_shape4_of(c->plan, x);
  const tigris_shape4 sy = tigris_shape4_of(c->plan, y);
  const int up = c->op->opcode == TIGRIS_OP_CONV_TRANSPOSE;
  int (*sizeOk)(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) =
      up ? transposeSizeOk : convSizeOk;
  Dense dense;
  dense.channels = (uint32_t)sy.c;
  dense.lo = p->lo;
  dense.hi = p->hi;
  dense.channel = p->channel;
  if (!spatialPairOk(x, y, &sx, &sy) ||
      !windowOk(p->kernel_h, p->stride_h, p->dilation_h, p->pad_top, p->pad_bottom) ||
      !windowOk(p->kernel_w, p->stride_w, p->dilation_w, p->pad_left, p->pad_right) ||
      !sizeOk(sx.h, sy.h, p->kernel_h, p->stride_h, p->dilation_h, p->pad_top, p->pad_bottom) ||
      !sizeOk(sx.w, sy.w, p->kernel_w, p->stride_w, p->dilation_w, p->pad_left, p->pad_right) ||
      !convWeightsOk(c, p, sx.c, sy.c) || !denseOk(c, &dense))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_fully_connected(const tigris_op_check* c) {
  const tigris_fc_params* p = (const tigris_fc_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* w = tigris_in(c, 1);
  const int32_t* dims = tigris_dims(c->plan, w);
  uint32_t k;
  Dense dense;
  if (w->rank != 2)
    return TIGRIS_E_OP;
  k = (uint32_t)dims[w->dtype == TIGRIS_F32 ? 0 : 1];
  dense.channels = (uint32_t)dims[w->dtype == TIGRIS_F32 ? 1 : 0];
  dense.lo = p->lo;
  dense.hi = p->hi;
  dense.channel = p->channel;
  if (!denseOk(c, &dense) || tigris_elements(x) % k != 0 ||
      (uint64_t)(tigris_elements(x) / k) * dense.channels != tigris_elements(tigris_out(c, 0)))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_matmul(const tigris_op_check* c) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)c->params;
  const tigris_tensor* a = tigris_in(c, 0);
  const tigris_tensor* b = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  const int flip = (p->flags & TIGRIS_MATMUL_TRANSPOSE_B) != 0;
  const int32_t* da;
  const int32_t* db;
  const int32_t* dy;
  if (!tigris_arithmetic_pair(a, b) || a->dtype != y->dtype || !tigris_scale_ok(c, p->shift) ||
      (p->flags & ~TIGRIS_MATMUL_TRANSPOSE_B) != 0 || a->rank < 2 || b->rank < 2 || y->rank < 2)
    return TIGRIS_E_OP;
  da = tigris_dims(c->plan, a) + a->rank - 2;
  db = tigris_dims(c->plan, b) + b->rank - 2;
  dy = tigris_dims(c->plan, y) + y->rank - 2;
  if (da[0] != dy[0] || db[flip ? 0 : 1] != dy[1] || da[1] != db[flip ? 1 : 0] ||
      !tigris_broadcasts(c->plan, a, y, 2) || !tigris_broadcasts(c->plan, b, y, 2))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

/* Whether every window contains a tap of the input. With dilation 1 it suffices that the first
 * window reaches the input and the last one starts in it. With a larger dilation the gaps may skip
 * the input, so every window is tested. */
static int windowsReach(int32_t in, int32_t out, int32_t kernel, int32_t stride, int32_t dilation,
                        int32_t before) {
  int32_t o;
  if ((int64_t)(out - 1) * stride - before >= in || (kernel - 1) * dilation < before)
    return 0;
  for (o = 0; dilation > 1 && o < out; ++o) {
    int32_t begin;
    int32_t end;
    tigris_taps(o * stride - before, dilation, in, kernel, &begin, &end);
    if (begin >= end)
      return 0;
  }
  return 1;
}

tigris_status tigris_check_pool(const tigris_op_check* c) {
  const tigris_pool_params* p = (const tigris_pool_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_shape4 sx = tigris_shape4_of(c->plan, x);
  const tigris_shape4 sy = tigris_shape4_of(c->plan, y);
  if (!tigris_arithmetic_pair(x, y) || !spatialPairOk(x, y, &sx, &sy) || sx.c != sy.c ||
      !tigris_clamp_ok(y->dtype, p->lo, p->hi) || (p->flags & ~TIGRIS_POOL_COUNT_PAD) != 0 ||
      (int64_t)p->kernel_h * p->kernel_w > TIGRIS_SPATIAL_LIMIT ||
      !windowOk(p->kernel_h, p->stride_h, p->dilation_h, p->pad_top, p->pad_bottom) ||
      !windowOk(p->kernel_w, p->stride_w, p->dilation_w, p->pad_left, p->pad_right) ||
      !windowsReach(sx.h, sy.h, p->kernel_h, p->stride_h, p->dilation_h, p->pad_top) ||
      !windowsReach(sx.w, sy.w, p->kernel_w, p->stride_w, p->dilation_w, p->pad_left))
    return TIGRIS_E_OP;
  if (p->requant == TIGRIS_NONE)
    return p->requant_count == 0 && !tigris_rounds_even(c->op) ? TIGRIS_OK : TIGRIS_E_OP;
  if (c->op->opcode != TIGRIS_OP_AVERAGE_POOL || x->dtype == TIGRIS_F32 ||
      (int64_t)p->kernel_h * p->kernel_w != (int64_t)p->requant_count ||
      !tigris_requant_ok(c, p->requant, p->requant_count))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_global_pool(const tigris_op_check* c) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_shape4 sx = tigris_shape4_of(c->plan, x);
  if (!tigris_arithmetic_pair(x, y) || x->rank < 2 || x->rank > 4 ||
      tigris_elements(y) != (uint32_t)sx.n * (uint32_t)sx.c ||
      !tigris_clamp_ok(y->dtype, p->lo, p->hi))
    return TIGRIS_E_OP;
  if (p->requant == TIGRIS_NONE)
    return p->requant_count == 0 && !tigris_rounds_even(c->op) ? TIGRIS_OK : TIGRIS_E_OP;
  if (x->dtype == TIGRIS_F32 || p->requant_count != 1 || !tigris_requant_ok(c, p->requant, 1))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
