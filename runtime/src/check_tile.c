/* Checks tilings: buffers, homes, the tile state, and that ops and buffers of a tiled stage fit together. */
#include "check.h"
#include "tile.h"

#if TIGRIS_TILES

#define ROWS 1u
#define COLUMNS 2u

static const tigris_tile_buffer* bufferOf(const tigris_plan* plan, const tigris_tiling* t,
                                          uint32_t index) {
  return &plan->tile_buffers[t->first_buffer + index];
}

static int disjoint(uint32_t a, uint32_t aBytes, uint32_t b, uint32_t bBytes) {
  return a + aBytes <= b || b + bBytes <= a;
}

static int homeOk(const tigris_plan* plan, const tigris_tile_buffer* b) {
  if (!(b->flags & (TIGRIS_TILE_LOAD | TIGRIS_TILE_STORE)))
    return b->home == TIGRIS_POOL_ABSENT && b->home_offset == 0;
  return b->home != TIGRIS_POOL_UNPACKED &&
         tigris_placed(plan, b->home, b->home_offset, plan->tensors[b->tensor].bytes) &&
         (b->home != TIGRIS_POOL_CALLER || (b->flags & TIGRIS_TILE_LOAD) ||
          plan->ports[b->home_offset].direction == TIGRIS_OUTPUT);
}

/* The executor can count the indices of the axis in a streamed stage. */
static int countOk(const tigris_plan* plan, const tigris_tensor* tensor, uint32_t axis) {
  return axis >= tensor->rank || tigris_dims(plan, tensor)[axis] <= TIGRIS_STREAM_MAX_ROWS;
}

static tigris_status checkBuffer(const tigris_plan* plan, const tigris_stage* s,
                                 const tigris_tiling* t, const tigris_tile_buffer* b) {
  /* which sums of flags there are: a bit for each */
  const uint32_t combinations = 1u << 0 | 1u << TIGRIS_TILE_LOAD | 1u << TIGRIS_TILE_STORE |
                                1u << (TIGRIS_TILE_LOAD | TIGRIS_TILE_IN_PLACE) |
                                1u << (TIGRIS_TILE_STORE | TIGRIS_TILE_IN_PLACE) |
                                1u << TIGRIS_TILE_SINK |
                                1u << (TIGRIS_TILE_STORE | TIGRIS_TILE_SINK);
  const int isLoad = (b->flags & TIGRIS_TILE_LOAD) != 0;
  const tigris_tensor* tensor;
  if (b->tensor >= plan->tensor_count || b->flags > 15 || !(combinations >> b->flags & 1u))
    return TIGRIS_E_FORMAT;
  tensor = &plan->tensors[b->tensor];
  if ((tensor->flags & TIGRIS_TENSOR_CONST) != 0 || tensor->rank - 1u >= TIGRIS_BOX_RANK)
    return TIGRIS_E_FORMAT;
  if (isLoad ? b->load_op >= s->op_count || b->reload_axes > 0xF
             : b->load_op != 0 || b->reload_axes != 0)
    return TIGRIS_E_FORMAT;
  if (s->mode == TIGRIS_STAGE_STREAMED &&
      (!countOk(plan, tensor, ROWS) || (t->tiles[COLUMNS] > 1 && !countOk(plan, tensor, COLUMNS))))
    return TIGRIS_E_FORMAT;
  if ((b->flags & TIGRIS_TILE_IN_PLACE) &&
      (s->mode != TIGRIS_STAGE_STREAMED || t->tiles[COLUMNS] != 1 || b->home != TIGRIS_POOL_FAST ||
       b->fast != b->home_offset || b->bytes != tensor->bytes))
    return TIGRIS_E_ADDRESS;
  if (!homeOk(plan, b) || !tigris_placed(plan, TIGRIS_POOL_FAST, b->fast, b->bytes) ||
      b->fast + b->bytes > s->peak ||
      !disjoint(b->fast, b->bytes, t->state, tigris_tile_state_bytes(s, t)))
    return TIGRIS_E_ADDRESS;
  return TIGRIS_OK;
}

/* Homes in fast memory lie away from all the stage works in, and from each other; but what a streamed stage makes
 * may take the place of rows that it has read; what one call reads and writes is looked at when it runs. All buffers
 * have been checked for themselves. */
