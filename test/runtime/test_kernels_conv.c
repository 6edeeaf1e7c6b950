/* Convolutions, dense layers, matrix products and pools against naive references, whole and in row
 * ranges.
 *
 * Over 500 lines: one family of kernels shares its cases and its reference. */
#include <float.h>
#include <math.h>

#include "one_op.h"

typedef struct Case {
  int rank; /* 2, 3 or 4 */
  int32_t n, h, w, c, oh, ow, oc;
  tigris_conv_params p;
  uint8_t dtype;
  int depthwise;
  int transposed;
  int hasBias;
} Case;

static void dimsOf(int rank, int32_t n, int32_t h, int32_t w, int32_t c, int32_t* dims) {
  dims[0] = n;
  dims[rank - 1] = c;
  if (rank >= 3)
    dims[1] = h;
  if (rank == 4)
    dims[2] = w;
}

static int32_t outSize(const Case* k, int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                       int32_t pads, int32_t extra) {
  if (k->transposed)
    return stride * (in - 1) + dilation * (kernel - 1) + 1 - pads + extra;
  return (in + pads - dilation * (kernel - 1) - 1) / stride + 1;
}

/* A random case; 0 if its output would be empty. */
static int randomCase(Case* k, uint8_t dtype, int depthwise, int transposed) {
  tigris_conv_params* p = &k->p;
  memset(k, 0, sizeof *k);
  k->dtype = dtype;
  k->depthwise = depthwise;
  k->transposed = transposed;
  k->rank = randomInt(0, 5) == 0 ? 3 : (randomInt(0, 20) == 0 ? 2 : 4);
  k->n = randomInt(0, 5) == 0 ? 2 : 1;
  k->h = k->rank == 2 ? 1 : randomInt(1, 9);
  k->w = k->rank == 4 ? randomInt(1, 9) : 1;
  p->kernel_h = k->rank == 2 ? 1 : randomInt(1, 4);
  p->kernel_w = k->rank == 4 ? randomInt(1, 4) : 1;
  p->stride_h = randomInt(1, 3);
  p->stride_w = k->rank == 4 ? randomInt(1, 3) : 1;
  p->dilation_h = randomInt(1, 2);
  p->dilation_w = randomInt(1, 2);
  if (k->rank > 2) {
    p->pad_top = randomInt(0, 3);
    p->pad_bottom = randomInt(0, 3);
  }
  if (k->rank == 4) {
    p->pad_left = randomInt(0, 3);
    p->pad_right = randomInt(0, 3);
  }
  if (k->rank == 2)
    p->stride_h = 1;
  p->groups = depthwise ? randomInt(1, 40) : randomInt(1, 3);
  k->c = depthwise ? p->groups : p->groups * randomInt(1, 9);
  k->oc = depthwise ? p->groups * randomInt(1, 2) : p->groups * randomInt(1, 30);
  k->oh = outSize(k, k->h, p->kernel_h, p->stride_h, p->dilation_h, p->pad_top + p->pad_bottom,
                  k->rank == 2 ? 0 : randomInt(0, 1));
  k->ow = outSize(k, k->w, p->kernel_w, p->stride_w, p->dilation_w, p->pad_left + p->pad_right,
                  k->rank == 4 ? randomInt(0, 1) : 0);
  if (!transposed && (k->h + p->pad_top + p->pad_bottom < p->dilation_h * (p->kernel_h - 1) + 1 ||
                      k->w + p->pad_left + p->pad_right < p->dilation_w * (p->kernel_w - 1) + 1))
    return 0;
  k->hasBias = randomInt(0, 3) != 0;
  return k->oh >= 1 && k->ow >= 1;
}

/* Position of weight (o, ky, kx, i within its group) in the stored layout. */
static size_t weightAt(const Case* k, int32_t o, int32_t ky, int32_t kx, int32_t i) {
  const tigris_conv_params* p = &k->p;
  const int32_t gi = k->c / p->groups;
  const int32_t go = k->oc / p->groups;
  if (k->depthwise)
    return (size_t)((ky * p->kernel_w + kx) * k->oc + o);
  if (k->dtype == TIGRIS_F32)
    return (size_t)((((o / go * p->kernel_h + ky) * p->kernel_w + kx) * gi + i) * go + o % go);
  return (size_t)(((o * p->kernel_h + ky) * p->kernel_w + kx) * gi + i);
}

