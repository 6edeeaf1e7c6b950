/* Runs one op like a model would, and again row range by row range with buffers of exactly the rows
 * needed. */
#ifndef TIGRIS_TEST_ONE_OP_H
#define TIGRIS_TEST_ONE_OP_H

#include "check.h"
#include "one_op_in_place.h"
#include "one_op_tiles.h"
#include "plan_builder.h"
#include "view.h"

/* An open plan of one op with an arena of exactly its size. */
typedef struct OneOp {
  tigris_plan plan;
  tigris_context ctx;
  uint8_t* fast;
} OneOp;

/* Finishes `b` (io arena), opens it and initializes a context. Returns 0 if the plan is rejected
 * (counted as a failure). Releases the plan and the arena of the previous call, because an emulated
 * processor has little memory. */
static inline int oneOpOpen(OneOp* o, Builder* b) {
  static uint8_t* bytes;
  static uint8_t* fast;
  tigris_memory memory;
  tigris_requirements need;
  uint32_t size;
  if (bytes != NULL)
    release(bytes);
  if (fast != NULL)
    release(fast);
  fast = NULL;
  bytes = builderFinish(b, &size);
  const tigris_status status = tigris_plan_open(&o->plan, bytes, size);
  if (!CHECK_EQ(status, TIGRIS_OK))
    return 0;
  memset(&memory, 0, sizeof memory);
  tigris_plan_requirements(&o->plan, &TEST_BACKEND, &need);
  memory.fast_bytes = need.fast_bytes;
  memory.fast = o->fast = fast = (uint8_t*)exactly(memory.fast_bytes);
  return CHECK_EQ(tigris_init(&o->ctx, &o->plan, &TEST_BACKEND, &memory), TIGRIS_OK);
}

/* Replaces an operand of op `index`. */
static inline int isChanged(const tigris_plan* plan, uint32_t index) {
  const tigris_op* op = &plan->ops[index];
  uint32_t i;
  uint32_t k;
  for (i = index + 1; i < plan->op_count; ++i) {
    const tigris_operand* out = &plan->operands[plan->ops[i].operands + plan->ops[i].inputs];
    for (k = 0; k < (uint32_t)op->inputs + op->outputs; ++k) {
      if (plan->operands[op->operands + k].pool == TIGRIS_POOL_FAST &&
          plan->operands[op->operands + k].offset == out->offset)
        return 1;
    }
  }
  return 0;
}

/* Runs the plan, then each of its ops again in place and in tiles. Returns 0 if the run fails
 * (counted as a failure). */
static inline int runWhole(OneOp* o) {
  uint32_t i;
  if (!CHECK_EQ(tigris_run(&o->ctx), TIGRIS_OK))
    return 0;
  for (i = 0; i < o->plan.op_count; ++i) {
    if (isChanged(&o->plan, i))
      continue;
    checkInPlace(&o->plan, i, o->fast);
    checkTiles(&o->plan, i, o->fast);
  }
  return 1;
}

/* The first and last input row (within one image) that an output row needs; axis sizes in
 * in/out. */
typedef void (*RowsNeeded)(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                           int32_t* last);

static inline void rowsSame(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                            int32_t* last) {
  (void)o;
  *first = *last = inRows == 1 ? 0 : outRow;
}

static inline void rowsAll(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                           int32_t* last) {
  (void)o;
  (void)outRow;
  *first = 0;
  *last = inRows - 1;
}

/* Copies rows [first, first + rows) of an operand to a separate buffer. */
static inline tigris_view cutRows(const tigris_plan* plan, const tigris_view* whole, uint32_t first,
                                  uint32_t rows) {
  tigris_view v = *whole;
  (void)plan;
  v.first = first;
  v.rows = rows;
  v.data = (uint8_t*)exactly((size_t)rows * whole->pitch);
  memcpy(v.data, tigris_row(whole, first), (size_t)rows * whole->pitch);
  return v;
}

/* Runs op 0 in row ranges of random height (batch 1) and compares with the whole output computed
 * before. */
