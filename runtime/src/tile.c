/* The tile loop: boxes backwards through the ops, then loads, kernels and stores forwards. */
#include "tile.h"

#include <string.h>

#include "address.h"
#include "dynamic.h"
#include "invoke.h"
#include "tile_run.h"

#if TIGRIS_TILES

typedef tigris_tiles Tiles;

uint32_t tigris_tile_state_bytes(const tigris_stage* stage, const tigris_tiling* tiling) {
  const uint32_t streamed = tiling->tiles[2] > 1 ? TIGRIS_STRIPE_STATE : TIGRIS_STREAM_STATE;
  return tiling->buffer_count *
         (stage->mode == TIGRIS_STAGE_STREAMED ? streamed : TIGRIS_TILE_STATE);
}

void tigris_tile_span(const tigris_plan* plan, const tigris_stage* stage, uint32_t* begin,
                      uint32_t* end) {
  const tigris_tiling* tiling = &plan->tilings[stage->detail];
  const tigris_tile_buffer* buffers = plan->tile_buffers + tiling->first_buffer;
  uint32_t i;
  *begin = tiling->state;
  *end = tiling->state + tigris_tile_state_bytes(stage, tiling);
  for (i = 0; i < tiling->buffer_count; ++i) {
    if (buffers[i].flags & TIGRIS_TILE_IN_PLACE)
      continue;
    if (buffers[i].fast < *begin)
      *begin = buffers[i].fast;
    tigris_raise(end, buffers[i].fast + buffers[i].bytes);
  }
}

/* index * size / count, rounded down, for size and count up to 2^30: by long multiplication, because 64-bit
 * division is a library of its own on small processors. */
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

int32_t tigris_tile_size(const tigris_tiles* t, const tigris_tile_buffer* b, uint32_t axis) {
  const tigris_tensor* tensor = tigris_tile_tensor(t, b);
  return axis < tensor->rank ? tigris_dims(t->plan, tensor)[axis] : 1;
}

void tigris_tile_part(const tigris_tiles* t, const tigris_tile_buffer* b, uint32_t axis,
                      int32_t* begin, int32_t* end) {
  const uint32_t size = (uint32_t)tigris_tile_size(t, b, axis);
  *begin = tigris_tile_share(t->index[axis], size, t->tiling->tiles[axis]);
  *end = tigris_tile_share(t->index[axis] + 1, size, t->tiling->tiles[axis]);
}

/* What the tile at hand makes of a STORE buffer's tensor; perhaps nothing. */
static tigris_box partOf(const Tiles* t, const tigris_tile_buffer* b) {
  tigris_box part = tigris_tile_whole(t, tigris_tile_tensor(t, b));
  uint32_t i;
  for (i = 0; i < tigris_tile_tensor(t, b)->rank; ++i)
    tigris_tile_part(t, b, i, &part.begin[i], &part.end[i]);
  if (tigris_box_elements(&part) == 0)
    memset(&part, 0, sizeof part);
  return part;
}

/* ---- boxes */

static int isStreamed(const Tiles* t) {
  return TIGRIS_STREAMED_STAGES && (!TIGRIS_TILED_STAGES || t->rows != NULL);
}

/* Bytes of what a buffer holds. */
static uint32_t heldBytes(const Tiles* t, uint32_t index) {
  if (isStreamed(t))
    return (uint32_t)(t->rows[index].end - t->rows[index].first) *
           tigris_stream_row_bytes(t, index);
  return tigris_box_elements(&t->boxes[index]) *
         tigris_element_size(tigris_tile_tensor(t, &t->buffers[index])->dtype);
}

/* What is to be computed of it: the new rows if it is streamed. */
static tigris_box freshOf(const Tiles* t, uint32_t index) {
  return isStreamed(t) ? tigris_stream_strip(t, index, t->rows[index].fresh, t->rows[index].end)
                       : t->boxes[index];
}

static int isSink(const Tiles* t, uint32_t index) {
  return TIGRIS_STREAMED_STAGES && TIGRIS_OPS_POOL &&
         (t->buffers[index].flags & TIGRIS_TILE_SINK) != 0;
}

