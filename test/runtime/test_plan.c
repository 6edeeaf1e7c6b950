/* Opening, requirements, io modes, stages, statistics and every error of the public interface. */
#include <math.h>

#include "check.h"
#include "plan_edits.h"

/* x[1,4] -> negate -> y[1,4], y -> double (y + y in place) -> z[1,4]. */
static uint8_t* smallPlan(Builder* b, uint32_t ioMode, uint32_t* size) {
  const int32_t dims[2] = {1, 4};
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  tigris_binary_params add;
  int x;
  int y;
  int z;
  int pair[2];
  memset(&add, 0, sizeof add);
  add.lo.f = -INFINITY;
  add.hi.f = INFINITY;
  builderInit(b, ioMode);
  x = builderTensor(b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  z = builderTensor(b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(b, x);
  builderOutput(b, z);
  builderOp(b, TIGRIS_OP_UNARY, 1, &x, y, &neg, sizeof neg);
  pair[0] = pair[1] = y;
  if (ioMode != TIGRIS_IO_CALLER)
    b->place[z] = b->place[y];
  if (ioMode == TIGRIS_IO_ARENA) {
    tigris_port* port = (tigris_port*)(void*)b->section[TIGRIS_SECTION_PORTS].data + 1;
    port->offset = b->place[z].offset;
  }
  builderOp(b, TIGRIS_OP_ADD, 2, pair, z, &add, sizeof add);
  return builderFinish(b, size);
}

static void testIoModes(void) {
  uint32_t mode;
  for (mode = TIGRIS_IO_SLOW; mode <= TIGRIS_IO_ARENA; ++mode) {
    static const float x[4] = {1, -2, 3, 0.5f};
    float in[4];
    float out[4] = {0, 0, 0, 0};
    const float* y;
    Builder b;
    tigris_plan plan;
    tigris_context ctx;
    tigris_requirements need;
    uint32_t size;
    uint8_t* bytes = smallPlan(&b, mode, &size);
    int i;
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
    CHECK_EQ(plan.error_op, TIGRIS_NONE);
    tigris_plan_requirements(&plan, &tigris_backend_reference, &need);
    CHECK_EQ(need.fast_bytes, 48);
    CHECK_EQ(need.scratch_bytes, 0);
    CHECK_EQ(need.slow_bytes, mode == TIGRIS_IO_SLOW ? 32 : 0);
    CHECK_EQ(need.align, 16);
    CHECK_EQ(initWith(&ctx, &plan, &tigris_backend_reference, 20, need.slow_bytes),
             TIGRIS_E_MEMORY);
    if (need.slow_bytes != 0)
      CHECK_EQ(initWith(&ctx, &plan, &tigris_backend_reference, 48, 31), TIGRIS_E_MEMORY);
    CHECK_EQ(initWith(&ctx, &plan, &tigris_backend_reference, 48, need.slow_bytes), TIGRIS_OK);
    CHECK_EQ(tigris_input_count(&plan), 1);
    CHECK_EQ(tigris_output_count(&plan), 1);
    CHECK_EQ(tigris_input_bytes(&plan, 0), 16);
    CHECK_EQ(tigris_output_bytes(&plan, 0), 16);
    CHECK_EQ(tigris_output_bytes(&plan, 1), 0);
    CHECK(tigris_input(&ctx, 1) == NULL && tigris_output(&ctx, 1) == NULL);
    CHECK(tigris_input_tensor(&plan, 1) == NULL && tigris_output_port(&plan, 7) == NULL);
    if (mode == TIGRIS_IO_CALLER) {
      CHECK(tigris_input(&ctx, 0) == NULL);
      CHECK_EQ(tigris_run(&ctx), TIGRIS_E_STATE);
      CHECK_EQ(tigris_set_input(&ctx, 0, (uint8_t*)in + 1), TIGRIS_E_ALIGN);
      CHECK_EQ(tigris_set_input(&ctx, 1, in), TIGRIS_E_ARGUMENT);
      CHECK_EQ(tigris_set_input(&ctx, 0, in), TIGRIS_OK);
      CHECK_EQ(tigris_run(&ctx), TIGRIS_E_STATE);
      CHECK_EQ(tigris_set_output(&ctx, 0, out), TIGRIS_OK);
      CHECK(tigris_input(&ctx, 0) == in && tigris_output(&ctx, 0) == out);
    } else {
      CHECK_EQ(tigris_set_input(&ctx, 0, in), TIGRIS_E_ARGUMENT);
    }
    for (i = 0; i < 2; ++i) { /* twice: a context can be used again */
      memcpy(tigris_input(&ctx, 0), x, sizeof x);
      CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
      y = (const float*)tigris_output(&ctx, 0);
      CHECK(y[0] == -2 && y[1] == 4 && y[2] == -6 && y[3] == -1);
      CHECK_EQ(ctx.statistics.kernel_calls, 2);
      CHECK_EQ(ctx.statistics.fast_peak, 32);
      CHECK_EQ(ctx.statistics.slow_peak, mode == TIGRIS_IO_SLOW ? 32 : 0);
      CHECK_EQ(ctx.statistics.slow_read, mode == TIGRIS_IO_SLOW ? 16 : 0);
      CHECK_EQ(ctx.statistics.slow_write, mode == TIGRIS_IO_SLOW ? 16 : 0);
    }
    builderFree(&b);
  }
}

/* Two stages with a spill between them, run stage by stage. */
static void testStages(void) {
  const int32_t dims[2] = {1, 8};
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  tigris_unary_params square = {TIGRIS_FN_SQUARE, 0.0f, 0.0f};
  tigris_transfer load;
  tigris_transfer spill;
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  uint8_t* bytes;
  uint32_t size;
  int x;
  int y;
  int z;
  int round;
  memset(&load, 0, sizeof load);
  builderInit(&b, TIGRIS_IO_SLOW);
  x = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  b.fastUsed = 0; /* the second stage starts over */
  z = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  b.fastUsed = 64;
  builderInput(&b, x);  /* slow 0 */
  builderOutput(&b, z); /* slow 32 */
  spill = load;
  load.tensor = (uint16_t)x;
  spill.tensor = (uint16_t)y;
  spill.fast = b.place[y].offset;
  spill.slow = builderSlow(&b, 32);
  builderOp(&b, TIGRIS_OP_UNARY, 1, &x, y, &neg, sizeof neg);
  builderStage(&b, &load, 1, &spill, 1);
  load = spill;
  load.fast = 32;
  b.place[y].offset = 32;
  spill.tensor = (uint16_t)z;
  spill.fast = 0;
  spill.slow = 32;
  builderOp(&b, TIGRIS_OP_UNARY, 1, &y, z, &square, sizeof square);
  builderStage(&b, &load, 1, &spill, 1);
  bytes = builderFinish(&b, &size);
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  CHECK_EQ(initWith(&ctx, &plan, &tigris_backend_reference, 64, 96), TIGRIS_OK);
  for (round = 0; round < 2; ++round) {
    float* in = (float*)tigris_input(&ctx, 0);
    in[7] = 3;
    CHECK_EQ(tigris_step(&ctx), TIGRIS_MORE);
    CHECK_EQ(ctx.statistics.kernel_calls, 1);
    CHECK_EQ(tigris_step(&ctx), TIGRIS_OK);
    CHECK(((const float*)tigris_output(&ctx, 0))[7] == 9);
    CHECK_EQ(ctx.statistics.slow_read, 64);
    CHECK_EQ(ctx.statistics.slow_write, 64);
    CHECK_EQ(ctx.statistics.slow_peak, 96);
    CHECK_EQ(ctx.statistics.fast_peak, 64);
  }
  builderFree(&b);
}

static tigris_kernel noKernel(const tigris_plan* plan, const tigris_op* op) {
  return op == &plan->ops[1] ? NULL : tigris_backend_reference.find(plan, op);
}

static uint32_t someScratch(const tigris_plan* plan, const tigris_op* op) {
  return op == &plan->ops[1] ? 100 : 7;
}

static tigris_status shortKernel(const tigris_call* call) {
  if (call->is_short && someScratch(call->plan, call->op) > call->scratch_bytes)
    return TIGRIS_E_SCRATCH;
  return tigris_backend_reference.find(call->plan, call->op)(call);
}

static tigris_kernel findShort(const tigris_plan* plan, const tigris_op* op) {
  return op->outputs != 0 && plan != NULL ? shortKernel : NULL;
}

/* Ops that lack scratch run on the fallback, with the same bytes; others use what is left. */
static void testFallback(void) {
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  uint32_t size;
  uint32_t left;
  uint8_t want[64];
  uint8_t* bytes = smallPlan(&b, TIGRIS_IO_ARENA, &size);
  tigris_backend backend = tigris_backend_reference;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  CHECK_EQ(initWith(&ctx, &plan, &backend, 48, 0), TIGRIS_OK);
  memset(tigris_input(&ctx, 0), 0, tigris_input_bytes(&plan, 0));
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  memcpy(want, tigris_output(&ctx, 0), tigris_output_bytes(&plan, 0));
  backend.find = findShort;
  backend.scratch_bytes = someScratch;
  CHECK_EQ(initWith(&ctx, &plan, &backend, 147, 0), TIGRIS_E_SCRATCH); /* it has no fallback */
  backend.fallback = &tigris_backend_reference;
  for (left = 0; left <= 100; left += 4) {
    CHECK_EQ(initWith(&ctx, &plan, &backend, 48 + left, 0), TIGRIS_OK);
    CHECK_EQ(ctx.scratch_bytes, left);
    CHECK_EQ(ctx.fallback_ops, left < 7 ? plan.op_count : left < 100 ? 1 : 0);
    memset(tigris_input(&ctx, 0), 0, tigris_input_bytes(&plan, 0));
    CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
    CHECK_EQ(ctx.statistics.dynamic, 0);
    CHECK_EQ(ctx.statistics.fallback_calls, ctx.fallback_ops);
    CHECK(memcmp(tigris_output(&ctx, 0), want, tigris_output_bytes(&plan, 0)) == 0);
  }
  builderFree(&b);
}

static void testBackends(void) {
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  tigris_requirements need;
  tigris_memory memory;
  uint32_t size;
  uint8_t* bytes = smallPlan(&b, TIGRIS_IO_ARENA, &size);
  tigris_backend backend = tigris_backend_reference;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  backend.find = noKernel;
  CHECK_EQ(initWith(&ctx, &plan, &backend, 48, 0), TIGRIS_E_KERNEL);
  CHECK_EQ(ctx.error_op, 1);
  backend.find = tigris_backend_reference.find;
  backend.abi_version = TIGRIS_BACKEND_ABI + 1;
  CHECK_EQ(initWith(&ctx, &plan, &backend, 48, 0), TIGRIS_E_BACKEND);
  backend.abi_version = TIGRIS_BACKEND_ABI;
  backend.alignment = 32;
  CHECK_EQ(initWith(&ctx, &plan, &backend, 48, 0), TIGRIS_E_ALIGN);
  backend.alignment = 16;
  backend.scratch_bytes = someScratch;
  tigris_plan_requirements(&plan, &backend, &need);
  CHECK_EQ(need.scratch_bytes, 100);
  CHECK_EQ(need.fast_bytes, 148);
  CHECK_EQ(initWith(&ctx, &plan, &backend, 150, 0), TIGRIS_OK);
  CHECK_EQ(ctx.scratch - ctx.fast, 48);
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  tigris_plan_requirements(&plan, NULL, &need);
  CHECK_EQ(need.fast_bytes, 48);
  memory.fast = (uint8_t*)exactly(64) + 4;
  memory.fast_bytes = 48;
  memory.slow = NULL;
  memory.slow_bytes = 0;
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_E_ALIGN);
  memory.fast = NULL;
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_E_ARGUMENT);
  CHECK_EQ(tigris_init(NULL, &plan, &tigris_backend_reference, &memory), TIGRIS_E_ARGUMENT);
  builderFree(&b);
}

