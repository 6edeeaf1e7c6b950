/* A build with the rules of some operator families (check_ops.c with TIGRIS_KERNEL_MAP and
 * TIGRIS_KERNEL_QUANTIZE) rejects all others, and ops that round to even, which are selected
 * separately. */
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

/* x -> REQUANTIZE -> y on int16 with these flags. */
static tigris_status openedRequantize(uint8_t flags, int32_t shift) {
  const int32_t dims[1] = {4};
  const tigris_requantize_params p = {1, shift, -9, 9};
  tigris_status status;
  tigris_plan plan;
  uint32_t bytes;
  Builder b;
  int x;
  int y;
  builderInit(&b, TIGRIS_IO_ARENA);
  x = builderTensor(&b, TIGRIS_S16, 1, dims, builderQuant(&b, 0.5f, 0));
  y = builderTensor(&b, TIGRIS_S16, 1, dims, builderQuant(&b, 0.25f, 0));
  builderInput(&b, x);
  builderOutput(&b, y);
  builderOp(&b, TIGRIS_OP_REQUANTIZE, 1, &x, y, &p, sizeof p);
  ((tigris_op*)(void*)b.section[TIGRIS_SECTION_OPS].data)->flags = flags;
  {
    uint8_t* file = builderFinish(&b, &bytes);
    status = tigris_plan_open(&plan, file, bytes);
  }
  builderFree(&b);
  return status;
}

int main(void) {
  const tigris_softmax_params softmax = {1, 0, 0, 0};
  uint32_t error;
  CHECK_EQ(opened(TIGRIS_OP_CLAMP, NULL, 0, &error), TIGRIS_OK);
  CHECK_EQ(opened(TIGRIS_OP_SOFTMAX, &softmax, sizeof softmax, &error), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(error, 1);
  CHECK_EQ(openedRequantize(0, -1), TIGRIS_OK);
  CHECK_EQ(openedRequantize(TIGRIS_ROUND_EVEN, 1 << 6 | 1), TIGRIS_E_UNSUPPORTED);
  return finish();
}