static tigris_status needInputs(Tiles* t, const tigris_op* op, const tigris_box* out) {
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    const tigris_operand* o = &t->plan->operands[op->operands + i];
    tigris_box need;
    if (o->pool != TIGRIS_POOL_TILE)
      continue;
    if (tigris_is_parameter(op, i))
      need = tigris_tile_whole(t, &t->plan->tensors[o->tensor]);
    else if (!tigris_box_need(t->plan, op, i, out, &need))
      return TIGRIS_E_OP;
    tigris_box_hull(&t->boxes[o->offset], &need);
  }
  return TIGRIS_OK;
}

/* Boxes of all buffers for the tile at hand. */
static tigris_status setBoxes(Tiles* t) {
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    memset(&t->boxes[i], 0, sizeof t->boxes[i]);
    if (t->buffers[i].flags & TIGRIS_TILE_STORE)
      t->boxes[i] = partOf(t, &t->buffers[i]);
  }
  for (i = t->stage->op_count; i-- > 0;) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const tigris_box* out = &t->boxes[tigris_tile_output(t, op)->offset];
    tigris_status status = TIGRIS_OK;
    if (tigris_box_elements(out) != 0)
      status = needInputs(t, op, out);
    if (status != TIGRIS_OK) {
      t->ctx->error_op = t->stage->first_op + i;
      return status;
    }
  }
  return TIGRIS_OK;
}

/* Every box has room in its buffer. */
static tigris_status checkRoom(const Tiles* t) {
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    const tigris_tile_buffer* b = &t->buffers[i];
    uint32_t bytes;
    if (isStreamed(t) && t->rows[i].fresh == t->rows[i].end)
      continue; /* it has not grown */
    bytes = heldBytes(t, i);
    if (bytes > b->bytes)
      return TIGRIS_E_ADDRESS;
    if (isSink(t, i)) /* sums need more */
      bytes = b->bytes;
    if (bytes != 0 && !tigris_is_dynamic(t->ctx))
      tigris_raise(&t->ctx->statistics.fast_peak, b->fast + bytes);
  }
  return TIGRIS_OK;
}

/* ---- one op */

static int isInPlace(const Tiles* t, const tigris_operand* o) {
  return TIGRIS_STREAMED_STAGES && o->pool == TIGRIS_POOL_TILE &&
         (t->buffers[o->offset].flags & TIGRIS_TILE_IN_PLACE) != 0;
}

/* Where an operand is; if in place, at the position along the outermost axis, and `bytes` of it are used. All uses of a
 * result count as writes then: these find the newest block of the dynamic arena. */
static uint8_t* dataOf(const Tiles* t, const tigris_operand* o, uint32_t bytes) {
  const tigris_tile_buffer* b;
  uint8_t* data;
  if (o->pool != TIGRIS_POOL_TILE)
    return tigris_address(t->ctx, o->pool, o->offset, 0, 0, 0);
  b = &t->buffers[o->offset];
  if (!isInPlace(t, o))
    return tigris_tile_data(t, b);
  data = tigris_address(t->ctx, b->home, b->home_offset, b->bytes, bytes,
                        b->flags & TIGRIS_TILE_STORE);
  if (tigris_tile_size(t, b, 0) == (int32_t)t->tiling->tiles[0])
    data += (size_t)t->index[0] * (b->bytes / t->tiling->tiles[0]);
  return data;
}

/* The view of box `need`, a part of what lies packed at `o`. 0 when it is in pieces. */
static int viewBox(const Tiles* t, const tigris_op* op, const tigris_operand* o,
                   const tigris_box* need, int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const int isTile = o->pool == TIGRIS_POOL_TILE;
  const tigris_box outer = isTile ? t->boxes[o->offset] : tigris_tile_whole(t, tensor);
  const uint32_t size = tigris_element_size(tensor->dtype);
  uint32_t element;
  int found;
  uint32_t i;
  found = tigris_box_find(&outer, need, &element);
  /* MATMUL knows the layout of constants */
  if (found < 0 || (!found && (isTile || op->opcode != TIGRIS_OP_MATMUL)))
    return 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i)
    dims[i] = need->end[i] - need->begin[i];
  *view = tigris_dense(tensor, dims, tigris_box_elements(need) * size,
                       dataOf(t, o, tigris_box_elements(need) * size) + (size_t)element * size);
  return 1;
}

