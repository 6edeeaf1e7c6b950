/* Convolutions against a naive reference, whole and in row ranges. */
#include <math.h>

#include "window_case.h"

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
  uint32_t pairs = 1;
  uint32_t zeroCount = 0;
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
    pairs = randomInt(0, 1) ? 1 : (uint32_t)k->oc;
    if (randomInt(0, 1))
      zeroCount = randomInt(0, 1) ? 1 : (uint32_t)k->oc;
    builderDense(&b, multipliers, shifts, pairs, zeros, zeroCount);
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
          const int32_t zero = zeroCount == 0 ? 0 : zeros[zeroCount == 1 ? 0 : o];
          const int32_t r = pairs == 1 ? 0 : o;
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

int main(void) {
  int i;
  for (i = 0; i < 2; ++i) {
    const uint8_t dtype = i == 0 ? TIGRIS_F32 : TIGRIS_S8;
    testConv(dtype, 0, 0, 150);
    testConv(dtype, 1, 0, 100);
    testConv(dtype, 0, 1, 80);
  }
  checkTileCounts();
  return finish();
}
