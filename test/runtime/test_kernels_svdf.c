/* SVDF against TensorFlow Lite's definition, with rounding written as division. */
#include "one_op.h"

#define FILTERS 6
#define MOST 5 /* maximum of other dimensions */

/* Weights are small whole numbers, which are exact as floats. */
typedef struct Svdf {
  int isFloat;
  int isWide; /* the state is s16 */
  int batch;
  int inputs;
  int memory;
  tigris_svdf_params params;
  int32_t zeroX;
  int32_t zeroY;
  int32_t zero; /* of the state */
  int8_t feature[FILTERS * MOST];
  int8_t time[FILTERS * MOST];
  int32_t bias[FILTERS];
} Svdf;

static int64_t clamp(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : (v > hi ? hi : v); }

static int64_t awayDivide(int64_t n, int64_t d) {
  return n >= 0 ? (n + d / 2) / d : -((-n + d / 2) / d);
}

/* Shifts are negative here. */
static int64_t scaled(int64_t v, int32_t multiplier, int32_t shift) {
  const int64_t product = v * multiplier;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  return awayDivide((product + nudge) / (INT64_C(1) << 31), INT64_C(1) << -shift);
}

static void randomSvdf(Svdf* s) {
  int i;
  memset(s, 0, sizeof *s);
  s->isFloat = randomInt(0, 1);
  s->isWide = !s->isFloat && randomInt(0, 1);
  s->batch = randomInt(1, 3);
  s->inputs = randomInt(1, MOST);
  s->memory = randomInt(1, MOST);
  s->params.rank = randomInt(1, 3);
  for (i = 0; i < FILTERS * MOST; ++i) {
    s->feature[i] = (int8_t)randomInt(-128, 127);
    s->time[i] = (int8_t)randomInt(-128, 127);
  }
  for (i = 0; i < FILTERS; ++i)
    s->bias[i] = randomInt(-1000, 1000);
  if (s->isFloat)
    return;
  s->params.feature_multiplier = randomInt(1 << 30, INT32_MAX);
  s->params.feature_shift = randomInt(-9, -3);
  s->params.time_multiplier = randomInt(1 << 30, INT32_MAX);
  s->params.time_shift = randomInt(-12, -5);
  s->zeroX = randomInt(-9, 9);
  s->zeroY = randomInt(-9, 9);
  s->zero = s->isWide ? 0 : randomInt(-9, 9);
}

/* The numbers as a constant of this type. */
static int addConst(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, const int8_t* v8,
                    const int32_t* v32) {
  float floats[FILTERS * MOST];
  int16_t wide[FILTERS * MOST];
  int32_t words[FILTERS * MOST];
  const int n = dims[0] * (rank == 2 ? dims[1] : 1);
  int i;
  for (i = 0; i < n; ++i) {
    words[i] = v32 != NULL ? v32[i] : v8[i];
    wide[i] = (int16_t)words[i];
    floats[i] = (float)words[i];
  }
  return builderConst(b, dtype, rank, dims, TIGRIS_NONE,
                      dtype == TIGRIS_F32   ? (const void*)floats
                      : dtype == TIGRIS_S16 ? (const void*)wide
                      : dtype == TIGRIS_S32 ? (const void*)words
                                            : (const void*)v8);
}

