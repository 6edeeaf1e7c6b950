/* Integer operators of TensorFlow Lite: RESCALE, SIGMOID_INT, PRELU_INT, SQUARED_DIFFERENCE and
 * SOFTMAX with int16 results. All expected values are those of TensorFlow Lite Micro. */
#include <math.h>

#include "one_op.h"

/* A tensor of `count` values; values are NULL for a result. */
typedef struct Numbers {
  uint8_t dtype;
  float scale;
  int32_t zero;
  const int32_t* values;
} Numbers;

static void setPair(double real, int32_t* multiplier, int32_t* shift) {
  int exponent;
  *multiplier = (int32_t)floor(frexp(real, &exponent) * 2147483648.0 + 0.5);
  *shift = exponent;
}

static void setNumber(void* to, uint8_t dtype, int32_t i, int32_t value) {
  if (dtype == TIGRIS_S8)
    ((int8_t*)to)[i] = (int8_t)value;
  else if (dtype == TIGRIS_S16)
    ((int16_t*)to)[i] = (int16_t)value;
  else
    ((int32_t*)to)[i] = value;
}

static int32_t numberAt(const void* from, uint8_t dtype, int32_t i) {
  if (dtype == TIGRIS_S8)
    return ((const int8_t*)from)[i];
  return dtype == TIGRIS_S16 ? ((const int16_t*)from)[i] : ((const int32_t*)from)[i];
}

static int tensorOf(Builder* b, const Numbers* n, int32_t count) {
  const int32_t dims[2] = {1, count};
  return builderTensor(b, n->dtype, 2, dims,
                       n->dtype == TIGRIS_S32 ? TIGRIS_NONE : builderQuant(b, n->scale, n->zero));
}

/* Runs an op of one or two inputs, and compares the result with y->values. */
static void expect(uint16_t opcode, const void* params, size_t bytes, int32_t count,
                   const Numbers* a, const Numbers* c, const Numbers* y) {
  const Numbers* given[2] = {a, c};
  const uint32_t inputs = c == NULL ? 1u : 2u;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  uint32_t k;
  int32_t i;
  builderInit(&b, TIGRIS_IO_ARENA);
  for (k = 0; k < inputs; ++k) {
    in[k] = tensorOf(&b, given[k], count);
    builderInput(&b, in[k]);
  }
  out = tensorOf(&b, y, count);
  builderOutput(&b, out);
  builderOp(&b, opcode, inputs, in, out, params, bytes);
  if (!oneOpOpen(&run, &b))
    return;
  for (k = 0; k < inputs; ++k)
    for (i = 0; i < count; ++i)
      setNumber(tigris_input(&run.ctx, k), given[k]->dtype, i, given[k]->values[i]);
  runWhole(&run);
  for (i = 0; i < count; ++i)
    CHECK_EQ(numberAt(tigris_output(&run.ctx, 0), y->dtype, i), y->values[i]);
  builderFree(&b);
}

static void rescale(const Numbers* x, const Numbers* y, int32_t count) {
  tigris_requantize_params p;
  p.lo = y->dtype == TIGRIS_S8 ? -128 : (y->dtype == TIGRIS_S16 ? -32768 : INT32_MIN);
  p.hi = y->dtype == TIGRIS_S8 ? 127 : (y->dtype == TIGRIS_S16 ? 32767 : INT32_MAX);
  setPair((double)x->scale / (double)y->scale, &p.multiplier, &p.shift);
  expect(TIGRIS_OP_RESCALE, &p, sizeof p, count, x, NULL, y);
}