static void testOpenErrors(void) {
  Builder b;
  tigris_plan plan;
  uint32_t size;
  uint8_t* bytes = smallPlan(&b, TIGRIS_IO_ARENA, &size);
  uint8_t* copy = (uint8_t*)exactly(size + 16);
  memcpy(copy, bytes, size);
  CHECK_EQ(tigris_plan_open(NULL, bytes, size), TIGRIS_E_ARGUMENT);
  CHECK_EQ(tigris_plan_open(&plan, NULL, size), TIGRIS_E_ARGUMENT);
  CHECK_EQ(tigris_plan_open(&plan, copy + 4, size), TIGRIS_E_ALIGN);
  CHECK_EQ(tigris_plan_open(&plan, copy, size + 16), TIGRIS_OK); /* flash partition larger */
  CHECK(strcmp(tigris_plan_string(&plan, plan.summary->model), "test") == 0);
  CHECK(strcmp(tigris_plan_string(&plan, TIGRIS_NONE), "") == 0);
  copy[0] = 't';
  CHECK_EQ(tigris_plan_open(&plan, copy, size), TIGRIS_E_MAGIC);
  copy[0] = 'T';
  copy[4] = TIGRIS_FORMAT_VERSION + 1;
  CHECK_EQ(tigris_plan_open(&plan, copy, size), TIGRIS_E_VERSION);
  copy[4] = TIGRIS_FORMAT_VERSION - 1;
  CHECK_EQ(tigris_plan_open(&plan, copy, size), TIGRIS_E_VERSION);
  copy[4] = TIGRIS_FORMAT_VERSION;
  copy[sizeof(tigris_header) - 1] ^= 1; /* reserved */
  CHECK_EQ(tigris_plan_open(&plan, copy, size), TIGRIS_E_CRC);
  CHECK_EQ(tigris_plan_open_flags(&plan, copy, size, TIGRIS_OPEN_IGNORE_CRC), TIGRIS_OK);
  CHECK(tigris_status_text(TIGRIS_E_CRC)[0] != '\0');
  CHECK(tigris_status_text((tigris_status)-999)[0] != '\0');
  builderFree(&b);
}