/* Input coordinate of a tap, or -1. */
static int32_t sourceOf(const Case* k, int32_t out, int32_t tap, int32_t stride, int32_t dilation,
                        int32_t pad, int32_t size) {
  int32_t i;
  if (!k->transposed) {
    i = out * stride - pad + tap * dilation;
    return i >= 0 && i < size ? i : -1;
  }
  for (i = 0; i < size; ++i) {
    if (i * stride + tap * dilation - pad == out)
      return i;
  }
  return -1;
}

/* Sum over the window of output (b, y, x, o): products for floats or for int8 less the zero
 * points. */
static double oracle(const Case* k, const void* input, const void* weights, int32_t b, int32_t y,
                     int32_t x, int32_t o, int32_t inZero, int32_t weightZero) {
  const tigris_conv_params* p = &k->p;
  const int32_t gi = k->c / p->groups;
  const int32_t g = o / (k->oc / p->groups);
  double sum = 0;
  int32_t ky;
  int32_t kx;
  int32_t i;
  for (ky = 0; ky < p->kernel_h; ++ky) {
    for (kx = 0; kx < p->kernel_w; ++kx) {
      const int32_t iy = sourceOf(k, y, ky, p->stride_h, p->dilation_h, p->pad_top, k->h);
      const int32_t ix = sourceOf(k, x, kx, p->stride_w, p->dilation_w, p->pad_left, k->w);
      if (iy < 0 || ix < 0)
        continue;
      for (i = 0; i < gi; ++i) {
        const size_t at = (size_t)(((b * k->h + iy) * k->w + ix) * k->c + g * gi + i);
        const size_t wt = weightAt(k, o, ky, kx, i);
        if (k->dtype == TIGRIS_F32)
          sum += (double)((const float*)input)[at] * ((const float*)weights)[wt];
        else
          sum += (double)(((const int8_t*)input)[at] - inZero) *
                 (((const int8_t*)weights)[wt] - weightZero);
      }
    }
  }
  return sum;
}

static Case current;

/* Rows of a convolution or pool window; works for batch 1. */
static void rowsWindow(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                       int32_t* last) {
  const tigris_conv_params* p = &current.p;
  const int32_t start = outRow * p->stride_h - p->pad_top;
  const int32_t stop = start + (p->kernel_h - 1) * p->dilation_h;
  (void)o;
  *first = start < 0 ? 0 : start;
  *last = stop >= inRows ? inRows - 1 : stop;
}

/* The layout of tigris_ops.h: depthwise [kh, kw, oc], float [groups, kh, kw, ic, oc], int8 [oc,
 * kh, kw, ic]. */
static void weightDims(const Case* k, int32_t* wd) {
  const tigris_conv_params* p = &k->p;
  if (k->depthwise) {
    wd[0] = p->kernel_h;
    wd[1] = p->kernel_w;
    wd[2] = k->oc;
  } else if (k->dtype == TIGRIS_F32) {
    wd[0] = p->groups;
    wd[1] = p->kernel_h;
    wd[2] = p->kernel_w;
    wd[3] = k->c / p->groups;
    wd[4] = k->oc / p->groups;
  } else {
    wd[0] = k->oc;
    wd[1] = p->kernel_h;
    wd[2] = p->kernel_w;
    wd[3] = k->c / p->groups;
  }
}

/* Element `at` of y against the sum of its products; *bias holds a float in float cases. */
static void checkElement(const Case* k, const tigris_conv_params* p, const void* y, size_t at,
                         double sum, const int32_t* bias, int32_t multiplier, int32_t shift,
                         int32_t outZero) {
  if (k->dtype == TIGRIS_F32) {
    float fb;
    memcpy(&fb, bias, 4);
    sum += k->hasBias ? fb : 0;
    sum = sum < p->lo.f ? p->lo.f : (sum > p->hi.f ? p->hi.f : sum);
    checkClose(((const float*)y)[at], sum, 10);
  } else {
    const int32_t q = oracleRequantize((int32_t)sum + (k->hasBias ? *bias : 0), multiplier, shift);
    CHECK_EQ(((const int8_t*)y)[at], oracleClamp((int64_t)q + outZero, p->lo.i, p->hi.i));
  }
}