/* The view of the rows, and columns, of `need` in a streamed operand. 0 when they are not there; or not all columns, but
 * for an op that makes a single row: several rows are in pieces. */
static int viewRows(const Tiles* t, const tigris_operand* o, const tigris_box* need, int isSingle,
                    int32_t* dims, tigris_view* view) {
  const uint32_t index = o->offset;
  const tigris_tensor* tensor = tigris_tile_tensor(t, &t->buffers[index]);
  const tigris_tile_rows* held = &t->rows[index];
  uint32_t bytes = tigris_stream_row_bytes(t, index);
  const int32_t rows = need->end[1] - need->begin[1];
  uint8_t* data = dataOf(t, o, (uint32_t)rows * bytes);
  memcpy(dims, tigris_dims(t->plan, tensor), tensor->rank * sizeof dims[0]);
  if ((uint32_t)dims[0] == t->tiling->tiles[0])
    dims[0] = 1;
  dims[1] = rows;
  if (tigris_in_stripes(t))
    dims[2] = need->end[2] - need->begin[2];
  if (rows != 0) { /* an operand of a concatenation may have none */
    if (need->begin[1] < held->first || need->end[1] > held->end)
      return 0;
    data += (size_t)(uint32_t)(need->begin[1] - held->first) * bytes;
  }
  if (tigris_in_stripes(t) && rows != 0) {
    const tigris_tile_columns* c = &t->columns[index];
    const int32_t columns = c->end - c->begin;
    if (need->begin[2] < c->begin || need->end[2] > c->end || columns == 0 ||
        (!isSingle && dims[2] != columns))
      return 0;
    bytes /= (uint32_t)columns;
    data += (size_t)(uint32_t)(need->begin[2] - c->begin) * bytes;
    bytes *= (uint32_t)dims[2];
  }
  *view = tigris_dense(tensor, dims, (uint32_t)rows * bytes, data);
  return 1;
}

/* What a call writes from what it reads in place, but for damaged plans. */
static int isApart(const tigris_view* out, const tigris_view* in) {
  const uintptr_t to = (uintptr_t)out->data;
  const uintptr_t from = (uintptr_t)in->data;
  return to + out->rows * out->pitch <= from || from + in->rows * in->pitch <= to;
}

/* Makes the part `out` of the output; or adds the rows `out` of the input to the sums in the output's buffer, which
 * the kernel knows as rows of the image. */
static tigris_status runOp(const Tiles* t, const tigris_op* op, const tigris_box* out) {
  const tigris_plan* plan = t->plan;
  const int sums = isSink(t, tigris_tile_output(t, op)->offset);
  tigris_view views[TIGRIS_MAX_OPERANDS];
  int32_t dims[TIGRIS_MAX_OPERANDS][TIGRIS_BOX_RANK];
  tigris_local_params local;
  tigris_box first = *out; /* of input 0 */
  tigris_kernel (*find)(const tigris_plan*, const tigris_op*);
  tigris_kernel kernel;
  /* the part has all channels: they are another axis than rows, and columns */
  const int hasChannels = isStreamed(t) && !tigris_in_stripes(t) &&
                          plan->tensors[tigris_tile_output(t, op)->tensor].rank > 2;
  int byRows;
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    tigris_box need;
    if (o->pool == TIGRIS_POOL_ABSENT) {
      memset(&views[i], 0, sizeof views[i]);
      continue;
    }
    if (i < op->inputs ? tigris_is_parameter(op, i) : sums) {
      const tigris_tensor* tensor = &plan->tensors[o->tensor];
      if (!sums && o->pool == TIGRIS_POOL_TILE && heldBytes(t, o->offset) != tensor->bytes)
        return TIGRIS_E_ADDRESS;
      views[i] = tigris_whole(plan, tensor, dataOf(t, o, 0));
      if (sums)
        break;
      if (hasChannels)
        continue;
      views[i].data += (size_t)tigris_box_parameter(plan, op, i, out, &views[i].dims, dims[i]) *
                       tigris_element_size(tensor->dtype);
      continue;
    }
    need = *out;
    byRows = isStreamed(t) && o->pool == TIGRIS_POOL_TILE;
    if (i < op->inputs && !sums) {
      const int known = byRows && !tigris_in_stripes(t)
                            ? tigris_rows_need(plan, op, i, out->begin[1], out->end[1], &need)
                            : -1;
      if (known == 0 || (known < 0 && !tigris_box_need(plan, op, i, out, &need)))
        return TIGRIS_E_OP;
      if (known < 0 && byRows && !tigris_stream_widen(t, op, i, out, &need))
        return TIGRIS_E_ADDRESS;
    }
    if (!(byRows ? viewRows(t, o, &need, out->end[1] - out->begin[1] == 1, dims[i], &views[i])
                 : viewBox(t, op, o, &need, dims[i], &views[i])))
      return TIGRIS_E_ADDRESS;
    if (i == 0)
      first = need;
  }
  for (i = 0; i < op->inputs; ++i) {
    if (isInPlace(t, &plan->operands[op->operands + i]) && !isApart(&views[op->inputs], &views[i]))
      return TIGRIS_E_ADDRESS;
  }
  if (sums)
    views[0].first = (uint32_t)out->begin[1];
  find = sums ? t->ctx->backend->find_sink : t->ctx->backend->find;
  kernel = find == NULL ? NULL : find(plan, op);
  if (kernel == NULL) /* for this sink; tigris_init has looked for the others */
    return TIGRIS_E_KERNEL;
  return tigris_invoke(t->ctx, kernel, op, tigris_box_params(plan, op, out, &first, &local), views);
}