static void testRescale(void) {
  static const int32_t bytes[8] = {-128, -111, -77, -9, 8, 25, 93, 127};
  static const int32_t halves[8] = {-32768, -9000, -4096, -1, 0, 1, 777, 32767};
  static const int32_t words[8] = {-1638400, -450000, -204800, -50, 0, 50, 38850, 1638350};
  static const int32_t bytesAsHalves[8] = {-9800, -8586, -6157, -1300, -86, 1129, 5986, 8414};
  static const int32_t halvesAsBytes[8] = {-128, -117, -48, 9, 9, 9, 20, 127};
  static const int32_t bytesAsWords[8] = {-665000, -580000, -410000, -70000,
                                          15000,   100000,  440000,  610000};
  static const int32_t halvesAsWords[8] = {-2272760, -609000, -265720, 20930,
                                           21000,    21070,   75390,   2314690};
  static const int32_t wordsAsBytes[8] = {-128, -85, -36, 5, 5, 5, 13, 127};
  static const int32_t wordsAsHalves[8] = {-23706, -6729, -3226, -301, -300, -299, 255, 23105};
  Numbers s8 = {TIGRIS_S8, 0.05f, 5, bytes};
  Numbers s16 = {TIGRIS_S16, 0.0007f, -300, halves};
  Numbers s32 = {TIGRIS_S32, 0.00001f, 0, words};
  Numbers y8 = s8;
  Numbers y16 = s16;
  Numbers y32 = s32;
  y16.values = bytesAsHalves;
  rescale(&s8, &y16, 8);
  y8.values = halvesAsBytes;
  rescale(&s16, &y8, 8);
  y32.values = bytesAsWords;
  rescale(&s8, &y32, 8);
  y32.values = halvesAsWords;
  rescale(&s16, &y32, 8);
  y8.values = wordsAsBytes;
  rescale(&s32, &y8, 8);
  y16.values = wordsAsHalves;
  rescale(&s32, &y16, 8);
}

static void testSigmoid(void) {
  static const int32_t x[12] = {-32768, -20000, -9000, -4096, -1000, -1,
                                0,      1,      777,   3000,  12345, 32767};
  static const int32_t sigmoid[12] = {1,     1,     4,     536,   8812,  16376,
                                      16384, 16392, 22447, 31214, 32767, 32767};
  static const int32_t fine[12] = {11,    247,   3277,  8812,  14394, 16382,
                                   16384, 16386, 17933, 22129, 31234, 32757};
  static const int32_t tanh[12] = {-32767, -32767, -32473, -27598, -9545, -11,
                                   0,      11,     7502,   23472,  32729, 32767};
  static const int32_t steep[12] = {-32767, -32767, -32758, -31589, -14838, -16,
                                    0,      16,     11868,  29445,  32767,  32767};
  const tigris_sigmoid_params thousandths = {TIGRIS_FN_SIGMOID, 25165, 11};
  const tigris_sigmoid_params power = {TIGRIS_FN_SIGMOID, 3, 0};
  const tigris_sigmoid_params tanhs = {TIGRIS_FN_TANH, 30198, 13};
  const tigris_sigmoid_params steeper = {TIGRIS_FN_TANH, 6, 0};
  const Numbers in = {TIGRIS_S16, 0.001f, 0, x};
  Numbers y = {TIGRIS_S16, 1.0f / 32768, 0, sigmoid};
  expect(TIGRIS_OP_SIGMOID_INT, &thousandths, sizeof power, 12, &in, NULL, &y);
  y.values = fine;
  expect(TIGRIS_OP_SIGMOID_INT, &power, sizeof power, 12, &in, NULL, &y);
  y.values = tanh;
  expect(TIGRIS_OP_SIGMOID_INT, &tanhs, sizeof power, 12, &in, NULL, &y);
  y.values = steep;
  expect(TIGRIS_OP_SIGMOID_INT, &steeper, sizeof power, 12, &in, NULL, &y);
}

static void testPRelu(void) {
  static const int32_t x[10] = {-80, -48, 16, 0, -96, 127, 120, 100, 5, -128};
  static const int32_t slope[10] = {20, -20, 100, -100, 3, -3, 127, -128, 0, 50};
  static const int32_t y[10] = {-26, 21, 18, 12, -5, 110, 105, 88, 9, -111};
  const Numbers a = {TIGRIS_S8, 0.05f, 3, x};
  const Numbers b = {TIGRIS_S8, 0.02f, -4, slope};
  const Numbers out = {TIGRIS_S8, 0.06f, 7, y};
  tigris_binary_params p;
  memset(&p, 0, sizeof p);
  p.lo.i = -128;
  p.hi.i = 127;
  setPair((double)a.scale / (double)out.scale, &p.a_multiplier, &p.a_shift);
  setPair((double)a.scale * (double)b.scale / (double)out.scale, &p.out_multiplier, &p.out_shift);
  expect(TIGRIS_OP_PRELU_INT, &p, sizeof p, 10, &a, &b, &out);
}

