/* Declarations shared by the parts of the tile loop. tile.c runs the loop and computes the boxes of
 * tiles; stream.c computes the rows of streamed stages; tile_op.c calls kernels; tile_transfer.c
 * loads and stores. All of them use the geometry of tile_buffer.c, which calls none of them. */
#ifndef TIGRIS_TILE_RUN_H
#define TIGRIS_TILE_RUN_H

#include "access/access.h"
#include "view.h"

/* Streamed: rows [first, end) are in the buffer; those from `fresh` on are new in this step. */
typedef struct tigris_tile_rows {
  uint16_t first;
  uint16_t fresh;
  uint16_t end;
} tigris_tile_rows;

/* Stripes: the columns (indices of axis 2) in the buffer. */
typedef struct tigris_tile_columns {
  uint16_t begin;
  uint16_t end;
} tigris_tile_columns;

#define TIGRIS_ROW_AXIS 1u
#define TIGRIS_COLUMN_AXIS 2u

typedef struct tigris_tiles {
  tigris_context* ctx;
  const tigris_plan* plan;
  const tigris_stage* stage;
  const tigris_tiling* tiling;
  const tigris_tile_buffer* buffers;
  uint32_t ops; /* number of ops of the stage */
  /* The executor's bookkeeping of each buffer, in the fast arena. Tiled stage: the box the
   * buffer holds. Streamed stage: its rows and, in stripes, its columns. The other pointers are
   * NULL. */
  tigris_box* boxes;
  tigris_tile_rows* rows;
  tigris_tile_columns* columns;
  uint8_t* fast;
  uint32_t origin;
  uint32_t index[TIGRIS_BOX_RANK];
  uint32_t changed; /* bit k: index[k] differs from the previous tile */
  uint32_t loads;   /* number of LOAD buffers */
  int isFirst;
  /* ops run in the current step or ran in the previous one; always 1 outside streamed stages */
  int ran;
  int late; /* streamed: some op could compute rows before anything is loaded */
  /* The stage's op if it is recurrent, else NULL; its part in the current tile; and where in the
   * part of y the state before it is: 0 at the start of a sequence, else a row + 1. */
  const tigris_op* recurrent;
  tigris_box part;
  uint32_t state;
} tigris_tiles;

/* The tensor of a buffer. */
const tigris_tensor* tigris_tile_tensor(const tigris_tiles* t, uint32_t index);

/* Whether the stage is streamed in more than one stripe. */
static inline int tigris_in_stripes(const tigris_tiles* t) {
  return TIGRIS_STRIPES && t->columns != NULL;
}

/* Whether the stage is streamed. */
static inline int tigris_is_streamed(const tigris_tiles* t) {
  return TIGRIS_STREAMED_STAGES && (!TIGRIS_TILED_STAGES || t->rows != NULL);
}

/* Whether the tiles are parts of a recurrent layer. */
static inline int tigris_is_layer(const tigris_tiles* t) {
  return TIGRIS_TILED_STAGES && TIGRIS_OPS_RECURRENT && t->recurrent != NULL;
}

/* Whether the stage streams complete rows (no stripes), so that no boxes are needed. */
static inline int tigris_by_rows(const tigris_tiles* t) {
  return tigris_is_streamed(t) && !tigris_in_stripes(t);
}

/* Whether a buffer holds the sums of a sink. */
static inline int tigris_is_sink(const tigris_tiles* t, uint32_t index) {
  return TIGRIS_SINKS && (t->buffers[index].flags & TIGRIS_TILE_SINK) != 0;
}

/* ---- geometry (tile_buffer.c) */

/* Size of an axis of a buffer's tensor; 1 if it has no such axis. */
int32_t tigris_tile_size(const tigris_tiles* t, uint32_t index, uint32_t axis);

/* Address of a buffer that is not in place. */
static inline uint8_t* tigris_tile_data(const tigris_tiles* t, const tigris_tile_buffer* b) {
  return t->fast + (b->fast - t->origin);
}

/* The buffer that an op writes. */
uint32_t tigris_tile_output(const tigris_tiles* t, const tigris_op* op);

/* index * size / count, rounded down, for size and count up to 2^30. */
int32_t tigris_tile_share(uint32_t index, uint32_t size, uint32_t count);

/* The current tile's part of a STORE buffer's tensor along an axis. */
void tigris_tile_part(const tigris_tiles* t, uint32_t index, uint32_t axis, int32_t* begin,
                      int32_t* end);

/* Bytes of one row of a streamed stage's buffer in the current stripe. */
uint32_t tigris_stream_row_bytes(const tigris_tiles* t, uint32_t index);
/* `box`: rows [begin, end) of a streamed stage's buffer at the current position along the outermost
 * axis and in the current stripe. */
void tigris_stream_strip(const tigris_tiles* t, uint32_t index, int32_t begin, int32_t end,
                         tigris_box* box);
/* Sets the part of a recurrent layer and its state. TIGRIS_E_OP: the layer cannot be cut so. */
tigris_status tigris_tile_layer(tigris_tiles* t);
/* The whole of a tensor. */
void tigris_tile_whole(const tigris_tiles* t, uint32_t tensor, tigris_box* box);
/* The current tile's part of a STORE buffer's tensor; may be empty. */
void tigris_tile_store_box(const tigris_tiles* t, uint32_t index, tigris_box* part);
/* Size in bytes of what a buffer holds. */
uint32_t tigris_tile_held_bytes(const tigris_tiles* t, uint32_t index);
/* The box that a buffer holds; with `onlyFresh`, the part to be computed: the new rows of a
 * streamed buffer. */
static inline void tigris_tile_box(const tigris_tiles* t, uint32_t index, int onlyFresh,
                                   tigris_box* box) {
  if (tigris_is_streamed(t)) {
    const tigris_tile_rows* s = &t->rows[index];
    tigris_stream_strip(t, index, onlyFresh ? s->fresh : s->first, s->end, box);
  } else {
    *box = t->boxes[index];
  }
}

/* Widens `need`, the part of input `i` that `out` needs, to all channels and, without stripes, all
 * columns: the kernel then sees complete rows of streamed buffers. 0 if the columns or channels
 * needed differ from row to row, so that the op cannot be streamed. */
int tigris_stream_widen(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                        const tigris_box* out, tigris_box* need);

/* ---- one step */

/* Computes the new rows of all buffers for a step of a streamed stage and moves the rows that are
 * kept. Sets error_op. */
tigris_status tigris_stream_rows(tigris_tiles* t);
/* Computes the op's part in this step, or adds the new rows of `made` to sums: in one call, or row
 * by row if an operand has more columns than needed, because only single rows are contiguous
 * then. */
tigris_status tigris_tile_run_op(const tigris_tiles* t, const tigris_op* op, uint32_t made);
/* Loads what a buffer needs in this step, if that has changed, or stores its part. */
tigris_status tigris_tile_carry(const tigris_tiles* t, uint32_t index, int isStore);

#endif /* TIGRIS_TILE_RUN_H */
