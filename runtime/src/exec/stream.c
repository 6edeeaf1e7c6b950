/* Streamed stages: which rows are loaded, computed and kept in a step, and the columns of a stripe.
 *
 * A buffer holds rows [first, end) of its tensor; the rows from `fresh` on are new in this step. A
 * step has these phases (tigris_stream_rows):
 *   1. Keep: for every op, find the first row that its next output row needs, and lower `fresh` of
 *      its inputs to it. Rows before `fresh` are dropped; the rest move to the start of the buffer.
 *   2. Load: extend `end` of the LOAD buffers to the step's share of their rows.
 *   3. Compute: for every op in order, extend `end` of its output while the input rows are present.
 * tile.c then loads the new rows, calls the kernels on them, and stores them.
 *
 * Example: a 3x3 convolution with pads 1 on 6 rows in 3 steps. Output row r needs input rows
 * r-1..r+1.
 *          input                          output
 *   step   kept    loaded   held          new rows
 *   0      -       0..1     [0, 2)        0
 *   1      0..1    2..3     [0, 4)        1..2
 *   2      2..3    4..5     [2, 6)        3..4
 *   3      4..5    -        [4, 6)        5
 * The buffer holds at most 4 of the 6 rows. Every row is loaded once and computed once.
 *
 * With more than one stripe all this happens once per range of output columns. */
#include <string.h>

#include "tile_run.h"

#if TIGRIS_STREAMED_STAGES

#define ROWS TIGRIS_ROW_AXIS
#define COLUMNS TIGRIS_COLUMN_AXIS

static int32_t rowCount(const tigris_tiles* t, uint32_t index) {
  return tigris_tile_size(t, index, ROWS);
}

static int isWhole(const tigris_tile_buffer* b) {
  return (b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << ROWS));
}

/* An operand whose rows (and columns) are in a buffer of the stage; one of the first
 * stripInputs(op). */
static int isStrip(const tigris_operand* o) { return o->pool == TIGRIS_POOL_TILE; }

static uint32_t stripInputs(const tigris_op* op) {
  return tigris_is_parameter(op, 1) ? 1u : op->inputs;
}

/* Extends the columns of an op's operands to those that the columns of its output need. */
static tigris_status needColumns(tigris_tiles* t, const tigris_op* op) {
  tigris_box out;
  uint32_t i;
  tigris_stream_strip(t, tigris_tile_output(t, op), 0, 1, &out);
  if (tigris_box_elements(&out) == 0)
    return TIGRIS_E_ADDRESS; /* only in a damaged plan */
  for (i = 0; i < stripInputs(op); ++i) {
    const tigris_operand* o = &t->plan->operands[op->operands + i];
    tigris_tile_columns* held;
    tigris_box need;
    if (!isStrip(o))
      continue;
    if (!tigris_box_need(t->plan, op, i, &out, &need))
      return TIGRIS_E_OP;
    held = &t->columns[o->offset];
    if (held->begin == held->end || need.begin[COLUMNS] < held->begin)
      held->begin = (uint16_t)need.begin[COLUMNS];
    if (need.end[COLUMNS] > held->end)
      held->end = (uint16_t)need.end[COLUMNS];
  }
  return TIGRIS_OK;
}

