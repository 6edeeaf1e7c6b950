/* States: kept between runs in slow memory and in the caller's buffers, reset, and rejected where
 * not allowed. */
#include <math.h>

#include "check.h"
#include "plan_builder.h"

/* h_next = h + x; y = -h. The state is int8 or float32. */
static uint8_t* sumPlan(Builder* b, uint32_t ioMode, int isFloat, uint32_t* size) {
  const int32_t dims[2] = {1, 4};
  const uint8_t dtype = isFloat ? TIGRIS_F32 : TIGRIS_S8;
  uint32_t quant;
  tigris_binary_params add;
  tigris_requantize_params same = {1 << 30, 1, -128, 127};
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  int t[4];
  int i;
  memset(&add, 0, sizeof add);
  builderInit(b, ioMode);
  quant = isFloat ? TIGRIS_NONE : builderQuant(b, 1.0f, 3);
  if (isFloat) {
    add.lo.f = -INFINITY;
    add.hi.f = INFINITY;
  } else {
    add.lo.i = -128;
    add.hi.i = 127;
    add.left_shift = 20;
    add.a_multiplier = add.b_multiplier = add.out_multiplier = 1 << 30;
    add.out_shift = -18; /* 2^20 * 1/2 * 2^-19 */
  }
  for (i = 0; i < 4; ++i)
    t[i] = builderTensor(b, dtype, 2, dims, quant);
  builderInput(b, t[0]);
  builderInput(b, t[1]);
  builderOutput(b, t[2]);
  builderOutput(b, t[3]);
  builderState(b, 0, 3);
  if (isFloat)
    builderOp(b, TIGRIS_OP_UNARY, 1, &t[0], t[2], &neg, sizeof neg);
  else
    builderOp(b, TIGRIS_OP_REQUANTIZE, 1, &t[0], t[2], &same, sizeof same);
  builderOp(b, TIGRIS_OP_ADD, 2, t, t[3], &add, sizeof add);
  return builderFinish(b, size);
}

/* An int8 state without quantization, so that its zero is 0. */
static void resetsWithoutQuantization(void) {
  const int32_t dims[2] = {1, 4};
  tigris_context ctx;
  tigris_memory memory;
  tigris_plan plan;
  uint8_t* file;
  uint32_t size;
  Builder b;
  int t[2];
  builderInit(&b, TIGRIS_IO_SLOW);
  t[0] = builderTensor(&b, TIGRIS_S8, 2, dims, TIGRIS_NONE);
  t[1] = builderTensor(&b, TIGRIS_S8, 2, dims, TIGRIS_NONE);
  builderInput(&b, t[0]);
  builderOutput(&b, t[1]);
  builderState(&b, 0, 1);
  builderOp(&b, TIGRIS_OP_RESHAPE, 1, &t[0], t[1], NULL, 0);
  file = builderFinish(&b, &size);
  CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
  memory.fast_bytes = plan.summary->fast_bytes;
  memory.slow_bytes = plan.summary->slow_bytes;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  memset(memory.slow, 7, memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  CHECK_EQ(*(const uint8_t*)tigris_input(&ctx, 0), 0);
  release(memory.fast);
  release(memory.slow);
  builderFree(&b);
}

static void checkAll(const void* data, int isFloat, double value) {
  int i;
  for (i = 0; i < 4; ++i)
    CHECK_EQ(isFloat ? (double)((const float*)data)[i] : ((const int8_t*)data)[i] - 3.0, value);
}

static void setAll(void* data, int isFloat, int value) {
  int i;
  for (i = 0; i < 4; ++i) {
    if (isFloat)
      ((float*)data)[i] = (float)value;
    else
      ((int8_t*)data)[i] = (int8_t)(value + 3);
  }
}

static void testRuns(uint32_t ioMode, int isFloat, size_t less) {
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  tigris_requirements need;
  uint32_t size;
  uint8_t* bytes = sumPlan(&b, ioMode, isFloat, &size);
  unsigned i;
  int run;
  int sum = 0;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  tigris_plan_requirements(&plan, &tigris_backend_reference, &need);
  memory.fast_bytes = need.fast_bytes - less;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow_bytes = less == 0 ? need.slow_bytes : need.slow_bytes + 4096;
  memory.slow = memory.slow_bytes == 0 ? NULL : exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  if (ioMode == TIGRIS_IO_CALLER) {
    CHECK_EQ(tigris_reset(&ctx), TIGRIS_E_STATE);
    for (i = 0; i < 2; ++i) {
      CHECK_EQ(tigris_set_input(&ctx, i, exactly(16)), TIGRIS_OK);
      CHECK_EQ(tigris_set_output(&ctx, i, exactly(16)), TIGRIS_OK);
    }
    CHECK_EQ(tigris_reset(&ctx), TIGRIS_OK);
  }
  for (run = 1; run <= 5; ++run) {
    if (run == 4) {
      CHECK_EQ(tigris_reset(&ctx), TIGRIS_OK);
      sum = 0;
    }
    if (run == 5) { /* a state may be set */
      setAll(tigris_input(&ctx, 0), isFloat, 20);
      sum = 20;
    }
    checkAll(tigris_input(&ctx, 0), isFloat, sum);
    setAll(tigris_input(&ctx, 1), isFloat, run);
    CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
    CHECK_EQ(ctx.statistics.dynamic, less != 0);
    checkAll(tigris_output(&ctx, 0), isFloat, isFloat ? -sum : sum);
    sum += run;
    checkAll(tigris_output(&ctx, 1), isFloat, sum);
    CHECK(tigris_output(&ctx, 1) == tigris_input(&ctx, 0));
  }
  builderFree(&b);
}

static void testRefused(void) {
  static const uint16_t states[5][4] = {{2, TIGRIS_NO_PORT, TIGRIS_NO_PORT, 0}, /* not mutual */
                                        {1, 0, TIGRIS_NO_PORT, TIGRIS_NO_PORT}, /* two inputs */
                                        {9, TIGRIS_NO_PORT, TIGRIS_NO_PORT, 0},
                                        {0, TIGRIS_NO_PORT, TIGRIS_NO_PORT, TIGRIS_NO_PORT},
                                        {TIGRIS_NO_PORT, TIGRIS_NO_PORT, TIGRIS_NO_PORT, 0}};
  Builder b;
  tigris_plan plan;
  uint32_t size;
  uint8_t* bytes = sumPlan(&b, TIGRIS_IO_ARENA, 1, &size);
  int i;
  int k;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_E_FORMAT);
  builderFree(&b);
  for (i = 0; i < 5; ++i) {
    bytes = sumPlan(&b, TIGRIS_IO_SLOW, 1, &size);
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
    for (k = 0; k < 4; ++k)
      ((tigris_port*)(uintptr_t)plan.ports)[k].state = states[i][k];
    builderSeal(bytes);
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_E_FORMAT);
    builderFree(&b);
  }
}

int main(void) {
  resetsWithoutQuantization();
  int isFloat;
  for (isFloat = 0; isFloat < 2; ++isFloat) {
    testRuns(TIGRIS_IO_SLOW, isFloat, 0);
    testRuns(TIGRIS_IO_SLOW, isFloat, 16);
    testRuns(TIGRIS_IO_CALLER, isFloat, 0);
  }
  CHECK_EQ(tigris_reset(NULL), TIGRIS_E_ARGUMENT);
  testRefused();
  return finish();
}
