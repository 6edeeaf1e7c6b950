/* What the tile loop and its two ways of finding boxes share. */
#ifndef TIGRIS_TILE_RUN_H
#define TIGRIS_TILE_RUN_H

#include "access.h"
#include "view.h"

/* What the executor remembers of a buffer, in the fast arena. */
typedef struct tigris_tile_state {
  tigris_box box; /* what the buffer holds */
  int32_t begin;  /* streamed: the rows that are new in this step; `end` stays for the next one */
  int32_t end;
} tigris_tile_state;

typedef struct tigris_tiles {
  tigris_context* ctx;
  const tigris_plan* plan;
  const tigris_stage* stage;
  const tigris_tiling* tiling;
  const tigris_tile_buffer* buffers;
  tigris_tile_state* states; /* one per buffer */
  uint8_t* fast;
  uint32_t origin;
  uint32_t index[TIGRIS_BOX_RANK];
  uint32_t changed; /* bit k: index[k] differs from the tile before */
  int isFirst;
} tigris_tiles;

static inline const tigris_tensor* tigris_tile_tensor(const tigris_tiles* t,
                                                      const tigris_tile_buffer* b) {
  return &t->plan->tensors[b->tensor];
}

static inline tigris_box tigris_tile_whole(const tigris_tiles* t, const tigris_tensor* tensor) {
  return tigris_box_whole(tigris_dims(t->plan, tensor), tensor->rank);
}

static inline uint8_t* tigris_tile_data(const tigris_tiles* t, const tigris_tile_buffer* b) {
  return t->fast + (b->fast - t->origin);
}

static inline const tigris_operand* tigris_tile_output(const tigris_tiles* t, const tigris_op* op) {
  return &t->plan->operands[op->operands + op->inputs];
}

/* index * size / count, rounded down, for size and count up to 2^30. */
int32_t tigris_tile_share(uint32_t index, uint32_t size, uint32_t count);

/* Boxes and new rows of all buffers for a step of a streamed stage; moves the rows that stay. Sets error_op. */
tigris_status tigris_stream_rows(tigris_tiles* t);

#endif /* TIGRIS_TILE_RUN_H */