/* Computes the columns of all buffers for the current stripe. Sets error_op. */
static tigris_status setColumns(tigris_tiles* t) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    const tigris_tile_buffer* b = &t->buffers[i];
    int32_t begin = 0;
    int32_t end = 0;
    if (b->flags & TIGRIS_TILE_STORE)
      tigris_tile_part(t, i, COLUMNS, &begin, &end);
    else if ((b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << COLUMNS)))
      end = tigris_tile_size(t, i, COLUMNS);
    t->columns[i].begin = (uint16_t)begin;
    t->columns[i].end = (uint16_t)end;
  }
  for (i = t->ops; status == TIGRIS_OK && i-- > 0;) {
    status = needColumns(t, &t->plan->ops[t->stage->first_op + i]);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* Sets axis 1 of `need` to the rows of input `i` that row `row` of the output needs. Returns 0 if
 * the op cannot be split by rows. */
static int needRows(const tigris_tiles* t, const tigris_op* op, uint32_t i, int32_t row,
                    tigris_box* need) {
  const int known = tigris_rows_need(t->plan, op, i, row, row + 1, need);
  tigris_box out;
  if (known >= 0)
    return known;
  tigris_stream_strip(t, tigris_tile_output(t, op), row, row + 1, &out);
  return tigris_box_need(t->plan, op, i, &out, need);
}

/* Checks the streamed inputs for output row `row`. Returns TIGRIS_MORE if a row is missing that it
 * needs, or one of the further rows that the op waits for. With `keeps`, lowers `fresh` of the
 * inputs to the first row needed, so that they keep that row and the following ones. */
static tigris_status lookAt(tigris_tiles* t, const tigris_op* op, int32_t row, int keeps) {
  const tigris_operand* o = &t->plan->operands[op->operands];
  const int32_t wait = t->buffers[o[op->inputs].offset].start;
  const uint32_t strips = stripInputs(op);
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  for (i = 0; i < strips; ++i, ++o) {
    tigris_tile_rows* s;
    tigris_box need;
    if (!isStrip(o) || isWhole(&t->buffers[o->offset]))
      continue;
    if (!needRows(t, op, i, row, &need))
      return TIGRIS_E_OP;
    s = &t->rows[o->offset];
    if (need.end[ROWS] + wait > s->end && s->end < rowCount(t, o->offset))
      status = TIGRIS_MORE;
    if (keeps && need.begin[ROWS] < s->fresh)
      s->fresh = (uint16_t)need.begin[ROWS];
  }
  return status;
}

/* Whether nothing has changed for an op: no input is loaded or, without `keeps`, none has new rows
 * in this step. */
static int isIdle(const tigris_tiles* t, const tigris_op* op, int keeps) {
  const tigris_operand* o = &t->plan->operands[op->operands];
  const tigris_operand* past = o + op->inputs;
  if (keeps ? t->ran : t->late)
    return 0;
  for (; o != past; ++o) {
    if (isStrip(o) && (keeps ? t->buffers[o->offset].flags & TIGRIS_TILE_LOAD
                             : t->rows[o->offset].fresh != t->rows[o->offset].end))
      return 0;
  }
  return 1;
}

/* Extends the output by the rows that the op can compute from the present rows, at most its share
 * of a step. With `keeps` it instead makes the inputs keep the rows that the op's next row needs; a
 * sink needs every row only once. */
static tigris_status visit(tigris_tiles* t, const tigris_op* op, int keeps) {
  const uint32_t out = tigris_tile_output(t, op);
  const int32_t rows = rowCount(t, out);
  tigris_tile_rows* s = &t->rows[out];
  int32_t most = s->fresh + (rows - 1) / (int32_t)t->tiling->tiles[TIGRIS_STREAM_STEPS] + 1;
  tigris_status status = TIGRIS_OK;
  if (most > rows || keeps)
    most = rows;
  if (tigris_is_sink(t, out)) {
    if (keeps)
      return TIGRIS_OK;
    t->ran = 1; /* it adds rows to sums, although it produces no row */
  }
  while (s->end < most && status == TIGRIS_OK) {
    status = lookAt(t, op, s->end, keeps);
    if (keeps) {
      t->late |= status == TIGRIS_OK;
      break;
    }
    s->end = (uint16_t)(s->end + (status == TIGRIS_OK));
    t->ran |= status == TIGRIS_OK;
  }
  return status == TIGRIS_MORE ? TIGRIS_OK : status;
}

/* Visits all ops in order. Sets error_op. */
static tigris_status visitOps(tigris_tiles* t, int keeps) {
  tigris_status status = TIGRIS_OK;
  uint32_t i = t->stage->first_op;
  const uint32_t end = i + t->ops;
  for (; status == TIGRIS_OK && i < end; ++i) {
    const tigris_op* op = &t->plan->ops[i];
    if (!isIdle(t, op, keeps))
      status = visit(t, op, keeps);
    if (status != TIGRIS_OK)
      t->ctx->error_op = i;
  }
  return status;
}

/* Moves row `fresh` and the following rows to the start of the buffer. */
static tigris_status hold(tigris_tiles* t, uint32_t index) {
  tigris_tile_rows* s = &t->rows[index];
  const int32_t moved = s->fresh - s->first;
  if (moved != 0 && s->fresh != s->end) {
    const uint32_t bytes = tigris_stream_row_bytes(t, index);
    uint8_t* data = tigris_tile_data(t, &t->buffers[index]);
    /* only a damaged plan needs rows that have been dropped */
    if (moved < 0)
      return TIGRIS_E_ADDRESS;
    memmove(data, data + (size_t)(uint32_t)moved * bytes,
            (size_t)(uint32_t)(s->end - s->fresh) * bytes);
  }
  s->first = s->fresh;
  return TIGRIS_OK;
}

/* Frees space for new rows: drops those that no op's next row needs. After a step that computed
 * nothing, only loaded buffers have changed. Proceeds from the last buffer to the first: a later
 * buffer may be below an earlier one and contain rows at the destination of the earlier one's rows.
 * Sets error_op. */
static tigris_status holdRows(tigris_tiles* t) {
  tigris_status status;
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i)
    t->rows[i].fresh = t->rows[i].end;
  status = visitOps(t, 1);
  for (i = t->tiling->buffer_count; status == TIGRIS_OK && i-- > 0;) {
    const tigris_tile_buffer* b = &t->buffers[i];
    if ((t->ran || (b->flags & TIGRIS_TILE_LOAD)) && !isWhole(b) &&
        !(b->flags & TIGRIS_TILE_IN_PLACE))
      status = hold(t, i);
    t->rows[i].fresh = t->rows[i].end;
  }
  return status;
}

tigris_status tigris_stream_rows(tigris_tiles* t) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  if (t->isFirst || (t->changed & (1u | 1u << COLUMNS))) {
    memset(t->rows, 0, t->tiling->buffer_count * sizeof t->rows[0]);
    t->ran = 1;
    if (tigris_in_stripes(t))
      status = setColumns(t);
  }
  t->late = 0;
  if (status == TIGRIS_OK)
    status = holdRows(t);
  for (i = 0; status == TIGRIS_OK && i < t->tiling->buffer_count; ++i) {
    if (t->buffers[i].flags & TIGRIS_TILE_LOAD)
      t->rows[i].end =
          (uint16_t)(isWhole(&t->buffers[i]) ||
                             t->index[ROWS] >= t->tiling->tiles[TIGRIS_STREAM_STEPS]
                         ? rowCount(t, i)
                         : tigris_tile_share(t->index[ROWS] + 1, (uint32_t)rowCount(t, i),
                                             t->tiling->tiles[TIGRIS_STREAM_STEPS]));
  }
  t->ran = 0;
  return status == TIGRIS_OK ? visitOps(t, 0) : status;
}

#endif /* TIGRIS_STREAMED_STAGES */
