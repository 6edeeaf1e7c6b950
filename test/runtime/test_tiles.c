/* Tiled stages of several ops: random graphs in random tiles against whole tensors, and exact
 * counts. */
#include "check.h"
#include "tile_graphs.h"

#ifndef TIGRIS_TILE_GRAPHS
#define TIGRIS_TILE_GRAPHS 1500
#endif

#define MOST_TILES 48u

static unsigned okRuns;
static unsigned refusedRuns;
static unsigned dynamicRuns;

/* A plan with memory and ports of exactly the requested sizes. */
typedef struct Run {
  tigris_plan plan;
  tigris_context ctx;
  uint8_t* file;
  void* fast;
  void* slow;
  void* ports[TIGRIS_MAX_PORTS];
} Run;

/* `file` is a plan of exactly its size. */
static int openRun(Run* r, uint8_t* file, uint32_t lessFast, uint32_t moreSlow) {
  const uint32_t size = ((const tigris_header*)(const void*)file)->file_size;
  tigris_memory memory;
  uint32_t i;
  memset(r, 0, sizeof *r);
  r->file = file;
  if (!CHECK_EQ(tigris_plan_open(&r->plan, file, size), TIGRIS_OK)) {
    printf("op %d\n", (int)r->plan.error_op);
    return 0;
  }
  memory.fast_bytes = r->plan.summary->fast_bytes - lessFast;
  memory.slow_bytes = r->plan.summary->slow_bytes + moreSlow;
  memory.fast = r->fast = exactly(memory.fast_bytes);
  memory.slow = r->slow = exactly(memory.slow_bytes);
  memset(r->fast, 0xA5, memory.fast_bytes);
  memset(r->slow, 0x5A, memory.slow_bytes);
  if (!CHECK_EQ(tigris_init(&r->ctx, &r->plan, &tigris_backend_reference, &memory), TIGRIS_OK))
    return 0;
  for (i = 0; r->plan.summary->io_mode == TIGRIS_IO_CALLER && i < r->plan.port_count; ++i) {
    r->ports[i] = exactly(r->plan.tensors[r->plan.ports[i].tensor].bytes);
    if (i < r->plan.input_count)
      CHECK_EQ(tigris_set_input(&r->ctx, i, r->ports[i]), TIGRIS_OK);
    else
      CHECK_EQ(tigris_set_output(&r->ctx, i - r->plan.input_count, r->ports[i]), TIGRIS_OK);
  }
  return 1;
}

static void closeRun(Run* r) {
  uint32_t i;
  for (i = 0; i < TIGRIS_MAX_PORTS; ++i) {
    if (r->ports[i] != NULL)
      release(r->ports[i]);
  }
  if (r->fast != NULL)
    release(r->fast);
  if (r->slow != NULL)
    release(r->slow);
}

static tigris_status runWith(Run* r, const Graph* g) {
  uint32_t i;
  for (i = 0; i < r->plan.input_count; ++i)
    memcpy(tigris_input(&r->ctx, i),
           g->dtype == TIGRIS_F32 ? (const void*)(graphFloats + 300 * i) : graphBytes + 300 * i,
           tigris_input_bytes(&r->plan, i));
  return tigris_run(&r->ctx);
}

static int sameOutputs(Run* a, Run* b) {
  unsigned i;
  for (i = 0; i < tigris_output_count(&a->plan); ++i) {
    if (memcmp(tigris_output(&a->ctx, i), tigris_output(&b->ctx, i),
               tigris_output_bytes(&a->plan, i)) != 0)
      return 0;
  }
  return 1;
}

static void randomTiles(const Graph* g, uint32_t extra, int rowsOnly, uint32_t* tiles) {
  int32_t largest = 1;
  uint32_t total = 1;
  int axis;
  int i;
  for (i = 0; i < g->valueCount; ++i) {
    const int32_t* d = g->values[i].dims;
    if (graphIsOutput(g, i, extra) && d[0] * d[1] * d[2] * d[3] > largest)
      largest = d[0] * d[1] * d[2] * d[3];
  }
  for (axis = 0; axis < 4; ++axis) {
    int32_t most = 1;
    for (i = 0; i < g->valueCount; ++i) {
      if (graphIsOutput(g, i, extra) && g->values[i].dims[axis] > most)
        most = g->values[i].dims[axis];
    }
    tiles[axis] = randomInt(0, 1) && axis != 1 ? 1 : (uint32_t)randomInt(1, most);
    if ((rowsOnly && axis != 1) || total * tiles[axis] > MOST_TILES ||
        total * tiles[axis] > (uint32_t)largest)
      tiles[axis] = 1;
    total *= tiles[axis];
  }
}

