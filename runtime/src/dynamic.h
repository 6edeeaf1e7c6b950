/* The dynamic arena: runs a plan's static addresses in less fast memory than they span.
 *
 * A block mirrors one interval of the plan's fast arena: it is made when a load, an op or the caller (model
 * inputs in the arena) writes the interval, and holds a copy wherever there is room. After each step those are let go
 * that the schedule does not read again before it writes over any byte of them. Every read lies within one
 * block, so it sees exactly the bytes of the static run; identity is the interval and not the tensor, so
 * views, tensors that share an address, and bytes kept from stage to stage need no rule of their own.
 *
 * A block is placed at the end of those in fast memory; if that is full they are shifted together and it is
 * tried again; then the same in the overflow, the slow memory behind the planned bytes. The blocks are
 * listed in a table that grows downward from the end of the slow memory handed over (of the fast arena,
 * below the scratch, where there is no slow memory to spare): 16 bytes for each block alive.
 *
 * Weight blocks are unpacked to the prefix of the fast arena as ever. If the arena is smaller than that,
 * the prefix lies in slow memory behind the planned bytes, before what overflows.
 *
 * Nothing depends on data. tigris_init rehearses a whole run without moving a byte; when that succeeds no
 * run can lack memory, and every run takes the same addresses.
 *
 * A write must either hit fresh bytes or exactly an input's (in place), and a read must not span two
 * writes. A plan that does otherwise is refused with TIGRIS_E_MEMORY. */
#ifndef TIGRIS_DYNAMIC_H
#define TIGRIS_DYNAMIC_H

#include "tigris_backend.h"

#if TIGRIS_DYNAMIC_ARENA
#define tigris_is_dynamic(ctx) ((ctx)->blocks != NULL)
#else
#define tigris_is_dynamic(ctx) 0
#endif

/* Order of blocks in a pool is order of their addresses. */
typedef struct tigris_block {
  uint32_t offset; /* static interval */
  uint32_t bytes;
  uint32_t at;   /* offset into fast or slow memory */
  uint32_t slow; /* 1: the block is in the overflow */
} tigris_block;

/* Positions in the schedule: step 0 is the first load of a stage, its ops and spills follow. A tiled stage is one
 * step. */
static inline uint32_t tigris_stage_steps(const tigris_stage* s) {
  return s->mode == TIGRIS_STAGE_WHOLE ? s->load_count + s->op_count + s->spill_count : 1;
}

/* Takes `fast_bytes` (without scratch) and memory->slow_bytes into use; planned slow bytes are there. */
void tigris_dynamic_init(tigris_context* ctx, const tigris_memory* memory, size_t fast_bytes);
/* Forgets all blocks and places the model inputs that live in the arena. */
tigris_status tigris_dynamic_start(tigris_context* ctx);
/* Finds the model outputs that live in the arena. */
tigris_status tigris_dynamic_finish(tigris_context* ctx);
/* Before a step of the current stage: makes room for all it writes, in place where the plan does; other blocks may
 * move. TIGRIS_E_MEMORY, too, when what it reads is not there. */
tigris_status tigris_dynamic_prepare(tigris_context* ctx, uint32_t step);
/* The same for one write. */
tigris_status tigris_dynamic_place(tigris_context* ctx, uint32_t offset, uint32_t bytes);
/* Lets go of what nothing reads from `step` of the current stage on. */
void tigris_dynamic_sweep(tigris_context* ctx, uint32_t step);
/* Where an interval is, NULL when no block holds all of it; counts peaks and, as tigris_address, slow traffic. */
uint8_t* tigris_dynamic_at(tigris_context* ctx, uint32_t offset, uint32_t bytes, uint32_t moved,
                           int isWrite);

#endif /* TIGRIS_DYNAMIC_H */
