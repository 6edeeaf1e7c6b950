/* Checks tilings: buffers, backing memory of whole tensors, executor bookkeeping, and the
 * match of ops and buffers. */
#include "access/access_op.h"
#include "check.h"
#include "exec/tile.h"

#if TIGRIS_TILES

#define ROWS 1u
#define COLUMNS 2u

/* A tiled or streamed stage under check. */
typedef struct Tiling {
  const tigris_plan* plan;
  const tigris_stage* stage;
  const tigris_tiling* tiling;
  const tigris_op* ops;              /* those of the stage */
  const tigris_tile_buffer* buffers; /* first buffer of the tiling */
  const tigris_tile_buffer* past;    /* end of the buffers */
  uint32_t op_count;
  uint32_t bookkeeping_bytes;
  int isStreamed;
} Tiling;

static int streams(const Tiling* t) {
  return TIGRIS_STREAMED_STAGES && (!TIGRIS_TILED_STAGES || t->isStreamed);
}

/* Stages that need parts missing from this build have been rejected before. */
static int inStripes(const Tiling* t) {
  return TIGRIS_STRIPES && streams(t) && t->tiling->tiles[TIGRIS_STREAM_STRIPES] > 1;
}

static int disjoint(uint32_t a, uint32_t aBytes, uint32_t b, uint32_t bBytes) {
  return a + aBytes <= b || b + bBytes <= a;
}

static const tigris_tensor* tensorOf(const Tiling* t, const tigris_tile_buffer* b) {
  return &t->plan->tensors[b->tensor];
}

static int homeOk(const tigris_plan* plan, const tigris_tile_buffer* b, uint32_t bytes) {
  if (!(b->flags & (TIGRIS_TILE_LOAD | TIGRIS_TILE_STORE)))
    return b->backing == TIGRIS_POOL_ABSENT && b->backing_offset == 0;
  return b->backing != TIGRIS_POOL_UNPACKED &&
         tigris_placed(plan, b->backing, b->backing_offset, bytes) &&
         (b->backing != TIGRIS_POOL_CALLER || (b->flags & TIGRIS_TILE_LOAD) ||
          plan->ports[b->backing_offset].direction == TIGRIS_OUTPUT);
}

/* Whether the indices of the axis fit the executor's counters in a streamed stage. */
static int countOk(const tigris_plan* plan, const tigris_tensor* tensor, uint32_t axis) {
  return axis >= tensor->rank || tigris_dims(plan, tensor)[axis] <= TIGRIS_STREAM_MAX_ROWS;
}

static tigris_status checkBuffer(const Tiling* t, const tigris_tile_buffer* b) {
  /* bit set of the legal combinations of flags */
  const uint32_t combinations = 1u << 0 | 1u << TIGRIS_TILE_LOAD | 1u << TIGRIS_TILE_STORE |
                                1u << (TIGRIS_TILE_LOAD | TIGRIS_TILE_IN_PLACE) |
                                1u << (TIGRIS_TILE_STORE | TIGRIS_TILE_IN_PLACE) |
                                1u << TIGRIS_TILE_SINK |
                                1u << (TIGRIS_TILE_STORE | TIGRIS_TILE_SINK);
  const int isLoad = (b->flags & TIGRIS_TILE_LOAD) != 0;
  const tigris_tensor* tensor;
  if (b->tensor >= t->plan->tensor_count || b->flags > 15 || !(combinations >> b->flags & 1u))
    return TIGRIS_E_FORMAT;
  tensor = tensorOf(t, b);
  if ((tensor->flags & TIGRIS_TENSOR_CONST) != 0 || tensor->rank - 1u >= TIGRIS_BOX_RANK)
    return TIGRIS_E_FORMAT;
  if (isLoad ? b->start >= t->op_count || b->reload_axes > 0xF
             : (b->start != 0 && !streams(t)) || b->reload_axes != 0)
    return TIGRIS_E_FORMAT;
  if ((streams(t) && !countOk(t->plan, tensor, ROWS)) ||
      (inStripes(t) && !countOk(t->plan, tensor, COLUMNS)))
    return TIGRIS_E_FORMAT;
  if ((b->flags & TIGRIS_TILE_IN_PLACE) &&
      (!streams(t) || inStripes(t) ||
       (b->backing == TIGRIS_POOL_FAST ? b->fast != b->backing_offset || b->bytes != tensor->bytes
                                       : b->backing != TIGRIS_POOL_CALLER || b->bytes != 0)))
    return TIGRIS_E_ADDRESS;
  if (!homeOk(t->plan, b, tensor->bytes) ||
      !tigris_placed(t->plan, TIGRIS_POOL_FAST, b->fast, b->bytes) ||
      !disjoint(b->fast, b->bytes, t->tiling->bookkeeping, t->bookkeeping_bytes))
    return TIGRIS_E_ADDRESS;
  return TIGRIS_OK;
}

