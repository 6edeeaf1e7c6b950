/* Outputs at addresses of operands: which opcodes may work in place, and where exactly. */
#include "check.h"
#include "plan_builder.h"

/* The output of one op at `offset` after its input of 64 bytes. */
static tigris_status openAt(uint16_t opcode, const void* params, uint32_t size, uint32_t offset) {
  const int32_t dims[2] = {1, 16};
  Builder b;
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* data;
  int x;
  int y;
  builderInit(&b, TIGRIS_IO_ARENA);
  b.align = b.summary.align = 4;
  x = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  b.place[y].offset = offset;
  builderInput(&b, x);
  builderOutput(&b, y);
  builderOp(&b, opcode, 1, &x, y, params, size);
  data = builderFinish(&b, &bytes);
  builderFree(&b);
  return tigris_plan_open(&plan, data, bytes);
}

static void testOverlap(void) {
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  tigris_softmax_params softmax = {1, 0, 0, 0};
  tigris_search_params sum = {1, 0};
  CHECK_EQ(openAt(TIGRIS_OP_UNARY, &neg, sizeof neg, 0), TIGRIS_OK);
  CHECK_EQ(openAt(TIGRIS_OP_UNARY, &neg, sizeof neg, 64), TIGRIS_OK);
  CHECK_EQ(openAt(TIGRIS_OP_UNARY, &neg, sizeof neg, 4), TIGRIS_E_ADDRESS);
  CHECK_EQ(openAt(TIGRIS_OP_UNARY, &neg, sizeof neg, 60), TIGRIS_E_ADDRESS);
  CHECK_EQ(openAt(TIGRIS_OP_SOFTMAX, &softmax, sizeof softmax, 0), TIGRIS_OK);
  CHECK_EQ(openAt(TIGRIS_OP_SOFTMAX, &softmax, sizeof softmax, 4), TIGRIS_E_ADDRESS);
  CHECK_EQ(openAt(TIGRIS_OP_SOFTMAX, &softmax, sizeof softmax, 64), TIGRIS_OK);
  CHECK_EQ(openAt(TIGRIS_OP_CUM_SUM, &sum, sizeof sum, 0), TIGRIS_E_ADDRESS);
  CHECK_EQ(openAt(TIGRIS_OP_CUM_SUM, &sum, sizeof sum, 64), TIGRIS_OK);
}

/* y = x < z over x, both of `dtype` [rows, 1] and [1, 4], at the address of x. */
static tigris_status openCompare(uint16_t opcode, uint8_t dtype, int32_t rows) {
  const int32_t column[2] = {rows, 1};
  const int32_t row[2] = {1, 4};
  const int32_t all[2] = {rows, 4};
  Builder b;
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* data;
  int in[2];
  int y;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, 2, rows == 1 ? row : column, TIGRIS_NONE);
  in[1] = builderTensor(&b, dtype, 2, row, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_BOOL, 2, all, TIGRIS_NONE);
  b.place[y] = b.place[in[0]];
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, y);
  builderOp(&b, opcode, 2, in, y, NULL, 0);
  data = builderFinish(&b, &bytes);
  builderFree(&b);
  return tigris_plan_open(&plan, data, bytes);
}

/* Elements of one size and as many of them, not only as many bytes: 4 floats [4, 1] take as many as
 * 16 bools [4, 4]. */
static void testElementsInPlace(void) {
  CHECK_EQ(openCompare(TIGRIS_OP_AND, TIGRIS_BOOL, 1), TIGRIS_OK);
  CHECK_EQ(openCompare(TIGRIS_OP_EQUAL, TIGRIS_BOOL, 1), TIGRIS_OK);
  CHECK_EQ(openCompare(TIGRIS_OP_EQUAL, TIGRIS_BOOL, 4), TIGRIS_E_ADDRESS);
  CHECK_EQ(openCompare(TIGRIS_OP_LESS, TIGRIS_F32, 4), TIGRIS_E_ADDRESS);
  CHECK_EQ(openCompare(TIGRIS_OP_LESS, TIGRIS_F32, 1), TIGRIS_E_ADDRESS);
}

int main(void) {
  testOverlap();
  testElementsInPlace();
  return finish();
}
