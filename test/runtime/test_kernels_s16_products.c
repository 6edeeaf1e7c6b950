/* int16 convolutions, dense layers and matrix products against naive references, whole and in
 * tiles. */
#include <math.h>

#include "one_op.h"
#include "s16.h"

/* The sum over the taps at (oy, ox) of channel o: x is [5, 6, c], w as written by testConv. */
static int64_t convSum(int kind, const int16_t* x, const int8_t* w, int32_t inZero, int32_t zero,
                       int32_t oy, int32_t ox, int32_t o) {
  const int32_t groups = kind == 1 ? 6 : 2;
  const int32_t c = kind == 1 ? 6 : 8;
  const int32_t oc = kind == 1 ? 12 : 10;
  const int32_t gi = c / groups;
  const int32_t go = oc / groups;
  int64_t sum = 0;
  int32_t tap;
  int32_t i;
  for (tap = 0; tap < 6; ++tap) {
    const int32_t ky = tap / 2;
    const int32_t kx = tap % 2;
    int32_t iy = kind == 2 ? oy + 1 - ky : oy * 2 - 1 + ky;
    const int32_t ix = kind == 2 ? ox - kx : ox + kx;
    if (kind == 2 && iy % 2 != 0)
      continue;
    iy = kind == 2 ? iy / 2 : iy;
    if (iy < 0 || iy >= 5 || ix < 0 || ix >= 6 || (kind == 2 && oy + 1 < ky))
      continue;
    for (i = 0; i < gi; ++i)
      sum += (int64_t)(x[(iy * 6 + ix) * c + o / go * gi + i] - inZero) *
             (w[kind == 1 ? tap * oc + o : (o * 6 + tap) * gi + i] - zero);
  }
  return sum;
}

/* A convolution of [1, 5, 6, c] with a kernel of 3 x 2, plain (kind 0), depthwise (1) or
 * transposed (2). */
static void testConv(int kind) {
  const int32_t groups = kind == 1 ? 6 : 2;
  const int32_t c = kind == 1 ? 6 : 8;
  const int32_t oc = kind == 1 ? 12 : 10;
  const int32_t gi = c / groups;
  const int32_t oh = kind == 2 ? 2 * 4 + 3 - 1 : 3;
  const int32_t ow = kind == 2 ? 5 + 2 : 5;
  const int32_t xd[4] = {1, 5, 6, c};
  const int32_t yd[4] = {1, oh, ow, oc};
  const int32_t wd[4] = {oc, 3, 2, gi};
  const int32_t dd[3] = {3, 2, oc};
  const int32_t bd[1] = {oc};
  const int32_t inZero = randomInt(-300, 300);
  const int32_t outZero = randomInt(-9000, 9000);
  const int perChannel = randomInt(0, 1);
  int32_t multipliers[12];
  int32_t shifts[12];
  int32_t zeros[12];
  int32_t bias[12];
  int8_t w[480];
  tigris_conv_params p;
  const int16_t* x;
  const int16_t* y;
  Builder b;
  OneOp run;
  int in[3];
  int out;
  int32_t o;
  int32_t oy;
  int32_t ox;
  memset(&p, 0, sizeof p);
  p.kernel_h = 3;
  p.kernel_w = 2;
  p.stride_h = 2;
  p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = 1;
  p.pad_bottom = kind == 2 ? 0 : 1;
  p.groups = groups;
  p.lo.i = -30000;
  p.hi.i = 30000;
  for (o = 0; o < oc; ++o) {
    multipliers[o] = randomInt(1 << 30, INT32_MAX - 1);
    shifts[o] = -randomInt(1, 4);
    zeros[o] = randomInt(-20, 20);
    bias[o] = randomInt(-100000, 100000);
  }
  randomBytes(w, sizeof w);
  builderInit(&b, TIGRIS_IO_ARENA);
  if (randomInt(0, 1)) {
    builderDense(&b, multipliers, shifts, perChannel ? (uint32_t)oc : 1, zeros, (uint32_t)oc);
  } else {
    memset(zeros, 0, sizeof zeros);
    builderDense(&b, multipliers, shifts, perChannel ? (uint32_t)oc : 1, NULL, 0);
  }
  in[0] = builderTensor(&b, TIGRIS_S16, 4, xd, builderQuant(&b, 0.1f, inZero));
  in[1] = builderConst(&b, TIGRIS_S8, kind == 1 ? 3 : 4, kind == 1 ? dd : wd, TIGRIS_NONE, w);
  in[2] = builderConst(&b, TIGRIS_S32, 1, bd, TIGRIS_NONE, bias);
  out = builderTensor(&b, TIGRIS_S16, 4, yd, builderQuant(&b, 0.1f, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b,
            kind == 0   ? TIGRIS_OP_CONV
            : kind == 1 ? TIGRIS_OP_DEPTHWISE_CONV
                        : TIGRIS_OP_CONV_TRANSPOSE,
            3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 5 * 6 * c, -600, 600);
  runWhole(&run);
  x = (const int16_t*)tigris_input(&run.ctx, 0);
  y = (const int16_t*)tigris_output(&run.ctx, 0);
  for (oy = 0; oy < oh; ++oy) {
    for (ox = 0; ox < ow; ++ox) {
      for (o = 0; o < oc; ++o) {
        const int32_t r = perChannel ? o : 0;
        const int64_t sum = bias[o] + convSum(kind, x, w, inZero, zeros[o], oy, ox, o);
        CHECK_EQ(*y++, oracleClamp((int64_t)scaledOnce(sum, multipliers[r], shifts[r]) + outZero,
                                   -30000, 30000));
      }
    }
  }
  builderFree(&b);
}

/* Rounded twice: the product with the multiplier, and its right shift, halves away from 0. */
static int64_t scaledTwice(int64_t sum, int32_t multiplier, int32_t shift) {
  return (int64_t)round(ldexp((double)scaledWide(sum, multiplier, 31), shift));
}

static void testFullyConnected(int twice) {
  const int32_t xd[2] = {3, 150};
  const int32_t wd[2] = {7, 150};
  const int32_t yd[2] = {3, 7};
  const int32_t multiplier = randomInt(1 << 30, INT32_MAX - 1);
  const int32_t shift = -randomInt(3, 8);
  const int32_t zero = randomInt(-9, 9);
  int8_t w[7 * 150];
  tigris_fc_params p;
  const int16_t* x;
  const int16_t* y;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  randomBytes(w, sizeof w);
  builderInit(&b, TIGRIS_IO_ARENA);
  p.lo.i = -32768;
  p.hi.i = 32767;
  builderDense(&b, &multiplier, &shift, 1, &zero, 1);
  b.denseFlags |= twice ? TIGRIS_ROUND_TWICE : 0;
  in[0] = builderTensor(&b, TIGRIS_S16, 2, xd, builderQuant(&b, 1, 77));
  in[1] = builderConst(&b, TIGRIS_S8, 2, wd, TIGRIS_NONE, w);
  out = builderTensor(&b, TIGRIS_S16, 2, yd, builderQuant(&b, 1, -5));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_FULLY_CONNECTED, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 450, -32768, 32767);
  runWhole(&run);
  x = (const int16_t*)tigris_input(&run.ctx, 0);
  y = (const int16_t*)tigris_output(&run.ctx, 0);
  for (i = 0; i < 21; ++i) {
    int64_t sum = 0;
    for (k = 0; k < 150; ++k)
      sum += (int64_t)(x[i / 7 * 150 + k] - 77) * (w[i % 7 * 150 + k] - zero);
    sum = twice ? scaledTwice(sum, multiplier, shift) : scaledWide(sum, multiplier, 31 - shift);
    CHECK_EQ(y[i], oracleClamp(sum - 5, INT16_MIN, INT16_MAX));
  }
  builderFree(&b);
}