/* All that the op is to make of `box`: at once; or row by row, where an operand has more columns than it needs: they
 * are in one piece for a single row only. */
static tigris_status runParts(const Tiles* t, const tigris_op* op, const tigris_box* box) {
  tigris_box row = *box;
  tigris_status status = runOp(t, op, box);
  if (!tigris_in_stripes(t) || status != TIGRIS_E_ADDRESS)
    return status;
  do {
    row.end[1] = row.begin[1] + 1;
    status = runOp(t, op, &row);
  } while (status == TIGRIS_OK && ++row.begin[1] < box->end[1]);
  return status;
}

/* ---- the tile */

/* Loads the new rows of a streamed buffer, or stores them; in a stripe, its own part of their columns. */
static tigris_status carryRows(const Tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, b);
  const tigris_tile_rows* held = &t->rows[index];
  const uint32_t row = tigris_stream_row_bytes(t, index);
  const uint32_t rows = (uint32_t)(held->end - held->fresh);
  uint32_t pieces = 1;
  uint32_t bytes = rows * row; /* of each */
  uint32_t step = row;         /* from row to row in the home */
  uint32_t skip = 0;
  uint32_t first = (uint32_t)held->fresh;
  uint8_t* data = tigris_tile_data(t, b) + (size_t)(uint32_t)(held->fresh - held->first) * row;
  uint8_t* home;
  if (bytes == 0 || (b->flags & TIGRIS_TILE_IN_PLACE))
    return TIGRIS_OK;
  if ((uint32_t)tigris_dims(t->plan, tensor)[0] == t->tiling->tiles[0])
    first += t->index[0] * (uint32_t)tigris_tile_size(t, b, 1);
  if (b->home == TIGRIS_POOL_CALLER && t->ctx->rows[b->home_offset] != NULL)
    return t->ctx->rows[b->home_offset](t->ctx->ports[b->home_offset], first, rows, data) == 0
               ? TIGRIS_OK
               : TIGRIS_E_CALLBACK;
  if (tigris_in_stripes(t)) {
    const tigris_tile_columns* c = &t->columns[index];
    const uint32_t column = row / (uint32_t)(c->end - c->begin);
    int32_t begin = c->begin;
    int32_t end = c->end;
    if (isStore)
      tigris_tile_part(t, b, 2, &begin, &end);
    data += (size_t)(uint32_t)(begin - c->begin) * column;
    pieces = rows;
    bytes = (uint32_t)(end - begin) * column;
    step = (uint32_t)tigris_tile_size(t, b, 2) * column;
    skip = (uint32_t)begin * column;
  }
  home = tigris_address(t->ctx, b->home, b->home_offset, tensor->bytes, pieces * bytes, isStore);
  home += (size_t)first * step + skip;
  for (; pieces != 0; --pieces, home += step, data += row)
    memcpy(isStore ? home : data, isStore ? data : home, bytes);
  return TIGRIS_OK;
}

