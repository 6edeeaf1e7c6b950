/* Checks the schedule: stages cover all ops and transfers; weight blocks are valid; operands fit
 * their stage. */
#include "check.h"
#include "exec/tile.h"
#include "exec/weights.h"
#include "lz4_block.h"

/* `op` and `transfer`: the ends of the stages before. */
static tigris_status checkStage(const tigris_plan* plan, const tigris_stage* s, uint32_t op,
                                uint32_t transfer) {
  if (!tigris_runs_mode(s->mode))
    return TIGRIS_E_UNSUPPORTED;
  /* a negative number of ops or transfers wraps */
  if (s->first_op != op || tigris_stage_ops(plan, s) > plan->op_count - op ||
      s->first_transfer != transfer ||
      tigris_stage_transfers(plan, s) > plan->transfer_count - transfer)
    return TIGRIS_E_FORMAT;
  if (s->mode != TIGRIS_STAGE_WHOLE)
    return tigris_check_tiling(plan, s);
  return s->detail <= tigris_stage_transfers(plan, s) ? TIGRIS_OK : TIGRIS_E_FORMAT;
}

#if TIGRIS_WEIGHT_BLOCKS
/* Whether the prefix, which has space for the output, has it to unpack an LZ4 block in place. */
static int inPlaceOk(const tigris_summary* s, const tigris_weight_block* b) {
  return b->packed_bytes <= s->fast_reserved &&
         TIGRIS_LZ4_MARGIN(b->packed_bytes) + s->align - 1u <=
             s->fast_reserved - b->fast - b->bytes;
}

/* Whether the bytes of a block give `bytes` bytes, as far as they are in the plan. */
static tigris_status checkContent(const tigris_plan* plan, const tigris_weight_block* b) {
  const uint32_t flags = plan->summary->flags;
  int ok = b->bytes != 0;
  if (b->mode == TIGRIS_BLOCK_RAW)
    ok = ok && b->packed_bytes == b->bytes;
  else if (b->mode != TIGRIS_BLOCK_LZ4)
    return TIGRIS_E_UNSUPPORTED;
  else if ((flags & TIGRIS_SUMMARY_COPY) && !inPlaceOk(plan->summary, b))
    return TIGRIS_E_ADDRESS;
  else if (!(flags & TIGRIS_SUMMARY_EXTERNAL))
    ok = tigris_lz4_unpack(plan->weights + b->data, b->packed_bytes, NULL, b->bytes);
  return ok ? TIGRIS_OK : TIGRIS_E_FORMAT;
}
#endif

/* Whether the bytes and the position of a weight block are valid. */
static tigris_status checkBlock(const tigris_plan* plan, const tigris_weight_block* b) {
#if TIGRIS_WEIGHT_BLOCKS
  const tigris_summary* summary = plan->summary;
  const uint32_t size = summary->flags & TIGRIS_SUMMARY_EXTERNAL ? INT32_MAX : plan->weight_bytes;
  if (!tigris_within(size, b->data, b->packed_bytes) ||
      !tigris_within(summary->fast_reserved, b->fast, b->bytes))
    return TIGRIS_E_ADDRESS;
  return checkContent(plan, b);
#else
  (void)plan;
  (void)b;
  return TIGRIS_E_UNSUPPORTED;
#endif
}

/* Whether unpacked operands of an op are inside `block`, and parts of tiles occur in tiled and
 * streamed stages only. */
static int operandsOk(const tigris_plan* plan, const tigris_stage* s, const tigris_op* op,
                      const tigris_weight_block* block) {
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    if (o->pool == TIGRIS_POOL_TILE && s->mode == TIGRIS_STAGE_WHOLE)
      return 0;
    if (o->pool == TIGRIS_POOL_UNPACKED &&
        (o->offset < block->fast ||
         o->offset + plan->tensors[o->tensor].bytes > block->fast + block->bytes))
      return 0;
  }
  return 1;
}

tigris_status tigris_check_stages(const tigris_plan* plan) {
  static const tigris_weight_block none = {0};
  const tigris_weight_block* next = plan->weight_blocks;
  const tigris_weight_block* const last = next + plan->weight_block_count;
  const tigris_stage* s = plan->stages;
  const tigris_stage* const past = s + plan->stage_count;
  uint32_t op = 0;
  uint32_t transfer = 0;
  for (; s != past; ++s) {
    const tigris_weight_block* current = &none;
    tigris_status status = checkStage(plan, s, op, transfer);
    uint32_t left = tigris_stage_ops(plan, s);
    transfer += tigris_stage_transfers(plan, s);
    for (; status == TIGRIS_OK && left != 0; ++op, --left) {
      if (next != last && next->first_op == op) {
        current = next++;
        if (s->mode != TIGRIS_STAGE_WHOLE && op != s->first_op)
          return TIGRIS_E_FORMAT;
        status = checkBlock(plan, current);
      }
      if (status == TIGRIS_OK && !operandsOk(plan, s, &plan->ops[op], current))
        status = TIGRIS_E_ADDRESS;
    }
    if (status != TIGRIS_OK)
      return status;
  }
  /* a block that no op follows, or a wrong order; no stages */
  return next == last && op == plan->op_count && transfer == plan->transfer_count ? TIGRIS_OK
                                                                                  : TIGRIS_E_FORMAT;
}
