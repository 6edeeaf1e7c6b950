/* The tile loop. For every tile (or step of a streamed stage) it computes the boxes of all buffers
 * backward through the ops, then loads, calls kernels and stores forward.
 *
 * Example: x -> CONV 3x3, pads 1 -> t -> CLAMP -> y, with 8 rows of y in tiles[1] = 2:
 *            y (STORE)   t        x (LOAD)
 *   tile 0   [0, 4)      [0, 4)   [0, 5)
 *   tile 1   [4, 8)      [4, 8)   [3, 8)
 * Each tile loads its box of x, runs CONV and CLAMP on packed boxes, and stores its box of y. CONV
 * sees a problem of 5 input rows and 4 output rows, with a pad of 1 at the outer edge only
 * (tigris_box_params).
 *
 * Streamed stages use the same loop; stream.c computes rows and columns instead of boxes. */
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

/* index * size / count, rounded down, for size and count up to 2^30. Long multiplication avoids a
 * 64-bit division, which small processors implement as a library function. */
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

/* The whole of a tensor. */
static void wholeOf(const Tiles* t, uint32_t tensor, tigris_box* box) {
  const tigris_tensor* x = &t->plan->tensors[tensor];
  tigris_box_whole(box, tigris_dims(t->plan, x), x->rank);
}

/* The current tile's part of a STORE buffer's tensor; may be empty. */
static void partOf(const Tiles* t, uint32_t index, tigris_box* part) {
  uint32_t i;
  wholeOf(t, t->buffers[index].tensor, part);
  for (i = 0; i < tigris_tile_tensor(t, index)->rank; ++i)
    tigris_tile_part(t, index, i, &part->begin[i], &part->end[i]);
  if (tigris_box_elements(part) == 0)
    memset(part, 0, sizeof *part);
}

/* ---- boxes */

static int isStreamed(const Tiles* t) {
  return TIGRIS_STREAMED_STAGES && (!TIGRIS_TILED_STAGES || t->rows != NULL);
}

/* The stage streams complete rows (no stripes), so that no boxes are needed. */
static int byRows(const Tiles* t) { return isStreamed(t) && !tigris_in_stripes(t); }

/* Size in bytes of what a buffer holds. */
static uint32_t heldBytes(const Tiles* t, uint32_t index) {
  if (isStreamed(t))
    return (uint32_t)(t->rows[index].end - t->rows[index].first) *
           tigris_stream_row_bytes(t, index);
  return tigris_box_elements(&t->boxes[index]) *
         tigris_element_size(tigris_tile_tensor(t, index)->dtype);
}

/* The box that a buffer holds; with `onlyFresh`, the part to be computed: the new rows of a
 * streamed buffer. */
static void boxOf(const Tiles* t, uint32_t index, int onlyFresh, tigris_box* box) {
  if (isStreamed(t)) {
    const tigris_tile_rows* s = &t->rows[index];
    tigris_stream_strip(t, index, onlyFresh ? s->fresh : s->first, s->end, box);
  } else {
    *box = t->boxes[index];
  }
}

static int hasFresh(const Tiles* t, uint32_t index) {
  return isStreamed(t) ? t->rows[index].fresh != t->rows[index].end
                       : tigris_box_elements(&t->boxes[index]) != 0;
}

/* In place in a caller buffer. */
static int isElsewhere(const tigris_tile_buffer* b) {
  return b->home == TIGRIS_POOL_CALLER && (b->flags & TIGRIS_TILE_IN_PLACE) != 0;
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
      wholeOf(t, o->tensor, &need);
    else if (!tigris_box_need(t->plan, op, i, out, &need))
      return TIGRIS_E_OP;
    tigris_box_hull(&t->boxes[o->offset], &need);
  }
  return TIGRIS_OK;
}

/* Computes the boxes of all buffers for the current tile. */
static tigris_status setBoxes(Tiles* t) {
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    memset(&t->boxes[i], 0, sizeof t->boxes[i]);
    if (t->buffers[i].flags & TIGRIS_TILE_STORE)
      partOf(t, i, &t->boxes[i]);
  }
  for (i = t->stage->op_count; i-- > 0;) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const tigris_box* out = &t->boxes[tigris_tile_output(t, op)];
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