static void testGraph(int number) {
  const uint32_t mode = number % 2 == 0 ? TIGRIS_IO_SLOW : TIGRIS_IO_CALLER;
  const int rowsOnly = randomInt(0, 2) == 0;
  Graph g;
  Builder b;
  Builder tiledBuilder;
  Run whole;
  Run tiled;
  uint32_t tiles[4];
  uint32_t extra;
  uint32_t size;
  uint32_t opcode;
  tigris_status status;
  graphMake(&g);
  if (g.nodeCount == 0)
    return;
  extra = randomBits() % 40;
  randomTiles(&g, extra, rowsOnly, tiles);
  if (!openRun(&whole, graphBuild(&b, &g, TIGRIS_IO_ARENA, extra, NULL, &size), 0, 0))
    return;
  if (whole.plan.port_count > TIGRIS_MAX_PORTS)
    return;
  CHECK_EQ(runWith(&whole, &g), TIGRIS_OK);
  if (!openRun(&tiled, graphBuild(&tiledBuilder, &g, mode, extra, tiles, &size), 0, 0))
    return;
  status = runWith(&tiled, &g);
  if (status == TIGRIS_OK) {
    const uint32_t less = randomBits() % tiled.plan.summary->fast_bytes;
    const tigris_statistics counted = tiled.ctx.statistics;
    uint8_t* file = tiled.file;
    ++okRuns;
    CHECK(sameOutputs(&whole, &tiled));
    CHECK(counted.fast_peak <= tiled.plan.summary->fast_bytes);
    CHECK(counted.slow_peak <= tiled.plan.summary->slow_bytes);
    if (mode == TIGRIS_IO_CALLER)
      CHECK_EQ(counted.slow_read + counted.slow_write, 0);
    closeRun(&tiled);
    if (openRun(&tiled, file, less, tiled.plan.summary->fast_bytes + 64)) {
      CHECK_EQ(runWith(&tiled, &g), TIGRIS_OK);
      CHECK(sameOutputs(&whole, &tiled));
      CHECK_EQ(tiled.ctx.statistics.kernel_calls, counted.kernel_calls);
      dynamicRuns += tiled.ctx.statistics.dynamic;
    }
  } else {
    ++refusedRuns;
    CHECK(status == TIGRIS_E_OP || status == TIGRIS_E_ADDRESS);
    /* splitting the rows of one image fails only for a window without inputs, for readers of
     * different columns, or for readers of a part of a gather's result */
    opcode = tiled.plan.ops[tiled.ctx.error_op].opcode;
    CHECK(!rowsOnly || g.values[0].dims[0] != 1 || status == TIGRIS_E_ADDRESS ||
          opcode == TIGRIS_OP_CONV_TRANSPOSE || opcode == TIGRIS_OP_GATHER);
    CHECK_EQ(tiled.ctx.error_stage, 0);
  }
  closeRun(&whole);
  closeRun(&tiled);
  release(whole.file);
  release(tiled.file);
  builderFree(&b);
  builderFree(&tiledBuilder);
}

/* One 3x3 convolution of [1, 8, 4, 2] to [1, 8, 4, 6]: all counts can be verified by hand. */
static void countedGraph(Graph* g, int32_t outputs) {
  const int32_t x[4] = {1, 8, 4, 2};
  const int32_t y[4] = {1, 8, 4, outputs};
  const int32_t w[5] = {1, 3, 3, 2, outputs};
  Node* n = &g->nodes[0];
  tigris_conv_params* p = &n->params.conv;
  memset(g, 0, sizeof *g);
  g->dtype = TIGRIS_F32;
  n->opcode = TIGRIS_OP_CONV;
  n->inputs = 2;
  n->in[0] = graphAddValue(g, x, -1);
  n->in[1] = graphAddConst(g, TIGRIS_F32, 5, w, graphFloats);
  n->out = graphAddValue(g, y, 0);
  n->paramsSize = sizeof *p;
  p->kernel_h = p->kernel_w = 3;
  p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = p->groups = 1;
  p->pad_top = p->pad_left = p->pad_bottom = p->pad_right = 1;
  graphSetBounds(g, &p->lo, &p->hi);
  g->nodeCount = 1;
  ++g->values[0].readers;
}

