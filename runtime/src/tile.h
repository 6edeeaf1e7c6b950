/* Runs tiled stages: one tile after the other, each as a run of small dense problems. */
#ifndef TIGRIS_TILE_H
#define TIGRIS_TILE_H

#include "tigris_backend.h"

/* The library runs stages of a tigris_stage_mode. */
static inline int tigris_runs_mode(uint32_t mode) {
  return mode == TIGRIS_STAGE_WHOLE || (TIGRIS_TILED_STAGES && mode == TIGRIS_STAGE_TILED) ||
         (TIGRIS_STREAMED_STAGES && mode == TIGRIS_STAGE_STREAMED);
}

/* What of the tilings of its modes it does not run. */
static inline int tigris_runs_tiling(const tigris_stage* stage, const tigris_tiling* tiling) {
  return TIGRIS_STRIPES || stage->mode != TIGRIS_STAGE_STREAMED || tiling->tiles[2] == 1;
}

/* Bytes of the executor's state in a tiled or streamed stage. */
uint32_t tigris_tile_state_bytes(const tigris_stage* stage, const tigris_tiling* tiling);

/* The fast interval that holds the state and all buffers of a tiled or streamed stage, but what is in place. */
void tigris_tile_span(const tigris_plan* plan, const tigris_stage* stage, uint32_t* begin,
                      uint32_t* end);

/* Runs all tiles. Fast offset `origin` lies at `fast`. Sets error_op. What a checked plan can still get wrong
 * is found here, before a byte is moved: a box that exceeds its buffer or a piece that is not
 * contiguous (TIGRIS_E_ADDRESS), an op that cannot be cut that way (TIGRIS_E_OP). */
tigris_status tigris_run_tiles(tigris_context* ctx, const tigris_stage* stage, uint8_t* fast,
                               uint32_t origin);

#endif /* TIGRIS_TILE_H */