/* Checks that every box fits its buffer. */
static tigris_status checkRoom(const Tiles* t) {
  uint32_t i;
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    const tigris_tile_buffer* b = &t->buffers[i];
    uint32_t bytes;
    if (isStreamed(t) && (t->rows[i].fresh == t->rows[i].end || isElsewhere(b)))
      continue; /* it has not grown */
    bytes = heldBytes(t, i);
    if (bytes > b->bytes)
      return TIGRIS_E_ADDRESS;
    if (isSink(t, i)) /* sums take more */
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

/* The address of an operand. An operand in place is at the position along the outermost axis, and
 * `bytes` of it are used; all uses of a result then count as writes, which find the newest block of
 * the dynamic arena. */
static uint8_t* dataOf(const Tiles* t, const tigris_operand* o, uint32_t bytes) {
  const tigris_tile_buffer* b;
  uint32_t all;
  uint8_t* data;
  if (o->pool != TIGRIS_POOL_TILE)
    return tigris_address(t->ctx, o->pool, o->offset, 0, 0, 0);
  b = &t->buffers[o->offset];
  if (!isInPlace(t, o))
    return tigris_tile_data(t, b);
  all = tigris_tile_tensor(t, o->offset)->bytes;
  data = tigris_address(t->ctx, b->home, b->home_offset, all, bytes, b->flags & TIGRIS_TILE_STORE);
  if (tigris_tile_size(t, o->offset, 0) == (int32_t)t->tiling->tiles[0])
    data += (size_t)t->index[0] * (all / t->tiling->tiles[0]);
  return data;
}

/* The view of box `need`, a part of what is packed at `o`. 0 if the part is not contiguous. */
static int viewBox(const Tiles* t, const tigris_op* op, const tigris_operand* o,
                   const tigris_box* need, int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const int isTile = o->pool == TIGRIS_POOL_TILE && !byRows(t);
  const uint32_t size = tigris_element_size(tensor->dtype);
  const uint32_t bytes = tigris_box_elements(need) * size;
  tigris_box outer;
  uint32_t element;
  uint32_t i;
  int found;
  if (isTile)
    boxOf(t, o->offset, 0, &outer);
  else
    wholeOf(t, o->tensor, &outer);
  found = tigris_box_find(&outer, need, &element);
  /* MATMUL handles the strides of constants */
  if (found < 0 || (!found && (isTile || op->opcode != TIGRIS_OP_MATMUL)))
    return 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i)
    dims[i] = need->end[i] - need->begin[i];
  tigris_dense(view, tensor, dims, bytes, dataOf(t, o, bytes) + (size_t)element * size);
  return 1;
}

/* The view of rows [begin, end) of an operand with all columns in its buffer. 0 if they are not
 * present. */
static int viewRows(const Tiles* t, const tigris_operand* o, int32_t begin, int32_t end,
                    int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const tigris_tile_rows* held = &t->rows[o->offset];
  const uint32_t row = tigris_stream_row_bytes(t, o->offset);
  const uint32_t bytes = (uint32_t)(end - begin) * row;
  uint8_t* data = dataOf(t, o, bytes);
  memcpy(dims, tigris_dims(t->plan, tensor), tensor->rank * sizeof dims[0]);
  if ((uint32_t)dims[0] == t->tiling->tiles[0])
    dims[0] = 1;
  dims[1] = end - begin;
  if (tigris_in_stripes(t))
    dims[2] = t->columns[o->offset].end - t->columns[o->offset].begin;
  if (begin != end) { /* an input of a concatenation may have none */
    if (begin < held->first || end > held->end)
      return 0;
    data += (size_t)(uint32_t)(begin - held->first) * row;
  }
  tigris_dense(view, tensor, dims, bytes, data);
  return 1;
}