static void testCounts(uint16_t reload, uint64_t reads) {
  const uint32_t tiles[4] = {1, 4, 1, 3};
  Graph g;
  Builder b;
  Run r;
  uint32_t size;
  uint8_t* file;
  tigris_tile_buffer* buffers;
  countedGraph(&g, 6);
  file = graphBuild(&b, &g, TIGRIS_IO_SLOW, 99, tiles, &size);
  if (!openRun(&r, file, 0, 0))
    return;
  buffers = (tigris_tile_buffer*)(uintptr_t)r.plan.tile_buffers;
  buffers[0].reload_axes = reload;
  CHECK_EQ(runWith(&r, &g), TIGRIS_OK);
  CHECK_EQ(r.ctx.statistics.kernel_calls, 12);
  CHECK_EQ(r.ctx.statistics.slow_read, reads);
  CHECK_EQ(r.ctx.statistics.slow_write, 8 * 4 * 6 * 4);
  CHECK_EQ(r.ctx.statistics.slow_peak, 256 + 768);
  CHECK_EQ(r.ctx.statistics.fast_peak, r.plan.tilings[0].bookkeeping + 2 * TIGRIS_TILE_BOOKKEEPING);
  /* the input buffer needs 4 rows of 32 bytes, the output buffer 2 rows of 4 pixels of 2
   * channels */
  buffers[0].bytes = 128;
  buffers[1].bytes = 64;
  CHECK_EQ(runWith(&r, &g), TIGRIS_OK);
  buffers[0].bytes = 127;
  CHECK_EQ(runWith(&r, &g), TIGRIS_E_ADDRESS);
  CHECK_EQ(r.ctx.error_stage, 0);
  buffers[0].bytes = 128;
  buffers[1].bytes = 63;
  CHECK_EQ(runWith(&r, &g), TIGRIS_E_ADDRESS);
  closeRun(&r);
  release(file);
  builderFree(&b);
}

/* There is no space for the block of the tiled stage. */
static void checkTooSmall(const uint8_t* file, uint32_t size) {
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
  memory.fast_bytes = 800;
  memory.slow_bytes = plan.summary->slow_bytes + 200;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_E_MEMORY);
  CHECK_EQ(ctx.error_op, 1);
  CHECK_EQ(ctx.error_stage, 1);
  release(memory.fast);
  release(memory.slow);
}

