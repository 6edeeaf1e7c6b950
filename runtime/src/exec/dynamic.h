/* The dynamic arena: runs a plan in less fast memory than its static addresses require.
 *
 * A block holds a copy of one interval of the plan's fast arena, placed wherever there is space. It
 * is created when a load, an op or the caller (model inputs in the arena) writes the interval.
 * After each step, blocks that the schedule does not read again before it overwrites any of their
 * bytes are released. Every read is inside one block, so it sees exactly the bytes of the static
 * run. A block is identified by its interval, not by a tensor, so views, tensors that share an
 * address, and bytes kept from stage to stage need no special rules.
 *
 * Placement: a block is placed after the last one in fast memory. If that is full, the blocks are
 * compacted and placement is tried again. Then the same is tried in the overflow, the slow memory
 * after the planned bytes. Example with a fast arena of 10 KB; A, B, C are blocks of 4 KB:
 *   write A, write B     fast: A B          overflow:
 *   write C              fast: A B          overflow: C     (12 KB exceed 10 KB)
 *   A is released        fast: . B          overflow: C
 *   write D (5 KB)       fast: B D          overflow: C     (B moved, then D placed)
 * The table of blocks grows downward from the end of the slow memory (or of the fast arena, below
 * the scratch, if there is no slow memory beyond the plan's): 16 bytes per live block.
 *
 * Weight blocks are unpacked to the prefix of the fast arena, as in a static run. If the arena is
 * smaller than the prefix, the prefix is in slow memory, between the planned bytes and the
 * overflow.
 *
 * Nothing depends on data. tigris_init simulates a whole run without moving a byte (the rehearsal).
 * If that succeeds, no run can run out of memory, and every run uses the same addresses.
 *
 * A write must cover either no live block or exactly that of an input (in place). A read must not
 * span two writes. A plan that violates this is rejected with TIGRIS_E_MEMORY. */
#ifndef TIGRIS_DYNAMIC_H
#define TIGRIS_DYNAMIC_H

#include "view.h"

#if TIGRIS_DYNAMIC_ARENA
#define tigris_is_dynamic(ctx) ((ctx)->blocks != NULL)
#else
#define tigris_is_dynamic(ctx) 0
#endif

/* Blocks of one pool are in order of their addresses. */
typedef struct tigris_block {
  uint32_t offset; /* interval of the static plan */
  uint32_t bytes;
  uint32_t at;   /* offset in fast or slow memory */
  uint32_t slow; /* 1: the block is in the overflow */
} tigris_block;

/* Positions in the schedule: step 0 is the first load of a stage; its ops and spills follow. A
 * tiled or streamed stage is one step. */
static inline uint32_t tigris_stage_steps(const tigris_plan* plan, const tigris_stage* s) {
  return s->mode == TIGRIS_STAGE_WHOLE ? tigris_stage_ops(plan, s) + tigris_stage_transfers(plan, s)
                                       : 1;
}

/* Sets up `fast_bytes` (without scratch) and memory->slow_bytes; the planned slow bytes must be
 * included. */
void tigris_dynamic_init(tigris_context* ctx, const tigris_memory* memory, size_t fast_bytes);
/* Removes all blocks and places the model inputs that are in the arena. */
tigris_status tigris_dynamic_start(tigris_context* ctx);
/* Looks up the model outputs that are in the arena. */
tigris_status tigris_dynamic_finish(tigris_context* ctx);
/* Before a step of the current stage: places everything that the step writes, in place if the plan
 * does so. Other blocks may move. TIGRIS_E_MEMORY if there is no space, or if something that the
 * step reads is missing. */
tigris_status tigris_dynamic_prepare(tigris_context* ctx, uint32_t step);
/* The same for a single write. */
tigris_status tigris_dynamic_place(tigris_context* ctx, uint32_t offset, uint32_t bytes);
/* Releases the blocks that nothing reads from `step` of the current stage on. */
void tigris_dynamic_sweep(tigris_context* ctx, uint32_t step);
/* The address of an interval; NULL if no block contains it. Counts peaks and, like tigris_address,
 * slow traffic. */
uint8_t* tigris_dynamic_at(tigris_context* ctx, uint32_t offset, uint32_t bytes, uint32_t moved,
                           int isWrite);

#endif /* TIGRIS_DYNAMIC_H */