/* A call must not write what it reads in place; only damaged plans do. */
static int isApart(const tigris_view* out, const tigris_view* in) {
  const uintptr_t to = (uintptr_t)out->data;
  const uintptr_t from = (uintptr_t)in->data;
  return to + out->rows * out->pitch <= from || from + in->rows * in->pitch <= to;
}

/* A parameter, restricted to the channels of `out`; NULL: the whole parameter. */
static tigris_status viewParameter(const Tiles* t, const tigris_op* op, uint32_t i,
                                   const tigris_box* out, int32_t* dims, tigris_view* view) {
  const tigris_operand* o = &t->plan->operands[op->operands + i];
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  if (o->pool == TIGRIS_POOL_TILE && heldBytes(t, o->offset) != tensor->bytes)
    return TIGRIS_E_ADDRESS;
  tigris_whole(view, t->plan, tensor, dataOf(t, o, 0));
  if (out != NULL)
    view->data += (size_t)tigris_box_parameter(t->plan, op, i, out, &view->dims, dims) *
                  tigris_element_size(tensor->dtype);
  return TIGRIS_OK;
}

/* An input, restricted to the part `need` that `out` needs. */
static tigris_status viewInput(const Tiles* t, const tigris_op* op, uint32_t i,
                               const tigris_box* out, tigris_box* need, int32_t* dims,
                               tigris_view* view) {
  const tigris_operand* o = &t->plan->operands[op->operands + i];
  const int isStrip = isStreamed(t) && o->pool == TIGRIS_POOL_TILE;
  const int isRows = isStrip && byRows(t);
  const int known =
      isRows ? tigris_rows_need(t->plan, op, i, out->begin[1], out->end[1], need) : -1;
  if (known == 0 || (known < 0 && !tigris_box_need(t->plan, op, i, out, need)))
    return TIGRIS_E_OP;
  if (known < 0 && isStrip && !tigris_stream_widen(t, op, i, out, need))
    return TIGRIS_E_ADDRESS;
  if (isStrip && !isRows && out->end[1] - out->begin[1] != 1 &&
      need->end[2] - need->begin[2] != t->columns[o->offset].end - t->columns[o->offset].begin)
    return TIGRIS_E_ADDRESS; /* legal where planners count on it: see runParts */
  return (isRows ? viewRows(t, o, need->begin[1], need->end[1], dims, view)
                 : viewBox(t, op, o, need, dims, view))
             ? TIGRIS_OK
             : TIGRIS_E_ADDRESS;
}

/* Computes the part `out` of the output; or adds the rows `out` of the input to the sums in the
 * output's buffer, for which the kernel gets their position in the image. `asWindows`: only the
 * rows of `out` are set, and they are rows of windows. */
