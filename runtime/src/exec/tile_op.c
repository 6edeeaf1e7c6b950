/* One op of a tile or step: the views of its operands, and the kernel calls that compute the part.
 */
#include <string.h>

#include "address.h"
#include "dynamic.h"
#include "invoke.h"
#include "tile.h"
#include "tile_run.h"

#if TIGRIS_TILES

/* ---- one op */

static int isInPlace(const tigris_tiles* t, const tigris_operand* o) {
  return TIGRIS_STREAMED_STAGES && o->pool == TIGRIS_POOL_TILE &&
         (t->buffers[o->offset].flags & TIGRIS_TILE_IN_PLACE) != 0;
}

/* The address of an operand. For an operand in place, it is the address for the current index of
 * the outermost axis, and `bytes` are counted as used. All uses of such a result count as writes,
 * because writes find the newest block of the dynamic arena. */
static uint8_t* dataOf(const tigris_tiles* t, const tigris_operand* o, uint32_t bytes) {
  const tigris_tile_buffer* b;
  uint32_t all;
  uint8_t* data;
  if (o->pool != TIGRIS_POOL_TILE)
    return tigris_address(t->ctx, o->pool, o->offset, 0, 0, 0);
  b = &t->buffers[o->offset];
  if (!isInPlace(t, o))
    return tigris_tile_data(t, b);
  all = tigris_tile_tensor(t, o->offset)->bytes;
  data = tigris_address(t->ctx, b->backing, b->backing_offset, all, bytes,
                        b->flags & TIGRIS_TILE_STORE);
  if (tigris_tile_size(t, o->offset, 0) == (int32_t)t->tiling->tiles[TIGRIS_STREAM_OUTER])
    data += (size_t)t->index[0] * (all / t->tiling->tiles[TIGRIS_STREAM_OUTER]);
  return data;
}