static void addLayer(Builder* b, const Svdf* s) {
  const uint8_t type = s->isFloat ? TIGRIS_F32 : TIGRIS_S8;
  const uint8_t kept = s->isWide ? TIGRIS_S16 : type;
  const int32_t x[2] = {s->batch, s->inputs};
  const int32_t feature[2] = {FILTERS, s->inputs};
  const int32_t time[2] = {FILTERS, s->memory};
  const int32_t y[2] = {s->batch, FILTERS / s->params.rank};
  const int32_t state[2] = {s->batch, FILTERS * s->memory};
  const uint32_t quant = s->isFloat ? TIGRIS_NONE : builderQuant(b, 0.125f, s->zero);
  int in[5];
  int out[2];
  in[0] = builderTensor(b, type, 2, x, s->isFloat ? TIGRIS_NONE : builderQuant(b, 0.5f, s->zeroX));
  in[1] = addConst(b, type, 2, feature, s->feature, NULL);
  in[2] = addConst(b, kept, 2, time, s->time, NULL);
  in[3] = addConst(b, s->isFloat ? TIGRIS_F32 : TIGRIS_S32, 1, y + 1, NULL, s->bias);
  in[4] = builderTensor(b, kept, 2, state, quant);
  out[0] =
      builderTensor(b, type, 2, y, s->isFloat ? TIGRIS_NONE : builderQuant(b, 0.25f, s->zeroY));
  out[1] = builderTensor(b, kept, 2, state, quant);
  builderInput(b, in[0]);
  builderInput(b, in[4]);
  builderOutput(b, out[0]);
  builderOutput(b, out[1]);
  builderOpOutputs(b, TIGRIS_OP_SVDF, 5, in, 2, out, &s->params, sizeof s->params);
}

static int64_t load(const Svdf* s, int isWide, const void* data, int i) {
  if (s->isFloat)
    return (int64_t)((const float*)data)[i];
  return isWide ? ((const int16_t*)data)[i] : ((const int8_t*)data)[i];
}

static void fill(const Svdf* s, int isWide, void* data, int n) {
  int i;
  for (i = 0; i < n; ++i) {
    if (s->isFloat)
      ((float*)data)[i] = (float)randomInt(-9, 9);
    else if (isWide)
      ((int16_t*)data)[i] = (int16_t)randomInt(-32768, 32767);
    else
      ((int8_t*)data)[i] = (int8_t)randomInt(-128, 127);
  }
}

/* The newest product of a filter, as it is stored. */
static int64_t newest(const Svdf* s, const void* x, int n, int f) {
  const int most = s->isWide ? 32767 : 127;
  int64_t v = 0;
  int i;
  for (i = 0; i < s->inputs; ++i)
    v += s->feature[f * s->inputs + i] * (load(s, 0, x, n * s->inputs + i) - s->zeroX);
  if (s->isFloat)
    return v;
  v = clamp(scaled(v, s->params.feature_multiplier, s->params.feature_shift), -most - 1, most) +
      s->zero;
  return s->isWide ? v : (int8_t)(uint8_t)v;
}

static void checkLayer(const Svdf* s, OneOp* run) {
  const void* before = tigris_input(&run->ctx, 1);
  const void* after = tigris_output(&run->ctx, 1);
  const int rank = s->params.rank;
  int n;
  int f;
  int i;
  for (n = 0; n < s->batch; ++n) {
    int64_t sums[FILTERS] = {0};
    for (f = 0; f < FILTERS; ++f)
      for (i = 0; i < s->memory; ++i) {
        const int at = (n * FILTERS + f) * s->memory + i;
        const int64_t expected = i + 1 < s->memory ? load(s, s->isWide, before, at + 1)
                                                   : newest(s, tigris_input(&run->ctx, 0), n, f);
        CHECK_EQ(load(s, s->isWide, after, at), expected);
        sums[f / rank] += s->time[f * s->memory + i] * (expected - s->zero);
      }
    for (f = 0; f < FILTERS / rank; ++f) {
      int64_t y = sums[f] + s->bias[f];
      if (!s->isFloat)
        y = clamp(scaled(y, s->params.time_multiplier, s->params.time_shift) + s->zeroY, -128, 127);
      CHECK_EQ(load(s, 0, tigris_output(&run->ctx, 0), n * (FILTERS / rank) + f), y);
    }
  }
}

int main(void) {
  int i;
  for (i = 0; i < 400; ++i) {
    Svdf s;
    Builder b;
    OneOp run;
    randomSvdf(&s);
    builderInit(&b, TIGRIS_IO_ARENA);
    addLayer(&b, &s);
    if (!oneOpOpen(&run, &b))
      break;
    fill(&s, 0, tigris_input(&run.ctx, 0), s.batch * s.inputs);
    fill(&s, s.isWide, tigris_input(&run.ctx, 1), s.batch * FILTERS * s.memory);
    if (runWhole(&run))
      checkLayer(&s, &run);
    builderFree(&b);
  }
  return finish();
}
