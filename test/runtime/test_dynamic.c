/* The dynamic arena: with any memory below the requirement, a run gives the static run's bytes or
 * TIGRIS_E_MEMORY. */
#include "check.h"
#include "plan_builder.h"
#include "random_plan.h"
#include "sample_plans.h"

#ifndef TIGRIS_DYNAMIC_PLANS
#define TIGRIS_DYNAMIC_PLANS 600
#endif

static unsigned refusedRuns;
static unsigned dynamicRuns;
static unsigned overflowed;

/* One run in memories of exactly the given sizes. */
typedef struct Run {
  tigris_context ctx;
  void* fast;
  void* slow;
  void* ports[TIGRIS_MAX_PORTS];
  uint32_t portCount;
} Run;

static void fill(uint8_t* bytes, uint32_t n, uint32_t seed) {
  const uint32_t floats = n / 4;
  uint32_t i;
  for (i = 0; i < floats; ++i) {
    float f;
    seed = seed * 1664525u + 1013904223u;
    f = (float)(seed >> 8) / 8388608.0f - 1.0f;
    memcpy(bytes + (size_t)i * 4, &f, 4);
  }
}

static tigris_status runStart(Run* r, const tigris_plan* plan, const tigris_backend* backend,
                              uint32_t fast, uint32_t slow) {
  tigris_memory memory;
  tigris_status status;
  uint32_t i;
  memset(r, 0, sizeof *r);
  memory.fast_bytes = fast;
  memory.slow_bytes = slow;
  memory.fast = r->fast = exactly(fast);
  memory.slow = r->slow = exactly(slow);
  memset(memory.fast, 0xA5, fast);
  memset(memory.slow, 0x5A, slow);
  status = tigris_init(&r->ctx, plan, backend, &memory);
  if (status != TIGRIS_OK || plan->summary->io_mode != TIGRIS_IO_CALLER)
    return status;
  for (i = 0; i < plan->port_count; ++i) {
    r->ports[i] = exactly(plan->tensors[plan->ports[i].tensor].bytes);
    ++r->portCount;
    if (i < plan->input_count)
      CHECK_EQ(tigris_set_input(&r->ctx, i, r->ports[i]), TIGRIS_OK);
    else
      CHECK_EQ(tigris_set_output(&r->ctx, i - plan->input_count, r->ports[i]), TIGRIS_OK);
  }
  return status;
}

static tigris_status runOnce(Run* r, const tigris_plan* plan, uint32_t seed) {
  uint32_t i;
  for (i = 0; i < plan->input_count; ++i)
    fill((uint8_t*)tigris_input(&r->ctx, i), tigris_input_bytes(plan, i), seed + i);
  return tigris_run(&r->ctx);
}

static void runEnd(Run* r) {
  while (r->portCount > 0)
    release(r->ports[--r->portCount]);
  release(r->fast);
  release(r->slow);
}

/* Runs in the given memory and compares with the finished static run `want`. Returns the status of
 * init. */
static tigris_status tryMemory(const tigris_plan* plan, const Run* want, uint32_t fast,
                               uint32_t slow, uint32_t seed) {
  const tigris_statistics* s;
  Run r;
  int round;
  uint32_t i;
  const tigris_status status = runStart(&r, plan, &tigris_backend_reference, fast, slow);
  s = &r.ctx.statistics;
  if (status != TIGRIS_OK) {
    CHECK_EQ(status, TIGRIS_E_MEMORY);
    ++refusedRuns;
    runEnd(&r);
    return status;
  }
  for (round = 0; round < 2; ++round) {
    CHECK_EQ(runOnce(&r, plan, seed), TIGRIS_OK);
    for (i = 0; i < tigris_output_count(plan); ++i)
      CHECK(memcmp(tigris_output(&r.ctx, i), tigris_output(&want->ctx, i),
                   tigris_output_bytes(plan, i)) == 0);
    CHECK_EQ(s->dynamic, fast < plan->summary->fast_bytes);
    CHECK_EQ(s->kernel_calls, want->ctx.statistics.kernel_calls);
    CHECK(s->fast_peak <= fast);
    CHECK(s->slow_peak <= slow);
    CHECK(s->slow_peak >= want->ctx.statistics.slow_peak);
    CHECK(s->slow_read >= want->ctx.statistics.slow_read);
    CHECK(s->slow_write >= want->ctx.statistics.slow_write);
    CHECK(s->overflow_bytes <= slow - plan->summary->slow_bytes);
    if (s->overflow_bytes == 0) {
      CHECK_EQ(s->slow_read, want->ctx.statistics.slow_read);
      CHECK_EQ(s->slow_write, want->ctx.statistics.slow_write);
    }
  }
  dynamicRuns += s->dynamic;
  overflowed += s->overflow_bytes != 0;
  runEnd(&r);
  return status;
}

