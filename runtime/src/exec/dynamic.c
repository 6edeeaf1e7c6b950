/* The dynamic arena: allocation, compaction, lookup and release of blocks. */
#include "dynamic.h"

#include <string.h>

#include "address.h"
#include "view.h"

#if TIGRIS_DYNAMIC_ARENA

/* A limit that keeps every sum of an offset, a size and an alignment within uint32_t. */
#define MOST_POOL 0x7FFFFFFFu

/* The table grows downward: block 0 is just below ctx->blocks. */
static tigris_block* blockAt(const tigris_context* ctx, uint32_t index) {
  return ctx->blocks - 1 - index;
}

static uint32_t alignUp(const tigris_context* ctx, uint32_t value) {
  const uint32_t mask = ctx->plan->summary->align - 1u;
  return (value + mask) & ~mask;
}

/* First offset for blocks in a pool: after the planned slow bytes, or after the reserved prefix. */
static uint32_t baseOf(const tigris_context* ctx, unsigned slow) {
  const tigris_summary* s = ctx->plan->summary;
  const uint32_t planned = slow ? alignUp(ctx, s->slow_bytes) : 0;
  const unsigned prefixSlow = ctx->unpacked != ctx->fast;
  return slow == prefixSlow ? alignUp(ctx, planned + s->fast_reserved) : planned;
}

static uint8_t* addressOf(const tigris_context* ctx, const tigris_block* b) {
  return (b->slow ? ctx->slow : ctx->fast) + b->at;
}

/* First free byte after the blocks of a pool; with `compact`, removes the gaps between them
 * first. */
static uint32_t endOf(tigris_context* ctx, unsigned slow, int compact) {
  uint32_t end = baseOf(ctx, slow);
  uint32_t i;
  for (i = 0; i < ctx->block_count; ++i) {
    tigris_block* b = blockAt(ctx, i);
    if (b->slow != slow)
      continue;
    if (compact && b->at != end) {
      const uint8_t* from = addressOf(ctx, b);
      b->at = end;
      if (!ctx->rehearsal)
        memmove(addressOf(ctx, b), from, b->bytes);
      if (slow) {
        ctx->statistics.slow_read += b->bytes;
        ctx->statistics.slow_write += b->bytes;
      }
    }
    end = alignUp(ctx, b->at + b->bytes);
  }
  return end;
}

/* The offset for `bytes` in a pool when the table has one more block, or TIGRIS_NONE if they do not
 * fit. */
static uint32_t findGap(tigris_context* ctx, unsigned slow, uint32_t bytes) {
  const uint32_t table =
      slow == ctx->blocks_slow ? (ctx->block_count + 1) * (uint32_t)sizeof(tigris_block) : 0;
  int compact;
  for (compact = 0; compact <= 1; ++compact) {
    const uint32_t at = endOf(ctx, slow, compact);
    if (at <= ctx->limit[slow] && bytes + table <= ctx->limit[slow] - at)
      return at;
  }
  return TIGRIS_NONE;
}

