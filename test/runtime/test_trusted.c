/* The runtime without the checks of records (TIGRIS_VALIDATE=0): valid plans run, and accidental
 * damage is still detected. */
#include "check.h"
#include "plan_builder.h"
#include "sample_plans.h"

static void runs(const tigris_plan* plan) {
  tigris_requirements need;
  tigris_context ctx;
  tigris_memory memory;
  void* ports[TIGRIS_MAX_PORTS] = {NULL};
  uint32_t i;
  tigris_plan_requirements(plan, &tigris_backend_reference, &need);
  memory.fast_bytes = need.fast_bytes;
  memory.slow_bytes = need.slow_bytes;
  memory.fast = exactly(need.fast_bytes);
  memory.slow = exactly(need.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  for (i = 0; i < plan->port_count; ++i) {
    const uint32_t bytes = plan->tensors[plan->ports[i].tensor].bytes;
    const int isInput = i < tigris_input_count(plan);
    if (plan->summary->io_mode == TIGRIS_IO_CALLER) {
      ports[i] = exactly(bytes);
      CHECK_EQ(isInput ? tigris_set_input(&ctx, i, ports[i])
                       : tigris_set_output(&ctx, i - tigris_input_count(plan), ports[i]),
               TIGRIS_OK);
    }
    if (isInput)
      memset(tigris_input(&ctx, i), 0, bytes);
  }
  CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
  CHECK(ctx.statistics.kernel_calls != 0);
  for (i = 0; i < TIGRIS_MAX_PORTS; ++i)
    if (ports[i] != NULL)
      release(ports[i]);
  release(memory.fast);
  release(memory.slow);
}

/* Every flipped bit and every truncation. */
static void findsAccidents(const uint8_t* plan, uint32_t size) {
  uint8_t* copy = (uint8_t*)exactly(size);
  tigris_plan opened;
  uint32_t bit;
  memcpy(copy, plan, size);
  for (bit = 0; bit < size * 8; bit += 7) {
    copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    CHECK(tigris_plan_open(&opened, copy, size) < TIGRIS_OK);
    copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    CHECK(tigris_plan_open(&opened, copy, bit / 8) < TIGRIS_OK);
  }
  release(copy);
}

/* A wrong section table is detected even with a matching checksum. */
static void checksSections(const uint8_t* plan, uint32_t size) {
  uint8_t* copy = (uint8_t*)exactly(size);
  uint32_t* lengths = (uint32_t*)(void*)(copy + sizeof(tigris_header));
  tigris_plan opened;
  memcpy(copy, plan, size);
  lengths[TIGRIS_SECTION_INTS - 1] += 1;
  builderSeal(copy);
  CHECK(tigris_plan_open(&opened, copy, size) < TIGRIS_OK);
  lengths[TIGRIS_SECTION_INTS - 1] = size;
  builderSeal(copy);
  CHECK(tigris_plan_open(&opened, copy, size) < TIGRIS_OK);
  memcpy(copy, plan, size);
  lengths[TIGRIS_SECTION_SUMMARY - 1] -= 8;
  builderSeal(copy);
  CHECK(tigris_plan_open(&opened, copy, size) < TIGRIS_OK);
  release(copy);
}

/* Valid plans that are too large for this build. */
static void knowsItsLimits(void) {
  const int32_t dims[1] = {4};
  const tigris_axis_params params = {0};
  int in[TIGRIS_MAX_OPERANDS];
  tigris_plan opened;
  Builder b;
  uint32_t size;
  uint8_t* plan;
  int32_t wide[1] = {4 * TIGRIS_MAX_OPERANDS};
  uint32_t i;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  for (i = 1; i < TIGRIS_MAX_OPERANDS; ++i)
    in[i] = in[0];
  i = (uint32_t)builderTensor(&b, TIGRIS_F32, 1, wide, TIGRIS_NONE);
  builderOutput(&b, (int)i);
  builderOp(&b, TIGRIS_OP_CONCAT, TIGRIS_MAX_OPERANDS, in, (int)i, &params, sizeof params);
  plan = builderFinish(&b, &size);
  CHECK_EQ(tigris_plan_open(&opened, plan, size), TIGRIS_E_LIMIT);
  CHECK_EQ(opened.error_op, 0);
  builderFree(&b);

  builderInit(&b, TIGRIS_IO_CALLER);
  for (i = 0; i <= TIGRIS_MAX_PORTS; ++i)
    builderInput(&b, builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE));
  plan = builderFinish(&b, &size);
  CHECK_EQ(tigris_plan_open(&opened, plan, size), TIGRIS_E_LIMIT);
  builderFree(&b);
}

int main(void) {
  Builder b;
  uint8_t* plan;
  uint32_t size;
  unsigned index;
  for (index = 0; (plan = samplePlan(&b, index, &size)) != NULL; ++index) {
    tigris_plan opened;
    CHECK_EQ(tigris_plan_open(&opened, plan, size), TIGRIS_OK);
    runs(&opened);
    findsAccidents(plan, size);
    checksSections(plan, size);
    builderFree(&b);
  }
  CHECK(index > 0);
  knowsItsLimits();
  return finish();
}
