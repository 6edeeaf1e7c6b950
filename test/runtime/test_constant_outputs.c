/* Outputs that are constants: their bytes stay in the plan. */
#include "check.h"
#include "plan_edits.h"

/* x[1,4] -> negate -> y[1,4], and a second output, a constant. */
static uint8_t* constantPlan(Builder* b, uint32_t ioMode, uint32_t* size) {
  static const float anchors[6] = {1, 2, 3, 4, 5, 6};
  const int32_t six = 6;
  const int32_t dims[2] = {1, 4};
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  int x;
  int y;
  builderInit(b, ioMode);
  x = builderTensor(b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(b, x);
  builderOutput(b, y);
  builderOutput(b, builderConst(b, TIGRIS_F32, 1, &six, TIGRIS_NONE, anchors));
  builderOp(b, TIGRIS_OP_UNARY, 1, &x, y, &neg, sizeof neg);
  return builderFinish(b, size);
}

/* Constant outputs take no memory; a run copies them to a buffer of the caller. */
static void testConstantOutputs(void) {
  uint32_t mode;
  for (mode = TIGRIS_IO_SLOW; mode <= TIGRIS_IO_ARENA; ++mode) {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    float copy[6] = {0, 0, 0, 0, 0, 0};
    const float* anchors;
    Builder b;
    tigris_plan plan;
    tigris_context ctx;
    tigris_requirements need;
    uint32_t size;
    uint8_t* bytes = constantPlan(&b, mode, &size);
    uint32_t less;
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), TIGRIS_OK);
    tigris_plan_requirements(&plan, &tigris_backend_reference, &need);
    CHECK_EQ(need.fast_bytes, 32);
    CHECK_EQ(need.slow_bytes, mode == TIGRIS_IO_SLOW ? 32 : 0);
    for (less = 0; less < 2; ++less) { /* also in dynamic mode */
      CHECK_EQ(initWith(&ctx, &plan, &tigris_backend_reference, less ? 16 : 32,
                        need.slow_bytes + (less ? 1024 : 0)),
               TIGRIS_OK);
      if (mode == TIGRIS_IO_CALLER) {
        CHECK_EQ(tigris_set_input(&ctx, 0, in), TIGRIS_OK);
        CHECK_EQ(tigris_set_output(&ctx, 0, out), TIGRIS_OK);
        CHECK_EQ(tigris_set_output_rows(&ctx, 1, NULL, NULL), TIGRIS_E_ARGUMENT);
      } else {
        memcpy(tigris_input(&ctx, 0), in, sizeof in);
      }
      CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
      CHECK_EQ(ctx.statistics.dynamic, less);
      anchors = (const float*)tigris_output(&ctx, 1);
      CHECK((const uint8_t*)anchors >= bytes && (const uint8_t*)anchors < bytes + size);
      CHECK(anchors[0] == 1 && anchors[5] == 6);
      CHECK_EQ(((const float*)tigris_output(&ctx, 0))[3], -4);
      if (mode != TIGRIS_IO_CALLER) {
        CHECK_EQ(tigris_set_output(&ctx, 1, copy), TIGRIS_E_ARGUMENT);
        continue;
      }
      CHECK_EQ(tigris_set_output(&ctx, 1, copy), TIGRIS_OK);
      CHECK_EQ(copy[5], 0);
      CHECK_EQ(tigris_run(&ctx), TIGRIS_OK);
      CHECK(tigris_output(&ctx, 1) == copy && copy[0] == 1 && copy[5] == 6);
      copy[5] = 0;
    }
    builderFree(&b);
  }
}

static void constantFar(Builder* b) { portAt(b, 2)->offset = 16; }
static void constantMisaligned(Builder* b) { portAt(b, 2)->offset = 4; }
static void constantInput(Builder* b) {
  portAt(b, 0)->tensor = portAt(b, 2)->tensor;
  portAt(b, 0)->rank = 1;
  portAt(b, 0)->dims = portAt(b, 2)->dims;
}
static void constantCopied(Builder* b) {
  b->summary.flags = (uint8_t)((b->summary.flags & ~TIGRIS_SUMMARY_XIP) | TIGRIS_SUMMARY_COPY);
}
static void constantState(Builder* b) { portAt(b, 2)->state = 0; }
/* The op writes to the port of the constant, for which the caller need not have a buffer. */
static void constantWritten(Builder* b) {
  tigris_tensor* constant = tensorAt(b, portAt(b, 2)->tensor);
  constant->rank = 2;
  constant->dims = tensorAt(b, 1)->dims;
  constant->bytes = 16;
  portAt(b, 2)->rank = 2;
  portAt(b, 2)->dims = constant->dims;
  operandAt(b, 1)->offset = 2;
}

static void testConstantRefusals(void) {
  static const Refusal cases[] = {
      {constantFar, TIGRIS_E_ADDRESS},  {constantMisaligned, TIGRIS_E_ADDRESS},
      {constantInput, TIGRIS_E_FORMAT}, {constantCopied, TIGRIS_E_ADDRESS},
      {constantState, TIGRIS_E_FORMAT}, {constantWritten, TIGRIS_E_ADDRESS},
  };
  checkRefusals(constantPlan, TIGRIS_IO_CALLER, cases, sizeof cases / sizeof cases[0]);
}

int main(void) {
  testConstantOutputs();
  testConstantRefusals();
  return finish();
}
