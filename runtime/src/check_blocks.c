/* Checks weight blocks: their bytes, their place, and that ops read nothing but what is there. */
#include "check.h"
#include "lz4_block.h"

static tigris_status checkBlock(const tigris_plan* plan, const tigris_weight_block* b) {
  if (!tigris_within(plan->weight_bytes, b->data, b->packed_bytes) ||
      !tigris_within(plan->summary->fast_reserved, b->fast, b->bytes))
    return TIGRIS_E_ADDRESS;
#if TIGRIS_WEIGHT_BLOCKS
  if (b->mode != TIGRIS_BLOCK_LZ4)
    return TIGRIS_E_UNSUPPORTED;
  return tigris_lz4_unpack(plan->weights + b->data, b->packed_bytes, NULL, b->bytes)
             ? TIGRIS_OK
             : TIGRIS_E_FORMAT;
#else
  return TIGRIS_E_UNSUPPORTED;
#endif
}

/* All unpacked operands of an op lie in block `b`; NULL: there must be none. */
static int readsBlock(const tigris_plan* plan, const tigris_op* op, const tigris_weight_block* b) {
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    if (o->pool == TIGRIS_POOL_UNPACKED &&
        (b == NULL || o->offset < b->fast ||
         o->offset + plan->tensors[o->tensor].bytes > b->fast + b->bytes))
      return 0;
  }
  return 1;
}

tigris_status tigris_check_blocks(const tigris_plan* plan) {
  uint32_t next = 0;
  uint32_t ops = 0;
  uint32_t i;
  uint32_t k;
  for (i = 0; i < plan->stage_count; ++i) {
    const tigris_stage* s = &plan->stages[i];
    const tigris_weight_block* current = NULL;
    ops += s->op_count;
    for (k = s->first_op; k < ops; ++k) {
      if (next < plan->weight_block_count && plan->weight_blocks[next].first_op == k) {
        tigris_status status;
        current = &plan->weight_blocks[next++];
        if (s->mode != TIGRIS_STAGE_WHOLE && k != s->first_op)
          return TIGRIS_E_FORMAT;
        status = checkBlock(plan, current);
        if (status != TIGRIS_OK)
          return status;
        if (current->fast + current->bytes > s->peak)
          return TIGRIS_E_ADDRESS;
      }
      if (!readsBlock(plan, &plan->ops[k], current))
        return TIGRIS_E_ADDRESS;
    }
  }
  /* one that no op follows, or out of order */
  return next == plan->weight_block_count && ops == plan->op_count ? TIGRIS_OK : TIGRIS_E_FORMAT;
}
