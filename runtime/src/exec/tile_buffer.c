/* Geometry of the buffers of tiled and streamed stages: sizes, parts and what a buffer holds. */
#include <string.h>

#include "tile.h"
#include "tile_run.h"

#if TIGRIS_TILES

uint32_t tigris_bookkeeping_bytes(const tigris_stage* stage, const tigris_tiling* tiling) {
  const uint32_t streamed = tiling->tiles[TIGRIS_STREAM_STRIPES] > 1 ? TIGRIS_STRIPE_BOOKKEEPING
                                                                     : TIGRIS_STREAM_BOOKKEEPING;
  return tiling->buffer_count *
         (stage->mode == TIGRIS_STAGE_STREAMED ? streamed : TIGRIS_TILE_BOOKKEEPING);
}

void tigris_tile_span(const tigris_plan* plan, const tigris_stage* stage, uint32_t* begin,
                      uint32_t* end) {
  const tigris_tiling* tiling = &plan->tilings[stage->detail];
  const tigris_tile_buffer* buffers = plan->tile_buffers + tiling->first_buffer;
  uint32_t i;
  *begin = tiling->bookkeeping;
  *end = tiling->bookkeeping + tigris_bookkeeping_bytes(stage, tiling);
  for (i = 0; i < tiling->buffer_count; ++i) {
    if (buffers[i].flags & TIGRIS_TILE_IN_PLACE)
      continue;
    if (buffers[i].fast < *begin)
      *begin = buffers[i].fast;
    tigris_raise(end, buffers[i].fast + buffers[i].bytes);
  }
}

/* Long multiplication avoids a 64-bit division, which small processors implement as a library
 * function. */
int32_t tigris_tile_share(uint32_t index, uint32_t size, uint32_t count) {
  const uint32_t step = size % count;
  uint32_t quotient = 0;
  uint32_t rest = 0;
  uint32_t bit = 1u << 31;
  if (index <= UINT32_MAX / size)
    return (int32_t)(index * size / count);
  while (bit > index && bit > 1)
    bit >>= 1;
  for (; bit != 0; bit >>= 1) {
    rest = 2 * rest + (index & bit ? step : 0);
    quotient = 2 * quotient + rest / count;
    rest %= count;
  }
  return (int32_t)(index * (size / count) + quotient);
}

const tigris_tensor* tigris_tile_tensor(const tigris_tiles* t, uint32_t index) {
  return &t->plan->tensors[t->buffers[index].tensor];
}

uint32_t tigris_tile_output(const tigris_tiles* t, const tigris_op* op) {
  return t->plan->operands[op->operands + op->inputs].offset;
}

int32_t tigris_tile_size(const tigris_tiles* t, uint32_t index, uint32_t axis) {
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  return axis < tensor->rank ? tigris_dims(t->plan, tensor)[axis] : 1;
}

void tigris_tile_part(const tigris_tiles* t, uint32_t index, uint32_t axis, int32_t* begin,
                      int32_t* end) {
  const uint32_t size = (uint32_t)tigris_tile_size(t, index, axis);
  *begin = tigris_tile_share(t->index[axis], size, t->tiling->tiles[axis]);
  *end = tigris_tile_share(t->index[axis] + 1, size, t->tiling->tiles[axis]);
}

void tigris_tile_whole(const tigris_tiles* t, uint32_t tensor, tigris_box* box) {
  const tigris_tensor* x = &t->plan->tensors[tensor];
  tigris_box_whole(box, tigris_dims(t->plan, x), x->rank);
}

void tigris_tile_store_box(const tigris_tiles* t, uint32_t index, tigris_box* part) {
  uint32_t i;
  tigris_tile_whole(t, t->buffers[index].tensor, part);
  for (i = 0; i < tigris_tile_tensor(t, index)->rank; ++i)
    tigris_tile_part(t, index, i, &part->begin[i], &part->end[i]);
  if (tigris_box_elements(part) == 0)
    memset(part, 0, sizeof *part);
}