static void convCase(void) {
  const Case* k = &current;
  Builder b;
  OneOp run;
  tigris_conv_params p = k->p;
  int32_t xd[4];
  int32_t yd[4];
  int32_t wd[5];
  int32_t bd[1];
  int32_t zeros[128];
  int32_t multipliers[128];
  int32_t shifts[128];
  const int isFloat = k->dtype == TIGRIS_F32;
  const int32_t gi = k->c / p.groups;
  const int32_t inZero = randomInt(-128, 127);
  const int32_t outZero = randomInt(-128, 127);
  const uint8_t wr = k->depthwise ? 3 : (isFloat ? 5 : 4);
  const size_t inCount = (size_t)(k->n * k->h * k->w * k->c);
  const size_t weightCount = (size_t)((k->depthwise ? 1 : gi) * k->oc * p.kernel_h * p.kernel_w);
  void* x = exactly(inCount * 4);
  void* w = exactly(weightCount * 4);
  int32_t bias[128];
  int in[3];
  int out;
  int32_t o;
  int32_t n;
  int32_t yy;
  int32_t xx;
  dimsOf(k->rank, k->n, k->h, k->w, k->c, xd);
  dimsOf(k->rank, k->n, k->oh, k->ow, k->oc, yd);
  weightDims(k, wd);
  bd[0] = k->oc;
  for (o = 0; o < k->oc; ++o) {
    zeros[o] = randomInt(-128, 127);
    multipliers[o] = randomInt(1 << 30, INT32_MAX - 1);
    shifts[o] = -randomInt(4, 12);
    bias[o] = randomInt(-100000, 100000);
  }
  builderInit(&b, TIGRIS_IO_ARENA);
  p.requant = p.weight_zeros = TIGRIS_NONE;
  if (isFloat) {
    float fbias[128];
    for (o = 0; o < k->oc; ++o)
      fbias[o] = (float)bias[o] / 100000.0f;
    memcpy(bias, fbias, sizeof fbias);
    randomFloats((float*)x, inCount);
    randomFloats((float*)w, weightCount);
    p.lo.f = randomInt(0, 1) ? -INFINITY : -0.5f;
    p.hi.f = randomInt(0, 1) ? INFINITY : 0.75f;
  } else {
    randomBytes((int8_t*)x, inCount);
    randomBytes((int8_t*)w, weightCount);
    p.lo.i = randomInt(-128, 0);
    p.hi.i = randomInt(1, 127);
    p.requant_count = randomInt(0, 1) ? 1 : (uint32_t)k->oc;
    p.requant = builderRequant(&b, multipliers, shifts, p.requant_count);
    if (randomInt(0, 1)) {
      p.weight_zeros_count = randomInt(0, 1) ? 1 : (uint32_t)k->oc;
      p.weight_zeros = builderInts(&b, zeros, p.weight_zeros_count);
    }
  }
  in[0] = builderTensor(&b, k->dtype, (uint8_t)k->rank, xd,
                        isFloat ? TIGRIS_NONE : builderQuant(&b, 0.1f, inZero));
  in[1] = builderConst(&b, k->dtype, wr, wd, TIGRIS_NONE, w);
  in[2] = k->hasBias ? builderConst(&b, isFloat ? TIGRIS_F32 : TIGRIS_S32, 1, bd, TIGRIS_NONE, bias)
                     : -1;
  out = builderTensor(&b, k->dtype, (uint8_t)k->rank, yd,
                      isFloat ? TIGRIS_NONE : builderQuant(&b, 0.1f, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b,
            k->depthwise ? TIGRIS_OP_DEPTHWISE_CONV
                         : (k->transposed ? TIGRIS_OP_CONV_TRANSPOSE : TIGRIS_OP_CONV),
            3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), x, builderBytesOf(&b, in[0]));
  runWhole(&run);
  for (n = 0; n < k->n; ++n) {
    for (yy = 0; yy < k->oh; ++yy) {
      for (xx = 0; xx < k->ow; ++xx) {
        for (o = 0; o < k->oc; ++o) {
          const int32_t zero =
              p.weight_zeros == TIGRIS_NONE ? 0 : zeros[p.weight_zeros_count == 1 ? 0 : o];
          const int32_t r = p.requant_count == 1 ? 0 : o;
          checkElement(k, &p, tigris_output(&run.ctx, 0),
                       (size_t)(((n * k->oh + yy) * k->ow + xx) * k->oc + o),
                       oracle(k, x, w, n, yy, xx, o, inZero, zero), &bias[o], multipliers[r],
                       shifts[r], outZero);
        }
      }
    }
  }
  if (k->n == 1)
    checkStrips(&run, k->transposed ? rowsAll : rowsWindow);
  builderFree(&b);
  release(x);
  release(w);
}

