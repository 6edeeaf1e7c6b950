/* Streamed stages whose last op adds rows to sums: comparison with whole tensors, and rules for
 * plans. */
#include "check.h"
#include "plan_builder.h"

#define MOST 4096

static float floats[MOST];
static int8_t bytes[MOST];

/* x, clamped to m, and a reduction y of m. */
typedef struct Case {
  uint8_t dtype;
  uint32_t kind; /* tigris_reduction; 0: GLOBAL_AVERAGE_POOL */
  uint32_t axes; /* of the reduction */
  int32_t images;
  int32_t rows;
  int32_t columns;
  int32_t channels;
  int requantizes;
  int even; /* TIGRIS_ROUND_EVEN */
} Case;

static uint32_t rowBytes(const Case* c) {
  return (uint32_t)(c->columns * c->channels) * (c->dtype == TIGRIS_F32 ? 4 : 1);
}

static uint32_t mostRows(const Case* c, uint32_t steps) {
  return ((uint32_t)c->rows + steps - 1) / steps;
}

/* The dimensions of y. */
static void resultDims(const Case* c, int32_t* dims) {
  dims[0] = c->images;
  dims[1] = 1;
  dims[2] = c->kind == 0 || (c->axes & 4) != 0 ? 1 : c->columns;
  dims[3] = c->kind != 0 && (c->axes & 8) != 0 ? 1 : c->channels;
}

static int isExtreme(const Case* c) {
  return c->kind == TIGRIS_REDUCE_MAX || c->kind == TIGRIS_REDUCE_MIN;
}

static uint32_t sumsOf(const Case* c) {
  int32_t dims[4];
  resultDims(c, dims);
  return (uint32_t)(dims[2] * dims[3]) * (isExtreme(c) && c->dtype == TIGRIS_S8 ? 1 : 4);
}

/* A plan of one stage; 0 steps: whole. */
static uint8_t* build(Builder* b, const Case* c, uint32_t steps, uint32_t* size) {
  const int32_t dims[4] = {c->images, c->rows, c->columns, c->channels};
  const int32_t multiplier = c->even ? 1 : 1518500250;
  const int32_t shift = c->even ? 1 << 6 | 3 : -3;
  const uint32_t tiles[4] = {(uint32_t)c->images, steps, 1, 1};
  const tigris_port* ports;
  tigris_global_pool_params average = {{0}, {0}, TIGRIS_NONE, 0};
  tigris_reduce_params reduce = {0, 0, TIGRIS_NONE, 0};
  int32_t yDims[4];
  tigris_clamp_params clamp;
  tigris_tile_buffer like;
  uint32_t quant[2] = {TIGRIS_NONE, TIGRIS_NONE};
  int x;
  int m;
  int y;
  builderInit(b, TIGRIS_IO_SLOW);
  if (c->dtype == TIGRIS_F32) {
    clamp.lo.f = average.lo.f = -0.5f;
    clamp.hi.f = average.hi.f = 0.75f;
  } else {
    clamp.lo.i = -100;
    clamp.hi.i = 110;
    average.lo.i = -90;
    average.hi.i = 100;
    quant[0] = builderQuant(b, 0.5f, -3);
    quant[1] = c->requantizes ? builderQuant(b, 0.25f, 7) : quant[0];
    if (c->requantizes) {
      average.requant = builderRequant(b, &multiplier, &shift, 1);
      average.requant_count = 1;
    }
  }
  x = builderTensor(b, c->dtype, 4, dims, quant[0]);
  m = builderTensor(b, c->dtype, 4, dims, quant[0]);
  resultDims(c, yDims);
  y = builderTensor(b, c->dtype, 4, yDims, quant[1]);
  builderInput(b, x);
  builderOutput(b, y);
  ports = (const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data;
  if (steps != 0) {
    memset(&like, 0, sizeof like);
    like.flags = TIGRIS_TILE_LOAD;
    like.backing = TIGRIS_POOL_SLOW;
    like.backing_offset = ports[0].offset;
    like.reload_axes = 0xF;
    builderTile(b, x, &like);
    memset(&like, 0, sizeof like);
    builderTile(b, m, &like);
    like.flags = TIGRIS_TILE_STORE | TIGRIS_TILE_SINK;
    like.backing = TIGRIS_POOL_SLOW;
    like.backing_offset = ports[1].offset;
    like.bytes = sumsOf(c);
    builderTile(b, y, &like);
  }
  builderOp(b, TIGRIS_OP_CLAMP, 1, &x, m, &clamp, sizeof clamp);
  reduce.kind = c->kind;
  reduce.axes = c->axes;
  reduce.requant = average.requant;
  reduce.requant_count = average.requant_count;
  if (c->kind == 0)
    builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &m, y, &average, sizeof average);
  else
    builderOp(b, TIGRIS_OP_REDUCE, 1, &m, y, &reduce, sizeof reduce);
  if (c->even)
    ((tigris_op*)(void*)b->section[TIGRIS_SECTION_OPS].data)[1].flags = TIGRIS_ROUND_EVEN;
  if (steps != 0)
    builderStreamedStage(b, tiles);
  return builderFinish(b, size);
}