static int fastHomesOk(const tigris_plan* plan, const tigris_stage* s, const tigris_tiling* t) {
  uint32_t begin;
  uint32_t end;
  uint32_t i;
  uint32_t k;
  tigris_tile_span(plan, s, &begin, &end);
  for (i = 0; i < t->buffer_count; ++i) {
    const tigris_tile_buffer* b = bufferOf(plan, t, i);
    const uint32_t bytes = plan->tensors[b->tensor].bytes;
    if (b->home != TIGRIS_POOL_FAST)
      continue;
    if (b->home_offset + bytes > s->peak || !disjoint(b->home_offset, bytes, begin, end - begin))
      return 0;
    for (k = 0; k < i; ++k) {
      const tigris_tile_buffer* other = bufferOf(plan, t, k);
      if (other->home == TIGRIS_POOL_FAST &&
          (s->mode != TIGRIS_STAGE_STREAMED ||
           (b->flags & TIGRIS_TILE_LOAD) == (other->flags & TIGRIS_TILE_LOAD)) &&
          !disjoint(b->home_offset, bytes, other->home_offset, plan->tensors[other->tensor].bytes))
        return 0;
    }
  }
  return 1;
}

/* Not more tiles along an axis than the longest stored tensor has indices there, nor more in all than the
 * largest has elements; in a streamed stage loaded tensors count, too, and channels are not cut. */
static int tilesOk(const tigris_plan* plan, const tigris_stage* s, const tigris_tiling* t) {
  const int streams = s->mode == TIGRIS_STAGE_STREAMED;
  uint32_t most[TIGRIS_BOX_RANK] = {1, 1, 1, 1};
  uint32_t elements = 1;
  uint64_t tiles = 1;
  uint32_t i;
  uint32_t k;
  for (i = 0; i < t->buffer_count; ++i) {
    const tigris_tile_buffer* b = bufferOf(plan, t, i);
    const tigris_tensor* tensor = &plan->tensors[b->tensor];
    if (!(b->flags & (TIGRIS_TILE_STORE | (streams ? TIGRIS_TILE_LOAD : 0))))
      continue;
    for (k = 0; k < tensor->rank; ++k) {
      const uint32_t d = (uint32_t)tigris_dims(plan, tensor)[k];
      most[k] = d > most[k] ? d : most[k];
    }
    if (tigris_elements(tensor) > elements)
      elements = tigris_elements(tensor);
  }
  for (k = 0; k < TIGRIS_BOX_RANK; ++k) {
    tiles *= t->tiles[k];
    if (t->tiles[k] < 1 || t->tiles[k] > most[k] || tiles > elements)
      return 0;
  }
  return !streams || t->tiles[3] == 1;
}

static const tigris_operand* outputOf(const tigris_plan* plan, const tigris_stage* s, uint32_t op) {
  const tigris_op* record = &plan->ops[s->first_op + op];
  return &plan->operands[record->operands + record->inputs];
}

/* An op of the stage before `op` writes the buffer. */
static int isWritten(const tigris_plan* plan, const tigris_stage* s, uint32_t op, uint32_t buffer) {
  while (op-- > 0) {
    if (outputOf(plan, s, op)->offset == buffer)
      return 1;
  }
  return 0;
}

/* An operand is a constant, left out, or a buffer of the tiling. */
static int operandOk(const tigris_plan* plan, const tigris_tiling* t, const tigris_operand* o) {
  if (o->pool == TIGRIS_POOL_TILE)
    return o->offset < t->buffer_count && bufferOf(plan, t, o->offset)->tensor == o->tensor;
  return o->pool == TIGRIS_POOL_CONST || o->pool == TIGRIS_POOL_UNPACKED ||
         o->pool == TIGRIS_POOL_ABSENT;
}

/* The op may add rows of its input to sums in the buffer. */
static int sinkOk(const tigris_plan* plan, const tigris_stage* s, const tigris_tiling* t,
                  const tigris_op* op, const tigris_tile_buffer* to) {
  const tigris_operand* in = &plan->operands[op->operands];
  const tigris_tensor* x = &plan->tensors[in->tensor];
  const tigris_tensor* y = &plan->tensors[to->tensor];
  const int32_t* dx = tigris_dims(plan, x);
  const int32_t* dy = tigris_dims(plan, y);
  return TIGRIS_STREAMED_STAGES && TIGRIS_OPS_POOL && s->mode == TIGRIS_STAGE_STREAMED &&
         op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL && in->pool == TIGRIS_POOL_TILE &&
         (x->dtype == TIGRIS_F32 || x->dtype == TIGRIS_S8) && x->rank >= 3 && y->rank >= 2 &&
         (uint32_t)dx[0] == t->tiles[0] && (uint32_t)dy[0] == t->tiles[0] && dy[1] == 1 &&
         to->bytes / 4 >= (uint32_t)dx[x->rank - 1];
}

