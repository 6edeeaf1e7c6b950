/* Runs an op of a plan again in random boxes and compares with the output of the whole op. */
#ifndef TIGRIS_TEST_ONE_OP_TILES_H
#define TIGRIS_TEST_ONE_OP_TILES_H

#include "access/access.h"
#include "check.h"
#include "exec/tile.h"
#include "tigris_backend.h"

/* Tests of another backend's kernels are these tests, compiled with its name here. */
#ifdef TEST_BACKEND_HEADER
#include TEST_BACKEND_HEADER
#else
#define TEST_BACKEND tigris_backend_reference
#endif

#define TEST_OPCODES 256u /* the field of an op has 8 bits */
#define TILE_GAP 16u
#define MOST_TILES 60u

/* Correct runs and rejected runs by opcode. */
static unsigned tilesRun[TEST_OPCODES];
static unsigned tilesRefused[TEST_OPCODES];

/* The op on tile buffers of whole tensors in caller buffers. */
typedef struct TiledOp {
  tigris_plan plan;
  tigris_summary summary;
  tigris_op op;
  tigris_operand operands[TIGRIS_MAX_OPERANDS];
  tigris_tile_buffer buffers[TIGRIS_MAX_OPERANDS];
  tigris_port ports[TIGRIS_MAX_OPERANDS];
  tigris_tiling tiling;
  tigris_stage stage;
  int simple; /* only the opcode's own rules can reject a box */
} TiledOp;

static inline void addBuffer(TiledOp* t, tigris_operand* o, int isOutput) {
  tigris_tile_buffer* b = &t->buffers[t->tiling.buffer_count];
  tigris_port* port = &t->ports[t->tiling.buffer_count];
  memset(b, 0, sizeof *b);
  memset(port, 0, sizeof *port);
  b->tensor = port->tensor = o->tensor;
  b->backing = TIGRIS_POOL_CALLER;
  b->backing_offset = t->tiling.buffer_count;
  b->flags = isOutput ? TIGRIS_TILE_STORE : TIGRIS_TILE_LOAD;
  b->reload_axes = isOutput ? 0 : 0xF;
  b->fast = t->summary.fast_bytes + TILE_GAP;
  b->bytes = t->plan.tensors[o->tensor].bytes;
  port->direction = isOutput ? TIGRIS_OUTPUT : TIGRIS_INPUT;
  t->summary.fast_bytes = b->fast + (b->bytes + 15) / 16 * 16;
  o->pool = TIGRIS_POOL_TILE;
  o->offset = t->tiling.buffer_count++;
}

/* 0 if the op cannot be tiled: two outputs, except of TOP_K, a rank outside 1..4, or in place. */
static inline int tiledOp(TiledOp* t, const tigris_plan* plan, uint32_t index) {
  const tigris_op* op = &plan->ops[index];
  const uint32_t count = (uint32_t)op->inputs + op->outputs;
  uint32_t i;
  uint32_t k;
  if (op->outputs != 1 && op->opcode != TIGRIS_OP_TOP_K)
    return 0;
  memset(t, 0, sizeof *t);
  t->plan = *plan;
  t->summary = *plan->summary;
  t->summary.fast_bytes = 0;
  t->simple = 1;
  for (i = 0; i < count; ++i) {
    tigris_operand* o = &t->operands[i];
    *o = plan->operands[op->operands + i];
    if (o->pool == TIGRIS_POOL_CONST && !tigris_is_parameter(op, i))
      t->simple = 0;
    /* parameters are usually constants, but need not be */
    if (o->pool != TIGRIS_POOL_FAST &&
        !(o->pool == TIGRIS_POOL_CONST && tigris_is_parameter(op, i) &&
          plan->tensors[o->tensor].rank <= 4 && randomInt(0, 2) == 0))
      continue;
    if (plan->tensors[o->tensor].rank < 1 || plan->tensors[o->tensor].rank > 4)
      return 0;
    for (k = 0; i >= op->inputs && k < op->inputs; ++k) {
      if (plan->operands[op->operands + k].pool == TIGRIS_POOL_FAST &&
          plan->operands[op->operands + k].offset == plan->operands[op->operands + i].offset)
        return 0;
    }
    for (k = 0; k < i && t->operands[k].tensor != o->tensor;)
      ++k;
    if (k == i) {
      addBuffer(t, o, i >= op->inputs);
    } else {
      *o = t->operands[k];
      t->simple = 0;
    }
  }
  t->tiling.bookkeeping = t->summary.fast_bytes + TILE_GAP;
  t->summary.fast_bytes =
      t->tiling.bookkeeping + t->tiling.buffer_count * TIGRIS_TILE_BOOKKEEPING + TILE_GAP;
  t->summary.io_mode = TIGRIS_IO_CALLER;
  t->op = *op;
  t->op.operands = 0;
  t->plan.op_count = t->plan.stage_count = 1;
  t->plan.transfer_count = 0;
  t->stage.mode = TIGRIS_STAGE_TILED;
  return 1;
}

static inline void randomCut(TiledOp* t) {
  const tigris_tensor* y = &t->plan.tensors[t->operands[t->op.inputs].tensor];
  uint32_t total = 1;
  uint32_t i;
  for (i = 0; i < 4; ++i) {
    const uint32_t size = i < y->rank ? (uint32_t)t->plan.ints[y->dims + i] : 1;
    uint32_t tiles = (uint32_t)randomInt(1, (int32_t)size);
    if (randomInt(0, 2) == 0)
      tiles = 1;
    else if (randomInt(0, 3) == 0)
      tiles = size;
    t->tiling.tiles[i] = total * tiles <= MOST_TILES ? tiles : 1;
    total *= t->tiling.tiles[i];
  }
}