/* Whether backing buffers in fast memory are disjoint from the stage's working memory and from each
 * other. Exception: the results of a streamed stage may overwrite rows that it has read; overlaps
 * within one call are checked at run time. All buffers have been checked individually. */
static int fastHomesOk(const Tiling* t) {
  const tigris_tile_buffer* b;
  const tigris_tile_buffer* other;
  uint32_t begin;
  uint32_t end;
  tigris_tile_span(t->plan, t->stage, &begin, &end);
  for (b = t->buffers; b != t->past; ++b) {
    const uint32_t bytes = tensorOf(t, b)->bytes;
    if (b->backing != TIGRIS_POOL_FAST)
      continue;
    if (!disjoint(b->backing_offset, bytes, begin, end - begin))
      return 0;
    for (other = t->buffers; other != b; ++other) {
      if (other->backing == TIGRIS_POOL_FAST &&
          (!streams(t) || ((b->flags ^ other->flags) & TIGRIS_TILE_LOAD) == 0) &&
          !disjoint(b->backing_offset, bytes, other->backing_offset, tensorOf(t, other)->bytes))
        return 0;
    }
  }
  return 1;
}

/* Whether the stage is a recurrent layer, which has no other op. */
static int isLayer(const Tiling* t) { return t->op_count == 1 && tigris_is_recurrent(t->ops); }

/* At most as many tiles along an axis as the longest stored tensor has indices, and in total at
 * most as many as the largest has elements. In a streamed stage loaded tensors count, too, and
 * channels are not split. A recurrent layer is cut along steps, directions and batch. */
static int tilesOk(const Tiling* t) {
  uint32_t most[TIGRIS_BOX_RANK] = {1, 1, 1, 1};
  uint32_t elements = 1;
  uint32_t tiles = 1;
  const tigris_tile_buffer* b;
  uint32_t k;
  if (isLayer(t)) {
    tigris_box whole;
    tigris_recurrent_whole(t->plan, t->ops, &whole);
    for (k = 0; k < 3; ++k) {
      most[k] = (uint32_t)whole.end[k];
      elements *= most[k]; /* at most twice those of the input */
    }
  }
  for (b = t->buffers; b != t->past && !isLayer(t); ++b) {
    const tigris_tensor* tensor = tensorOf(t, b);
    if (!(b->flags & (streams(t) ? TIGRIS_TILE_STORE | TIGRIS_TILE_LOAD : TIGRIS_TILE_STORE)))
      continue;
    for (k = 0; k < tensor->rank; ++k)
      tigris_raise(&most[k], (uint32_t)tigris_dims(t->plan, tensor)[k]);
    tigris_raise(&elements, tigris_elements(tensor));
  }
  for (k = 0; k < TIGRIS_BOX_RANK; ++k) {
    const uint32_t n = t->tiling->tiles[k];
    if (n < 1 || n > most[k] || n > elements / tiles)
      return 0;
    tiles *= n;
  }
  return !streams(t) || t->tiling->tiles[3] == 1;
}

/* Whether an op of the stage before `op` writes the buffer. */
static int isWritten(const Tiling* t, uint32_t op, uint32_t buffer) {
  uint32_t k;
  while (op-- > 0) {
    for (k = 0; k < tigris_tile_outputs(&t->ops[op]); ++k) {
      if (t->plan->operands[t->ops[op].operands + t->ops[op].inputs + k].offset == buffer)
        return 1;
    }
  }
  return 0;
}