static void testConv(uint8_t dtype, int depthwise, int transposed, int count) {
  while (count > 0) {
    if (!randomCase(&current, dtype, depthwise, transposed))
      continue;
    convCase();
    --count;
  }
}

static void testFullyConnected(uint8_t dtype) {
  const int isFloat = dtype == TIGRIS_F32;
  const int32_t m = randomInt(1, 3);
  const int32_t k = randomInt(1, 70);
  const int32_t n = randomInt(1, 40);
  const int32_t inZero = randomInt(-128, 127);
  const int32_t outZero = randomInt(-128, 127);
  int32_t xd[2];
  int32_t wd[2];
  int32_t yd[2];
  int32_t zeros[1];
  int32_t multipliers[64];
  int32_t shifts[64];
  tigris_fc_params p;
  void* x = exactly((size_t)(m * k) * 4);
  void* w = exactly((size_t)(k * n) * 4);
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t r;
  int32_t o;
  memset(&p, 0, sizeof p);
  xd[0] = m;
  xd[1] = k;
  wd[0] = isFloat ? k : n;
  wd[1] = isFloat ? n : k;
  yd[0] = m;
  yd[1] = n;
  zeros[0] = randomInt(-128, 127);
  builderInit(&b, TIGRIS_IO_ARENA);
  p.requant = p.weight_zeros = TIGRIS_NONE;
  if (isFloat) {
    p.lo.f = -INFINITY;
    p.hi.f = INFINITY;
    randomFloats((float*)x, (size_t)(m * k));
    randomFloats((float*)w, (size_t)(k * n));
  } else {
    p.lo.i = -128;
    p.hi.i = 127;
    for (i = 0; i < n; ++i) {
      multipliers[i] = randomInt(1 << 30, INT32_MAX - 1);
      shifts[i] = -randomInt(5, 12);
    }
    p.requant_count = (uint32_t)n;
    p.requant = builderRequant(&b, multipliers, shifts, p.requant_count);
    p.weight_zeros_count = 1;
    p.weight_zeros = builderInts(&b, zeros, 1);
    randomBytes((int8_t*)x, (size_t)(m * k));
    randomBytes((int8_t*)w, (size_t)(k * n));
  }
  in[0] = builderTensor(&b, dtype, 2, xd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, inZero));
  in[1] = builderConst(&b, dtype, 2, wd, TIGRIS_NONE, w);
  out = builderTensor(&b, dtype, 2, yd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_FULLY_CONNECTED, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), x, builderBytesOf(&b, in[0]));
  runWhole(&run);
  for (r = 0; r < m; ++r) {
    for (o = 0; o < n; ++o) {
      double sum = 0;
      for (i = 0; i < k; ++i) {
        if (isFloat)
          sum += (double)((float*)x)[r * k + i] * ((float*)w)[i * n + o];
        else
          sum += (double)(((int8_t*)x)[r * k + i] - inZero) * (((int8_t*)w)[o * k + i] - zeros[0]);
      }
      if (isFloat)
        checkClose(((const float*)tigris_output(&run.ctx, 0))[r * n + o], sum, 10);
      else
        CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[r * n + o],
                 oracleClamp((int64_t)oracleRequantize((int32_t)sum, multipliers[o], shifts[o]) +
                                 outZero,
                             -128, 127));
    }
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