static tigris_status checkTileOp(const tigris_plan* plan, const tigris_stage* s,
                                 const tigris_tiling* t, uint32_t op) {
  const tigris_op* record = &plan->ops[s->first_op + op];
  const tigris_operand* out = outputOf(plan, s, op);
  const tigris_tile_buffer* to;
  uint32_t i;
  if (record->outputs != 1)
    return TIGRIS_E_UNSUPPORTED;
  if (!operandOk(plan, t, out) || out->pool != TIGRIS_POOL_TILE)
    return TIGRIS_E_ADDRESS;
  to = bufferOf(plan, t, out->offset);
  if ((to->flags & TIGRIS_TILE_LOAD) || isWritten(plan, s, op, out->offset))
    return TIGRIS_E_ADDRESS;
  if ((to->flags & TIGRIS_TILE_SINK) && !sinkOk(plan, s, t, record, to))
    return TIGRIS_E_FORMAT;
  for (i = 0; i < record->inputs; ++i) {
    const tigris_operand* in = &plan->operands[record->operands + i];
    const tigris_tile_buffer* from;
    if (!operandOk(plan, t, in))
      return TIGRIS_E_ADDRESS;
    if (in->pool != TIGRIS_POOL_TILE)
      continue;
    from = bufferOf(plan, t, in->offset);
    if ((!(from->flags & to->flags & TIGRIS_TILE_IN_PLACE) &&
         !disjoint(to->fast, to->bytes, from->fast, from->bytes)) ||
        !((from->flags & TIGRIS_TILE_LOAD) ? from->load_op <= op
                                           : isWritten(plan, s, op, in->offset)))
      return TIGRIS_E_ADDRESS;
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_tiling(const tigris_plan* plan, const tigris_stage* s) {
  const tigris_tiling* t;
  tigris_status status = TIGRIS_OK;
  uint32_t i;
  if (s->detail >= plan->tiling_count || s->load_count != 0 || s->spill_count != 0)
    return TIGRIS_E_FORMAT;
  t = &plan->tilings[s->detail];
  if (!tigris_within(plan->tile_buffer_count, t->first_buffer, t->buffer_count))
    return TIGRIS_E_FORMAT;
  /* the state has more bytes than the records, which fit the file */
  if (t->buffer_count > INT32_MAX / TIGRIS_TILE_STATE ||
      !tigris_placed(plan, TIGRIS_POOL_FAST, t->state, tigris_tile_state_bytes(s, t)) ||
      t->state + tigris_tile_state_bytes(s, t) > s->peak)
    return TIGRIS_E_ADDRESS;
  if (!tigris_runs_tiling(s, t))
    return TIGRIS_E_UNSUPPORTED;
  for (i = 0; status == TIGRIS_OK && i < t->buffer_count; ++i)
    status = checkBuffer(plan, s, t, bufferOf(plan, t, i));
  if (status == TIGRIS_OK && !tilesOk(plan, s, t))
    status = TIGRIS_E_FORMAT;
  if (status == TIGRIS_OK && !fastHomesOk(plan, s, t))
    status = TIGRIS_E_ADDRESS;
  for (i = 0; status == TIGRIS_OK && i < s->op_count; ++i)
    status = checkTileOp(plan, s, t, i);
  for (i = 0; status == TIGRIS_OK && i < t->buffer_count; ++i) {
    if (!(bufferOf(plan, t, i)->flags & TIGRIS_TILE_LOAD) && !isWritten(plan, s, s->op_count, i))
      status = TIGRIS_E_FORMAT;
  }
  return status;
}

#else

/* check_stages.c refuses the mode before it asks. */
tigris_status tigris_check_tiling(const tigris_plan* plan, const tigris_stage* stage) {
  (void)plan;
  (void)stage;
  return TIGRIS_E_UNSUPPORTED;
}

#endif /* TIGRIS_TILES */
