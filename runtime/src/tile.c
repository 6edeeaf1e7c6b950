/* The tile loop: boxes backwards through the ops, then loads, kernels and stores forwards. */
#include "tile.h"

#include <string.h>

#include "access.h"
#include "dynamic.h"
#include "invoke.h"
#include "state.h"
#include "view.h"

#if TIGRIS_TILED_STAGES

typedef struct Tiles {
  tigris_context* ctx;
  const tigris_plan* plan;
  const tigris_stage* stage;
  const tigris_tiling* tiling;
  const tigris_tile_buffer* buffers;
  tigris_box* boxes; /* of the tile at hand, one per buffer */
  uint8_t* fast;
  uint32_t origin;
  uint32_t index[TIGRIS_BOX_RANK];
  uint32_t changed; /* bit k: index[k] differs from the tile before */
  int isFirst;
} Tiles;

static void raise(uint32_t* peak, uint32_t end) {
  if (end > *peak)
    *peak = end;
}

void tigris_tile_span(const tigris_plan* plan, const tigris_tiling* tiling, uint32_t* begin,
                      uint32_t* end) {
  const tigris_tile_buffer* buffers = plan->tile_buffers + tiling->first_buffer;
  uint32_t i;
  *begin = tiling->state;
  *end = tiling->state + tiling->buffer_count * TIGRIS_TILE_STATE;
  for (i = 0; i < tiling->buffer_count; ++i) {
    if (buffers[i].fast < *begin)
      *begin = buffers[i].fast;
    raise(end, buffers[i].fast + buffers[i].bytes);
  }
}

static const tigris_tensor* tensorOf(const Tiles* t, const tigris_tile_buffer* b) {
  return &t->plan->tensors[b->tensor];
}

static tigris_box wholeOf(const Tiles* t, const tigris_tensor* tensor) {
  return tigris_box_whole(tigris_dims(t->plan, tensor), tensor->rank);
}

static uint8_t* fastOf(const Tiles* t, const tigris_tile_buffer* b) {
  return t->fast + (b->fast - t->origin);
}

static uint8_t* homeOf(const Tiles* t, const tigris_tile_buffer* b) {
  if (b->home == TIGRIS_POOL_CALLER)
    return (uint8_t*)t->ctx->ports[tigris_place_of(t->ctx, b->home_offset)];
  raise(&t->ctx->statistics.slow_peak, b->home_offset + tensorOf(t, b)->bytes);
  return tigris_slow_at(t->ctx, b->home_offset, tensorOf(t, b)->bytes);
}

/* index * size / count, rounded down, for size and count up to 2^30: by long multiplication, because 64-bit
 * division is a library of its own on small processors. */
static int32_t share(uint32_t index, uint32_t size, uint32_t count) {
  const uint32_t step = size % count;
  uint32_t quotient = 0;
  uint32_t rest = 0;
  uint32_t bit = 1u << 31;
  while (bit > index && bit > 1)
    bit >>= 1;
  for (; bit != 0; bit >>= 1) {
    rest = 2 * rest + (index & bit ? step : 0);
    quotient = 2 * quotient + rest / count;
    rest %= count;
  }
  return (int32_t)(index * (size / count) + quotient);
}

/* What the tile at hand makes of a STORE buffer's tensor; perhaps nothing. */
static tigris_box partOf(const Tiles* t, const tigris_tile_buffer* b) {
  tigris_box part = wholeOf(t, tensorOf(t, b));
  uint32_t i;
  for (i = 0; i < tensorOf(t, b)->rank; ++i) {
    const uint32_t size = (uint32_t)part.end[i];
    part.begin[i] = share(t->index[i], size, t->tiling->tiles[i]);
    part.end[i] = share(t->index[i] + 1, size, t->tiling->tiles[i]);
  }
  if (tigris_box_elements(&part) == 0)
    memset(&part, 0, sizeof part);
  return part;
}

/* ---- boxes */

static const tigris_operand* outputOf(const Tiles* t, const tigris_op* op) {
  return &t->plan->operands[op->operands + op->inputs];
}

static tigris_status needInputs(Tiles* t, const tigris_op* op) {
  const tigris_box* out = &t->boxes[outputOf(t, op)->offset];
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    const tigris_operand* o = &t->plan->operands[op->operands + i];
    tigris_box need;
    if (o->pool != TIGRIS_POOL_TILE)
      continue;
    if (tigris_is_parameter(op, i))
      need = wholeOf(t, &t->plan->tensors[o->tensor]);
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
    tigris_status status = TIGRIS_OK;
    if (tigris_box_elements(&t->boxes[outputOf(t, op)->offset]) != 0)
      status = needInputs(t, op);
    if (status != TIGRIS_OK) {
      t->ctx->error_op = t->stage->first_op + i;
      return status;
    }
  }
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    const tigris_tile_buffer* b = &t->buffers[i];
    const uint32_t bytes =
        tigris_box_elements(&t->boxes[i]) * tigris_element_size(tensorOf(t, b)->dtype);
    if (bytes > b->bytes)
      return TIGRIS_E_ADDRESS;
    if (bytes != 0 && !tigris_is_dynamic(t->ctx))
      raise(&t->ctx->statistics.fast_peak, b->fast + bytes);
  }
  return TIGRIS_OK;
}

/* ---- one op */

static uint8_t* dataOf(const Tiles* t, const tigris_operand* o) {
  if (o->pool == TIGRIS_POOL_TILE)
    return fastOf(t, &t->buffers[o->offset]);
  if (o->pool == TIGRIS_POOL_UNPACKED)
    return t->ctx->unpacked + o->offset;
  return (uint8_t*)(uintptr_t)(t->plan->weights + o->offset);
}