/* The view of box `need`, a part of what is packed at `o`. 0 if the part is not contiguous. */
static int viewBox(const tigris_tiles* t, const tigris_op* op, const tigris_operand* o,
                   const tigris_box* need, int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const int isTile = o->pool == TIGRIS_POOL_TILE && !tigris_by_rows(t);
  const uint32_t size = tigris_element_size(tensor->dtype);
  const uint32_t bytes = tigris_box_elements(need) * size;
  tigris_box outer;
  uint32_t element;
  uint32_t i;
  int found;
  if (isTile)
    tigris_tile_box(t, o->offset, 0, &outer);
  else
    tigris_box_whole(&outer, tigris_dims(t->plan, tensor), tensor->rank);
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
static int viewRows(const tigris_tiles* t, const tigris_operand* o, int32_t begin, int32_t end,
                    int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const tigris_tile_rows* held = &t->rows[o->offset];
  const uint32_t row = tigris_stream_row_bytes(t, o->offset);
  const uint32_t bytes = (uint32_t)(end - begin) * row;
  uint8_t* data = dataOf(t, o, bytes);
  memcpy(dims, tigris_dims(t->plan, tensor), tensor->rank * sizeof dims[0]);
  if ((uint32_t)dims[0] == t->tiling->tiles[TIGRIS_STREAM_OUTER])
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

/* Whether the views do not overlap. An op must not write to what it reads in place; only damaged
 * plans do. */
static int isApart(const tigris_view* out, const tigris_view* in) {
  const uintptr_t to = (uintptr_t)out->data;
  const uintptr_t from = (uintptr_t)in->data;
  return to + out->rows * out->pitch <= from || from + in->rows * in->pitch <= to;
}

/* A parameter, restricted to the channels of `out`; NULL: the whole parameter. */
static tigris_status viewParameter(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                                   const tigris_box* out, int32_t* dims, tigris_view* view) {
  const tigris_operand* o = &t->plan->operands[op->operands + i];
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  if (o->pool == TIGRIS_POOL_TILE && tigris_tile_held_bytes(t, o->offset) != tensor->bytes)
    return TIGRIS_E_ADDRESS;
  tigris_whole(view, t->plan, tensor, dataOf(t, o, 0));
  if (out != NULL)
    view->data += (size_t)tigris_box_parameter(t->plan, op, i, out, &view->dims, dims) *
                  tigris_element_size(tensor->dtype);
  return TIGRIS_OK;
}

/* An input, restricted to the part `need` that `out` needs. */
static tigris_status viewInput(const tigris_tiles* t, const tigris_op* op, uint32_t i,
                               const tigris_box* out, tigris_box* need, int32_t* dims,
                               tigris_view* view) {
  const tigris_operand* o = &t->plan->operands[op->operands + i];
  const int isStrip = tigris_is_streamed(t) && o->pool == TIGRIS_POOL_TILE;
  const int isRows = isStrip && tigris_by_rows(t);
  const int known =
      isRows ? tigris_rows_need(t->plan, op, i, out->begin[1], out->end[1], need) : -1;
  if (known == 0 || (known < 0 && !tigris_box_need(t->plan, op, i, out, need)))
    return TIGRIS_E_OP;
  if (known < 0 && isStrip && !tigris_stream_widen(t, op, i, out, need))
    return TIGRIS_E_ADDRESS;
  if (isStrip && !isRows && out->end[1] - out->begin[1] != 1 &&
      need->end[2] - need->begin[2] != t->columns[o->offset].end - t->columns[o->offset].begin)
    return TIGRIS_E_ADDRESS; /* a valid plan may cause this: tigris_tile_run_op then runs single
                                rows */
  return (isRows ? viewRows(t, o, need->begin[1], need->end[1], dims, view)
                 : viewBox(t, op, o, need, dims, view))
             ? TIGRIS_OK
             : TIGRIS_E_ADDRESS;
}

/* The outputs of a recurrent layer. It also learns where y begins in the sequence and where it has
 * the state (tigris_view::first). */
static int viewLayer(const tigris_tiles* t, const tigris_op* op, int32_t (*dims)[TIGRIS_BOX_RANK],
                     tigris_view* views) {
  uint32_t k;
  for (k = op->inputs; k < (uint32_t)op->inputs + op->outputs; ++k) {
    const tigris_operand* o = &t->plan->operands[op->operands + k];
    if (!viewBox(t, op, o, &t->boxes[o->offset], dims[k], &views[k]))
      return 0;
  }
  views[0].first = tigris_recurrent_keeps_steps(t->plan, op) ? 0 : (uint32_t)t->part.begin[0];
  views[op->inputs].first = t->state;
  return 1;
}

/* Computes the part `out` of the output; or adds the rows `out` of the input to the sums in the
 * output's buffer, for which the kernel gets their position in the image. `asWindows`: only the
 * rows of `out` are set, and they are rows of windows. */
static tigris_status runOp(const tigris_tiles* t, const tigris_op* op, const tigris_box* out,
                           int asWindows) {
  const tigris_plan* plan = t->plan;
  const tigris_operand* operands = &plan->operands[op->operands];
  const tigris_operand* to = &operands[op->inputs];
  const int sums = tigris_is_sink(t, to->offset);
  /* rows contain all channels, because channels are another axis */
  const tigris_box* channels = tigris_by_rows(t) && plan->tensors[to->tensor].rank > 2 ? NULL : out;
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
  } else if (!(tigris_is_layer(t)  ? viewLayer(t, op, dims, views)
               : tigris_by_rows(t) ? viewRows(t, to, out->begin[1], out->end[1], dims[i], y)
                                   : viewBox(t, op, to, out, dims[i], y))) {
    return TIGRIS_E_ADDRESS;
  }
  if (tigris_has_pair(op) && !viewBox(t, op, to + 1, out, dims[i + 1], y + 1))
    return TIGRIS_E_ADDRESS;
  for (i = 0; isInPlace(t, to) && i < op->inputs; ++i) {
    if (!isApart(y, &views[i]))
      return TIGRIS_E_ADDRESS;
  }
  find = sums ? t->ctx->backend->find_sink : t->ctx->backend->find;
  kernel = find == NULL ? NULL : find(plan, op);
  if (kernel == NULL) /* only for a sink; tigris_init has checked the other ops */
    return TIGRIS_E_KERNEL;
  params = asWindows ? tigris_rows_params(plan, op, out->begin[1], out->end[1], &local)
                     : tigris_box_params(plan, op, out, &first, &local);
  return tigris_invoke(t->ctx, kernel, op, params, views);
}

tigris_status tigris_tile_run_op(const tigris_tiles* t, const tigris_op* op, uint32_t made) {
  const int asWindows = (TIGRIS_OPS_CONV || TIGRIS_OPS_POOL) && tigris_by_rows(t) &&
                        t->plan->operands[op->operands].pool == TIGRIS_POOL_TILE &&
                        tigris_rows_are_windows(t->plan, op);
  tigris_box box;
  tigris_status status;
  if (asWindows) {
    box.begin[1] = t->rows[made].fresh;
    box.end[1] = t->rows[made].end;
  } else if (tigris_is_layer(t)) {
    box = t->part;
  } else {
    tigris_tile_box(t, made, 1, &box);
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

#endif /* TIGRIS_TILES */
