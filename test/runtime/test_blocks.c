/* Weight blocks: results and counts of a run, the minimum memory, and every rule of the
 * validator. */
#include "check.h"
#include "plan_edits.h"
#include "sample_plans.h"

#define PACKED_SAMPLE 3u
#define RESERVED 208u

static void testRun(void) {
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  uint32_t size;
  uint8_t* bytes = samplePlan(&b, PACKED_SAMPLE, &size);
  int round;
  int i;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  CHECK_EQ(plan.weight_block_count, 3);
  CHECK(plan.weight_blocks[1].packed_bytes < plan.weight_blocks[1].bytes / 2);
  CHECK_EQ(plan.weight_blocks[1].bytes, 192);
  CHECK_EQ(plan.summary->fast_bytes, RESERVED + 3 * 96);
  memory.fast_bytes = plan.summary->fast_bytes;
  memory.slow_bytes = plan.summary->slow_bytes;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  for (round = 0; round < 2; ++round) {
    float* x = (float*)tigris_input(&ctx, 0);
    const float* y;
    for (i = 0; i < 24; ++i)
      x[i] = (float)(i - round);
    CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
    y = (const float*)tigris_output(&ctx, 0);
    /* ((x + i / 4) * 0.5 * 2 + i / 4) * 5 */
    for (i = 0; i < 24; ++i)
      CHECK(y[i] == (float)((i - round + i / 4 * 2) * 5));
    CHECK_EQ(ctx.statistics.kernel_calls, 5);
    CHECK_EQ(ctx.statistics.fast_peak, plan.summary->fast_bytes);
    CHECK_EQ(ctx.statistics.slow_read, 2 * 96);
  }
  release(memory.fast);
  /* the prefix fits and all activations overflow */
  memory.slow_bytes += 4096;
  release(memory.slow);
  memory.slow = exactly(memory.slow_bytes);
  memory.fast_bytes = RESERVED;
  memory.fast = exactly(memory.fast_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  memset(tigris_input(&ctx, 0), 0, 96);
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  CHECK(((const float*)tigris_output(&ctx, 0))[23] == 50.0f);
  CHECK_EQ(ctx.statistics.dynamic, 1);
  CHECK_EQ(ctx.statistics.fast_peak, 192); /* the largest block */
  /* one byte less: the prefix is in slow memory, after the planned bytes */
  memory.fast_bytes = RESERVED - 1;
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  memset(tigris_input(&ctx, 0), 0, 96);
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  CHECK(((const float*)tigris_output(&ctx, 0))[23] == 50.0f);
  CHECK_EQ(plan.summary->slow_bytes, 3 * 96);
  CHECK_EQ(ctx.statistics.overflow_bytes, 192);
  CHECK_EQ(ctx.statistics.slow_write, 2 * 96 + 96 + 192 + 4);
  CHECK_EQ(ctx.statistics.slow_read, 2 * 96 + 3 * 96 + 4);
  CHECK_EQ(ctx.statistics.fast_peak, 192);
  memory.slow_bytes = plan.summary->slow_bytes + RESERVED - 1;
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_E_MEMORY);
  release(memory.fast);
  release(memory.slow);
  release(bytes);
  builderFree(&b);
}

static tigris_weight_block* blockAt(Builder* b, int i) {
  return (tigris_weight_block*)(void*)b->section[TIGRIS_SECTION_BLOCKS].data + i;
}