/* The view of box `need`, a part of what lies packed at `o`. 0 when it is in pieces. */
static int viewBox(const Tiles* t, const tigris_op* op, const tigris_operand* o,
                   const tigris_box* need, int32_t* dims, tigris_view* view) {
  const tigris_tensor* tensor = &t->plan->tensors[o->tensor];
  const int isTile = o->pool == TIGRIS_POOL_TILE;
  const tigris_box outer = isTile ? t->boxes[o->offset] : wholeOf(t, tensor);
  const uint32_t size = tigris_element_size(tensor->dtype);
  uint32_t element;
  uint32_t i;
  /* MATMUL knows the layout of constants */
  if (!tigris_box_find(&outer, need, &element) && (isTile || op->opcode != TIGRIS_OP_MATMUL))
    return 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i)
    dims[i] = need->end[i] - need->begin[i];
  *view = tigris_dense(tensor, dims, tigris_box_elements(need) * size,
                       dataOf(t, o) + (size_t)element * size);
  return 1;
}

static tigris_status runOp(const Tiles* t, const tigris_op* op) {
  const tigris_plan* plan = t->plan;
  const tigris_box out = t->boxes[outputOf(t, op)->offset];
  tigris_view views[TIGRIS_MAX_OPERANDS];
  int32_t dims[TIGRIS_MAX_OPERANDS][TIGRIS_BOX_RANK];
  tigris_local_params local;
  tigris_box first = {{0}, {0}}; /* of input 0 */
  tigris_call call;
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    tigris_box need = out;
    if (o->pool == TIGRIS_POOL_ABSENT) {
      memset(&views[i], 0, sizeof views[i]);
      continue;
    }
    if (i < op->inputs && tigris_is_parameter(op, i)) {
      const tigris_tensor* tensor = &plan->tensors[o->tensor];
      views[i] = tigris_whole(plan, tensor, dataOf(t, o));
      views[i].data += (size_t)tigris_box_parameter(plan, op, i, &out, &views[i].dims, dims[i]) *
                       tigris_element_size(tensor->dtype);
      continue;
    }
    if (i < op->inputs && !tigris_box_need(plan, op, i, &out, &need))
      return TIGRIS_E_OP;
    if (!viewBox(t, op, o, &need, dims[i], &views[i]))
      return TIGRIS_E_ADDRESS;
    if (i == 0)
      first = need;
  }
  call.plan = plan;
  call.op = op;
  call.params = tigris_box_params(plan, op, &out, &first, &local);
  call.in = views;
  call.out = views + op->inputs;
  call.scratch = t->ctx->scratch;
  call.scratch_bytes = t->ctx->scratch_bytes;
  ++t->ctx->statistics.kernel_calls;
  return tigris_invoke(t->ctx, &call);
}

/* ---- the tile */

static void load(const Tiles* t, uint32_t index) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_box whole = wholeOf(t, tensorOf(t, b));
  const uint32_t size = tigris_element_size(tensorOf(t, b)->dtype);
  const uint32_t elements = tigris_box_elements(&t->boxes[index]);
  if (elements == 0 || !(t->isFirst || (b->reload_axes & t->changed)))
    return;
  tigris_box_copy(&t->boxes[index], &whole, homeOf(t, b), &t->boxes[index], fastOf(t, b), size);
  if (b->home == TIGRIS_POOL_SLOW)
    t->ctx->statistics.slow_read += (uint64_t)elements * size;
}

static void store(const Tiles* t, uint32_t index) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_box whole = wholeOf(t, tensorOf(t, b));
  const tigris_box part = partOf(t, b);
  const uint32_t size = tigris_element_size(tensorOf(t, b)->dtype);
  const uint32_t elements = tigris_box_elements(&part);
  if (elements == 0)
    return;
  tigris_box_copy(&part, &t->boxes[index], fastOf(t, b), &whole, homeOf(t, b), size);
  if (b->home == TIGRIS_POOL_SLOW)
    t->ctx->statistics.slow_write += (uint64_t)elements * size;
}

static tigris_status runTile(Tiles* t) {
  tigris_status status = setBoxes(t);
  uint32_t i;
  uint32_t k;
  for (i = 0; status == TIGRIS_OK && i < t->stage->op_count; ++i) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const uint32_t out = outputOf(t, op)->offset;
    for (k = 0; k < t->tiling->buffer_count; ++k) {
      if ((t->buffers[k].flags & TIGRIS_TILE_LOAD) && t->buffers[k].load_op == i)
        load(t, k);
    }
    if (tigris_box_elements(&t->boxes[out]) == 0)
      continue;
    status = runOp(t, op);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
    else if (t->buffers[out].flags & TIGRIS_TILE_STORE)
      store(t, out);
  }
  return status;
}

/* On to the next tile, the last axis fastest; 0 after the last one. */
static int advance(Tiles* t) {
  uint32_t k;
  t->changed = 0;
  t->isFirst = 0;
  for (k = TIGRIS_BOX_RANK; k-- > 0;) {
    if (t->tiling->tiles[k] > 1)
      t->changed |= 1u << k;
    if (++t->index[k] < t->tiling->tiles[k])
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
  t.boxes = (tigris_box*)(void*)(fast + (t.tiling->state - origin));
  t.isFirst = 1;
  if (!tigris_is_dynamic(ctx))
    raise(&ctx->statistics.fast_peak, t.tiling->state + t.tiling->buffer_count * TIGRIS_TILE_STATE);
  do {
    status = runTile(&t);
  } while (status == TIGRIS_OK && advance(&t));
  return status;
}

#endif /* TIGRIS_TILED_STAGES */