/* These opcodes accept every box. */
static inline int alwaysCuts(uint32_t opcode) {
  switch (opcode) {
  case TIGRIS_OP_CONV:
  case TIGRIS_OP_DEPTHWISE_CONV:
  case TIGRIS_OP_CONV_TRANSPOSE:
  case TIGRIS_OP_FULLY_CONNECTED:
  case TIGRIS_OP_GLOBAL_AVERAGE_POOL:
  case TIGRIS_OP_SOFTMAX:
  case TIGRIS_OP_LOG_SOFTMAX:
  case TIGRIS_OP_LAYER_NORM:
  case TIGRIS_OP_RESHAPE:
  case TIGRIS_OP_GATHER:
  case TIGRIS_OP_GATHER_ELEMENTS:
  case TIGRIS_OP_SCATTER_ND:
  case TIGRIS_OP_SCATTER_ELEMENTS:
  case TIGRIS_OP_ARG_MAX:
  case TIGRIS_OP_ARG_MIN:
  case TIGRIS_OP_CUM_SUM:
  case TIGRIS_OP_TOP_K:
  case TIGRIS_OP_RNN:
    return 0;
  default:
    return 1;
  }
}

/* Scratch of exactly the size that the op requests; NULL if it requests none. */
static inline uint8_t* exactlyScratch(const tigris_plan* plan, const tigris_op* op,
                                      uint32_t* bytes) {
  *bytes = TEST_BACKEND.scratch_bytes == NULL ? 0 : TEST_BACKEND.scratch_bytes(plan, op);
  return *bytes == 0 ? NULL : (uint8_t*)exactly(*bytes);
}

static inline void checkCut(TiledOp* t, const tigris_plan* plan, uint32_t index,
                            const uint8_t* whole) {
  const tigris_op* op = &plan->ops[index];
  const tigris_operand* outputs = &plan->operands[op->operands + op->inputs];
  uint8_t* fast = (uint8_t*)exactly(t->summary.fast_bytes);
  uint8_t* results[2];
  tigris_context ctx;
  tigris_status status;
  uint32_t i;
  uint32_t k;
  memset(&ctx, 0, sizeof ctx);
  memset(fast, 0xA5, t->summary.fast_bytes);
  for (k = 0; k < op->outputs; ++k) {
    const uint32_t bytes = plan->tensors[outputs[k].tensor].bytes;
    results[k] = (uint8_t*)exactly(bytes);
    memset(results[k], 0x5A, bytes);
  }
  ctx.plan = &t->plan;
  ctx.backend = &TEST_BACKEND;
  ctx.fast = fast;
  ctx.scratch = exactlyScratch(plan, op, &ctx.scratch_bytes);
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    const uint8_t* from = o->pool == TIGRIS_POOL_CONST ? plan->weights : whole;
    if (t->operands[i].pool == TIGRIS_POOL_TILE)
      ctx.ports[t->operands[i].offset] =
          i < op->inputs ? (void*)(uintptr_t)(from + o->offset) : results[i - op->inputs];
  }
  status = tigris_run_tiles(&ctx, &t->stage, fast, 0);
  if (status == TIGRIS_OK) {
    ++tilesRun[op->opcode];
    for (k = 0; k < op->outputs; ++k) {
      if (!CHECK(memcmp(results[k], whole + outputs[k].offset,
                        plan->tensors[outputs[k].tensor].bytes) == 0))
        printf("opcode %u, tiles %u %u %u %u\n", op->opcode, (unsigned)t->tiling.tiles[0],
               (unsigned)t->tiling.tiles[1], (unsigned)t->tiling.tiles[2],
               (unsigned)t->tiling.tiles[3]);
    }
  } else {
    ++tilesRefused[op->opcode];
    CHECK(status == TIGRIS_E_OP || status == TIGRIS_E_ADDRESS);
    CHECK(!t->simple || !alwaysCuts(op->opcode));
  }
  for (i = 0; i < t->tiling.buffer_count; ++i) {
    for (k = 0; k < TILE_GAP; ++k)
      CHECK_EQ(fast[t->buffers[i].fast - 1 - k], 0xA5);
  }
  release(fast);
  for (k = 0; k < op->outputs; ++k)
    release(results[k]);
  if (ctx.scratch != NULL)
    release(ctx.scratch);
}

/* `whole` is the arena after a run of the whole plan. */
static inline void checkTiles(const tigris_plan* plan, uint32_t index, const uint8_t* whole) {
  static TiledOp t;
  int round;
  if (!tiledOp(&t, plan, index) || t.tiling.buffer_count > TIGRIS_MAX_PORTS)
    return;
  t.plan.summary = &t.summary;
  t.plan.ops = &t.op;
  t.plan.operands = t.operands;
  t.plan.stages = &t.stage;
  t.plan.tilings = &t.tiling;
  t.plan.tile_buffers = t.buffers;
  t.plan.ports = t.ports;
  for (round = 0; round < 6; ++round) {
    randomCut(&t);
    checkCut(&t, plan, index, whole);
  }
}

/* Checks that every tested opcode has run in parts at least once. */
static inline void checkTileCounts(void) {
  uint32_t i;
  for (i = 0; i < TEST_OPCODES; ++i) {
    if (tilesRun[i] + tilesRefused[i] == 0)
      continue;
    printf("opcode %u: %u tiled runs, %u cuts refused\n", (unsigned)i, tilesRun[i],
           tilesRefused[i]);
    CHECK(tilesRun[i] > 0);
  }
}

#endif /* TIGRIS_TEST_ONE_OP_TILES_H */
