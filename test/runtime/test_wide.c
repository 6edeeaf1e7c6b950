/* Legal ops whose numbers exceed the 16 bits that vendors use, or whose sums exceed theirs: every
 * backend gives the bytes of the reference kernels. */
#include "one_op.h"

static void fill(int8_t* x, uint32_t bytes, int isEven) {
  if (isEven)
    memset(x, 5, bytes);
  else
    randomBytes(x, bytes);
}

/* Runs the plan on both backends. `isEven`: all values are equal, and so must be the result:
 * `expected`. */
static void compare(Builder* b, int isEven, int expected) {
  tigris_memory memory;
  tigris_requirements need;
  tigris_context reference;
  OneOp run;
  uint32_t bytes;
  uint32_t i;
  if (!oneOpOpen(&run, b))
    return;
  memset(&memory, 0, sizeof memory);
  tigris_plan_requirements(&run.plan, &tigris_backend_reference, &need);
  memory.fast_bytes = need.fast_bytes;
  memory.fast = (uint8_t*)exactly(memory.fast_bytes);
  CHECK_EQ(tigris_init(&reference, &run.plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  fill((int8_t*)tigris_input(&run.ctx, 0), tigris_input_bytes(&run.plan, 0), isEven);
  memcpy(tigris_input(&reference, 0), tigris_input(&run.ctx, 0), tigris_input_bytes(&run.plan, 0));
  CHECK_EQ(tigris_run(&run.ctx), TIGRIS_OK);
  CHECK_EQ(tigris_run(&reference), TIGRIS_OK);
  bytes = tigris_output_bytes(&run.plan, 0);
  CHECK(memcmp(tigris_output(&run.ctx, 0), tigris_output(&reference, 0), bytes) == 0);
  for (i = 0; isEven && i < bytes; ++i)
    CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[i], expected);
  release(memory.fast);
  builderFree(b);
}

/* One op from x to y, both with zero point 0. */
static void testOp(uint8_t opcode, const int32_t* xd, const int32_t* yd, const void* params,
                   uint32_t size, int isEven, int expected) {
  const int isSoftmax = opcode == TIGRIS_OP_SOFTMAX;
  Builder b;
  int in[1];
  int out;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 4, xd, builderQuant(&b, 0.1f, 0));
  out = builderTensor(&b, TIGRIS_S8, 4, yd,
                      builderQuant(&b, isSoftmax ? 1.0f / 256 : 0.1f, isSoftmax ? -128 : 0));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, opcode, 1, in, out, params, size);
  compare(&b, isEven, expected);
}

typedef struct PoolCase {
  int32_t h, w, oh, ow;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_left;
} PoolCase;

static void testPools(uint8_t opcode) {
  static const PoolCase cases[] = {
      {4, 4, 1, 4, 65536, 1, 1, 1, 0, 0},         {4, 4, 4, 1, 1, 65536, 1, 1, 0, 0},
      {4, 4, 1, 1, 65537, 200, 1, 1, 0, 0},       {4, 4, 1, 1, 4, 4, 65536, 65536, 0, 0},
      {4, 4, 2, 1, 65537, 4, 65536, 1, 65536, 0}, {4, 4, 1, 2, 4, 65537, 1, 65536, 0, 65536},
      {1, 1, 66000, 1, 66000, 1, 1, 1, 65999, 0}, {1, 1, 1, 66000, 1, 66000, 1, 1, 0, 65999},
      {1, 66000, 1, 66000, 1, 1, 1, 1, 0, 0},     {300, 300, 1, 1, 300, 300, 1, 1, 0, 0},
  };
  uint32_t i;
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const PoolCase* k = &cases[i];
    const int32_t xd[4] = {1, k->h, k->w, 1};
    const int32_t yd[4] = {1, k->oh, k->ow, 1};
    tigris_pool_params p;
    memset(&p, 0, sizeof p);
    p.kernel_h = k->kernel_h;
    p.kernel_w = k->kernel_w;
    p.stride_h = k->stride_h;
    p.stride_w = k->stride_w;
    p.dilation_h = p.dilation_w = 1;
    p.pad_top = k->pad_top;
    p.pad_left = k->pad_left;
    p.lo.i = -128;
    p.hi.i = 127;
    p.requant = TIGRIS_NONE;
    testOp(opcode, xd, yd, &p, sizeof p, 1, 5);
    testOp(opcode, xd, yd, &p, sizeof p, 0, 0);
  }
}

static void testGlobalAverage(void) {
  static const int32_t maps[][4] = {{1, 66000, 1, 2}, {1, 300, 300, 1}, {1, 1, 1, 70000}};
  tigris_global_pool_params p;
  uint32_t i;
  memset(&p, 0, sizeof p);
  p.lo.i = -128;
  p.hi.i = 127;
  p.requant = TIGRIS_NONE;
  for (i = 0; i < sizeof maps / sizeof maps[0]; ++i) {
    const int32_t yd[4] = {1, 1, 1, maps[i][3]};
    testOp(TIGRIS_OP_GLOBAL_AVERAGE_POOL, maps[i], yd, &p, sizeof p, 1, 5);
    testOp(TIGRIS_OP_GLOBAL_AVERAGE_POOL, maps[i], yd, &p, sizeof p, 0, 0);
  }
}

/* Equal values for `classes` classes; with 512 or more the results round to 0. */
static void testSoftmax(int32_t classes, int expected) {
  const int32_t dims[4] = {1, 1, 1, 0};
  int32_t d[4];
  tigris_softmax_params p;
  memcpy(d, dims, sizeof d);
  d[3] = classes;
  memset(&p, 0, sizeof p);
  p.axis = 3;
  p.multiplier = 1717986918; /* 0.1 * 2^26 = 0.8 * 2^23 */
  p.left_shift = 23;
  p.diff_min = -248;
  testOp(TIGRIS_OP_SOFTMAX, d, d, &p, sizeof p, 1, expected);
  testOp(TIGRIS_OP_SOFTMAX, d, d, &p, sizeof p, 0, 0);
}

int main(void) {
  testPools(TIGRIS_OP_MAX_POOL);
  testPools(TIGRIS_OP_AVERAGE_POOL);
  testGlobalAverage();
  testSoftmax(2, 0);
  testSoftmax(511, -127);
  testSoftmax(512, -128);
  testSoftmax(1000, -128);
  testSoftmax(5000, -128);
  return finish();
}