/* Stages before and after a tiled one, and a tensor between its buffers that outlives it. */
static void testStages(void) {
  const uint32_t tiles[4] = {1, 3, 2, 1};
  const int32_t dims[4] = {1, 6, 4, 4};
  tigris_clamp_params clamp;
  tigris_binary_params add;
  tigris_unary_params neg = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  tigris_tile_buffer like;
  tigris_transfer load;
  tigris_transfer spill;
  const tigris_port* ports;
  Builder b;
  Run r;
  uint8_t* file;
  uint32_t size;
  uint32_t less;
  int in[2];
  int x;
  int from;
  int kept;
  int to;
  int back;
  int y;
  int32_t i;
  clamp.lo.f = -0.5f;
  clamp.hi.f = 0.5f;
  memset(&add, 0, sizeof add);
  add.lo.f = -9.0f;
  add.hi.f = 9.0f;
  builderInit(&b, TIGRIS_IO_SLOW);
  from = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  kept = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  to = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  x = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  back = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  builderInput(&b, x);
  builderOutput(&b, y);
  ports = (const tigris_port*)(const void*)b.section[TIGRIS_SECTION_PORTS].data;
  memset(&load, 0, sizeof load);
  load.tensor = (uint16_t)x;
  load.fast = b.place[x].offset;
  load.slow = ports[0].offset;
  builderOp(&b, TIGRIS_OP_CLAMP, 1, &x, kept, &clamp, sizeof clamp);
  builderStage(&b, &load, 1, NULL, 0);
  memset(&like, 0, sizeof like);
  like.flags = TIGRIS_TILE_LOAD;
  like.backing = TIGRIS_POOL_SLOW;
  like.backing_offset = ports[0].offset;
  like.reload_axes = 0xF;
  builderTile(&b, from, &like);
  like.flags = TIGRIS_TILE_STORE;
  like.backing_offset = builderSlow(&b, 384);
  like.reload_axes = 0;
  builderTile(&b, to, &like);
  builderOp(&b, TIGRIS_OP_UNARY, 1, &from, to, &neg, sizeof neg);
  builderTiledStage(&b, tiles);
  load.tensor = (uint16_t)back;
  load.fast = b.place[back].offset;
  load.slow = like.backing_offset;
  spill = load;
  spill.tensor = (uint16_t)y;
  spill.fast = b.place[y].offset;
  spill.slow = ports[1].offset;
  in[0] = kept;
  in[1] = back;
  builderOp(&b, TIGRIS_OP_ADD, 2, in, y, &add, sizeof add);
  builderStage(&b, &load, 1, &spill, 1);
  file = builderFinish(&b, &size);
  for (less = 0; less < b.fastUsed; less += 64) {
    if (!openRun(&r, file, less, 4096))
      break;
    memcpy(tigris_input(&r.ctx, 0), graphFloats, 384);
    CHECK_EQ(tigris_run(&r.ctx), TIGRIS_OK);
    CHECK_EQ(r.ctx.statistics.dynamic, less != 0);
    CHECK_EQ(r.ctx.statistics.kernel_calls, 8);
    for (i = 0; i < 96; ++i) {
      const float v = graphFloats[i];
      const float c = v < -0.5f ? -0.5f : (v > 0.5f ? 0.5f : v);
      CHECK(((const float*)tigris_output(&r.ctx, 0))[i] == c + -v);
    }
    closeRun(&r);
  }
  checkTooSmall(file, size);
  release(file);
  builderFree(&b);
}

typedef void (*Damage)(tigris_tiling* t, tigris_tile_buffer* b, tigris_operand* o, tigris_stage* s);

#define DAMAGE(name, statement)                                                                    \
  static void name(tigris_tiling* t, tigris_tile_buffer* b, tigris_operand* o, tigris_stage* s) {  \
    (void)t;                                                                                       \
    (void)b;                                                                                       \
    (void)o;                                                                                       \
    (void)s;                                                                                       \
    statement;                                                                                     \
  }

DAMAGE(detailTooLarge, s->detail = 1)
DAMAGE(withTransfers, s->first_transfer = 0xFFFF)
DAMAGE(firstBuffer, t->first_buffer = 1)
DAMAGE(bufferCount, t->buffer_count = 3)
DAMAGE(bufferCountHuge, t->buffer_count = 0xFFFF)
DAMAGE(stateAligned, t->bookkeeping += 4)
DAMAGE(stateOutside, t->bookkeeping = 0x7FFFFFF0)
DAMAGE(stateOnBuffer, t->bookkeeping = b[0].fast)
DAMAGE(noTiles, t->tiles[2] = 0)
DAMAGE(manyTiles, t->tiles[1] = 9)
DAMAGE(bufferTensor, b[0].tensor = 77)
DAMAGE(bufferConst, b[0].tensor = 1)
DAMAGE(bothFlags, b[0].flags = 3)
DAMAGE(noFlag, b[0].flags = 0)
DAMAGE(homeFast, b[0].backing = TIGRIS_POOL_FAST)
DAMAGE(homeCaller, b[0].backing = TIGRIS_POOL_CALLER)
DAMAGE(homeOutside, b[1].backing_offset += 16)
DAMAGE(fastOutside, b[0].fast = 0x7FFFFFF0)
DAMAGE(roomTooLarge, b[0].bytes = 0x7FFFFFF0)
DAMAGE(onOther, b[1].fast = b[0].fast)
DAMAGE(loadOp, b[0].start = 1)
DAMAGE(reloadAxes, b[0].reload_axes = 16)
DAMAGE(storeReloads, b[1].reload_axes = 1)
DAMAGE(operandIndex, o[0].offset = 2)
DAMAGE(operandTensor, b[0].tensor = 2)
DAMAGE(operandFast, o[0].pool = TIGRIS_POOL_FAST)
DAMAGE(writesLoad, o[2].offset = 0)
DAMAGE(readsOwn, o[0].offset = 1)
DAMAGE(stageWhole, (s->mode = TIGRIS_STAGE_WHOLE, s->detail = 0))