tigris_status tigris_tile_layer(tigris_tiles* t) {
  const tigris_op* op = t->recurrent;
  const tigris_tensor* y = &t->plan->tensors[t->plan->operands[op->operands + op->inputs].tensor];
  const int32_t rows = tigris_dims(t->plan, y)[0];
  const int keeps = tigris_recurrent_keeps_steps(t->plan, op);
  const uint32_t steps = t->tiling->tiles[0];
  tigris_box* part = &t->part;
  tigris_box whole;
  int isReversed;
  uint32_t k;
  uint32_t i;
  tigris_recurrent_whole(t->plan, op, &whole);
  for (k = 1; k < TIGRIS_BOX_RANK; ++k) {
    part->begin[k] = tigris_tile_share(t->index[k], (uint32_t)whole.end[k], t->tiling->tiles[k]);
    part->end[k] = tigris_tile_share(t->index[k] + 1, (uint32_t)whole.end[k], t->tiling->tiles[k]);
  }
  isReversed = tigris_recurrent_is_reversed(t->plan, op, part);
  i = isReversed ? steps - 1 - t->index[0] : t->index[0];
  part->begin[0] = tigris_tile_share(i, (uint32_t)whole.end[0], steps);
  part->end[0] = tigris_tile_share(i + 1, (uint32_t)whole.end[0], steps);
  if (steps > 1 &&
      (part->end[1] - part->begin[1] != 1 || (keeps && part->end[0] - part->begin[0] < 2)))
    return TIGRIS_E_OP;
  if (t->index[0] == 0)
    t->state = 0;
  else if (!keeps)
    t->state = (uint32_t)((isReversed ? part->end[0] : part->begin[0] - 1) % rows) + 1;
  else if (isReversed)
    t->state = 1;
  else
    t->state = (uint32_t)(part->begin[0] - tigris_tile_share(i - 1, (uint32_t)whole.end[0], steps));
  return TIGRIS_OK;
}

uint32_t tigris_stream_row_bytes(const tigris_tiles* t, uint32_t index) {
  const tigris_tensor* x = tigris_tile_tensor(t, index);
  const int32_t* dims = tigris_dims(t->plan, x);
  uint32_t bytes = x->bytes;
  if (x->rank > 1)
    bytes /= (uint32_t)dims[TIGRIS_ROW_AXIS];
  if ((uint32_t)dims[0] == t->tiling->tiles[TIGRIS_STREAM_OUTER])
    bytes /= t->tiling->tiles[TIGRIS_STREAM_OUTER];
  if (tigris_in_stripes(t))
    bytes = bytes / (uint32_t)tigris_tile_size(t, index, TIGRIS_COLUMN_AXIS) *
            (uint32_t)(t->columns[index].end - t->columns[index].begin);
  return bytes;
}

void tigris_stream_strip(const tigris_tiles* t, uint32_t index, int32_t begin, int32_t end,
                         tigris_box* box) {
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  tigris_box_whole(box, tigris_dims(t->plan, tensor), tensor->rank);
  if ((uint32_t)box->end[0] == t->tiling->tiles[TIGRIS_STREAM_OUTER]) {
    box->begin[0] = (int32_t)t->index[0];
    box->end[0] = box->begin[0] + 1;
  }
  box->begin[TIGRIS_ROW_AXIS] = begin;
  box->end[TIGRIS_ROW_AXIS] = end;
  if (tigris_in_stripes(t)) {
    box->begin[TIGRIS_COLUMN_AXIS] = t->columns[index].begin;
    box->end[TIGRIS_COLUMN_AXIS] = t->columns[index].end;
  }
}

uint32_t tigris_tile_held_bytes(const tigris_tiles* t, uint32_t index) {
  if (tigris_is_streamed(t))
    return (uint32_t)(t->rows[index].end - t->rows[index].first) *
           tigris_stream_row_bytes(t, index);
  return tigris_box_elements(&t->boxes[index]) *
         tigris_element_size(tigris_tile_tensor(t, index)->dtype);
}

/* Whether two boxes have the same indices on the axes from k on. */
static int sameFrom(const tigris_box* a, const tigris_box* b, uint32_t k) {
  for (; k < TIGRIS_BOX_RANK; ++k) {
    if (a->begin[k] != b->begin[k] || a->end[k] != b->end[k])
      return 0;
  }
  return 1;
}

int tigris_stream_widen(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                        const tigris_box* out, tigris_box* need) {
  uint32_t k = tigris_in_stripes(t) ? TIGRIS_COLUMN_AXIS + 1 : TIGRIS_COLUMN_AXIS;
  const uint32_t index = t->plan->operands[op->operands + i].offset;
  tigris_box held;
  tigris_box all = *out; /* restricted to rows */
  tigris_box allNeed;
  tigris_stream_strip(t, index, 0, tigris_tile_size(t, index, TIGRIS_ROW_AXIS), &held);
  if (need->begin[0] != held.begin[0] || need->end[0] != held.end[0])
    return 0;
  if (sameFrom(need, &held, k))
    return 1;
  all.begin[TIGRIS_ROW_AXIS] = 0;
  all.end[TIGRIS_ROW_AXIS] = tigris_tile_size(t, tigris_tile_output(t, op), TIGRIS_ROW_AXIS);
  if (!tigris_box_need(t->plan, op, i, &all, &allNeed) || !sameFrom(need, &allNeed, k))
    return 0;
  for (; k < TIGRIS_BOX_RANK; ++k) {
    need->begin[k] = held.begin[k];
    need->end[k] = held.end[k];
  }
  return 1;
}

#endif /* TIGRIS_TILES */