static tigris_status runOp(const Tiles* t, const tigris_op* op, const tigris_box* out,
                           int asWindows) {
  const tigris_plan* plan = t->plan;
  const tigris_operand* operands = &plan->operands[op->operands];
  const tigris_operand* to = &operands[op->inputs];
  const int sums = isSink(t, to->offset);
  /* rows have all channels; channels are another axis */
  const tigris_box* channels = byRows(t) && plan->tensors[to->tensor].rank > 2 ? NULL : out;
  tigris_view views[TIGRIS_MAX_OPERANDS];
  int32_t dims[TIGRIS_MAX_OPERANDS][TIGRIS_BOX_RANK];
  tigris_view* y = &views[op->inputs];
  tigris_local_params local;
  const void* params;
  tigris_box first; /* of input 0 */
  tigris_box other;
  tigris_kernel (*find)(const tigris_plan*, const tigris_op*);
  tigris_kernel kernel;
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    tigris_status status = TIGRIS_OK;
    if (operands[i].pool == TIGRIS_POOL_ABSENT)
      memset(&views[i], 0, sizeof views[i]);
    else if (tigris_is_parameter(op, i))
      status = viewParameter(t, op, i, channels, dims[i], &views[i]);
    else if (!sums)
      status = viewInput(t, op, i, out, i == 0 ? &first : &other, dims[i], &views[i]);
    else if (!viewRows(t, &operands[i], out->begin[1], out->end[1], dims[i], &views[i]))
      status = TIGRIS_E_ADDRESS;
    if (status != TIGRIS_OK)
      return status;
  }
  if (sums) {
    tigris_whole(y, plan, &plan->tensors[to->tensor], dataOf(t, to, 0));
    views[0].first = (uint32_t)out->begin[1];
  } else if (!(byRows(t) ? viewRows(t, to, out->begin[1], out->end[1], dims[i], y)
                         : viewBox(t, op, to, out, dims[i], y))) {
    return TIGRIS_E_ADDRESS;
  }
  for (i = 0; isInPlace(t, to) && i < op->inputs; ++i) {
    if (!isApart(y, &views[i]))
      return TIGRIS_E_ADDRESS;
  }
  find = sums ? t->ctx->backend->find_sink : t->ctx->backend->find;
  kernel = find == NULL ? NULL : find(plan, op);
  if (kernel == NULL) /* for this sink; tigris_init has checked the other ops */
    return TIGRIS_E_KERNEL;
  params = asWindows ? tigris_rows_params(plan, op, out->begin[1], out->end[1], &local)
                     : tigris_box_params(plan, op, out, &first, &local);
  return tigris_invoke(t->ctx, kernel, op, params, views);
}

/* Computes everything that the op computes in this step, or adds everything there is to add of
 * `made`: in one call, or row by row if an operand has more columns than needed, since only single
 * rows are contiguous then. */
static tigris_status runParts(const Tiles* t, const tigris_op* op, uint32_t made) {
  const int asWindows = (TIGRIS_OPS_CONV || TIGRIS_OPS_POOL) && byRows(t) &&
                        t->plan->operands[op->operands].pool == TIGRIS_POOL_TILE &&
                        tigris_rows_are_windows(t->plan, op);
  tigris_box box;
  tigris_status status;
  if (asWindows) {
    box.begin[1] = t->rows[made].fresh;
    box.end[1] = t->rows[made].end;
  } else {
    boxOf(t, made, 1, &box);
  }
  status = runOp(t, op, &box, asWindows);
  if (tigris_in_stripes(t) && status == TIGRIS_E_ADDRESS) {
    const int32_t end = box.end[1];
    do {
      box.end[1] = box.begin[1] + 1;
      status = runOp(t, op, &box, 0);
    } while (status == TIGRIS_OK && ++box.begin[1] < end);
  }
  return status;
}

/* ---- the tile */

/* Loads the new rows of a streamed buffer, or stores them. */
static tigris_status carryRows(const Tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  const tigris_tile_rows* held = &t->rows[index];
  const uint32_t row = tigris_stream_row_bytes(t, index);
  const uint32_t rows = (uint32_t)(held->end - held->fresh);
  uint32_t first = (uint32_t)held->fresh;
  uint8_t* data = tigris_tile_data(t, b) + (size_t)(uint32_t)(held->fresh - held->first) * row;
  uint8_t* home;
  if (rows == 0 || (b->flags & TIGRIS_TILE_IN_PLACE))
    return TIGRIS_OK;
  if ((uint32_t)tigris_dims(t->plan, tensor)[0] == t->tiling->tiles[0])
    first += t->index[0] * (uint32_t)tigris_tile_size(t, index, 1);
  if (b->home == TIGRIS_POOL_CALLER && t->ctx->rows[b->home_offset] != NULL)
    return t->ctx->rows[b->home_offset](t->ctx->ports[b->home_offset], first, rows, data) == 0
               ? TIGRIS_OK
               : TIGRIS_E_CALLBACK;
  home = tigris_address(t->ctx, b->home, b->home_offset, tensor->bytes, rows * row, isStore) +
         (size_t)first * row;
  memcpy(isStore ? home : data, isStore ? data : home, rows * row);
  return TIGRIS_OK;
}