static void squaredDifference(const Numbers* a, const Numbers* b, const Numbers* y) {
  const double twice = 2.0 * (double)(a->scale > b->scale ? a->scale : b->scale);
  tigris_binary_params p;
  memset(&p, 0, sizeof p);
  p.lo.i = y->dtype == TIGRIS_S8 ? -128 : -32768;
  p.hi.i = -p.lo.i - 1;
  p.left_shift = y->dtype == TIGRIS_S8 ? 7 : 0;
  setPair((double)a->scale / twice, &p.a_multiplier, &p.a_shift);
  setPair((double)b->scale / twice, &p.b_multiplier, &p.b_shift);
  setPair(twice * twice / ldexp((double)y->scale, 2 * p.left_shift), &p.out_multiplier,
          &p.out_shift);
  expect(TIGRIS_OP_SQUARED_DIFFERENCE, &p, sizeof p, 10, a, b, y);
}

static void testSquaredDifference(void) {
  static const int32_t a8[10] = {-80, -48, 16, 0, -96, 127, 120, 100, 5, -128};
  static const int32_t b8[10] = {20, -20, 100, -100, 3, -3, 127, -128, 0, 50};
  static const int32_t y8[10] = {-50, -91, -86, -85, -45, -26, -94, 48, -100, 38};
  static const int32_t a16[10] = {-32768, -20000, -9000, -4096, -1000, -1, 0, 1, 777, 32767};
  static const int32_t b16[10] = {100, -20000, 9000, -4000, 32767, 1, -32768, 1, 7, -5000};
  static const int32_t y16[10] = {26942, 1600, 5184, 72, 10671, 0, 9665, 0, 15, 31984};
  const Numbers a = {TIGRIS_S8, 0.05f, 3, a8};
  const Numbers b = {TIGRIS_S8, 0.031f, -7, b8};
  const Numbers y = {TIGRIS_S8, 0.5f, -100, y8};
  const Numbers wideA = {TIGRIS_S16, 0.0005f, 0, a16};
  const Numbers wideB = {TIGRIS_S16, 0.0003f, 0, b16};
  const Numbers wideY = {TIGRIS_S16, 0.01f, 0, y16};
  squaredDifference(&a, &b, &y);
  squaredDifference(&wideA, &wideB, &wideY);
}

static void testSoftmax(void) {
  static const int32_t x8[10] = {-80, -48, 16, 0, -96, 127, 120, 100, 5, -128};
  static const int32_t wide[10] = {-32768, -32768, -32767, -32768, -32768,
                                   9140,   -11957, -29952, -32768, -32768};
  static const int32_t x16[10] = {-9000, -4000, 1000, 1500, -20000, 3000, 2999, -32768, 0, 5};
  static const int32_t y16[10] = {1, 12, 1804, 2974, 1, 13329, 13315, 1, 664, 667};
  const Numbers a = {TIGRIS_S8, 0.1f, 0, x8};
  const Numbers b = {TIGRIS_S16, 0.001f, 0, x16};
  const Numbers ya = {TIGRIS_S16, 1.0f / 65536, -32768, wide};
  const Numbers yb = {TIGRIS_S16, 1.0f / 32768, 0, y16};
  tigris_softmax_params p = {1, 0, 0, 0};
  setPair((double)0.1f * (1 << 26), &p.multiplier, &p.left_shift);
  p.diff_min = -(int32_t)floor(31.0 * (1 << 26) / pow(2, p.left_shift));
  expect(TIGRIS_OP_SOFTMAX, &p, sizeof p, 10, &a, NULL, &ya);
  setPair((double)0.001f / (10.0 / 65535.0), &p.multiplier, &p.left_shift);
  p.diff_min = 0;
  expect(TIGRIS_OP_SOFTMAX, &p, sizeof p, 10, &b, NULL, &yb);
}

int main(void) {
  testRescale();
  testSigmoid();
  testPRelu();
  testSquaredDifference();
  testSoftmax();
  checkTileCounts();
  checkInPlaceCounts();
  return finish();
}