static void opcodeUnknown(Builder* b) { opAt(b, 0)->opcode = 250; }
static void paramsShort(Builder* b) { opAt(b, 1)->params += 1; }
static void paramsOutside(Builder* b) { opAt(b, 0)->params = 4096; }
static void operandsOutside(Builder* b) { opAt(b, 0)->operands = 1000; }
static void arityWrong(Builder* b) { opAt(b, 1)->inputs = 1; }
static void outputsWrong(Builder* b) { opAt(b, 0)->outputs = 0; }
static void fastOutside(Builder* b) { operandAt(b, 0)->offset = 1024; }
static void fastMisaligned(Builder* b) { operandAt(b, 0)->offset = 4; }
static void fastOverflow(Builder* b) { operandAt(b, 0)->offset = 0xFFFFFFF0u; }
static void slowOutside(Builder* b) { operandAt(b, 0)->pool = TIGRIS_POOL_SLOW; }
static void callerMode(Builder* b) { operandAt(b, 0)->pool = TIGRIS_POOL_CALLER; }
static void constNotConst(Builder* b) { operandAt(b, 0)->pool = TIGRIS_POOL_CONST; }
static void tensorOutside(Builder* b) { operandAt(b, 0)->tensor = 3; }
static void absentInput(Builder* b) {
  operandAt(b, 0)->pool = TIGRIS_POOL_ABSENT;
  operandAt(b, 0)->tensor = TIGRIS_NO_TENSOR;
  operandAt(b, 0)->offset = 0;
}
static void bytesWrong(Builder* b) { tensorAt(b, 1)->bytes = 20; }
static void dtypeWrong(Builder* b) { tensorAt(b, 1)->dtype = 77; }
static void rankWrong(Builder* b) { tensorAt(b, 1)->rank = 9; }
static void dimsOutside(Builder* b) { tensorAt(b, 1)->dims = 1000; }
static void dtypeOther(Builder* b) { tensorAt(b, 1)->dtype = TIGRIS_S32; }
static void activationIsConst(Builder* b) { tensorAt(b, 1)->flags |= TIGRIS_TENSOR_CONST; }
static void stageMode(Builder* b) { stageAt(b)->mode = 3; }

