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

#include "access/access_op.h"
#include "dynamic.h"
#include "tile_run.h"

#if TIGRIS_TILES

typedef tigris_tiles Tiles;

/* ---- boxes */

static int hasFresh(const Tiles* t, uint32_t index) {
  return tigris_is_streamed(t) ? t->rows[index].fresh != t->rows[index].end
                               : tigris_box_elements(&t->boxes[index]) != 0;
}

/* In place in a caller buffer. */
static int isElsewhere(const tigris_tile_buffer* b) {
  return b->backing == TIGRIS_POOL_CALLER && (b->flags & TIGRIS_TILE_IN_PLACE) != 0;
}

static tigris_status needInputs(Tiles* t, const tigris_op* op, const tigris_box* out) {
  uint32_t i;
  for (i = 0; i < op->inputs; ++i) {
    const tigris_operand* o = &t->plan->operands[op->operands + i];
    tigris_box need;
    if (o->pool != TIGRIS_POOL_TILE)
      continue;
    if (tigris_is_parameter(op, i))
      tigris_tile_whole(t, o->tensor, &need);
    else if (!tigris_box_need(t->plan, op, i, out, &need))
      return TIGRIS_E_OP;
    tigris_box_hull(&t->boxes[o->offset], &need);
  }
  return TIGRIS_OK;
}

/* Computes the boxes of all buffers for the part of a recurrent layer. */
static tigris_status setLayerBoxes(Tiles* t) {
  const tigris_op* op = t->recurrent;
  tigris_status status = tigris_tile_layer(t);
  uint32_t k;
  memset(t->boxes, 0, t->tiling->buffer_count * sizeof t->boxes[0]);
  for (k = 0; k < op->outputs; ++k)
    tigris_recurrent_made(t->plan, op, k, &t->part,
                          &t->boxes[t->plan->operands[op->operands + op->inputs + k].offset]);
  if (status == TIGRIS_OK)
    status = needInputs(t, op, &t->part);
  if (status != TIGRIS_OK)
    t->ctx->error_op = t->stage->first_op;
  return status;
}

/* The buffer of the second output of an op that has one. */
static uint32_t secondOutput(const Tiles* t, const tigris_op* op) {
  return t->plan->operands[op->operands + op->inputs + 1u].offset;
}

/* Gives both outputs the smallest box that covers what is needed of each. */
static void joinPair(Tiles* t, const tigris_op* op, tigris_box* out) {
  tigris_box* second = &t->boxes[secondOutput(t, op)];
  tigris_box_hull(out, second);
  *second = *out;
}

/* Computes the boxes of all buffers for the current tile. */
static tigris_status setBoxes(Tiles* t) {
  uint32_t i;
  if (tigris_is_layer(t))
    return setLayerBoxes(t);
  for (i = 0; i < t->tiling->buffer_count; ++i) {
    memset(&t->boxes[i], 0, sizeof t->boxes[i]);
    if (t->buffers[i].flags & TIGRIS_TILE_STORE)
      tigris_tile_store_box(t, i, &t->boxes[i]);
  }
  for (i = t->ops; i-- > 0;) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    tigris_box* out = &t->boxes[tigris_tile_output(t, op)];
    tigris_status status = TIGRIS_OK;
    if (tigris_has_pair(op))
      joinPair(t, op, out);
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
    if (tigris_is_streamed(t) && (t->rows[i].fresh == t->rows[i].end || isElsewhere(b)))
      continue; /* it has not grown */
    bytes = tigris_tile_held_bytes(t, i);
    if (bytes > b->bytes)
      return TIGRIS_E_ADDRESS;
    if (tigris_is_sink(t, i)) /* sums take more */
      bytes = b->bytes;
    if (bytes != 0 && !tigris_is_dynamic(t->ctx))
      tigris_raise(&t->ctx->statistics.fast_peak, b->fast + bytes);
  }
  return TIGRIS_OK;
}

/* ---- the tile */

/* Stores the outputs of a recurrent layer that no later tile changes. */
static tigris_status storeLayer(const Tiles* t) {
  const tigris_op* op = t->recurrent;
  tigris_status status = TIGRIS_OK;
  uint32_t k;
  uint32_t axis;
  for (k = 0; status == TIGRIS_OK && k < op->outputs; ++k) {
    const uint32_t to = t->plan->operands[op->operands + op->inputs + k].offset;
    int isComplete = (t->buffers[to].flags & TIGRIS_TILE_STORE) != 0;
    tigris_box made;
    const uint32_t cut = tigris_recurrent_made(t->plan, op, k, &t->part, &made);
    for (axis = 0; axis < TIGRIS_BOX_RANK; ++axis)
      isComplete &= (cut >> axis & 1u) || t->index[axis] + 1 == t->tiling->tiles[axis];
    if (isComplete)
      status = tigris_tile_carry(t, to, 1);
  }
  return status;
}