static void testRules(void) {
  static const Damage damages[] = {
      detailTooLarge, withTransfers, firstBuffer, bufferCount, bufferCountHuge, stateAligned,
      stateOutside,   stateOnBuffer, noTiles,     manyTiles,   bufferTensor,    bufferConst,
      bothFlags,      noFlag,        homeFast,    homeCaller,  homeOutside,     fastOutside,
      roomTooLarge,   onOther,       loadOp,      reloadAxes,  storeReloads,    operandIndex,
      operandTensor,  operandFast,   writesLoad,  readsOwn,    stageWhole};
  const uint32_t tiles[4] = {1, 4, 1, 3};
  uint32_t i;
  for (i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
    Graph g;
    Builder b;
    tigris_plan plan;
    uint32_t size;
    uint8_t* file;
    countedGraph(&g, 6);
    file = graphBuild(&b, &g, TIGRIS_IO_SLOW, 99, tiles, &size);
    CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
    damages[i]((tigris_tiling*)(uintptr_t)plan.tilings,
               (tigris_tile_buffer*)(uintptr_t)plan.tile_buffers,
               (tigris_operand*)(uintptr_t)plan.operands, (tigris_stage*)(uintptr_t)plan.stages);
    if (!CHECK(tigris_plan_open_flags(&plan, file, size, TIGRIS_OPEN_IGNORE_CRC) < TIGRIS_OK))
      printf("rule %u\n", (unsigned)i);
    release(file);
    builderFree(&b);
  }
}

/* Rows of the result are columns of the input: a kernel given all of them would write the whole
 * result. */
static void testTurnedRows(void) {
  const int32_t xd[4] = {1, 3, 5, 2};
  const int32_t yd[3] = {1, 5, 2};
  const uint32_t tiles[4] = {1, 5, 1, 1};
  const tigris_tile_buffer in = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_LOAD, 0, 0, 0, 0, 0xF};
  const tigris_tile_buffer out = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_STORE, 0, 0, 1, 0, 0};
  tigris_reduce_params reduce = {TIGRIS_REDUCE_MAX, 1u << 1, TIGRIS_NONE, 0};
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* file;
  Builder b;
  Run r;
  int x;
  int y;
  builderInit(&b, TIGRIS_IO_CALLER);
  x = builderTensor(&b, TIGRIS_F32, 4, xd, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 3, yd, TIGRIS_NONE);
  builderInput(&b, x);
  builderOutput(&b, y);
  builderTile(&b, x, &in);
  builderTile(&b, y, &out);
  builderOp(&b, TIGRIS_OP_REDUCE, 1, &x, y, &reduce, sizeof reduce);
  builderTiledStage(&b, tiles);
  file = builderFinish(&b, &bytes);
  CHECK_EQ(tigris_plan_open(&plan, file, bytes), TIGRIS_OK); /* in boxes */
  ((tigris_stage*)(uintptr_t)plan.stages)->mode = TIGRIS_STAGE_STREAMED;
  builderSeal(file);
  if (openRun(&r, file, 0, 0)) {
    memset(r.ports[0], 0, plan.tensors[0].bytes);
    CHECK_EQ(tigris_run(&r.ctx), TIGRIS_E_ADDRESS);
  }
  closeRun(&r);
  release(file);
  builderFree(&b);
}

int main(void) {
  int i;
  randomFloats(graphFloats, 4096);
  randomBytes(graphBytes, 4096);
  for (i = 0; i < 64; ++i)
    graphBiases[i] = randomInt(-300, 300);
  for (i = 0; i < TIGRIS_TILE_GRAPHS; ++i) {
    const int before = failureCount;
    testGraph(i);
    if (failureCount != before && before == 0)
      printf("first failure with graph %d\n", i);
  }
  printf("%u graphs tiled, %u cuts refused, %u dynamic runs\n", okRuns, refusedRuns, dynamicRuns);
  CHECK(okRuns > refusedRuns);
  testTurnedRows();
  /* 4 tiles of rows need 3, 4, 4 and 3 rows of 32 bytes; 3 groups of channels each */
  testCounts(0xF, 3 * 14 * 32);
  testCounts(1u << 1, 14 * 32);
  testStages();
  testRules();
  return finish();
}
