/* Runs an op of a plan again with its output over each input that it may overwrite, and compares
 * with the output of the whole op. */
#ifndef TIGRIS_TEST_ONE_OP_IN_PLACE_H
#define TIGRIS_TEST_ONE_OP_IN_PLACE_H

#include "one_op_tiles.h"
#include "view.h"

/* Runs by opcode. */
static unsigned inPlaceRun[TEST_OPCODES];

/* The inputs that the output of an opcode may overwrite, one bit each. */
static inline uint32_t inPlaceBits(uint32_t opcode) {
  switch (opcode) {
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  case number:                                                                                     \
    return in_place;
#include "tigris_opcodes.def"
  default:
    return 0;
  }
}

/* The output of op `index` over input `over`; `fast` has the operands after a run. */
static inline void runOver(const tigris_plan* plan, uint32_t index, uint32_t over, uint8_t* fast) {
  const tigris_op* op = &plan->ops[index];
  const tigris_operand* operands = &plan->operands[op->operands];
  const tigris_operand* out = &operands[op->inputs];
  const uint32_t bytes = plan->tensors[out->tensor].bytes;
  uint8_t* shared = (uint8_t*)exactly(bytes);
  tigris_view views[TIGRIS_MAX_OPERANDS];
  tigris_status status;
  tigris_call call;
  uint32_t i;
  memcpy(shared, fast + operands[over].offset, bytes);
  memset(views, 0, sizeof views);
  for (i = 0; i <= op->inputs; ++i) {
    const tigris_operand* o = &operands[i];
    const int isShared =
        i == op->inputs || (o->pool == TIGRIS_POOL_FAST && o->offset == operands[over].offset);
    if (o->pool != TIGRIS_POOL_ABSENT)
      tigris_whole(&views[i], plan, &plan->tensors[o->tensor],
                   isShared                       ? shared
                   : o->pool == TIGRIS_POOL_CONST ? (uint8_t*)(uintptr_t)(plan->weights + o->offset)
                                                  : fast + o->offset);
  }
  ++inPlaceRun[op->opcode];
  memset(&call, 0, sizeof call);
  call.plan = plan;
  call.op = op;
  call.params = tigris_params(plan, op);
  call.in = views;
  call.out = &views[op->inputs];
  call.scratch = exactlyScratch(plan, op, &call.scratch_bytes);
  status = TEST_BACKEND.find(plan, op)(&call);
  CHECK_EQ(status, TIGRIS_OK);
  if (!CHECK(memcmp(shared, fast + out->offset, bytes) == 0))
    printf("  opcode %u over input %u\n", (unsigned)op->opcode, (unsigned)over);
  if (call.scratch != NULL)
    release(call.scratch);
  release(shared);
}

static inline void checkInPlace(const tigris_plan* plan, uint32_t index, uint8_t* fast) {
  const tigris_op* op = &plan->ops[index];
  const tigris_operand* in = &plan->operands[op->operands];
  const tigris_operand* out = &in[op->inputs];
  const tigris_tensor* y = &plan->tensors[out->tensor];
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    if (in[i].pool == TIGRIS_POOL_FAST && in[i].offset == out->offset)
      return; /* overwritten by the run */
  }
  for (i = 0; i < op->inputs && i < 8; ++i) {
    const tigris_tensor* x;
    if ((inPlaceBits(op->opcode) >> i & 1) == 0 || in[i].pool != TIGRIS_POOL_FAST)
      continue;
    x = &plan->tensors[in[i].tensor];
    if (x->bytes == y->bytes && tigris_element_size(x->dtype) == tigris_element_size(y->dtype))
      runOver(plan, index, i, fast);
  }
}

/* Checks that every tested opcode that can work in place has done so at least once. */
static inline void checkInPlaceCounts(void) {
  uint32_t i;
  for (i = 0; i < TEST_OPCODES; ++i) {
    if (inPlaceBits(i) != 0 && tilesRun[i] != 0)
      CHECK(inPlaceRun[i] > 0);
  }
}

#endif /* TIGRIS_TEST_ONE_OP_IN_PLACE_H */