static tigris_status runTile(Tiles* t) {
  tigris_status status = tigris_is_streamed(t) ? tigris_stream_rows(t) : setBoxes(t);
  uint32_t loads = t->loads; /* loads not yet done */
  uint32_t i;
  uint32_t k;
  if (status == TIGRIS_OK)
    status = checkRoom(t);
  for (i = 0; status == TIGRIS_OK && i < t->ops && (t->ran || loads != 0); ++i) {
    const tigris_op* op = &t->plan->ops[t->stage->first_op + i];
    const uint32_t out = tigris_tile_output(t, op);
    const uint32_t made = tigris_is_sink(t, out) ? t->plan->operands[op->operands].offset : out;
    for (k = 0; status == TIGRIS_OK && loads != 0 && k < t->tiling->buffer_count; ++k) {
      if ((t->buffers[k].flags & TIGRIS_TILE_LOAD) && t->buffers[k].start == i) {
        status = tigris_tile_carry(t, k, 0);
        --loads;
      }
    }
    if (status == TIGRIS_OK && hasFresh(t, made))
      status = tigris_tile_run_op(t, op, made);
    if (status == TIGRIS_OK && tigris_is_layer(t))
      status = storeLayer(t);
    else if (status == TIGRIS_OK && (t->buffers[out].flags & TIGRIS_TILE_STORE))
      status = tigris_tile_carry(t, out, 1);
    if (status == TIGRIS_OK && tigris_has_pair(op) &&
        (t->buffers[secondOutput(t, op)].flags & TIGRIS_TILE_STORE))
      status = tigris_tile_carry(t, secondOutput(t, op), 1);
    if (status != TIGRIS_OK)
      t->ctx->error_op = t->stage->first_op + i;
  }
  return status;
}

/* Advances to the next tile; the last axis varies fastest. In a streamed stage all steps of a
 * stripe come before the next stripe, in a recurrent layer all steps of a sequence before the next
 * one. After the last rows have been loaded, steps continue until
 * one computes no row. Returns 0 after the last tile. */
static int advance(Tiles* t) {
  static const uint8_t axes[3][TIGRIS_BOX_RANK] = {{3, 2, 1, 0}, {3, 1, 2, 0}, {0, 3, 2, 1}};
  const uint32_t order = tigris_is_layer(t) ? 2 : (uint32_t)tigris_is_streamed(t);
  uint32_t i;
  t->changed = 0;
  t->isFirst = 0;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    const uint32_t k = axes[order][i];
    if (t->tiling->tiles[k] > 1)
      t->changed |= 1u << k;
    if (++t->index[k] < t->tiling->tiles[k] || (tigris_is_streamed(t) && k == 1 && t->ran))
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
  t.ops = tigris_stage_ops(ctx->plan, stage);
  t.tiling = &ctx->plan->tilings[stage->detail];
  t.buffers = ctx->plan->tile_buffers + t.tiling->first_buffer;
  t.fast = fast;
  t.origin = origin;
  if (stage->mode == TIGRIS_STAGE_STREAMED) {
    t.rows = (tigris_tile_rows*)(void*)(fast + (t.tiling->bookkeeping - origin));
    if (t.tiling->tiles[TIGRIS_STREAM_STRIPES] > 1)
      t.columns = (tigris_tile_columns*)(void*)(t.rows + t.tiling->buffer_count);
  } else {
    t.boxes = (tigris_box*)(void*)(fast + (t.tiling->bookkeeping - origin));
  }
  if (t.ops == 1 && tigris_is_recurrent(&ctx->plan->ops[stage->first_op]))
    t.recurrent = &ctx->plan->ops[stage->first_op];
  t.isFirst = t.ran = 1;
  for (i = 0; i < t.tiling->buffer_count; ++i)
    t.loads += t.buffers[i].flags & TIGRIS_TILE_LOAD;
  if (!tigris_is_dynamic(ctx))
    tigris_raise(&ctx->statistics.fast_peak,
                 t.tiling->bookkeeping + tigris_bookkeeping_bytes(stage, t.tiling));
  do {
    status = runTile(&t);
  } while (status == TIGRIS_OK && advance(&t));
  return status;
}

#endif /* TIGRIS_TILES */