/* The buffer of an operand; NULL if it has none. */
static const tigris_tile_buffer* bufferOf(const Tiling* t, const tigris_operand* o) {
  if (o->pool != TIGRIS_POOL_TILE || o->offset >= t->tiling->buffer_count ||
      t->buffers[o->offset].tensor != o->tensor)
    return NULL;
  return &t->buffers[o->offset];
}

/* Bytes of each sum if the op can add rows of x to sums; otherwise 0. */
static uint32_t sumBytes(const tigris_op* op, const void* params, const tigris_tensor* x,
                         const tigris_tensor* y) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)params;
  if (TIGRIS_OPS_POOL && op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL)
    return 4;
  if (!TIGRIS_OPS_REDUCE || op->opcode != TIGRIS_OP_REDUCE || y->rank != x->rank ||
      !(p->axes >> ROWS & 1u) || p->kind == TIGRIS_REDUCE_LOG_SUM_EXP)
    return 0;
  return p->kind == TIGRIS_REDUCE_MAX || p->kind == TIGRIS_REDUCE_MIN
             ? tigris_element_size(x->dtype)
             : 4;
}

/* Whether the op may add rows of its input to sums in the buffer. */
static int sinkOk(const Tiling* t, const tigris_op* op, const tigris_tile_buffer* to) {
  const tigris_operand* in = &t->plan->operands[op->operands];
  const tigris_tensor* x = &t->plan->tensors[in->tensor];
  const tigris_tensor* y = tensorOf(t, to);
  const int32_t* dx = tigris_dims(t->plan, x);
  const int32_t* dy = tigris_dims(t->plan, y);
  const uint32_t outermost = t->tiling->tiles[TIGRIS_STREAM_OUTER];
  const uint32_t bytes = sumBytes(op, tigris_params(t->plan, op), x, y);
  return streams(t) && bytes != 0 && in->pool == TIGRIS_POOL_TILE &&
         (x->dtype == TIGRIS_F32 || x->dtype == TIGRIS_S8) && x->rank >= 3 && y->rank >= 2 &&
         (uint32_t)dx[0] == outermost && (uint32_t)dy[0] == outermost && dy[1] == 1 &&
         to->bytes / bytes >= tigris_elements(y) / outermost;
}

/* The op of a recurrent layer: every result has a buffer that nothing else uses. */
static tigris_status checkLayer(const Tiling* t, const tigris_op* op) {
  const tigris_operand* o = &t->plan->operands[op->operands];
  const tigris_operand* outputs = o + op->inputs;
  const tigris_operand* past = outputs + op->outputs;
  const tigris_operand* out;
  for (out = outputs; out != past; ++out) {
    const tigris_tile_buffer* to = bufferOf(t, out);
    if (to == NULL || (to->flags & TIGRIS_TILE_LOAD))
      return TIGRIS_E_ADDRESS;
    for (o = outputs - op->inputs; o != out; ++o) {
      const tigris_tile_buffer* from = bufferOf(t, o);
      if (o->pool == TIGRIS_POOL_CONST || o->pool == TIGRIS_POOL_UNPACKED ||
          o->pool == TIGRIS_POOL_ABSENT)
        continue;
      if (from == NULL || !disjoint(to->fast, to->bytes, from->fast, from->bytes) ||
          (o < outputs && !(from->flags & TIGRIS_TILE_LOAD)))
        return TIGRIS_E_ADDRESS;
    }
  }
  return TIGRIS_OK;
}

