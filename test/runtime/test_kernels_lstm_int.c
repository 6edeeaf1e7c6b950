/* LSTM_INT against TensorFlow Lite's definitions, with rounding written as division. */
#include <math.h>

#include "kernels/sigmoid_s16.h"
#include "one_op.h"

#define MOST 5 /* maximum of every dimension */

static int64_t clamp(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : (v > hi ? hi : v); }

/* gemmlowp's two roundings: halves away from zero in both. */
static int64_t awayDivide(int64_t n, int64_t d) {
  return n >= 0 ? (n + d / 2) / d : -((-n + d / 2) / d);
}

static int64_t scaled(int64_t v, int32_t multiplier, int32_t shift) {
  const int64_t left = shift > 0 ? v * (INT64_C(1) << shift) : v;
  const int64_t product = left * multiplier;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  const int64_t high = (product + nudge) / (INT64_C(1) << 31);
  return shift < 0 ? awayDivide(high, INT64_C(1) << -shift) : high;
}

/* s16: 15 bits of the multiplier, halves up. */
static int64_t scaledWide(int64_t v, int32_t multiplier, int32_t shift) {
  const double factor = fmin(floor((multiplier + 32768.0) / 65536.0), 32767.0);
  return (int64_t)floor((double)v * factor / pow(2, 15 - shift) + 0.5);
}

static int64_t below(double v) { return (int64_t)floor(v); }

/* The table between its entries; `last` behind them. */
static double tableAt(double at, double last) {
  const int i = (int)at;
  return i >= 255 ? last
                  : tigris_sigmoid_table[i] +
                        (at - i) * (tigris_sigmoid_table[i + 1] - (double)tigris_sigmoid_table[i]);
}

/* The functions in doubles, from the table's entries. `x` is in steps of 1 / 4096. */
static int64_t sigmoidOf(double x) {
  const double value = tableAt(fabs(x) * 3 / 512, 65534.0);
  return x >= 0 ? below(value / 2 + 0.5) : below((65536 - value) / 2 + 0.5 - 1.0 / 1024);
}

static int64_t tanhOf(double x) {
  const double value = tableAt(fabs(x) * 3 / 256, 65535.0);
  return x >= 0 ? below(value - 32768 + 0.5) : below(32768 - value + 0.5 - 1.0 / 256);
}

static void testFunctions(void) {
  int32_t x;
  int i;
  for (i = 0; i < 256; ++i)
    CHECK(fabs(tigris_sigmoid_table[i] - 65536 / (1 + exp(-i / 24.0))) < 1.2);
  for (x = -32768; x < 32768; ++x) {
    const double real = x / 4096.0;
    const int16_t s = tigris_sigmoid_s16(tigris_sigmoid_argument(x, 3, 0));
    const int16_t t = tigris_tanh_s16(tigris_sigmoid_argument(x, 3, 0));
    CHECK(fabs(s - 32768 / (1 + exp(-real))) < 12 && fabs(t - 32768 * tanh(real)) < 24);
    CHECK_EQ(s, sigmoidOf(x));
    CHECK_EQ(t, tanhOf(x));
  }
}

typedef struct Layer {
  int steps;
  int batch;
  int inputs;
  int hidden;
  int isWide;
  tigris_lstm_int_params params;
  int8_t w[4 * MOST * MOST];
  int8_t r[4 * MOST * MOST];
  int32_t b[4 * MOST];
  int32_t zeroX;
  int32_t zeroH;
} Layer;

static int64_t load(const Layer* l, const void* data, int i) {
  return l->isWide ? ((const int16_t*)data)[i] : ((const int8_t*)data)[i];
}

static int64_t part(const Layer* l, int pair, const int8_t* w, const int64_t* v, int n,
                    int32_t zero, int32_t bias) {
  int64_t sum = bias;
  int i;
  for (i = 0; i < n; ++i)
    sum += w[i] * (v[i] - zero);
  sum = l->isWide ? scaledWide(sum, l->params.multipliers[pair], l->params.shifts[pair])
                  : scaled(sum, l->params.multipliers[pair], l->params.shifts[pair]);
  return clamp(sum, -32768, 32767);
}