static tigris_tile_buffer* buffersOf(const tigris_plan* plan) {
  return (tigris_tile_buffer*)(uintptr_t)plan->tile_buffers;
}

/* Copies the plan's output to `y`. */
static tigris_status run(const Case* c, const tigris_plan* plan, tigris_statistics* statistics,
                         uint8_t* y) {
  tigris_context ctx;
  tigris_memory memory;
  tigris_status status;
  memory.fast_bytes = plan->summary->fast_bytes;
  memory.slow_bytes = plan->summary->slow_bytes;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  memset(memory.fast, 0xA5, memory.fast_bytes);
  CHECK_EQ(tigris_init(&ctx, plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  memcpy(tigris_input(&ctx, 0), c->dtype == TIGRIS_F32 ? (const void*)floats : bytes,
         tigris_input_bytes(plan, 0));
  status = tigris_run(&ctx);
  *statistics = ctx.statistics;
  memcpy(y, tigris_output(&ctx, 0), tigris_output_bytes(plan, 0));
  release(memory.fast);
  release(memory.slow);
  return status;
}

static void testCase(const Case* c) {
  uint8_t expected[MOST];
  uint8_t y[MOST];
  tigris_statistics statistics;
  tigris_plan plan;
  Builder b;
  uint32_t size;
  uint32_t steps;
  uint8_t* file = build(&b, c, 0, &size);
  CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
  CHECK_EQ(run(c, &plan, &statistics, expected), TIGRIS_OK);
  release(file);
  builderFree(&b);
  for (steps = 1; steps <= (uint32_t)c->rows; ++steps) {
    const uint32_t room = mostRows(c, steps) * rowBytes(c);
    file = build(&b, c, steps, &size);
    if (CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK)) {
      buffersOf(&plan)[0].bytes = buffersOf(&plan)[1].bytes = room;
      CHECK_EQ(run(c, &plan, &statistics, y), TIGRIS_OK);
      CHECK(memcmp(y, expected, tigris_output_bytes(&plan, 0)) == 0);
      CHECK_EQ(statistics.kernel_calls, 2 * steps * (uint32_t)c->images);
      CHECK_EQ(statistics.slow_read, rowBytes(c) * (uint32_t)(c->rows * c->images));
      CHECK_EQ(statistics.slow_write, tigris_output_bytes(&plan, 0));
      buffersOf(&plan)[1].bytes = room - 1;
      CHECK_EQ(run(c, &plan, &statistics, y), TIGRIS_E_ADDRESS);
    }
    release(file);
    builderFree(&b);
  }
}

typedef struct Parts {
  tigris_tiling* tiling;
  tigris_tile_buffer* b;
  tigris_stage* stage;
  tigris_tensor* y;
  tigris_reduce_params* reduce;
  uint32_t sums; /* bytes */
} Parts;

typedef void (*Damage)(const Parts* p);

#define DAMAGE(name, statement)                                                                    \
  static void name(const Parts* p) { statement; }

DAMAGE(loadSums, p->b[0].flags |= TIGRIS_TILE_SINK)
DAMAGE(otherOp, p->b[1].flags = TIGRIS_TILE_SINK)
DAMAGE(otherFlag, p->b[2].flags |= 16)
DAMAGE(inPlace, p->b[2].flags |= TIGRIS_TILE_IN_PLACE)
DAMAGE(noRoom, p->b[2].bytes = p->sums - 1)
DAMAGE(onOperand, p->b[2].fast = p->b[1].fast)
DAMAGE(tiled, p->stage->mode = TIGRIS_STAGE_TILED)
DAMAGE(severalImages, p->tiling->tiles[0] = 1)
DAMAGE(severalRows, p->y->rank = 2)
DAMAGE(twoPasses, p->reduce->kind = TIGRIS_REDUCE_LOG_SUM_EXP)
DAMAGE(noRows, p->reduce->axes = 4)

static void testRules(void) {
  static const Damage damages[] = {loadSums,    otherOp,   otherFlag, inPlace,
                                   noRoom,      onOperand, tiled,     severalImages,
                                   severalRows, twoPasses, noRows};
  static const Case cases[] = {{TIGRIS_S8, 0, 0, 2, 5, 3, 40, 0, 0},
                               {TIGRIS_F32, TIGRIS_REDUCE_SUM, 6, 2, 5, 3, 40, 0, 0},
                               {TIGRIS_S8, TIGRIS_REDUCE_MEAN, 2, 2, 5, 3, 40, 1, 0},
                               {TIGRIS_S8, TIGRIS_REDUCE_MAX, 6, 2, 5, 3, 40, 0, 0}};
  const uint32_t common = 9; /* the others are for reductions */
  uint32_t i;
  uint32_t k;
  for (k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    const uint32_t most = cases[k].kind == 0 ? common : sizeof damages / sizeof damages[0];
    for (i = 0; i < most; ++i) {
      Builder b;
      Parts parts;
      tigris_plan plan;
      uint32_t size;
      uint8_t* file = build(&b, &cases[k], 3, &size);
      CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
      parts.tiling = (tigris_tiling*)(uintptr_t)plan.tilings;
      parts.b = buffersOf(&plan);
      parts.stage = (tigris_stage*)(uintptr_t)plan.stages;
      parts.y = (tigris_tensor*)(uintptr_t)plan.tensors + 2;
      parts.reduce = (tigris_reduce_params*)(uintptr_t)(plan.params + 4u * plan.ops[1].params);
      parts.sums = sumsOf(&cases[k]);
      damages[i](&parts);
      if (!CHECK(tigris_plan_open_flags(&plan, file, size, TIGRIS_OPEN_IGNORE_CRC) < TIGRIS_OK))
        printf("case %u, rule %u\n", (unsigned)k, (unsigned)i);
      release(file);
      builderFree(&b);
    }
  }
}

static void testBackendWithoutSinks(void) {
  const Case c = {TIGRIS_S8, 0, 0, 1, 5, 3, 4, 0, 0};
  tigris_backend backend = tigris_backend_reference;
  tigris_memory memory;
  tigris_context ctx;
  tigris_plan plan;
  Builder b;
  uint32_t size;
  uint8_t* file = build(&b, &c, 3, &size);
  CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
  memory.fast_bytes = plan.summary->fast_bytes;
  memory.slow_bytes = plan.summary->slow_bytes;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &backend, &memory), TIGRIS_OK);
  backend.find_sink = NULL;
  CHECK_EQ(tigris_init(&ctx, &plan, &backend, &memory), TIGRIS_E_KERNEL);
  release(memory.fast);
  release(memory.slow);
  release(file);
  builderFree(&b);
}