static void testMatmul(int flip) {
  const int32_t ad[3] = {2, 3, 40};
  const int32_t bd[3] = {1, flip ? 5 : 40, flip ? 40 : 5};
  const int32_t yd[3] = {2, 3, 5};
  tigris_matmul_params p;
  const int16_t* a;
  const int16_t* c;
  const int16_t* y;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t k;
  p.flags = flip ? TIGRIS_MATMUL_TRANSPOSE_B : 0;
  p.multiplier = randomInt(1 << 30, INT32_MAX - 1);
  p.shift = -randomInt(16, 20);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S16, 3, ad, builderQuant(&b, 1, 100));
  in[1] = builderTensor(&b, TIGRIS_S16, 3, bd, builderQuant(&b, 1, -3000));
  out = builderTensor(&b, TIGRIS_S16, 3, yd, builderQuant(&b, 1, 12));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_MATMUL, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 240, -32768, 32767);
  fillS16((int16_t*)tigris_input(&run.ctx, 1), 200, -32768, 32767);
  runWhole(&run);
  a = (const int16_t*)tigris_input(&run.ctx, 0);
  c = (const int16_t*)tigris_input(&run.ctx, 1);
  y = (const int16_t*)tigris_output(&run.ctx, 0);
  for (i = 0; i < 30; ++i) {
    int64_t sum = 0;
    for (k = 0; k < 40; ++k)
      sum += (int64_t)(a[i / 5 * 40 + k] - 100) * (c[flip ? i % 5 * 40 + k : k * 5 + i % 5] + 3000);
    CHECK_EQ(y[i],
             oracleClamp(scaledWide(sum, p.multiplier, 31 - p.shift) + 12, INT16_MIN, INT16_MAX));
  }
  builderFree(&b);
}

int main(void) {
  int k;
  for (k = 0; k < 20; ++k) {
    testConv(k % 3);
    testFullyConnected(k % 2);
    testMatmul(k % 2);
  }
  return finish();
}