/* Output `k` of an op. */
static tigris_status checkOutput(const Tiling* t, uint32_t index, uint32_t k) {
  const tigris_op* op = &t->ops[index];
  const tigris_operand* o = &t->plan->operands[op->operands];
  const tigris_operand* first = o + op->inputs;
  const tigris_operand* out = first + k;
  const tigris_tile_buffer* to = bufferOf(t, out);
  if (to == NULL || (to->flags & TIGRIS_TILE_LOAD) || isWritten(t, index, out->offset))
    return TIGRIS_E_ADDRESS;
  if (to->flags & TIGRIS_TILE_SINK) {
    if (!TIGRIS_SINKS)
      return TIGRIS_E_UNSUPPORTED;
    if (!sinkOk(t, op, to))
      return TIGRIS_E_FORMAT;
  }
  for (; o != out; ++o) {
    const tigris_tile_buffer* from = bufferOf(t, o);
    if (o->pool == TIGRIS_POOL_CONST || o->pool == TIGRIS_POOL_UNPACKED ||
        o->pool == TIGRIS_POOL_ABSENT)
      continue;
    if (from == NULL || (!(from->flags & to->flags & TIGRIS_TILE_IN_PLACE) &&
                         !disjoint(to->fast, to->bytes, from->fast, from->bytes)))
      return TIGRIS_E_ADDRESS;
    if ((k == 0 || o < first) &&
        !((from->flags & TIGRIS_TILE_LOAD) ? from->start <= index : isWritten(t, index, o->offset)))
      return TIGRIS_E_ADDRESS;
  }
  return TIGRIS_OK;
}

static tigris_status checkTileOp(const Tiling* t, uint32_t index) {
  const tigris_op* op = &t->ops[index];
  tigris_status status;
  if (tigris_is_recurrent(op))
    return streams(t) || !isLayer(t) ? TIGRIS_E_UNSUPPORTED : checkLayer(t, op);
  if (tigris_has_pair(op) ? streams(t) : op->outputs != 1)
    return TIGRIS_E_UNSUPPORTED;
  status = checkOutput(t, index, 0);
  if (tigris_has_pair(op) && status == TIGRIS_OK)
    status = checkOutput(t, index, 1);
  return status;
}

tigris_status tigris_check_tiling(const tigris_plan* plan, const tigris_stage* s) {
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  Tiling t;
  if (s->detail >= plan->tiling_count || tigris_stage_transfers(plan, s) != 0)
    return TIGRIS_E_FORMAT;
  t.plan = plan;
  t.stage = s;
  t.tiling = &plan->tilings[s->detail];
  t.ops = &plan->ops[s->first_op];
  t.op_count = tigris_stage_ops(plan, s);
  t.isStreamed = s->mode == TIGRIS_STAGE_STREAMED;
  if (!tigris_within(plan->tile_buffer_count, t.tiling->first_buffer, t.tiling->buffer_count))
    return TIGRIS_E_FORMAT;
  t.buffers = &plan->tile_buffers[t.tiling->first_buffer];
  t.past = t.buffers + t.tiling->buffer_count;
  t.bookkeeping_bytes = tigris_bookkeeping_bytes(s, t.tiling);
  if (!tigris_placed(plan, TIGRIS_POOL_FAST, t.tiling->bookkeeping, t.bookkeeping_bytes))
    return TIGRIS_E_ADDRESS;
  if (!tigris_runs_tiling(s, t.tiling))
    return TIGRIS_E_UNSUPPORTED;
  for (i = 0; status == TIGRIS_OK && i < t.tiling->buffer_count; ++i)
    status = checkBuffer(&t, &t.buffers[i]);
  if (status == TIGRIS_OK && !tilesOk(&t))
    status = TIGRIS_E_FORMAT;
  if (status == TIGRIS_OK && !fastHomesOk(&t))
    status = TIGRIS_E_ADDRESS;
  for (i = 0; status == TIGRIS_OK && i < t.op_count; ++i)
    status = checkTileOp(&t, i);
  for (i = 0; status == TIGRIS_OK && i < t.tiling->buffer_count; ++i) {
    if (!(t.buffers[i].flags & TIGRIS_TILE_LOAD) && !isWritten(&t, t.op_count, i))
      status = TIGRIS_E_FORMAT;
  }
  return status;
}

#else

/* check_stages.c rejects the mode before calling this. */
tigris_status tigris_check_tiling(const tigris_plan* plan, const tigris_stage* stage) {
  (void)plan;
  (void)stage;
  return TIGRIS_E_UNSUPPORTED;
}

#endif /* TIGRIS_TILES */