int main(void) {
  int i;
  randomFloats(floats, MOST);
  randomBytes(bytes, MOST);
  for (i = 0; i < 240; ++i) {
    static const uint32_t ofBytes[] = {TIGRIS_REDUCE_MEAN, TIGRIS_REDUCE_MAX, TIGRIS_REDUCE_MIN};
    Case c;
    c.dtype = i % 2 == 0 ? TIGRIS_F32 : TIGRIS_S8;
    c.kind = c.axes = 0;
    if (i % 4 >= 2) {
      c.kind = c.dtype == TIGRIS_S8
                   ? ofBytes[randomInt(0, 2)]
                   : (uint32_t)randomInt(TIGRIS_REDUCE_MEAN, TIGRIS_REDUCE_LOG_SUM);
      c.axes = 2u | (uint32_t)randomInt(0, 3) << 2;
    }
    c.images = randomInt(1, 2);
    c.rows = randomInt(1, 9);
    c.columns = randomInt(1, 5);
    c.channels = randomInt(0, 1) ? randomInt(1, 5) : randomInt(30, 40);
    if (c.images == 1 && c.kind != 0)
      c.axes |= (uint32_t)randomInt(0, 1);
    /* means always have a pair; sums of one quantization that are no means never */
    c.requantizes = c.kind == TIGRIS_REDUCE_MEAN || (c.kind == 0 && randomInt(0, 1));
    c.even = c.dtype == TIGRIS_S8 && c.requantizes && randomInt(0, 1);
    c.requantizes = c.requantizes && c.dtype == TIGRIS_S8;
    testCase(&c);
  }
  testRules();
  testBackendWithoutSinks();
  return finish();
}