static void testMatmul(int flip, int isFloat) {
  const int32_t m = randomInt(1, 5);
  const int32_t k = randomInt(1, 20);
  const int32_t n = randomInt(1, 40);
  const int32_t heads = randomInt(1, 3);
  const int32_t batch = randomInt(1, 2);
  const int32_t ad[4] = {batch, 1, m, k};
  const int32_t bd[3] = {heads, flip ? n : k, flip ? k : n};
  const int32_t yd[4] = {batch, heads, m, n};
  const int32_t aZero = isFloat ? 0 : randomInt(-128, 127);
  const int32_t bZero = isFloat ? 0 : randomInt(-128, 127);
  const int32_t yZero = isFloat ? 0 : randomInt(-20, 20);
  const tigris_dtype dtype = isFloat ? TIGRIS_F32 : TIGRIS_S8;
  tigris_matmul_params p;
  void* a;
  void* w;
  const void* y;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t c;
  int32_t h;
  int32_t r;
  int32_t o;
  int32_t at = 0;
  p.flags = flip ? TIGRIS_MATMUL_TRANSPOSE_B : 0;
  p.multiplier = isFloat ? 0 : randomInt(1 << 30, INT32_MAX);
  p.shift = isFloat ? 0 : randomInt(-12, -4);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, 4, ad, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, aZero));
  in[1] = builderTensor(&b, dtype, 3, bd, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, bZero));
  out = builderTensor(&b, dtype, 4, yd, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, yZero));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_MATMUL, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  a = tigris_input(&run.ctx, 0);
  w = tigris_input(&run.ctx, 1);
  if (isFloat) {
    randomFloats((float*)a, (size_t)(batch * m * k));
    randomFloats((float*)w, (size_t)(heads * k * n));
  } else {
    randomBytes(a, (size_t)(batch * m * k));
    randomBytes(w, (size_t)(heads * k * n));
  }
  runWhole(&run);
  y = tigris_output(&run.ctx, 0);
  for (c = 0; c < batch; ++c) {
    for (h = 0; h < heads; ++h) {
      for (r = 0; r < m; ++r) {
        for (o = 0; o < n; ++o, ++at) {
          double sum = 0;
          for (i = 0; i < k; ++i) {
            const int32_t ia = (c * m + r) * k + i;
            const int32_t ib = h * k * n + (flip ? o * k + i : i * n + o);
            if (isFloat)
              sum += (double)((float*)a)[ia] * ((float*)w)[ib];
            else
              sum += (double)(((int8_t*)a)[ia] - aZero) * (((int8_t*)w)[ib] - bZero);
          }
          if (isFloat)
            checkClose(((const float*)y)[at], sum, 10);
          else
            CHECK_EQ(
                ((const int8_t*)y)[at],
                oracleClamp((int64_t)oracleRequantize((int32_t)sum, p.multiplier, p.shift) + yZero,
                            -128, 127));
        }
      }
    }
  }
  builderFree(&b);
}

static double averageOracle(const Case* k, const void* x, int32_t flags, int32_t n, int32_t y,
                            int32_t xx, int32_t c, int isMax, double zero, int32_t* divisor) {
  const tigris_conv_params* p = &k->p;
  double sum = 0;
  double top = -1e30;
  int32_t taps = 0;
  int32_t padded = 0;
  int32_t ky;
  int32_t kx;
  for (ky = 0; ky < p->kernel_h; ++ky) {
    for (kx = 0; kx < p->kernel_w; ++kx) {
      const int32_t iy = y * p->stride_h - p->pad_top + ky * p->dilation_h;
      const int32_t ix = xx * p->stride_w - p->pad_left + kx * p->dilation_w;
      if (iy < k->h + p->pad_bottom && ix < k->w + p->pad_right)
        ++padded;
      if (iy >= 0 && iy < k->h && ix >= 0 && ix < k->w) {
        const size_t at = (size_t)(((n * k->h + iy) * k->w + ix) * k->c + c);
        const double v =
            k->dtype == TIGRIS_F32 ? (double)((const float*)x)[at] : (double)((const int8_t*)x)[at];
        sum += v;
        top = v > top ? v : top;
        ++taps;
      }
    }
  }
  *divisor = (flags & (int32_t)TIGRIS_POOL_COUNT_PAD) ? padded : taps;
  return isMax ? top : sum + (*divisor - taps) * zero;
}

