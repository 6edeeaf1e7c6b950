/* Streamed stages: the columns of a stripe, which rows come in a step, which can be made of them, and which must
 * stay. */
#include <string.h>

#include "tile_run.h"

#if TIGRIS_STREAMED_STAGES

#define ROWS 1u
#define COLUMNS 2u

static int32_t rowCount(const tigris_tiles* t, uint32_t index) {
  return tigris_tile_size(t, &t->buffers[index], ROWS);
}

uint32_t tigris_stream_row_bytes(const tigris_tiles* t, uint32_t index) {
  const tigris_tensor* x = tigris_tile_tensor(t, &t->buffers[index]);
  const int32_t* dims = tigris_dims(t->plan, x);
  uint32_t bytes = x->bytes;
  if (x->rank > 1)
    bytes /= (uint32_t)dims[ROWS];
  if ((uint32_t)dims[0] == t->tiling->tiles[0])
    bytes /= t->tiling->tiles[0];
  if (tigris_in_stripes(t))
    bytes = bytes / (uint32_t)tigris_tile_size(t, &t->buffers[index], COLUMNS) *
            (uint32_t)(t->columns[index].end - t->columns[index].begin);
  return bytes;
}

tigris_box tigris_stream_strip(const tigris_tiles* t, uint32_t index, int32_t begin, int32_t end) {
  tigris_box box = tigris_tile_whole(t, tigris_tile_tensor(t, &t->buffers[index]));
  if (begin == end) {
    memset(&box, 0, sizeof box);
    return box;
  }
  if ((uint32_t)box.end[0] == t->tiling->tiles[0]) {
    box.begin[0] = (int32_t)t->index[0];
    box.end[0] = box.begin[0] + 1;
  }
  box.begin[ROWS] = begin;
  box.end[ROWS] = end;
  if (tigris_in_stripes(t)) {
    box.begin[COLUMNS] = t->columns[index].begin;
    box.end[COLUMNS] = t->columns[index].end;
  }
  return box;
}

static int isWhole(const tigris_tile_buffer* b) {
  return (b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << ROWS));
}

/* An operand that has its rows, and columns, from a buffer of the stage. */
static int isStrip(const tigris_tiles* t, const tigris_op* op, uint32_t i) {
  return t->plan->operands[op->operands + i].pool == TIGRIS_POOL_TILE &&
         !tigris_is_parameter(op, i);
}

/* Columns of the operands of an op whose output has its columns. */
static tigris_status needColumns(tigris_tiles* t, const tigris_op* op) {
  const tigris_box out = tigris_stream_strip(t, tigris_tile_output(t, op)->offset, 0, 1);
  uint32_t i;
  if (tigris_box_elements(&out) == 0)
    return TIGRIS_E_ADDRESS; /* only in a damaged plan */
  for (i = 0; i < op->inputs; ++i) {
    tigris_tile_columns* held;
    tigris_box need;
    if (!isStrip(t, op, i))
      continue;
    if (!tigris_box_need(t->plan, op, i, &out, &need))
      return TIGRIS_E_OP;
    held = &t->columns[t->plan->operands[op->operands + i].offset];
    if (held->begin == held->end || need.begin[COLUMNS] < held->begin)
      held->begin = (uint16_t)need.begin[COLUMNS];
    if (need.end[COLUMNS] > held->end)
      held->end = (uint16_t)need.end[COLUMNS];
  }
  return TIGRIS_OK;
}