static void sweep(const uint8_t* bytes, uint32_t size, uint32_t seed, uint32_t step) {
  static const uint32_t extra[] = {0, 16, 48, 100, 400, 1200};
  tigris_plan plan;
  Run want;
  uint32_t fast;
  uint32_t i;
  if (!CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK))
    return;
  CHECK_EQ(runStart(&want, &plan, &tigris_backend_reference, plan.summary->fast_bytes,
                    plan.summary->slow_bytes),
           TIGRIS_OK);
  CHECK_EQ(runOnce(&want, &plan, seed), TIGRIS_OK);
  CHECK_EQ(want.ctx.statistics.dynamic, 0);
  for (fast = 0; fast < plan.summary->fast_bytes + step; fast += step) {
    const uint32_t slow = plan.summary->slow_bytes;
    for (i = 0; i < sizeof extra / sizeof extra[0]; ++i)
      tryMemory(&plan, &want, fast, slow + extra[i], seed);
    CHECK_EQ(tryMemory(&plan, &want, fast, slow + 32768, seed), TIGRIS_OK);
    if (slow != 0)
      CHECK_EQ(tryMemory(&plan, &want, fast, slow - 1, seed), TIGRIS_E_MEMORY);
  }
  runEnd(&want);
}

static void testRandomPlans(void) {
  int i;
  for (i = 0; i < TIGRIS_DYNAMIC_PLANS; ++i) {
    Builder b;
    uint32_t size;
    uint8_t* plan = randomPlan(&b, (uint32_t)i % 3, randomInt(1, 40), &size);
    const int before = failureCount;
    sweep(plan, size, (uint32_t)i, (uint32_t)randomInt(1, 3) * 61);
    if (failureCount != before && before == 0)
      printf("first failure with plan %d\n", i);
    release(plan);
    builderFree(&b);
  }
  printf("%u dynamic runs, %u of them overflowed; %u refused\n", dynamicRuns, overflowed,
         refusedRuns);
}

static void testSamples(void) {
  Builder b;
  uint8_t* plan;
  uint32_t size;
  unsigned index;
  for (index = 0; (plan = samplePlan(&b, index, &size)) != NULL; ++index) {
    if (index == 2) /* its indices must not be random */
      continue;
    sweep(plan, size, 7, 40);
    release(plan);
    builderFree(&b);
  }
}

/* a = -x (32 bytes), b = -x (64 bytes of [x, x]), then c = [b, b]: fits only after `a` has been
 * released. */
static uint8_t* compactingPlan(Builder* b, uint32_t ioMode, uint32_t* size) {
  const tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  const int32_t small[2] = {1, 8};
  const int32_t middle[2] = {1, 16};
  const int32_t large[2] = {1, 32};
  tigris_axis_params axis = {1};
  int in[2];
  int x;
  int a;
  int m;
  int y;
  builderInit(b, ioMode);
  x = builderTensor(b, TIGRIS_F32, 2, small, TIGRIS_NONE);
  a = builderTensor(b, TIGRIS_F32, 2, small, TIGRIS_NONE);
  m = builderTensor(b, TIGRIS_F32, 2, middle, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_F32, 2, large, TIGRIS_NONE);
  builderInput(b, x);
  builderOutput(b, y);
  builderOp(b, TIGRIS_OP_UNARY, 1, &x, a, &neg, sizeof neg);
  in[0] = in[1] = a;
  builderOp(b, TIGRIS_OP_CONCAT, 2, in, m, &axis, sizeof axis);
  in[0] = in[1] = m;
  builderOp(b, TIGRIS_OP_CONCAT, 2, in, y, &axis, sizeof axis);
  return builderFinish(b, size);
}