/* Loads the box of a buffer, or stores its part; of a streamed buffer in stripes, the new rows. */
static tigris_status carryBox(const Tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  const uint32_t size = tigris_element_size(tensor->dtype);
  tigris_box whole;
  tigris_box held;
  tigris_box part;
  uint32_t bytes;
  uint8_t* home;
  wholeOf(t, b->tensor, &whole);
  boxOf(t, index, 0, &held);
  if (isStore && !isStreamed(t))
    partOf(t, index, &part);
  else
    boxOf(t, index, 1, &part);
  if (isStore && tigris_in_stripes(t))
    tigris_tile_part(t, index, 2, &part.begin[2], &part.end[2]);
  bytes = tigris_box_elements(&part) * size;
  if (bytes == 0)
    return TIGRIS_OK;
  home = tigris_address(t->ctx, b->home, b->home_offset, tensor->bytes, bytes, isStore);
  if (isStore)
    tigris_box_copy(&part, &held, tigris_tile_data(t, b), &whole, home, size);
  else
    tigris_box_copy(&part, &whole, home, &held, tigris_tile_data(t, b), size);
  return TIGRIS_OK;
}

static tigris_status carry(const Tiles* t, uint32_t index, int isStore) {
  if (!isStore && !t->isFirst && !(t->buffers[index].reload_axes & t->changed))
    return TIGRIS_OK;
  return byRows(t) ? carryRows(t, index, isStore) : carryBox(t, index, isStore);
}

static tigris_status runTile(Tiles* t) {
  tigris_status status = isStreamed(t) ? tigris_stream_rows(t) : setBoxes(t);
  uint32_t loads = t->loads; /* loads not yet done */
  uint32_t i;
  uint32_t k;
  if (status == TIGRIS_OK)
    status = checkRoom(t);
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count && (t->ran || loads != 0); ++i) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const uint32_t out = tigris_tile_output(t, op);
    const uint32_t made = isSink(t, out) ? t->plan->operands[op->operands].offset : out;
    for (k = 0; status == TIGRIS_OK && loads != 0 && k < t->tiling->buffer_count; ++k) {
      if ((t->buffers[k].flags & TIGRIS_TILE_LOAD) && t->buffers[k].start == i) {
        status = carry(t, k, 0);
        --loads;
      }
    }
    if (status == TIGRIS_OK && hasFresh(t, made))
      status = runParts(t, op, made);
    if (status == TIGRIS_OK && (t->buffers[out].flags & TIGRIS_TILE_STORE))
      status = carry(t, out, 1);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* Advances to the next tile; the last axis varies fastest. In a streamed stage all steps of a
 * stripe come before the next stripe. After the last rows have been loaded, steps continue until
 * one computes no row. Returns 0 after the last tile. */
static int advance(Tiles* t) {
  static const uint8_t axes[2][TIGRIS_BOX_RANK] = {{3, 2, 1, 0}, {3, 1, 2, 0}};
  uint32_t i;
  t->changed = 0;
  t->isFirst = 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    const uint32_t k = axes[isStreamed(t)][i];
    if (t->tiling->tiles[k] > 1)
      t->changed |= 1u << k;
    if (++t->index[k] < t->tiling->tiles[k] || (isStreamed(t) && k == 1 && t->ran))
      return 1;
    t->index[k] = 0;
  }
  return 0;
}

tigris_status tigris_run_tiles(tigris_context* ctx, const tigris_stage* stage, uint8_t* fast,
                               uint32_t origin) {
  Tiles t;
  tigris_status status;
  uint32_t i;
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
  t.isFirst = t.ran = 1;
  for (i = 0; i < t.tiling->buffer_count; ++i)
    t.loads += t.buffers[i].flags & TIGRIS_TILE_LOAD;
  if (!tigris_is_dynamic(ctx))
    tigris_raise(&ctx->statistics.fast_peak,
                 t.tiling->state + tigris_tile_state_bytes(stage, t.tiling));
  do {
    status = runTile(&t);
  } while (status == TIGRIS_OK && advance(&t));
  return status;
}

#endif /* TIGRIS_TILES */