static void stageTiledWithoutTiling(Builder* b) { stageAt(b)->mode = TIGRIS_STAGE_TILED; }
static void stageStreamedWithoutTiling(Builder* b) { stageAt(b)->mode = TIGRIS_STAGE_STREAMED; }

static void stageGap(Builder* b) { stageAt(b)->first_op = 1; }
static void stageLoads(Builder* b) { stageAt(b)->detail = 1; }
static void stageTransfers(Builder* b) { stageAt(b)->first_transfer = 1; }
static void portTensor(Builder* b) { portAt(b, 0)->tensor = 99; }
static void portOffset(Builder* b) { portAt(b, 0)->offset = 4096; }
static void portShape(Builder* b) { portAt(b, 0)->rank = 1; }
static void portOrder(Builder* b) { portAt(b, 0)->direction = TIGRIS_OUTPUT; }
static void portPerm(Builder* b) { portAt(b, 0)->perm = portAt(b, 0)->dims; }
static void alignOdd(Builder* b) { b->summary.align = 24; }
static void alignSmall(Builder* b) { b->summary.align = 2; }
static void ioUnknown(Builder* b) { b->summary.io_mode = 3; }
static void reserved(Builder* b) { b->summary.fast_reserved = 16; }
static void stringOutside(Builder* b) { b->summary.model = 5; }
static void functionUnknown(Builder* b) { b->section[TIGRIS_SECTION_PARAMS].data[0] = 200; }