/* Operands: op 0 is 0..2, op 1 is 3..5 with a constant that is not packed, and so on. */
static void nothing(Builder* b) { (void)b; }
static void dataOutside(Builder* b) { blockAt(b, 0)->data = 4096; }
static void packedOutside(Builder* b) { blockAt(b, 2)->packed_bytes = 4096; }
static void packedOverflow(Builder* b) { blockAt(b, 0)->packed_bytes = 0xFFFFFFFFu; }
static void packedShort(Builder* b) { --blockAt(b, 0)->packed_bytes; }
static void bytesShort(Builder* b) { --blockAt(b, 0)->bytes; }
static void bytesLong(Builder* b) { ++blockAt(b, 0)->bytes; }
static void bytesNone(Builder* b) { blockAt(b, 0)->bytes = 0; }
static void bytesOutside(Builder* b) { blockAt(b, 0)->bytes = RESERVED + 1; }
static void fastOutside(Builder* b) { blockAt(b, 1)->fast = 32; }
static void fastBeyond(Builder* b) { blockAt(b, 1)->fast = 0xFFFFFFF0u; }
static void modeUnknown(Builder* b) { blockAt(b, 0)->mode = 3; }
static void modeRaw(Builder* b) { blockAt(b, 0)->mode = TIGRIS_BLOCK_RAW; }
static void inPlace(Builder* b) { b->summary.flags |= TIGRIS_SUMMARY_XIP; }
static void copied(Builder* b) { b->summary.flags |= TIGRIS_SUMMARY_COPY; }
static void external(Builder* b) { b->summary.flags |= TIGRIS_SUMMARY_EXTERNAL; }
static void contentBroken(Builder* b) {
  b->section[TIGRIS_SECTION_WEIGHTS].data[blockAt(b, 0)->data] ^= 0x40;
}
static void opAfter(Builder* b) { blockAt(b, 0)->first_op = 1; }
/* op 2 reads the block that is there, which is wrong but harmless */
static void opLater(Builder* b) { blockAt(b, 1)->first_op = 3; }
static void opNone(Builder* b) { blockAt(b, 2)->first_op = 5; }
static void opTwice(Builder* b) { blockAt(b, 1)->first_op = 0; }
/* allowed: op 1 does not use it */
static void opEarlier(Builder* b) { blockAt(b, 1)->first_op = 1; }
static void opNextStage(Builder* b) { blockAt(b, 2)->first_op = 3; }
static void placeShifted(Builder* b) { operandAt(b, 1)->offset = 16; }
static void placeMisaligned(Builder* b) { operandAt(b, 7)->offset = 8; }
static void placeOutside(Builder* b) { operandAt(b, 1)->offset = RESERVED; }
static void placeOverflow(Builder* b) { operandAt(b, 1)->offset = 0xFFFFFFF0u; }
static void poolConst(Builder* b) { operandAt(b, 1)->pool = TIGRIS_POOL_CONST; }
static void poolUnpacked(Builder* b) { operandAt(b, 4)->pool = TIGRIS_POOL_UNPACKED; }
static void poolFast(Builder* b) { operandAt(b, 1)->pool = TIGRIS_POOL_FAST; }
static void poolOfActivation(Builder* b) { operandAt(b, 0)->pool = TIGRIS_POOL_UNPACKED; }
static void poolUnknown(Builder* b) { operandAt(b, 0)->pool = 7; }
static void output(Builder* b) {
  operandAt(b, 2)->pool = TIGRIS_POOL_UNPACKED;
  operandAt(b, 2)->tensor = operandAt(b, 1)->tensor;
  operandAt(b, 2)->offset = 0;
}
static void reserveSmall(Builder* b) { b->summary.fast_reserved = 176; }
static void reserveNone(Builder* b) { b->summary.fast_reserved = 0; }

static void testRules(void) {
  static const Refusal cases[] = {
      {nothing, TIGRIS_OK},
      {dataOutside, TIGRIS_E_ADDRESS},
      {packedOutside, TIGRIS_E_ADDRESS},
      {packedOverflow, TIGRIS_E_ADDRESS},
      {packedShort, TIGRIS_E_FORMAT},
      {bytesShort, TIGRIS_E_FORMAT},
      {bytesLong, TIGRIS_E_FORMAT},
      {bytesNone, TIGRIS_E_FORMAT},
      {bytesOutside, TIGRIS_E_ADDRESS},
      {fastOutside, TIGRIS_E_ADDRESS},
      {fastBeyond, TIGRIS_E_ADDRESS},
      {modeUnknown, TIGRIS_E_UNSUPPORTED},
      {modeRaw, TIGRIS_E_FORMAT},
      {inPlace, TIGRIS_E_FORMAT},
      {copied, TIGRIS_E_ADDRESS}, /* has a constant outside blocks */
      {external, TIGRIS_E_FORMAT},
      {contentBroken, TIGRIS_E_FORMAT},
      {opAfter, TIGRIS_E_ADDRESS},
      {opLater, TIGRIS_OK},
      {opNone, TIGRIS_E_ADDRESS},
      {opTwice, TIGRIS_E_ADDRESS},
      {opEarlier, TIGRIS_OK},
      {opNextStage, TIGRIS_E_ADDRESS},
      {placeShifted, TIGRIS_E_ADDRESS},
      {placeMisaligned, TIGRIS_E_ADDRESS},
      {placeOutside, TIGRIS_E_ADDRESS},
      {placeOverflow, TIGRIS_E_ADDRESS},
      {poolConst, TIGRIS_E_ADDRESS},
      {poolUnpacked, TIGRIS_OK},
      {poolFast, TIGRIS_E_FORMAT},
      {poolOfActivation, TIGRIS_E_FORMAT},
      {poolUnknown, TIGRIS_E_FORMAT},
      {output, TIGRIS_E_OP},
      {reserveSmall, TIGRIS_E_ADDRESS},
      {reserveNone, TIGRIS_E_ADDRESS},
  };
  checkRefusals(samplePlan, PACKED_SAMPLE, cases, sizeof cases / sizeof cases[0]);
}

int main(void) {
  testRun();
  testRules();
  return finish();
}
