/* The runtime without the fallback (TIGRIS_SCRATCH_FALLBACK=0): less scratch than the backend needs
 * is an error. */
#include "check.h"
#include "plan_builder.h"
#include "sample_plans.h"

static uint32_t fourWords(const tigris_plan* plan, const tigris_op* op) {
  (void)plan;
  (void)op;
  return 16;
}

static tigris_status initIn(const tigris_plan* plan, const tigris_backend* backend,
                            uint32_t fastBytes, uint32_t slowBytes) {
  tigris_context ctx;
  tigris_memory memory;
  tigris_status status;
  memory.fast_bytes = fastBytes;
  memory.slow_bytes = slowBytes;
  memory.fast = exactly(fastBytes);
  memory.slow = exactly(slowBytes);
  status = tigris_init(&ctx, plan, backend, &memory);
  release(memory.fast);
  release(memory.slow);
  return status;
}

int main(void) {
  tigris_backend backend = tigris_backend_reference;
  Builder b;
  uint32_t size;
  uint8_t* bytes;
  unsigned i;
  backend.scratch_bytes = fourWords;
  backend.fallback = &tigris_backend_reference;
  for (i = 0; (bytes = samplePlan(&b, i, &size)) != NULL; ++i) {
    tigris_plan plan;
    tigris_summary summary;
    tigris_requirements need;
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
    summary = *plan.summary;
    summary.scratch_bytes = 0;
    plan.summary = &summary;
    tigris_plan_requirements(&plan, &backend, &need);
    CHECK_EQ(need.scratch_bytes, 16);
    CHECK_EQ(initIn(&plan, &backend, need.fast_bytes, need.slow_bytes), TIGRIS_OK);
    CHECK_EQ(initIn(&plan, &backend, need.fast_bytes - 1, need.slow_bytes), TIGRIS_E_SCRATCH);
  }
  CHECK(i > 0);
  return finish();
}
