/* A build with the rules of one family of ops (check_ops.c with TIGRIS_KERNEL_MAP alone) refuses all others. */
#include "check.h"
#include "plan_builder.h"

/* x -> CLAMP -> SOFTMAX or a second CLAMP -> y */
static tigris_status opened(uint16_t second, const void* params, uint32_t size, uint32_t* error) {
  const int32_t dims[2] = {3, 4};
  tigris_clamp_params clamp;
  tigris_status status;
  tigris_plan plan;
  uint32_t bytes;
  Builder b;
  int ids[3];
  int i;
  clamp.lo.f = -1.0f;
  clamp.hi.f = 1.0f;
  builderInit(&b, TIGRIS_IO_ARENA);
  for (i = 0; i < 3; ++i)
    ids[i] = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(&b, ids[0]);
  builderOutput(&b, ids[2]);
  builderOp(&b, TIGRIS_OP_CLAMP, 1, &ids[0], ids[1], &clamp, sizeof clamp);
  builderOp(&b, second, 1, &ids[1], ids[2], params == NULL ? &clamp : params,
            params == NULL ? (uint32_t)sizeof clamp : size);
  {
    uint8_t* file = builderFinish(&b, &bytes);
    status = tigris_plan_open(&plan, file, bytes);
  }
  *error = plan.error_op;
  builderFree(&b);
  return status;
}

int main(void) {
  const tigris_softmax_params softmax = {1, 0, 0, 0};
  uint32_t error;
  CHECK_EQ(opened(TIGRIS_OP_CLAMP, NULL, 0, &error), TIGRIS_OK);
  CHECK_EQ(opened(TIGRIS_OP_SOFTMAX, &softmax, sizeof softmax, &error), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(error, 1);
  return finish();
}