/* Columns of all buffers in the stripe at hand. Sets error_op. */
static tigris_status setColumns(tigris_tiles* t) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    const tigris_tile_buffer* b = &t->buffers[i];
    int32_t begin = 0;
    int32_t end = 0;
    if (b->flags & TIGRIS_TILE_STORE)
      tigris_tile_part(t, b, COLUMNS, &begin, &end);
    else if ((b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << COLUMNS)))
      end = tigris_tile_size(t, b, COLUMNS);
    t->columns[i].begin = (uint16_t)begin;
    t->columns[i].end = (uint16_t)end;
  }
  for (i = t->stage->op_count; status == TIGRIS_OK && i-- > 0;) {
    status = needColumns(t, &t->plan->ops[t->stage->first_op + i]);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* The rows of input `i` that row `row` of the output needs, in axis 1 of `need`. 0: the op cannot be cut so. */
static int needRows(const tigris_tiles* t, const tigris_op* op, uint32_t i, int32_t row,
                    tigris_box* need) {
  const int known = tigris_rows_need(t->plan, op, i, row, row + 1, need);
  tigris_box out;
  if (known >= 0)
    return known;
  out = tigris_stream_strip(t, tigris_tile_output(t, op)->offset, row, row + 1);
  return tigris_box_need(t->plan, op, i, &out, need);
}

static int isStreamedInput(const tigris_tiles* t, const tigris_op* op, uint32_t i) {
  return isStrip(t, op, i) && !isWhole(&t->buffers[t->plan->operands[op->operands + i].offset]);
}

/* The rows the op can make of what has come, but no more than its share of a step. */
static tigris_status advance(tigris_tiles* t, const tigris_op* op) {
  const uint32_t out = tigris_tile_output(t, op)->offset;
  tigris_tile_rows* s = &t->rows[out];
  const int32_t rows = rowCount(t, out);
  const int32_t share = (rows - 1) / (int32_t)t->tiling->tiles[ROWS] + 1;
  const int32_t most = rows - s->fresh < share ? rows : s->fresh + share;
  for (; s->end < most; ++s->end) {
    uint32_t i;
    for (i = 0; i < op->inputs; ++i) {
      tigris_box need;
      if (!isStreamedInput(t, op, i))
        continue;
      if (!needRows(t, op, i, s->end, &need))
        return TIGRIS_E_OP;
      if (need.end[ROWS] > t->rows[t->plan->operands[op->operands + i].offset].end)
        return TIGRIS_OK;
    }
  }
  return TIGRIS_OK;
}

/* Lets the inputs of an op keep their rows from the first one on that its next row needs. Sums need no row again. */
static tigris_status keepRows(tigris_tiles* t, const tigris_op* op) {
  const uint32_t out = tigris_tile_output(t, op)->offset;
  const int32_t row = t->rows[out].fresh;
  uint32_t i;
  if (row == rowCount(t, out) || (t->buffers[out].flags & TIGRIS_TILE_SINK))
    return TIGRIS_OK;
  for (i = 0; i < op->inputs; ++i) {
    uint16_t* lowest = &t->rows[t->plan->operands[op->operands + i].offset].end;
    tigris_box need;
    if (!isStreamedInput(t, op, i))
      continue;
    if (!needRows(t, op, i, row, &need))
      return TIGRIS_E_OP;
    if (need.begin[ROWS] < *lowest)
      *lowest = (uint16_t)need.begin[ROWS];
  }
  return TIGRIS_OK;
}

/* The rows from `lowest` on move to the start of the buffer. */
static tigris_status hold(tigris_tiles* t, uint32_t index, int32_t lowest) {
  const tigris_tile_buffer* b = &t->buffers[index];
  tigris_tile_rows* s = &t->rows[index];
  const int32_t moved = lowest - s->first;
  if (moved != 0 && lowest != s->fresh) {
    const uint32_t bytes = tigris_stream_row_bytes(t, index);
    uint8_t* data = tigris_tile_data(t, b);
    /* only a damaged plan asks for rows that are gone */
    if (moved < 0)
      return TIGRIS_E_ADDRESS;
    memmove(data, data + (size_t)(uint32_t)moved * bytes,
            (size_t)(uint32_t)(s->fresh - lowest) * bytes);
  }
  s->first = (uint16_t)lowest;
  return TIGRIS_OK;
}

/* Makes room for new rows: those that have come stay as far as some op's next row needs them. `end` is the lowest of
 * them meanwhile. The last buffers first: they may lie below earlier ones, with rows where those move to. Sets
 * error_op. */
static tigris_status holdRows(tigris_tiles* t) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i)
    t->rows[i].fresh = t->rows[i].end;
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count; ++i) {
    status = keepRows(t, &t->plan->ops[t->stage->first_op + i]);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  for (i = t->tiling->buffer_count; status == TIGRIS_OK && i-- > 0;) {
    if (!(t->buffers[i].flags & TIGRIS_TILE_IN_PLACE))
      status = hold(t, i, isWhole(&t->buffers[i]) ? 0 : t->rows[i].end);
    t->rows[i].end = t->rows[i].fresh;
  }
  return status;
}

tigris_status tigris_stream_rows(tigris_tiles* t) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  if (t->isFirst || (t->changed & (1u | 1u << COLUMNS))) {
    memset(t->rows, 0, t->tiling->buffer_count * sizeof t->rows[0]);
    if (tigris_in_stripes(t))
      status = setColumns(t);
  }
  if (status == TIGRIS_OK)
    status = holdRows(t);
  for (i = 0; status == TIGRIS_OK && i < t->tiling->buffer_count; ++i) {
    if (t->buffers[i].flags & TIGRIS_TILE_LOAD)
      t->rows[i].end =
          (uint16_t)(isWhole(&t->buffers[i]) || t->index[ROWS] >= t->tiling->tiles[ROWS]
                         ? rowCount(t, i)
                         : tigris_tile_share(t->index[ROWS] + 1, (uint32_t)rowCount(t, i),
                                             t->tiling->tiles[ROWS]));
  }
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count; ++i) {
    status = advance(t, &t->plan->ops[t->stage->first_op + i]);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* Two boxes have the same indices on the axes from k on. */
static int sameFrom(const tigris_box* a, const tigris_box* b, uint32_t k) {
  for (; k < TIGRIS_BOX_RANK; ++k) {
    if (a->begin[k] != b->begin[k] || a->end[k] != b->end[k])
      return 0;
  }
  return 1;
}

int tigris_stream_widen(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                        const tigris_box* out, tigris_box* need) {
  uint32_t k = tigris_in_stripes(t) ? COLUMNS + 1 : COLUMNS;
  const uint32_t index = t->plan->operands[op->operands + i].offset;
  const tigris_box held = tigris_stream_strip(t, index, 0, rowCount(t, index));
  tigris_box all = *out; /* the rows */
  tigris_box allNeed;
  if (need->begin[0] != held.begin[0] || need->end[0] != held.end[0])
    return 0;
  if (sameFrom(need, &held, k))
    return 1;
  all.begin[ROWS] = 0;
  all.end[ROWS] = rowCount(t, tigris_tile_output(t, op)->offset);
  if (!tigris_box_need(t->plan, op, i, &all, &allNeed) || !sameFrom(need, &allNeed, k))
    return 0;
  for (; k < TIGRIS_BOX_RANK; ++k) {
    need->begin[k] = held.begin[k];
    need->end[k] = held.end[k];
  }
  return 1;
}

int tigris_stream_lags(const tigris_tiles* t) {
  int lags = 0;
  int moves = 0; /* in a damaged plan, rows may never come */
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    lags |= t->rows[i].end != rowCount(t, i);
    moves |= t->rows[i].end != t->rows[i].fresh;
  }
  return lags && moves;
}

#endif /* TIGRIS_STREAMED_STAGES */