static void testRefusals(void) {
  static const Refusal cases[] = {
      {opcodeUnknown, TIGRIS_E_UNSUPPORTED},
      {paramsShort, TIGRIS_E_FORMAT},
      {paramsOutside, TIGRIS_E_FORMAT},
      {operandsOutside, TIGRIS_E_FORMAT},
      {arityWrong, TIGRIS_E_OP},
      {outputsWrong, TIGRIS_E_OP},
      {fastOutside, TIGRIS_E_ADDRESS},
      {fastMisaligned, TIGRIS_E_ADDRESS},
      {fastOverflow, TIGRIS_E_ADDRESS},
      {slowOutside, TIGRIS_E_ADDRESS},
      {callerMode, TIGRIS_E_ADDRESS},
      {constNotConst, TIGRIS_E_FORMAT},
      {tensorOutside, TIGRIS_E_FORMAT},
      {absentInput, TIGRIS_E_OP},
      {bytesWrong, TIGRIS_E_TENSOR},
      {dtypeWrong, TIGRIS_E_UNSUPPORTED},
      {rankWrong, TIGRIS_E_TENSOR},
      {dimsOutside, TIGRIS_E_TENSOR},
      {dtypeOther, TIGRIS_E_OP},
      {activationIsConst, TIGRIS_E_FORMAT},
      {stageMode, TIGRIS_E_UNSUPPORTED},
      {stageTiledWithoutTiling, TIGRIS_E_FORMAT},
      {stageStreamedWithoutTiling, TIGRIS_E_FORMAT},
      {stageGap, TIGRIS_E_FORMAT},
      {stageTransfers, TIGRIS_E_FORMAT},
      {stageLoads, TIGRIS_E_FORMAT},
      {portTensor, TIGRIS_E_FORMAT},
      {portOffset, TIGRIS_E_ADDRESS},
      {portShape, TIGRIS_E_FORMAT},
      {portOrder, TIGRIS_E_FORMAT},
      {portPerm, TIGRIS_E_FORMAT},
      {alignOdd, TIGRIS_E_FORMAT},
      {alignSmall, TIGRIS_E_FORMAT},
      {ioUnknown, TIGRIS_E_FORMAT},
      {reserved, TIGRIS_E_ADDRESS},
      {stringOutside, TIGRIS_E_FORMAT},
      {functionUnknown, TIGRIS_E_UNSUPPORTED},
  };
  checkRefusals(smallPlan, TIGRIS_IO_ARENA, cases, sizeof cases / sizeof cases[0]);
}

/* Directory faults, and sections of unknown type, which are ignored. */
static void testDirectory(void) {
  Builder b;
  uint32_t size;
  uint8_t* bytes = smallPlan(&b, TIGRIS_IO_ARENA, &size);
  uint8_t* copy = (uint8_t*)exactly(size + 8);
  tigris_header* header = (tigris_header*)(void*)copy;
  uint32_t* lengths = (uint32_t*)(void*)(copy + sizeof *header);
  uint32_t s;
  for (s = 0; s < TIGRIS_SECTION_LAST; ++s) {
    static const uint32_t records[] = {0, 0, 4, 8, 4, 12, 24, 8, 0, 12, 12, 8, 0, 28, 20, 24};
    memcpy(copy, bytes, size);
    lengths[s] = size;
    CHECK_EQ(reopen(copy, size), TIGRIS_E_FORMAT);
    lengths[s] = 0xFFFFFFFFu;
    CHECK_EQ(reopen(copy, size), TIGRIS_E_FORMAT);
    memcpy(copy, bytes, size);
    lengths[s] -= records[s] != 0 && lengths[s] != 0 ? 1u : lengths[s]; /* not whole; missing */
    if (s == TIGRIS_SECTION_SUMMARY - 1 || (records[s] != 0 && lengths[s] != 0))
      CHECK_EQ(reopen(copy, size), TIGRIS_E_FORMAT);
    else
      CHECK(reopen(copy, size) <= TIGRIS_OK);
  }
  memcpy(copy, bytes, size);
  header->section_count = 0x40000000u;
  CHECK_EQ(reopen(copy, size), TIGRIS_E_FORMAT);
  header->section_count = 0;
  CHECK_EQ(reopen(copy, size), TIGRIS_E_FORMAT);
  /* two more numbers in the directory, which keep the alignment of what follows */
  memcpy(copy, bytes, size);
  memmove(lengths + TIGRIS_SECTION_LAST + 2, lengths + TIGRIS_SECTION_LAST,
          size - sizeof *header - 4 * TIGRIS_SECTION_LAST);
  header->file_size = size + 8;
  memcpy(lengths + TIGRIS_SECTION_LAST + 2, &b.summary, sizeof b.summary);
  lengths[TIGRIS_SECTION_LAST] = lengths[TIGRIS_SECTION_LAST + 1] = 0;
  header->section_count = TIGRIS_SECTION_LAST + 2;
  CHECK_EQ(reopen(copy, size + 8), TIGRIS_OK);
  builderFree(&b);
}

int main(void) {
  testIoModes();
  testStages();
  testBackends();
  testFallback();
  testOpenErrors();
  testRefusals();
  testDirectory();
  return finish();
}
