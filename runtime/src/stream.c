/* Streamed stages: the columns of a stripe, which rows come in a step, which can be made of them, and which must
 * stay. */
#include <string.h>

#include "tile_run.h"

#if TIGRIS_STREAMED_STAGES

#define ROWS 1u
#define COLUMNS 2u

static int32_t rowCount(const tigris_tiles* t, uint32_t index) {
  return tigris_tile_size(t, index, ROWS);
}

uint32_t tigris_stream_row_bytes(const tigris_tiles* t, uint32_t index) {
  const tigris_tensor* x = tigris_tile_tensor(t, index);
  const int32_t* dims = tigris_dims(t->plan, x);
  uint32_t bytes = x->bytes;
  if (x->rank > 1)
    bytes /= (uint32_t)dims[ROWS];
  if ((uint32_t)dims[0] == t->tiling->tiles[0])
    bytes /= t->tiling->tiles[0];
  if (tigris_in_stripes(t))
    bytes = bytes / (uint32_t)tigris_tile_size(t, index, COLUMNS) *
            (uint32_t)(t->columns[index].end - t->columns[index].begin);
  return bytes;
}

void tigris_stream_strip(const tigris_tiles* t, uint32_t index, int32_t begin, int32_t end,
                         tigris_box* box) {
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  tigris_box_whole(box, tigris_dims(t->plan, tensor), tensor->rank);
  if ((uint32_t)box->end[0] == t->tiling->tiles[0]) {
    box->begin[0] = (int32_t)t->index[0];
    box->end[0] = box->begin[0] + 1;
  }
  box->begin[ROWS] = begin;
  box->end[ROWS] = end;
  if (tigris_in_stripes(t)) {
    box->begin[COLUMNS] = t->columns[index].begin;
    box->end[COLUMNS] = t->columns[index].end;
  }
}

static int isWhole(const tigris_tile_buffer* b) {
  return (b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << ROWS));
}

/* An operand that has its rows, and columns, from a buffer of the stage. */
static int isStrip(const tigris_tiles* t, const tigris_op* op, uint32_t i) {
  return t->plan->operands[op->operands + i].pool == TIGRIS_POOL_TILE &&
         !tigris_is_parameter(op, i);
}

/* Does `visit` for all ops. Sets error_op. */
static tigris_status visitOps(tigris_tiles* t,
                              tigris_status (*visit)(tigris_tiles*, const tigris_op*)) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count; ++i) {
    status = visit(t, &t->plan->ops[t->stage->first_op + i]);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* Columns of the operands of an op whose output has its columns. */
static tigris_status needColumns(tigris_tiles* t, const tigris_op* op) {
  tigris_box out;
  uint32_t i;
  tigris_stream_strip(t, tigris_tile_output(t, op), 0, 1, &out);
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
      tigris_tile_part(t, i, COLUMNS, &begin, &end);
    else if ((b->flags & TIGRIS_TILE_LOAD) && !(b->reload_axes & (1u << COLUMNS)))
      end = tigris_tile_size(t, i, COLUMNS);
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
  tigris_stream_strip(t, tigris_tile_output(t, op), row, row + 1, &out);
  return tigris_box_need(t->plan, op, i, &out, need);
}

/* Looks at what row `row` of the output needs of streamed inputs. `keeps`: they keep their rows from there on.
 * Otherwise TIGRIS_MORE if some of it has not come. */
static tigris_status lookAt(tigris_tiles* t, const tigris_op* op, int32_t row, int keeps) {
  const tigris_operand* o = &t->plan->operands[op->operands];
  uint32_t i;
  for (i = 0; i < op->inputs; ++i, ++o) {
    uint16_t* end;
    tigris_box need;
    if (!isStrip(t, op, i) || isWhole(&t->buffers[o->offset]))
      continue;
    if (!needRows(t, op, i, row, &need))
      return TIGRIS_E_OP;
    end = &t->rows[o->offset].end;
    if (!keeps && need.end[ROWS] > *end)
      return TIGRIS_MORE;
    if (keeps && need.begin[ROWS] < *end)
      *end = (uint16_t)need.begin[ROWS];
  }
  return TIGRIS_OK;
}

/* The rows the op can make of what has come, but no more than its share of a step. */
static tigris_status advance(tigris_tiles* t, const tigris_op* op) {
  const uint32_t out = tigris_tile_output(t, op);
  tigris_tile_rows* s = &t->rows[out];
  const int32_t rows = rowCount(t, out);
  const int32_t share = (rows - 1) / (int32_t)t->tiling->tiles[ROWS] + 1;
  const int32_t most = rows - s->fresh < share ? rows : s->fresh + share;
  tigris_status status = TIGRIS_OK;
  while (s->end < most && status == TIGRIS_OK) {
    status = lookAt(t, op, s->end, 0);
    if (status == TIGRIS_OK)
      ++s->end;
  }
  return status == TIGRIS_MORE ? TIGRIS_OK : status;
}

/* Lets the inputs of an op keep their rows from the first one on that its next row needs. Sums need no row again. */
static tigris_status keepRows(tigris_tiles* t, const tigris_op* op) {
  const uint32_t out = tigris_tile_output(t, op);
  const int32_t row = t->rows[out].fresh;
  if (row == rowCount(t, out) || (t->buffers[out].flags & TIGRIS_TILE_SINK))
    return TIGRIS_OK;
  return lookAt(t, op, row, 1);
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
  tigris_status status;
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i)
    t->rows[i].fresh = t->rows[i].end;
  status = visitOps(t, keepRows);
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
  return status == TIGRIS_OK ? visitOps(t, advance) : status;
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
  tigris_box held;
  tigris_box all = *out; /* the rows */
  tigris_box allNeed;
  tigris_stream_strip(t, index, 0, rowCount(t, index), &held);
  if (need->begin[0] != held.begin[0] || need->end[0] != held.end[0])
    return 0;
  if (sameFrom(need, &held, k))
    return 1;
  all.begin[ROWS] = 0;
  all.end[ROWS] = rowCount(t, tigris_tile_output(t, op));
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