/* Loads the box of a buffer, or stores its part. */
static tigris_status carryBox(const Tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, b);
  const tigris_box whole = tigris_tile_whole(t, tensor);
  const tigris_box* held = &t->boxes[index];
  const tigris_box part = isStore ? partOf(t, b) : *held;
  const uint32_t size = tigris_element_size(tensor->dtype);
  const uint32_t elements = tigris_box_elements(&part);
  uint8_t* home;
  if (elements == 0)
    return TIGRIS_OK;
  home = tigris_address(t->ctx, b->home, b->home_offset, tensor->bytes, elements * size, isStore);
  if (isStore)
    tigris_box_copy(&part, held, tigris_tile_data(t, b), &whole, home, size);
  else
    tigris_box_copy(&part, &whole, home, held, tigris_tile_data(t, b), size);
  return TIGRIS_OK;
}

static tigris_status carry(const Tiles* t, uint32_t index, int isStore) {
  if (!isStore && !t->isFirst && !(t->buffers[index].reload_axes & t->changed))
    return TIGRIS_OK;
  return isStreamed(t) ? carryRows(t, index, isStore) : carryBox(t, index, isStore);
}

static tigris_status runTile(Tiles* t) {
  tigris_status status = isStreamed(t) ? tigris_stream_rows(t) : setBoxes(t);
  uint32_t i;
  uint32_t k;
  if (status == TIGRIS_OK)
    status = checkRoom(t);
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count; ++i) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const uint32_t out = tigris_tile_output(t, op)->offset;
    const tigris_box fresh =
        freshOf(t, isSink(t, out) ? t->plan->operands[op->operands].offset : out);
    for (k = 0; status == TIGRIS_OK && k < t->tiling->buffer_count; ++k) {
      if ((t->buffers[k].flags & TIGRIS_TILE_LOAD) && t->buffers[k].load_op == i)
        status = carry(t, k, 0);
    }
    if (status == TIGRIS_OK && tigris_box_elements(&fresh) != 0)
      status = runParts(t, op, &fresh);
    if (status == TIGRIS_OK && (t->buffers[out].flags & TIGRIS_TILE_STORE))
      status = carry(t, out, 1);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* On to the next tile, the last axis fastest; streamed, all steps of a stripe before the next stripe. 0 after the
 * last one. */
static int advance(Tiles* t) {
  static const uint8_t axes[2][TIGRIS_BOX_RANK] = {{3, 2, 1, 0}, {3, 1, 2, 0}};
  uint32_t i;
  t->changed = 0;
  t->isFirst = 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    const uint32_t k = axes[isStreamed(t)][i];
    if (t->tiling->tiles[k] > 1)
      t->changed |= 1u << k;
    if (++t->index[k] < t->tiling->tiles[k] || (isStreamed(t) && k == 1 && tigris_stream_lags(t)))
      return 1;
    t->index[k] = 0;
  }
  return 0;
}

tigris_status tigris_run_tiles(tigris_context* ctx, const tigris_stage* stage, uint8_t* fast,
                               uint32_t origin) {
  Tiles t;
  tigris_status status;
  memset(&t, 0, sizeof t);
  t.ctx = ctx;
  t.plan = ctx->plan;
  t.stage = stage;
  t.tiling = &ctx->plan->tilings[stage->detail];
  t.buffers = ctx->plan->tile_buffers + t.tiling->first_buffer;
  t.fast = fast;
  t.origin = origin;
  if (stage->mode == TIGRIS_STAGE_STREAMED) {
    t.rows = (tigris_tile_rows*)(void*)(fast + (t.tiling->state - origin));
    if (t.tiling->tiles[2] > 1)
      t.columns = (tigris_tile_columns*)(void*)(t.rows + t.tiling->buffer_count);
  } else {
    t.boxes = (tigris_box*)(void*)(fast + (t.tiling->state - origin));
  }
  t.isFirst = 1;
  if (!tigris_is_dynamic(ctx))
    tigris_raise(&ctx->statistics.fast_peak,
                 t.tiling->state + tigris_tile_state_bytes(stage, t.tiling));
  do {
    status = runTile(&t);
  } while (status == TIGRIS_OK && advance(&t));
  return status;
}

#endif /* TIGRIS_TILES */
