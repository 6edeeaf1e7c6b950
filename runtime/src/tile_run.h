/* What the tile loop and its two ways of finding boxes share. */
#ifndef TIGRIS_TILE_RUN_H
#define TIGRIS_TILE_RUN_H

#include "access.h"
#include "view.h"

/* Streamed: rows [first, end) are in the buffer, those from `fresh` on since this step. */
typedef struct tigris_tile_rows {
  uint16_t first;
  uint16_t fresh;
  uint16_t end;
} tigris_tile_rows;

/* In stripes: columns (indices of axis 2) in the buffer. */
typedef struct tigris_tile_columns {
  uint16_t begin;
  uint16_t end;
} tigris_tile_columns;

typedef struct tigris_tiles {
  tigris_context* ctx;
  const tigris_plan* plan;
  const tigris_stage* stage;
  const tigris_tiling* tiling;
  const tigris_tile_buffer* buffers;
  /* What the executor remembers of each buffer, in the fast arena: of a tiled stage the box it holds, of a
   * streamed one its rows and, in stripes, its columns; the others are NULL. */
  tigris_box* boxes;
  tigris_tile_rows* rows;
  tigris_tile_columns* columns;
  uint8_t* fast;
  uint32_t origin;
  uint32_t index[TIGRIS_BOX_RANK];
  uint32_t changed; /* bit k: index[k] differs from the tile before */
  uint32_t loads;   /* buffers that are loaded */
  int isFirst;
  int ran; /* ops run in the step at hand, or did in the one before; always but in streamed stages */
  int late; /* streamed: some op could make rows before anything is loaded */
} tigris_tiles;

/* The tensor of a buffer. */
const tigris_tensor* tigris_tile_tensor(const tigris_tiles* t, uint32_t index);

/* The stage is streamed in more than one stripe. */
static inline int tigris_in_stripes(const tigris_tiles* t) {
  return TIGRIS_STRIPES && t->columns != NULL;
}

/* Indices of an axis of a buffer's tensor; 1 where it has no such axis. */
int32_t tigris_tile_size(const tigris_tiles* t, uint32_t index, uint32_t axis);

/* Of what is not in place. */
static inline uint8_t* tigris_tile_data(const tigris_tiles* t, const tigris_tile_buffer* b) {
  return t->fast + (b->fast - t->origin);
}

/* The buffer that an op writes. */
uint32_t tigris_tile_output(const tigris_tiles* t, const tigris_op* op);

/* index * size / count, rounded down, for size and count up to 2^30. */
int32_t tigris_tile_share(uint32_t index, uint32_t size, uint32_t count);

/* What the tile at hand makes of the tensor of a STORE buffer along an axis. */
void tigris_tile_part(const tigris_tiles* t, uint32_t index, uint32_t axis, int32_t* begin,
                      int32_t* end);

/* New rows of all buffers for a step of a streamed stage; moves the rows that stay. Sets error_op. */
tigris_status tigris_stream_rows(tigris_tiles* t);
/* Bytes of a row of a streamed stage's buffer, in the stripe at hand. */
uint32_t tigris_stream_row_bytes(const tigris_tiles* t, uint32_t index);
/* `box`: rows [begin, end) of a streamed stage's buffer at the position along the outermost axis and in the stripe at
 * hand. */
void tigris_stream_strip(const tigris_tiles* t, uint32_t index, int32_t begin, int32_t end,
                         tigris_box* box);
/* Lets `need`, which `out` needs of input `i`, have all channels, and all columns if there are no stripes: so a kernel
 * sees the rows of streamed buffers. 0: which of them the op needs changes from row to row, and it would go wrong. */
int tigris_stream_widen(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                        const tigris_box* out, tigris_box* need);

#endif /* TIGRIS_TILE_RUN_H */