static int overlaps(uint32_t a, uint32_t aBytes, uint32_t b, uint32_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

static uint32_t bytesOf(const tigris_plan* plan, uint32_t tensor) {
  return plan->tensors[tensor].bytes;
}

/* A use of the fast arena by one step of the schedule. */
typedef struct Touch {
  uint32_t offset;
  uint32_t bytes; /* 0: none */
  int isWrite;
} Touch;

/* Use `i` of a step, reads before writes; returns 0 if there are no more. */
static int touchOf(const tigris_plan* plan, const tigris_stage* s, uint32_t step, uint32_t i,
                   Touch* touch) {
  const uint32_t op = step - tigris_stage_loads(s); /* index of the op in the stage */
  const uint32_t ops = tigris_stage_ops(plan, s);
  uint32_t pool = TIGRIS_POOL_FAST;
  uint32_t tensor;
#if TIGRIS_TILES
  if (s->mode != TIGRIS_STAGE_WHOLE) {
    const tigris_tiling* t = &plan->tilings[s->detail];
    const tigris_tile_buffer* b = &plan->tile_buffers[t->first_buffer + i];
    if (i == t->buffer_count)
      return 0;
    pool = b->backing;
    tensor = b->tensor;
    touch->offset = b->backing_offset;
    touch->isWrite = b->flags & TIGRIS_TILE_STORE;
  } else
#endif
      if (op < ops) {
    const tigris_op* record = &plan->ops[s->first_op + op];
    const tigris_operand* o = &plan->operands[record->operands + i];
    if (i == (uint32_t)record->inputs + record->outputs)
      return 0;
    pool = o->pool;
    tensor = o->tensor;
    touch->offset = o->offset;
    touch->isWrite = i >= record->inputs;
  } else {
    const int isLoad = step < tigris_stage_loads(s);
    const tigris_transfer* t = &plan->transfers[s->first_transfer + step - (isLoad ? 0 : ops)];
    if (i != 0)
      return 0;
    tensor = t->tensor;
    touch->offset = t->fast;
    touch->isWrite = isLoad;
  }
  touch->bytes = pool == TIGRIS_POOL_FAST ? bytesOf(plan, tensor) : 0;
  return 1;
}

/* 1 if the bytes are read before any of them is written, from `step` of the current stage on. */
static int isNeeded(const tigris_context* ctx, uint32_t step, const tigris_block* b) {
  const tigris_plan* plan = ctx->plan;
  uint32_t stage = ctx->stage;
  uint32_t i;
  for (; stage < plan->stage_count; ++stage, step = 0) {
    const tigris_stage* s = &plan->stages[stage];
    for (; step < tigris_stage_steps(plan, s); ++step) {
      int isWritten = 0;
      Touch t;
      for (i = 0; touchOf(plan, s, step, i, &t); ++i) {
        if (t.bytes == 0 || !overlaps(t.offset, t.bytes, b->offset, b->bytes))
          continue;
        if (!t.isWrite)
          return 1;
        isWritten = 1;
      }
      if (isWritten)
        return 0;
    }
  }
  for (i = plan->input_count; i < plan->port_count; ++i) {
    const tigris_port* p = &plan->ports[i];
    if (plan->summary->io_mode == TIGRIS_IO_ARENA && !tigris_is_constant(plan, p) &&
        overlaps(p->offset, bytesOf(plan, p->tensor), b->offset, b->bytes))
      return 1;
  }
  return 0;
}

/* Index of the block that contains an interval, or block_count. While an op or a streamed stage
 * runs, its output may overlap an older block that only it still reads: a read takes the oldest
 * block, a write the newest. */
static uint32_t find(const tigris_context* ctx, uint32_t offset, uint32_t bytes, int isWrite) {
  uint32_t found = ctx->block_count;
  uint32_t i;
  for (i = 0; i < ctx->block_count; ++i) {
    const tigris_block* b = blockAt(ctx, i);
    if (offset < b->offset || offset + bytes > b->offset + b->bytes)
      continue;
    found = i;
    if (!isWrite)
      break;
  }
  return found;
}

void tigris_dynamic_sweep(tigris_context* ctx, uint32_t step) {
  uint32_t i;
  uint32_t k;
  for (i = ctx->block_count; i-- > 0;) {
    const tigris_block* b = blockAt(ctx, i);
    int keep = isNeeded(ctx, step, b);
    /* a newer block that is kept replaces it */
    for (k = i + 1; keep && k < ctx->block_count; ++k)
      keep = !overlaps(blockAt(ctx, k)->offset, blockAt(ctx, k)->bytes, b->offset, b->bytes);
    if (!keep) {
      tigris_block* last = blockAt(ctx, --ctx->block_count);
      memmove(last + 1, last, (ctx->block_count - i) * sizeof *last);
    }
  }
}

void tigris_dynamic_init(tigris_context* ctx, const tigris_memory* memory, size_t fast_bytes) {
  const size_t slow = memory->slow_bytes < MOST_POOL ? memory->slow_bytes : MOST_POOL;
  const size_t fast = fast_bytes < MOST_POOL ? fast_bytes : MOST_POOL;
  uint8_t* top;
  /* Blocks hold 32-bit words, and both memories start at a multiple of TIGRIS_MIN_ALIGN. */
  ctx->limit[0] = (uint32_t)fast & ~(TIGRIS_MIN_ALIGN - 1);
  ctx->limit[1] = (uint32_t)slow & ~(TIGRIS_MIN_ALIGN - 1);
  if (fast < ctx->plan->summary->fast_reserved) {
    const uint32_t at = alignUp(ctx, ctx->plan->summary->slow_bytes);
    if (at + (uint64_t)ctx->plan->summary->fast_reserved > ctx->limit[1])
      return; /* without a table nothing fits */
    ctx->unpacked = ctx->slow + at;
  }
  ctx->blocks_slow = baseOf(ctx, 1) + sizeof(tigris_block) <= ctx->limit[1];
  if (!ctx->blocks_slow)
    ctx->limit[1] = 0;
  top = ctx->blocks_slow ? ctx->slow : ctx->fast;
  ctx->blocks = top == NULL ? NULL : (tigris_block*)(void*)(top + ctx->limit[ctx->blocks_slow]);
}

tigris_status tigris_dynamic_place(tigris_context* ctx, uint32_t offset, uint32_t bytes) {
  const uint32_t held = find(ctx, offset, bytes, 1);
  tigris_block* b;
  uint32_t slow = 0;
  uint32_t at;
  if (held < ctx->block_count && blockAt(ctx, held)->offset == offset &&
      blockAt(ctx, held)->bytes == bytes)
    return TIGRIS_OK; /* in place */
  if (findGap(ctx, ctx->blocks_slow, 0) == TIGRIS_NONE)
    return TIGRIS_E_MEMORY;
  at = findGap(ctx, 0, bytes);
  if (at == TIGRIS_NONE) {
    slow = 1;
    at = findGap(ctx, 1, bytes);
    if (at == TIGRIS_NONE)
      return TIGRIS_E_MEMORY;
  }
  b = blockAt(ctx, ctx->block_count++);
  b->offset = offset;
  b->bytes = bytes;
  b->at = at;
  b->slow = slow;
  tigris_raise(&ctx->statistics.table_bytes, ctx->block_count * (uint32_t)sizeof *b);
  return TIGRIS_OK;
}

tigris_status tigris_dynamic_prepare(tigris_context* ctx, uint32_t step) {
  Touch t;
  uint32_t i;
  for (i = 0; touchOf(ctx->plan, &ctx->plan->stages[ctx->stage], step, i, &t); ++i) {
    if (t.bytes == 0)
      continue;
    if (t.isWrite ? tigris_dynamic_place(ctx, t.offset, t.bytes) != TIGRIS_OK
                  : find(ctx, t.offset, t.bytes, 0) == ctx->block_count)
      return TIGRIS_E_MEMORY;
  }
  return TIGRIS_OK;
}

uint8_t* tigris_dynamic_at(tigris_context* ctx, uint32_t offset, uint32_t bytes, uint32_t moved,
                           int isWrite) {
  const uint32_t index = find(ctx, offset, bytes, isWrite);
  const tigris_block* b = blockAt(ctx, index);
  if (index == ctx->block_count)
    return NULL;
  if (b->slow)
    tigris_count_overflow(ctx, b->at + b->bytes, moved, isWrite);
  else
    tigris_raise(&ctx->statistics.fast_peak, b->at + b->bytes);
  return addressOf(ctx, b) + (offset - b->offset);
}

tigris_status tigris_dynamic_start(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  uint32_t i;
  ctx->block_count = 0;
  if (plan->summary->io_mode != TIGRIS_IO_ARENA)
    return TIGRIS_OK;
  /* Place all inputs before any is released: each holds bytes that the caller wrote before the
   * run. */
  for (i = 0; i < plan->input_count; ++i) {
    const uint32_t offset = plan->ports[i].offset;
    const uint32_t bytes = bytesOf(plan, plan->ports[i].tensor);
    uint32_t k;
    for (k = 0; k < i; ++k) {
      if (overlaps(plan->ports[k].offset, bytesOf(plan, plan->ports[k].tensor), offset, bytes))
        return TIGRIS_E_MEMORY;
    }
    if (tigris_dynamic_place(ctx, offset, bytes) != TIGRIS_OK)
      return TIGRIS_E_MEMORY;
    ctx->ports[i] =
        tigris_dynamic_at(ctx, offset, bytes, 0, 1); /* written by the caller, not by the run */
  }
  tigris_dynamic_sweep(ctx, 0);
  return TIGRIS_OK;
}

tigris_status tigris_dynamic_finish(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  uint32_t i;
  for (i = plan->input_count; i < plan->port_count && plan->summary->io_mode == TIGRIS_IO_ARENA;
       ++i) {
    const tigris_port* port = &plan->ports[i];
    if (tigris_is_constant(plan, port))
      continue;
    ctx->ports[i] = tigris_dynamic_at(ctx, port->offset, bytesOf(plan, port->tensor), 0, 1);
    if (ctx->ports[i] == NULL)
      return TIGRIS_E_MEMORY;
  }
  return TIGRIS_OK;
}

#endif /* TIGRIS_DYNAMIC_ARENA */
