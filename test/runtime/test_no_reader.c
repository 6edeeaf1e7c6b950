/* A build without weight readers: weights are copied from the plan, and plans whose weights are
 * elsewhere are rejected. */
#include "check.h"
#include "plan_builder.h"
#include "sample_plans.h"

static int never(void* user, uint32_t offset, uint32_t bytes, void* to) {
  (void)user;
  (void)offset;
  (void)bytes;
  (void)to;
  return 1;
}

int main(void) {
  Builder b;
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  uint32_t size;
  uint8_t* bytes = samplePlan(&b, 11, &size);
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
  memory.fast_bytes = plan.summary->fast_bytes;
  memory.slow_bytes = plan.summary->slow_bytes;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  CHECK_EQ(tigris_set_weight_reader(&ctx, never, NULL), TIGRIS_E_UNSUPPORTED);
  memset(tigris_input(&ctx, 0), 0, 96);
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  CHECK(((const float*)tigris_output(&ctx, 0))[23] == 50.0f);
  ((tigris_summary*)(uintptr_t)plan.summary)->flags |= TIGRIS_SUMMARY_EXTERNAL;
  builderSeal(bytes);
  /* in a build with readers, TIGRIS_E_FORMAT: its WEIGHTS are not empty */
  CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_E_UNSUPPORTED);
  release(memory.fast);
  release(memory.slow);
  release(bytes);
  builderFree(&b);
  return finish();
}