static int64_t times(const Layer* l, int pair, int64_t a, int64_t b) {
  return scaled(a * b, l->params.multipliers[pair], l->params.shifts[pair]);
}

static void stepOf(const Layer* l, const int64_t* x, int64_t* h, int64_t* c) {
  const int64_t most = l->isWide ? 32767 : 127;
  const double power = pow(2, 12 + l->params.cell_power);
  int64_t next[MOST];
  int j;
  int g;
  for (j = 0; j < l->hidden; ++j) {
    int64_t sums[4];
    int64_t keep;
    for (g = 0; g < 4; ++g)
      sums[g] = clamp(
          part(l, g, l->w + (g * l->hidden + j) * l->inputs, x, l->inputs, l->zeroX,
               l->b[g * l->hidden + j]) +
              part(l, 4 + g, l->r + (g * l->hidden + j) * l->hidden, h, l->hidden, l->zeroH, 0),
          -32768, 32767);
    keep = clamp(times(l, TIGRIS_LSTM_KEEP, sigmoidOf((double)sums[2]), c[j]), -32768, 32767);
    c[j] = clamp(
        keep + clamp(times(l, TIGRIS_LSTM_ADD, sigmoidOf((double)sums[0]), tanhOf((double)sums[3])),
                     -32768, 32767),
        -32768, 32767);
    if (l->params.cell_clip != 0)
      c[j] = clamp(c[j], -l->params.cell_clip, l->params.cell_clip);
    /* an argument of tanh is a whole number of thirds of its step */
    next[j] = clamp(times(l, TIGRIS_LSTM_OUT, sigmoidOf((double)sums[1]),
                          tanhOf(floor((double)c[j] * power * 3 + 0.5) / 3)) +
                        l->zeroH,
                    -most - 1, most);
  }
  for (j = 0; j < l->hidden; ++j)
    h[j] = next[j];
}

static void randomLayer(Layer* l) {
  int i;
  l->steps = randomInt(1, 7);
  l->batch = randomInt(1, 3);
  l->inputs = randomInt(1, MOST);
  l->hidden = randomInt(1, MOST);
  l->isWide = randomInt(0, 1);
  l->params.flags = randomInt(0, 3) == 0 ? TIGRIS_RECURRENT_REVERSE : 0;
  l->params.cell_clip = randomInt(0, 1) ? randomInt(1, 32767) : 0;
  l->params.cell_power = randomInt(-16, -9);
  for (i = 0; i < TIGRIS_LSTM_PAIRS; ++i) {
    l->params.multipliers[i] = randomInt(1 << 30, INT32_MAX);
    l->params.shifts[i] = i == TIGRIS_LSTM_KEEP  ? -14
                          : i == TIGRIS_LSTM_ADD ? -30 - l->params.cell_power
                          : i == TIGRIS_LSTM_OUT ? (l->isWide ? -14 : -22)
                                                 : randomInt(-8, 2) - (l->isWide ? 6 : 0);
  }
  for (i = 0; i < 4 * MOST * MOST; ++i) {
    l->w[i] = (int8_t)randomInt(-128, 127);
    l->r[i] = (int8_t)randomInt(-128, 127);
  }
  for (i = 0; i < 4 * MOST; ++i)
    l->b[i] = randomInt(-20000, 20000);
  l->zeroX = randomInt(-20, 20);
  l->zeroH = randomInt(-20, 20);
}

