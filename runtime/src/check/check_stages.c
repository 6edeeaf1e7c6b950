/* Checks the schedule: stages cover all ops; transfers and weight blocks are valid; operands are
 * inside the memory of their stage. */
#include "check.h"
#include "exec/tile.h"
#include "exec/weights.h"
#include "lz4_block.h"

/* Whether the transfers are in the table and end below the peak. */
static tigris_status checkTransfers(const tigris_plan* plan, uint32_t first, uint32_t count,
                                    uint32_t peak) {
  const tigris_transfer* t = &plan->transfers[first];
  if (!tigris_within(plan->transfer_count, first, count))
    return TIGRIS_E_FORMAT;
  for (; count > 0; --count, ++t) {
    if (t->fast + t->bytes > peak)
      return TIGRIS_E_ADDRESS;
  }
  return TIGRIS_OK;
}

static tigris_status checkStage(const tigris_plan* plan, const tigris_stage* s, uint32_t first) {
  const int isTiled = s->mode != TIGRIS_STAGE_WHOLE;
  tigris_status status;
  if (!tigris_runs_mode(s->mode))
    return TIGRIS_E_UNSUPPORTED;
  if (s->first_op != first || s->op_count > plan->op_count - first ||
      isTiled != (s->detail != TIGRIS_NO_DETAIL))
    return TIGRIS_E_FORMAT;
  if (s->peak > plan->summary->fast_bytes)
    return TIGRIS_E_ADDRESS;
  if (isTiled)
    return tigris_check_tiling(plan, s);
  status = checkTransfers(plan, s->first_load, s->load_count, s->peak);
  return status == TIGRIS_OK ? checkTransfers(plan, s->first_spill, s->spill_count, s->peak)
                             : status;
}

#if TIGRIS_WEIGHT_BLOCKS
/* Whether the prefix, which has space for the output, has it to unpack an LZ4 block in place. */
static int inPlaceOk(const tigris_summary* s, const tigris_weight_block* b) {
  return b->packed_bytes <= s->fast_reserved &&
         TIGRIS_LZ4_MARGIN(b->packed_bytes) + s->align - 1 <= s->fast_reserved - b->fast - b->bytes;
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
static tigris_status checkBlock(const tigris_plan* plan, const tigris_stage* s,
                                const tigris_weight_block* b) {
#if TIGRIS_WEIGHT_BLOCKS
  const tigris_summary* summary = plan->summary;
  const uint32_t size = summary->flags & TIGRIS_SUMMARY_EXTERNAL ? INT32_MAX : plan->weight_bytes;
  if (!tigris_within(size, b->data, b->packed_bytes) ||
      !tigris_within(summary->fast_reserved, b->fast, b->bytes) ||
      b->fast + tigris_block_extent(summary, b) > s->peak)
    return TIGRIS_E_ADDRESS;
  return checkContent(plan, b);
#else
  (void)plan;
  (void)s;
  (void)b;
  return TIGRIS_E_UNSUPPORTED;
#endif
}

/* Whether fast operands of an op end below the peak of its stage, unpacked ones are inside `block`,
 * and parts of tiles occur in tiled and streamed stages only. */
static int operandsOk(const tigris_plan* plan, const tigris_stage* s, const tigris_op* op,
                      const tigris_weight_block* block) {
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    uint32_t begin = 0;
    uint32_t end = s->peak;
    if (o->pool == TIGRIS_POOL_TILE && s->mode == TIGRIS_STAGE_WHOLE)
      return 0;
    if (o->pool == TIGRIS_POOL_UNPACKED) {
      begin = block->fast;
      end = begin + block->bytes;
    } else if (o->pool != TIGRIS_POOL_FAST) {
      continue;
    }
    if (o->offset < begin || o->offset + plan->tensors[o->tensor].bytes > end)
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
  for (; s != past; ++s) {
    const tigris_weight_block* current = &none;
    tigris_status status = checkStage(plan, s, op);
    for (; status == TIGRIS_OK && op - s->first_op < s->op_count; ++op) {
      if (next != last && next->first_op == op) {
        current = next++;
        if (s->mode != TIGRIS_STAGE_WHOLE && op != s->first_op)
          return TIGRIS_E_FORMAT;
        status = checkBlock(plan, s, current);
      }
      if (status == TIGRIS_OK && !operandsOk(plan, s, &plan->ops[op], current))
        status = TIGRIS_E_ADDRESS;
    }
    if (status != TIGRIS_OK)
      return status;
  }
  /* a block that no op follows, or a wrong order */
  return next == last && op == plan->op_count ? TIGRIS_OK : TIGRIS_E_FORMAT;
}
