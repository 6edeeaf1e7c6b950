/* Runs tiled and streamed stages: each tile or step is a series of small dense kernel calls. */
#ifndef TIGRIS_TILE_H
#define TIGRIS_TILE_H

#include "tigris_backend.h"

/* Whether this build runs stages of a tigris_stage_mode. */
static inline int tigris_runs_mode(uint32_t mode) {
  return mode == TIGRIS_STAGE_WHOLE || (TIGRIS_TILED_STAGES && mode == TIGRIS_STAGE_TILED) ||
         (TIGRIS_STREAMED_STAGES && mode == TIGRIS_STAGE_STREAMED);
}

/* Whether this build runs a tiling of a mode that it supports. */
static inline int tigris_runs_tiling(const tigris_stage* stage, const tigris_tiling* tiling) {
  return TIGRIS_STRIPES || stage->mode != TIGRIS_STAGE_STREAMED ||
         tiling->tiles[TIGRIS_STREAM_STRIPES] == 1;
}

/* The number of outputs of an op of a tiled or streamed stage: 1, except of recurrent layers and of
 * TOP_K. */
static inline uint32_t tigris_tile_outputs(const tigris_op* op) {
  return TIGRIS_TILED_STAGES && (TIGRIS_OPS_RECURRENT || TIGRIS_OPS_SEARCH) ? op->outputs : 1u;
}

/* Whether an op of a tiled stage has a second output, with the box of the first. */
static inline int tigris_has_pair(const tigris_op* op) {
  return TIGRIS_OPS_SEARCH && op->opcode == TIGRIS_OP_TOP_K;
}

/* Size in bytes of the executor's bookkeeping in a tiled or streamed stage. */
uint32_t tigris_bookkeeping_bytes(const tigris_stage* stage, const tigris_tiling* tiling);

/* The interval of the fast arena that holds the executor's bookkeeping and all buffers of a
 * tiled or streamed stage, except those in place. */
void tigris_tile_span(const tigris_plan* plan, const tigris_stage* stage, uint32_t* begin,
                      uint32_t* end);

/* Runs all tiles. Fast offset `origin` is at address `fast`. Sets error_op. Detects, before a byte
 * is moved, the errors that a checked plan may still contain: a box that exceeds its buffer or a
 * piece that is not contiguous (TIGRIS_E_ADDRESS), and an op that cannot be split that way
 * (TIGRIS_E_OP). */
tigris_status tigris_run_tiles(tigris_context* ctx, const tigris_stage* stage, uint8_t* fast,
                               uint32_t origin);

#endif /* TIGRIS_TILE_H */
