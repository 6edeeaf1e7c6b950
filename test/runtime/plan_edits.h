/* Edits of built plans: each changes one field, and the plan must be refused for that. */
#ifndef TIGRIS_TEST_PLAN_EDITS_H
#define TIGRIS_TEST_PLAN_EDITS_H

#include "check.h"
#include "plan_builder.h"

static inline tigris_op* opAt(Builder* b, int i) {
  return (tigris_op*)(void*)b->section[TIGRIS_SECTION_OPS].data + i;
}
static inline tigris_operand* operandAt(Builder* b, int i) {
  return (tigris_operand*)(void*)b->section[TIGRIS_SECTION_OPERANDS].data + i;
}
static inline tigris_tensor* tensorAt(Builder* b, int i) {
  return (tigris_tensor*)(void*)b->section[TIGRIS_SECTION_TENSORS].data + i;
}
static inline tigris_stage* stageAt(Builder* b) {
  return (tigris_stage*)(void*)b->section[TIGRIS_SECTION_STAGES].data;
}
static inline tigris_port* portAt(Builder* b, int i) {
  return (tigris_port*)(void*)b->section[TIGRIS_SECTION_PORTS].data + i;
}

static inline tigris_status initWith(tigris_context* ctx, const tigris_plan* plan,
                                     const tigris_backend* backend, size_t fast, size_t slow) {
  tigris_memory memory;
  memory.fast = exactly(fast);
  memory.fast_bytes = fast;
  memory.slow = slow == 0 ? NULL : exactly(slow);
  memory.slow_bytes = slow;
  return tigris_init(ctx, plan, backend, &memory);
}

static inline tigris_status reopen(uint8_t* changed, uint32_t size) {
  tigris_plan plan;
  builderSeal(changed);
  return tigris_plan_open(&plan, changed, size);
}

/* `which`: the io mode, or the index of a sample plan. */
typedef uint8_t* (*PlanMaker)(Builder* b, uint32_t which, uint32_t* size);
typedef void (*Change)(Builder* b);
typedef struct Refusal {
  Change change;
  tigris_status status;
} Refusal;

/* Makes the plan for each change, fixes the checksum, and opens it. */
static inline void checkRefusals(PlanMaker make, uint32_t which, const Refusal* cases,
                                 size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    Builder b;
    uint32_t size;
    uint8_t* bytes = make(&b, which, &size);
    cases[i].change(&b);
    builderRewrite(&b, bytes);
    if (!CHECK_EQ(reopen(bytes, size), cases[i].status))
      printf("  case %u\n", (unsigned)i);
    release(bytes);
    builderFree(&b);
  }
}

#endif /* TIGRIS_TEST_PLAN_EDITS_H */