static inline void checkStrips(OneOp* o, RowsNeeded needed) {
  const tigris_plan* plan = &o->plan;
  const tigris_op* op = &plan->ops[0];
  tigris_view whole[TIGRIS_MAX_OPERANDS];
  tigris_view views[TIGRIS_MAX_OPERANDS];
  uint32_t row;
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* d = &plan->operands[i];
    memset(&whole[i], 0, sizeof whole[i]);
    if (d->pool != TIGRIS_POOL_ABSENT)
      tigris_whole(&whole[i], plan, &plan->tensors[d->tensor],
                   d->pool == TIGRIS_POOL_CONST ? (uint8_t*)(uintptr_t)(plan->weights + d->offset)
                                                : o->fast + d->offset);
  }
  for (row = 0; row < whole[op->inputs].rows;) {
    const uint32_t left = whole[op->inputs].rows - row;
    uint32_t rows = 1 + randomBits() % 3;
    tigris_call call;
    tigris_view out;
    tigris_status status;
    rows = rows < left ? rows : left;
    for (i = 0; i < op->inputs; ++i) {
      int32_t first = INT32_MAX;
      int32_t last = 0;
      uint32_t r;
      views[i] = whole[i];
      if (plan->operands[i].pool != TIGRIS_POOL_FAST)
        continue;
      for (r = row; r < row + rows; ++r) {
        int32_t a;
        int32_t z;
        needed(o, (int32_t)whole[i].rows, (int32_t)r, &a, &z);
        first = a < first ? a : first;
        last = z > last ? z : last;
      }
      if (first > last || first == INT32_MAX)
        first = last = 0;
      views[i] = cutRows(plan, &whole[i], (uint32_t)first, (uint32_t)(last - first + 1));
    }
    out = whole[op->inputs];
    out.first = row;
    out.rows = rows;
    out.data = (uint8_t*)exactly((size_t)rows * out.pitch);
    memset(&call, 0, sizeof call);
    call.plan = plan;
    call.op = op;
    call.params = tigris_params(plan, op);
    call.in = views;
    call.out = &out;
    call.scratch = exactlyScratch(plan, op, &call.scratch_bytes);
    status = TEST_BACKEND.find(plan, op)(&call);
    if (status == TIGRIS_E_SCRATCH) /* rows may need more than the whole op */
      status = TEST_BACKEND.fallback->find(plan, op)(&call);
    CHECK_EQ(status, TIGRIS_OK);
    if (call.scratch != NULL)
      release(call.scratch);
    CHECK(memcmp(out.data, tigris_row(&whole[op->inputs], row), (size_t)rows * out.pitch) == 0);
    for (i = 0; i < op->inputs; ++i) {
      if (plan->operands[i].pool == TIGRIS_POOL_FAST)
        release(views[i].data);
    }
    release(out.data);
    row += rows;
  }
}

/* Whether |actual - expected| is small relative to the magnitude of the inputs. */
static inline void checkClose(float actual, double expected, double scale) {
  const double error = actual > expected ? actual - expected : expected - actual;
  if (!(error <= 2e-5 * (scale + 1.0)))
    printf("value %.9g, expected %.9g\n", (double)actual, expected);
  CHECK(error <= 2e-5 * (scale + 1.0));
}

/* MultiplyByQuantizedMultiplier with gemmlowp's formulas written out in 64 bits. */
static inline int32_t oracleRequantize(int32_t x, int32_t multiplier, int32_t shift) {
  const int64_t shifted = (int64_t)x * ((int64_t)1 << (shift > 0 ? shift : 0));
  const int64_t product = (int64_t)(int32_t)shifted * multiplier;
  const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
  int64_t high = (product + nudge) / ((int64_t)1 << 31);
  const int32_t exponent = shift > 0 ? 0 : -shift;
  int64_t divisor = (int64_t)1 << exponent;
  int64_t quotient;
  int64_t rest;
  if ((int32_t)shifted == INT32_MIN && multiplier == INT32_MIN)
    high = INT32_MAX;
  quotient = high / divisor;
  rest = high % divisor;
  if (rest < 0)
    rest = -rest;
  if (2 * rest >= divisor && exponent > 0)
    quotient += high < 0 ? -1 : 1;
  return (int32_t)quotient;
}

static inline int32_t oracleClamp(int64_t v, int32_t lo, int32_t hi) {
  return v < lo ? lo : (v > hi ? hi : (int32_t)v);
}

#endif /* TIGRIS_TEST_ONE_OP_H */
