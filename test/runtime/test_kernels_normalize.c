/* Batch and layer normalization and softmax against naive references. */
#include <math.h>

#include "elements.h"
#include "one_op.h"

static void testBatchNorm(void) {
  const int32_t dims[4] = {1, 3, 2, 13};
  const int32_t c[1] = {13};
  float scale[13];
  float offset[13];
  tigris_clamp_params p;
  Builder b;
  OneOp run;
  int in[3];
  int out;
  int32_t i;
  randomFloats(scale, 13);
  randomFloats(offset, 13);
  p.lo.f = 0.0f;
  p.hi.f = 6.0f;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  in[1] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, scale);
  in[2] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, offset);
  out = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_BATCH_NORM, 3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), 78);
  runWhole(&run);
  for (i = 0; i < 78; ++i) {
    const double v = (double)((float*)tigris_input(&run.ctx, 0))[i] * (double)scale[i % 13] +
                     (double)offset[i % 13];
    checkClose(((const float*)tigris_output(&run.ctx, 0))[i], v < 0 ? 0 : v, 1);
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

/* Float softmax and log-softmax on any axis. */
static void testSoftmaxF32(int isLog) {
  int32_t dims[5];
  const int rank = randomShape(dims, 6);
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t inner = 1;
  int32_t o;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.axis = randomInt(0, rank - 1);
  for (i = p.axis + 1; i < rank; ++i)
    inner *= dims[i];
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, (uint8_t)rank, dims, TIGRIS_NONE);
  out = builderTensor(&b, TIGRIS_F32, (uint8_t)rank, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, isLog ? TIGRIS_OP_LOG_SOFTMAX : TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), (size_t)elementsOf(rank, dims));
  runWhole(&run);
  for (o = 0; o < elementsOf(p.axis, dims); ++o) {
    for (i = 0; i < inner; ++i) {
      const float* x = (float*)tigris_input(&run.ctx, 0) + o * dims[p.axis] * inner + i;
      const float* y = (const float*)tigris_output(&run.ctx, 0) + o * dims[p.axis] * inner + i;
      double sum = 0;
      for (k = 0; k < dims[p.axis]; ++k)
        sum += exp((double)x[k * inner]);
      for (k = 0; k < dims[p.axis]; ++k) {
        const double v = exp((double)x[k * inner]) / sum;
        checkClose(y[k * inner], isLog ? log(v) : v, 1);
      }
    }
  }
  builderFree(&b);
}

/* TFLite's PreprocessSoftmaxScaling and CalculateInputRadius for beta 1 and 5 integer bits. */
static void softmaxParams(double scale, tigris_softmax_params* p) {
  double real = scale * (1 << 26);
  int exponent;
  double fraction;
  if (real > 2147483647.0)
    real = 2147483647.0;
  fraction = frexp(real, &exponent);
  p->multiplier = (int32_t)floor(fraction * 2147483648.0 + 0.5);
  p->left_shift = exponent;
  p->diff_min = -(int32_t)floor(31.0 * (1 << 26) / pow(2, exponent));
}

static void testSoftmaxS8(void) {
  const int32_t dims[2] = {3, randomInt(1, 40)};
  const float scale = randomFloat(0.01f, 0.3f);
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t o;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.axis = 1;
  softmaxParams((double)scale, &p);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, scale, 4));
  out = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 1.0f / 256, -128));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomBytes((int8_t*)tigris_input(&run.ctx, 0), (size_t)(3 * dims[1]));
  runWhole(&run);
  for (o = 0; o < 3; ++o) {
    const int8_t* x = (int8_t*)tigris_input(&run.ctx, 0) + o * dims[1];
    const int8_t* y = (const int8_t*)tigris_output(&run.ctx, 0) + o * dims[1];
    double sum = 0;
    for (k = 0; k < dims[1]; ++k)
      sum += exp((double)scale * x[k]);
    for (k = 0; k < dims[1]; ++k) {
      double v = exp((double)scale * x[k]) / sum * 256 - 128;
      v = v > 127 ? 127 : v;
      CHECK(fabs(y[k] - v) <= 0.6);
    }
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

/* Values computed by another implementation of the same arithmetic (CMSIS-NN arm_softmax_s8). */
static void testSoftmaxGolden(void) {
  static const int8_t x[12] = {-80, -48, 16, 0, -96, 127, 120, 100, 5, 4, 3, -128};
  static const int8_t expected[12] = {-128, -128, -128, -128, -128, 36,
                                      -47,  -117, -128, -128, -128, -128};
  const int32_t dims[2] = {1, 12};
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  memset(&p, 0, sizeof p);
  p.axis = 1;
  softmaxParams(0.1, &p);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 0.1f, 0));
  out = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 1.0f / 256, -128));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), x, sizeof x);
  runWhole(&run);
  CHECK(memcmp(tigris_output(&run.ctx, 0), expected, sizeof expected) == 0);
  builderFree(&b);
}

static void testLayerNorm(void) {
  const int32_t dims[3] = {2, 3, 24};
  const int32_t c[1] = {24};
  float scale[24];
  float bias[24];
  tigris_layer_norm_params p;
  Builder b;
  OneOp run;
  int in[3];
  int out;
  int32_t o;
  int32_t k;
  randomFloats(scale, 24);
  randomFloats(bias, 24);
  p.axes = 1;
  p.epsilon = 1e-5f;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  in[1] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, scale);
  in[2] = randomInt(0, 1) ? builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, bias) : -1;
  out = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_LAYER_NORM, 3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), 144);
  runWhole(&run);
  for (o = 0; o < 6; ++o) {
    const float* x = (float*)tigris_input(&run.ctx, 0) + o * 24;
    double mean = 0;
    double variance = 0;
    for (k = 0; k < 24; ++k)
      mean += (double)x[k] / 24;
    for (k = 0; k < 24; ++k)
      variance += ((double)x[k] - mean) * ((double)x[k] - mean) / 24;
    for (k = 0; k < 24; ++k)
      checkClose(((const float*)tigris_output(&run.ctx, 0))[o * 24 + k],
                 ((double)x[k] - mean) / sqrt(variance + 1e-5) * (double)scale[k] +
                     (in[2] < 0 ? 0 : (double)bias[k]),
                 2);
  }
  builderFree(&b);
}

int main(void) {
  uint32_t k;
  for (k = 0; k < 60; ++k) {
    testSoftmaxF32(k % 2 == 0);
    testSoftmaxS8();
    testLayerNorm();
  }
  testBatchNorm();
  testSoftmaxGolden();
  checkTileCounts();
  checkInPlaceCounts();
  return finish();
}
