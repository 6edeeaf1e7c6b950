/* Pools against naive references, whole and in row ranges. */
#include <float.h>
#include <math.h>

#include "window_case.h"

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
    for (k = 0; k < 60; ++k) {
      testPool(dtype, 0);
      testPool(dtype, 1);
      testGlobalPool(dtype);
    }
  }
  checkTileCounts();
  return finish();
}