static void testFigures(void) {
  Builder b;
  tigris_plan plan;
  Run r;
  uint32_t size;
  uint8_t* bytes = compactingPlan(&b, TIGRIS_IO_SLOW, &size);
  const tigris_statistics* s = &r.ctx.statistics;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  CHECK_EQ(plan.summary->fast_bytes, 256);
  CHECK_EQ(plan.summary->slow_bytes, 160);
  /* m and y together are 192 bytes; the table is at the end of slow memory */
  CHECK_EQ(runStart(&r, &plan, &tigris_backend_reference, 192, 160 + 48), TIGRIS_OK);
  CHECK_EQ(runOnce(&r, &plan, 1), TIGRIS_OK);
  CHECK_EQ(s->dynamic, 1);
  CHECK_EQ(s->fast_peak, 192);
  CHECK_EQ(s->overflow_bytes, 0);
  CHECK_EQ(s->table_bytes, 32);
  CHECK_EQ(s->slow_read, 32);
  CHECK_EQ(s->slow_write, 128);
  CHECK_EQ(s->slow_peak, 160);
  runEnd(&r);
  /* one byte less: y overflows; written by the op, read and written by the spill */
  CHECK_EQ(runStart(&r, &plan, &tigris_backend_reference, 191, 160 + 128 + 32), TIGRIS_OK);
  CHECK_EQ(runOnce(&r, &plan, 1), TIGRIS_OK);
  CHECK_EQ(s->overflow_bytes, 128);
  CHECK_EQ(s->slow_peak, 288);
  CHECK_EQ(s->slow_read, 32 + 128);
  CHECK_EQ(s->slow_write, 128 + 128);
  runEnd(&r);
  CHECK_EQ(runStart(&r, &plan, &tigris_backend_reference, 191, 160 + 128 + 31), TIGRIS_E_MEMORY);
  CHECK_EQ(r.ctx.error_op, 2);
  CHECK_EQ(r.ctx.error_stage, 0);
  runEnd(&r);
  /* no slow memory left: the table is at the end of the fast arena */
  CHECK_EQ(runStart(&r, &plan, &tigris_backend_reference, 192 + 32, 160), TIGRIS_OK);
  CHECK_EQ(runOnce(&r, &plan, 1), TIGRIS_OK);
  CHECK_EQ(s->fast_peak, 192);
  runEnd(&r);
  CHECK_EQ(runStart(&r, &plan, &tigris_backend_reference, 192 + 31, 160), TIGRIS_E_MEMORY);
  runEnd(&r);
  release(bytes);
  builderFree(&b);
}

static uint32_t muchScratch(const tigris_plan* plan, const tigris_op* op) {
  (void)plan;
  (void)op;
  return 64;
}

/* A backend whose scratch takes memory from the activations; contexts are copied between steps. */
static void testScratchAndCopies(void) {
  tigris_backend backend = tigris_backend_reference;
  Builder b;
  tigris_plan plan;
  tigris_summary summary;
  tigris_context copy;
  Run r;
  Run want;
  uint32_t size;
  uint8_t* bytes = compactingPlan(&b, TIGRIS_IO_ARENA, &size);
  backend.scratch_bytes = muchScratch;
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  CHECK_EQ(runStart(&want, &plan, &backend, 256 + 64, 0), TIGRIS_OK);
  CHECK_EQ(runOnce(&want, &plan, 9), TIGRIS_OK);
  CHECK_EQ(want.ctx.statistics.dynamic, 0);
  CHECK_EQ(runStart(&r, &plan, &backend, 256, 64), TIGRIS_E_SCRATCH);
  runEnd(&r);
  CHECK_EQ(runStart(&r, &plan, &backend, 63, 4096), TIGRIS_E_SCRATCH);
  runEnd(&r);
  summary = *plan.summary; /* from here on the scratch is part of the plan */
  summary.scratch_bytes = 64;
  plan.summary = &summary;
  CHECK_EQ(runStart(&r, &plan, &backend, 256, 64), TIGRIS_OK);
  CHECK_EQ((uint8_t*)r.ctx.scratch - (uint8_t*)r.fast, 192);
  copy = r.ctx;
  memset(&r.ctx, 0xEE, sizeof r.ctx);
  fill((uint8_t*)tigris_input(&copy, 0), 32, 9);
  CHECK_EQ(tigris_step(&copy), TIGRIS_OK);
  CHECK_EQ(copy.statistics.dynamic, 1);
  CHECK_EQ(copy.statistics.fast_peak, 192);
  CHECK(memcmp(tigris_output(&copy, 0), tigris_output(&want.ctx, 0), 128) == 0);
  runEnd(&r);
  CHECK_EQ(runStart(&r, &plan, &backend, 63, 4096), TIGRIS_E_SCRATCH); /* it cannot overflow */
  runEnd(&r);
  backend.fallback = &tigris_backend_reference;
  CHECK_EQ(runStart(&r, &plan, &backend, 63, 4096), TIGRIS_OK);
  CHECK_EQ(r.ctx.scratch_bytes, 0);
  CHECK(r.ctx.fallback_ops != 0);
  CHECK_EQ(runOnce(&r, &plan, 9), TIGRIS_OK);
  runEnd(&r);
  runEnd(&want);
  release(bytes);
  builderFree(&b);
}

int main(void) {
  testFigures();
  testScratchAndCopies();
  testSamples();
  testRandomPlans();
  return finish();
}
