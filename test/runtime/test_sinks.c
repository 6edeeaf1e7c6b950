/* Streamed stages whose last op adds rows to sums: comparison with whole tensors, and rules for
 * plans. */
#include "check.h"
#include "plan_builder.h"

#define MOST 4096

static float floats[MOST];
static int8_t bytes[MOST];

/* x, clamped to m, and the average y of m. */
typedef struct Case {
  uint8_t dtype;
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

/* A plan of one stage; 0 steps: whole. */
static uint8_t* build(Builder* b, const Case* c, uint32_t steps, uint32_t* size) {
  const int32_t dims[4] = {c->images, c->rows, c->columns, c->channels};
  const int32_t averageDims[4] = {c->images, 1, 1, c->channels};
  const int32_t multiplier = c->even ? 1 : 1518500250;
  const int32_t shift = c->even ? 1 << 6 | 3 : -3;
  const uint32_t tiles[4] = {(uint32_t)c->images, steps, 1, 1};
  const tigris_port* ports;
  tigris_global_pool_params average = {{0}, {0}, TIGRIS_NONE, 0};
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
  y = builderTensor(b, c->dtype, 4, averageDims, quant[1]);
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
    like.bytes = (uint32_t)c->channels * 4;
    builderTile(b, y, &like);
  }
  builderOp(b, TIGRIS_OP_CLAMP, 1, &x, m, &clamp, sizeof clamp);
  builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &m, y, &average, sizeof average);
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

typedef void (*Damage)(tigris_tiling* t, tigris_tile_buffer* b, tigris_stage* s, tigris_tensor* y);

#define DAMAGE(name, statement)                                                                    \
  static void name(tigris_tiling* t, tigris_tile_buffer* b, tigris_stage* s, tigris_tensor* y) {   \
    (void)t;                                                                                       \
    (void)b;                                                                                       \
    (void)s;                                                                                       \
    (void)y;                                                                                       \
    statement;                                                                                     \
  }

DAMAGE(loadSums, b[0].flags |= TIGRIS_TILE_SINK)
DAMAGE(otherOp, b[1].flags = TIGRIS_TILE_SINK)
DAMAGE(otherFlag, b[2].flags |= 16)
DAMAGE(inPlace, b[2].flags |= TIGRIS_TILE_IN_PLACE)
DAMAGE(noRoom, b[2].bytes = 40 * 4 - 1)
DAMAGE(onOperand, b[2].fast = b[1].fast)
DAMAGE(tiled, s->mode = TIGRIS_STAGE_TILED)
DAMAGE(severalImages, t->tiles[0] = 1)
DAMAGE(severalRows, y->rank = 2)

static void testRules(void) {
  static const Damage damages[] = {loadSums,  otherOp, otherFlag,     inPlace,    noRoom,
                                   onOperand, tiled,   severalImages, severalRows};
  const Case c = {TIGRIS_S8, 2, 5, 3, 40, 0, 0};
  uint32_t i;
  for (i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
    Builder b;
    tigris_plan plan;
    uint32_t size;
    uint8_t* file = build(&b, &c, 3, &size);
    CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
    damages[i]((tigris_tiling*)(uintptr_t)plan.tilings, buffersOf(&plan),
               (tigris_stage*)(uintptr_t)plan.stages, (tigris_tensor*)(uintptr_t)plan.tensors + 2);
    if (!CHECK(tigris_plan_open_flags(&plan, file, size, TIGRIS_OPEN_IGNORE_CRC) < TIGRIS_OK))
      printf("rule %u\n", (unsigned)i);
    release(file);
    builderFree(&b);
  }
}

static void testBackendWithoutSinks(void) {
  const Case c = {TIGRIS_S8, 1, 5, 3, 4, 0, 0};
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
  for (i = 0; i < 60; ++i) {
    Case c;
    c.dtype = i % 2 == 0 ? TIGRIS_F32 : TIGRIS_S8;
    c.images = randomInt(1, 2);
    c.rows = randomInt(1, 9);
    c.columns = randomInt(1, 5);
    c.channels = randomInt(0, 1) ? randomInt(1, 5) : randomInt(30, 40);
    c.requantizes = randomInt(0, 1);
    c.even = c.dtype == TIGRIS_S8 && c.requantizes && randomInt(0, 1);
    testCase(&c);
  }
  testRules();
  testBackendWithoutSinks();
  return finish();
}