/* Every window of the case contains an input tap, as the format requires. */
static int windowsMeet(const Case* k) {
  const tigris_conv_params* p = &k->p;
  int32_t axis;
  for (axis = 0; axis < 2; ++axis) {
    int32_t o;
    for (o = 0; o < (axis ? k->ow : k->oh); ++o) {
      int met = 0;
      int32_t t;
      for (t = 0; t < (axis ? p->kernel_w : p->kernel_h); ++t) {
        const int32_t i = axis ? o * p->stride_w - p->pad_left + t * p->dilation_w
                               : o * p->stride_h - p->pad_top + t * p->dilation_h;
        met |= i >= 0 && i < (axis ? k->w : k->h);
      }
      if (!met)
        return 0;
    }
  }
  return 1;
}

static void testPool(uint8_t dtype, int isMax) {
  Case* k = &current;
  const int isFloat = dtype == TIGRIS_F32;
  const int32_t inZero = randomInt(-128, 127);
  int32_t outZero = inZero;
  int32_t multipliers[16];
  int32_t shifts[16];
  int32_t xd[4];
  int32_t yd[4];
  tigris_pool_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t i;
  int32_t n;
  int32_t y;
  int32_t x;
  int32_t c;
  do {
    while (!randomCase(k, dtype, 1, 0)) {
    }
    k->oc = k->c;
    if (randomInt(0, 2) == 0) { /* ceil mode: an additional window that starts inside */
      if ((k->oh * k->p.stride_h - k->p.pad_top) < k->h && k->rank > 2)
        ++k->oh;
    }
  } while (!windowsMeet(k));
  memset(&p, 0, sizeof p);
  memcpy(&p, &k->p, 10 * sizeof(int32_t));
  p.flags = !isMax && randomInt(0, 1) ? TIGRIS_POOL_COUNT_PAD : 0;
  p.requant = TIGRIS_NONE;
  builderInit(&b, TIGRIS_IO_ARENA);
  if (isFloat) {
    p.lo.f = -INFINITY;
    p.hi.f = INFINITY;
  } else {
    p.lo.i = -100;
    p.hi.i = 100;
    if (!isMax && randomInt(0, 1)) {
      outZero = randomInt(-128, 127);
      p.requant_count = (uint32_t)(p.kernel_h * p.kernel_w);
      for (i = 0; i < (int32_t)p.requant_count; ++i) {
        multipliers[i] = randomInt(1 << 30, INT32_MAX - 1);
        shifts[i] = -randomInt(0, 4);
      }
      p.requant = builderRequant(&b, multipliers, shifts, p.requant_count);
    }
  }
  dimsOf(k->rank, k->n, k->h, k->w, k->c, xd);
  dimsOf(k->rank, k->n, k->oh, k->ow, k->c, yd);
  in[0] = builderTensor(&b, dtype, (uint8_t)k->rank, xd,
                        isFloat ? TIGRIS_NONE : builderQuant(&b, 1, inZero));
  out = builderTensor(&b, dtype, (uint8_t)k->rank, yd,
                      isFloat ? TIGRIS_NONE : builderQuant(&b, 1, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, isMax ? TIGRIS_OP_MAX_POOL : TIGRIS_OP_AVERAGE_POOL, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  if (isFloat)
    randomFloats((float*)tigris_input(&run.ctx, 0), builderBytesOf(&b, in[0]) / 4);
  else
    randomBytes((int8_t*)tigris_input(&run.ctx, 0), builderBytesOf(&b, in[0]));
  runWhole(&run);
  for (n = 0; n < k->n; ++n) {
    for (y = 0; y < k->oh; ++y) {
      for (x = 0; x < k->ow; ++x) {
        for (c = 0; c < k->c; ++c) {
          const size_t at = (size_t)(((n * k->oh + y) * k->ow + x) * k->c + c);
          int32_t divisor;
          double v = averageOracle(k, tigris_input(&run.ctx, 0), (int32_t)p.flags, n, y, x, c,
                                   isMax, isFloat ? 0 : inZero, &divisor);
          if (isFloat) {
            checkClose(((const float*)tigris_output(&run.ctx, 0))[at], isMax ? v : v / divisor, 1);
          } else {
            int32_t q = (int32_t)v;
            if (!isMax && p.requant == TIGRIS_NONE)
              q = (int32_t)(v > 0 ? floor(v / divisor + 0.5) : -floor(-v / divisor + 0.5));
            else if (!isMax)
              q = oracleRequantize((int32_t)v - divisor * inZero, multipliers[divisor - 1],
                                   shifts[divisor - 1]) +
                  outZero;
            CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[at], oracleClamp(q, -100, 100));
          }
        }
      }
    }
  }
  if (k->n == 1)
    checkStrips(&run, rowsWindow);
  builderFree(&b);
}

static void testGlobalPool(uint8_t dtype) {
  const int isFloat = dtype == TIGRIS_F32;
  const int32_t n = randomInt(1, 3);
  const int32_t h = randomInt(1, 7);
  const int32_t w = randomInt(1, 7);
  const int32_t c = randomInt(1, 70);
  const int32_t xd[4] = {n, h, w, c};
  const int32_t yd[4] = {n, 1, 1, c};
  const int32_t zero = randomInt(-128, 127);
  const int equal = randomInt(0, 1);
  const int32_t multiplier = randomInt(1 << 30, INT32_MAX - 1);
  const int32_t shift = -randomInt(2, 5);
  tigris_global_pool_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t i;
  int32_t k;
  int32_t m;
  memset(&p, 0, sizeof p);
  builderInit(&b, TIGRIS_IO_ARENA);
  p.requant = TIGRIS_NONE;
  p.lo.i = -128;
  p.hi.i = 127;
  if (isFloat) {
    p.lo.f = 0.0f;
    p.hi.f = INFINITY;
  } else if (!equal) {
    p.requant = builderRequant(&b, &multiplier, &shift, 1);
    p.requant_count = 1;
  }
  in[0] = builderTensor(&b, dtype, 4, xd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, zero));
  out = builderTensor(&b, dtype, 4, yd,
                      isFloat ? TIGRIS_NONE : builderQuant(&b, 1, equal ? zero : 3));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  if (isFloat)
    randomFloats((float*)tigris_input(&run.ctx, 0), (size_t)(n * h * w * c));
  else
    randomBytes((int8_t*)tigris_input(&run.ctx, 0), (size_t)(n * h * w * c));
  runWhole(&run);
  for (m = 0; m < n; ++m) {
    for (k = 0; k < c; ++k) {
      double sum = 0;
      for (i = 0; i < h * w; ++i) {
        const size_t at = (size_t)((m * h * w + i) * c + k);
        sum += isFloat ? (double)((float*)tigris_input(&run.ctx, 0))[at]
                       : (double)((int8_t*)tigris_input(&run.ctx, 0))[at];
      }
      if (isFloat) {
        sum /= h * w;
        checkClose(((const float*)tigris_output(&run.ctx, 0))[m * c + k], sum < 0 ? 0 : sum, 1);
      } else {
        const double mean = sum / (h * w);
        const int32_t q =
            equal ? (int32_t)(mean > 0 ? floor(mean + 0.5) : -floor(-mean + 0.5))
                  : oracleRequantize((int32_t)sum - h * w * zero, multiplier, shift) + 3;
        CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[m * c + k], oracleClamp(q, -128, 127));
      }
    }
  }
  builderFree(&b);
}

int main(void) {
  int i;
  for (i = 0; i < 2; ++i) {
    const uint8_t dtype = i == 0 ? TIGRIS_F32 : TIGRIS_S8;
    int k;
    testConv(dtype, 0, 0, 150);
    testConv(dtype, 1, 0, 100);
    testConv(dtype, 0, 1, 80);
    for (k = 0; k < 60; ++k) {
      testFullyConnected(dtype);
      testPool(dtype, 0);
      testPool(dtype, 1);
      testGlobalPool(dtype);
    }
  }
  for (i = 0; i < 40; ++i)
    testMatmul(i % 2, i / 2 % 2);
  checkTileCounts();
  return finish();
}