static void checkLayer(const Layer* l, OneOp* run, int rows) {
  const int reverse = (l->params.flags & TIGRIS_RECURRENT_REVERSE) != 0;
  int n;
  int t;
  int j;
  for (n = 0; n < l->batch; ++n) {
    int64_t h[MOST];
    int64_t c[MOST];
    for (j = 0; j < l->hidden; ++j) {
      h[j] = load(l, tigris_input(&run->ctx, 1), n * l->hidden + j);
      c[j] = ((const int16_t*)tigris_input(&run->ctx, 2))[n * l->hidden + j];
    }
    for (t = 0; t < l->steps; ++t) {
      const int at = reverse ? l->steps - 1 - t : t;
      int64_t x[MOST];
      for (j = 0; j < l->inputs; ++j)
        x[j] = load(l, tigris_input(&run->ctx, 0), (at * l->batch + n) * l->inputs + j);
      stepOf(l, x, h, c);
      for (j = 0; j < l->hidden && l->steps - t <= rows; ++j)
        CHECK_EQ(load(l, tigris_output(&run->ctx, 0), (at % rows * l->batch + n) * l->hidden + j),
                 h[j]);
    }
    for (j = 0; j < l->hidden; ++j)
      CHECK_EQ(((const int16_t*)tigris_output(&run->ctx, 1))[n * l->hidden + j], c[j]);
  }
}

static void fillRandom(OneOp* run, uint32_t input, int isWide, int elements) {
  int i;
  for (i = 0; i < elements; ++i) {
    if (isWide)
      ((int16_t*)tigris_input(&run->ctx, input))[i] = (int16_t)randomInt(-32768, 32767);
    else
      ((int8_t*)tigris_input(&run->ctx, input))[i] = (int8_t)randomInt(-128, 127);
  }
}

static void testLayer(void) {
  Layer l;
  Builder b;
  OneOp run;
  int in[6];
  int out[2];
  int rows;
  uint8_t type;
  uint32_t quant;
  randomLayer(&l);
  rows = l.steps > 2 && randomInt(0, 1) ? 2 : l.steps;
  type = l.isWide ? TIGRIS_S16 : TIGRIS_S8;
  builderInit(&b, TIGRIS_IO_ARENA);
  {
    const int32_t x[3] = {l.steps, l.batch, l.inputs};
    const int32_t w[3] = {1, 4 * l.hidden, l.inputs};
    const int32_t r[3] = {1, 4 * l.hidden, l.hidden};
    const int32_t state[3] = {1, l.batch, l.hidden};
    const int32_t y[4] = {rows, 1, l.batch, l.hidden};
    in[0] = builderTensor(&b, type, 3, x, builderQuant(&b, 0.5f, l.zeroX));
    in[1] = builderConst(&b, TIGRIS_S8, 3, w, TIGRIS_NONE, l.w);
    in[2] = builderConst(&b, TIGRIS_S8, 3, r, TIGRIS_NONE, l.r);
    in[3] = builderConst(&b, TIGRIS_S32, 2, w, TIGRIS_NONE, l.b);
    quant = builderQuant(&b, 0.25f, l.zeroH);
    in[4] = builderTensor(&b, type, 3, state, quant);
    out[0] = builderTensor(&b, type, 4, y, quant);
    quant = builderQuant(&b, ldexpf(1, l.params.cell_power), 0);
    in[5] = builderTensor(&b, TIGRIS_S16, 3, state, quant);
    out[1] = builderTensor(&b, TIGRIS_S16, 3, state, quant);
  }
  builderInput(&b, in[0]);
  builderInput(&b, in[4]);
  builderInput(&b, in[5]);
  builderOutput(&b, out[0]);
  builderOutput(&b, out[1]);
  builderOpOutputs(&b, TIGRIS_OP_LSTM_INT, 6, in, 2, out, &l.params, sizeof l.params);
  if (!oneOpOpen(&run, &b))
    return;
  fillRandom(&run, 0, l.isWide, l.steps * l.batch * l.inputs);
  fillRandom(&run, 1, l.isWide, l.batch * l.hidden);
  fillRandom(&run, 2, 1, l.batch * l.hidden);
  if (runWhole(&run))
    checkLayer(&l, &run, rows);
  builderFree(&b);
}

int main(void) {
  int i;
  testFunctions();
  for (i = 0; i < 400; ++i)
    testLayer();
  return finish();
}
