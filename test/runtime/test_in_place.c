/* Streamed stages in place: bytes, memory, overlaps, and plans that must be rejected. */
#include "check.h"
#include "plan_builder.h"

#define ROWS 8
#define ROW 16 /* floats */
#define BYTES ((uint32_t)(ROWS * ROW * sizeof(float)))
#define ROW_BYTES ((uint32_t)(ROW * sizeof(float)))

static float input[ROWS * ROW];

/* abs into `from`, a 3x3 maximum of it into `to` in a streamed stage, and its negative as output.
 * `to` is `lead` bytes below `from`. */
static uint8_t* makePlan(Builder* b, uint32_t lead) {
  const int32_t dims[4] = {1, ROWS, 4, 4};
  const uint32_t tiles[4] = {1, ROWS, 1, 1};
  const tigris_unary_params magnitude = {TIGRIS_FN_ABS, 0.0f, 0.0f};
  const tigris_unary_params negative = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  tigris_pool_params pool;
  tigris_tile_buffer like;
  tigris_stage* stages;
  uint32_t size;
  int x;
  int y;
  int from;
  int to;
  memset(&pool, 0, sizeof pool);
  pool.kernel_h = pool.kernel_w = 3;
  pool.stride_h = pool.stride_w = pool.dilation_h = pool.dilation_w = 1;
  pool.pad_top = pool.pad_left = pool.pad_bottom = pool.pad_right = 1;
  pool.lo.f = -99.0f;
  pool.hi.f = 99.0f;
  pool.requant = TIGRIS_NONE;
  memset(&like, 0, sizeof like);
  builderInit(b, TIGRIS_IO_CALLER);
  to = builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  b->fastUsed = lead;
  from = builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  b->fastUsed = BYTES + lead;
  x = builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  b->fastUsed = BYTES + lead;
  builderInput(b, x);
  builderOutput(b, y);
  builderOp(b, TIGRIS_OP_UNARY, 1, &x, from, &magnitude, sizeof magnitude);
  builderStage(b, NULL, 0, NULL, 0);
  like.flags = TIGRIS_TILE_LOAD | TIGRIS_TILE_IN_PLACE;
  like.backing = TIGRIS_POOL_FAST;
  like.backing_offset = b->place[from].offset;
  like.reload_axes = 0xF;
  builderTile(b, from, &like);
  like.flags = TIGRIS_TILE_STORE | TIGRIS_TILE_IN_PLACE;
  like.backing_offset = b->place[to].offset;
  like.reload_axes = 0;
  builderTile(b, to, &like);
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &from, to, &pool, sizeof pool);
  builderTiledStage(b, tiles);
  stages = (tigris_stage*)(void*)b->section[TIGRIS_SECTION_STAGES].data;
  stages[1].mode = TIGRIS_STAGE_STREAMED;
  b->place[to].pool = TIGRIS_POOL_FAST;
  b->place[to].offset = like.backing_offset;
  builderOp(b, TIGRIS_OP_UNARY, 1, &to, y, &negative, sizeof negative);
  builderStage(b, NULL, 0, NULL, 0);
  return builderFinish(b, &size);
}

static float expectedAt(int row, int column, int channel) {
  float most = 0.0f;
  int r;
  int c;
  for (r = row - 1; r <= row + 1; ++r) {
    for (c = column - 1; c <= column + 1; ++c) {
      if (r >= 0 && r < ROWS && c >= 0 && c < 4) {
        const float v = input[r * ROW + c * 4 + channel];
        const float magnitude = v < 0 ? -v : v;
        most = magnitude > most ? magnitude : most;
      }
    }
  }
  return -most;
}

/* Runs the plan with `less` bytes of fast memory fewer than planned. */
static tigris_status run(const uint8_t* file, uint32_t less) {
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  tigris_status status;
  float* output = (float*)exactly(BYTES);
  int i;
  CHECK_EQ(tigris_plan_open(&plan, file, ((const tigris_header*)(const void*)file)->file_size),
           TIGRIS_OK);
  memory.fast_bytes = plan.summary->fast_bytes - less;
  memory.slow_bytes = less == 0 ? plan.summary->slow_bytes : 4096;
  memory.fast = exactly(memory.fast_bytes);
  memory.slow = exactly(memory.slow_bytes);
  CHECK_EQ(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory), TIGRIS_OK);
  CHECK_EQ(tigris_set_input(&ctx, 0, input), TIGRIS_OK);
  CHECK_EQ(tigris_set_output(&ctx, 0, output), TIGRIS_OK);
  status = tigris_run(&ctx);
  if (status == TIGRIS_OK) {
    CHECK_EQ(ctx.statistics.dynamic, less != 0);
    CHECK_EQ(ctx.statistics.kernel_calls, 2 + ROWS);
    for (i = 0; i < ROWS * ROW; ++i)
      CHECK(output[i] == expectedAt(i / ROW, i % ROW / 4, i % 4));
    if (less == 0)
      CHECK_EQ(ctx.statistics.fast_peak,
               plan.tilings[0].bookkeeping + 2 * TIGRIS_STREAM_BOOKKEEPING);
    else
      CHECK_EQ(ctx.statistics.slow_write >= ctx.statistics.overflow_bytes, 1);
  } else {
    CHECK_EQ(ctx.error_stage, 1);
  }
  release(output);
  release(memory.fast);
  release(memory.slow);
  return status;
}

static void testRuns(void) {
  /* Adjacent, and with a result that begins two rows lower: each call writes a row and reads from
   * the previous row on. */
  const uint32_t leads[2] = {BYTES, 2 * ROW_BYTES};
  uint32_t i;
  uint32_t less;
  for (i = 0; i < 2; ++i) {
    Builder b;
    uint8_t* file = makePlan(&b, leads[i]);
    for (less = 0; less <= b.fastUsed / 2; less += 16)
      CHECK_EQ(run(file, less), TIGRIS_OK);
    release(file);
    builderFree(&b);
  }
}

/* A distance of one row is too small for that. */
static void testTooNear(void) {
  Builder b;
  uint8_t* file = makePlan(&b, ROW_BYTES);
  CHECK_EQ(run(file, 0), TIGRIS_E_ADDRESS);
  release(file);
  builderFree(&b);
}

typedef void (*Damage)(tigris_tiling* t, tigris_tile_buffer* b, tigris_stage* s);

#define DAMAGE(name, statement)                                                                    \
  static void name(tigris_tiling* t, tigris_tile_buffer* b, tigris_stage* s) {                     \
    (void)t;                                                                                       \
    (void)b;                                                                                       \
    (void)s;                                                                                       \
    statement;                                                                                     \
  }

DAMAGE(notStreamed, s[1].mode = TIGRIS_STAGE_TILED)
DAMAGE(inStripes, t->tiles[2] = 2)
DAMAGE(neitherLoadedNorStored, b[1].flags = TIGRIS_TILE_IN_PLACE)
DAMAGE(bothLoadedAndStored, b[0].flags = 7)
DAMAGE(unknownFlag, b[0].flags |= 8)
DAMAGE(otherBacking, b[0].backing_offset += 16)
DAMAGE(otherPlace, b[1].fast += 16)
DAMAGE(fewerBytes, b[0].bytes -= 16)
DAMAGE(moreBytes, b[1].bytes += 16)
DAMAGE(inSlow, b[0].backing = TIGRIS_POOL_SLOW)
DAMAGE(atCaller, (b[0].backing = TIGRIS_POOL_CALLER, b[0].backing_offset = b[0].fast = 0))
DAMAGE(outside, b[0].fast = b[0].backing_offset = 0x7FFFFF00)
DAMAGE(unaligned, b[0].fast = b[0].backing_offset += 4)
DAMAGE(onState, t->bookkeeping = b[0].fast)

static void testRules(void) {
  static const Damage damages[] = {notStreamed,
                                   inStripes,
                                   neitherLoadedNorStored,
                                   bothLoadedAndStored,
                                   unknownFlag,
                                   otherBacking,
                                   otherPlace,
                                   fewerBytes,
                                   moreBytes,
                                   inSlow,
                                   atCaller,
                                   outside,
                                   unaligned,
                                   onState};
  uint32_t i;
  for (i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
    Builder b;
    tigris_plan plan;
    uint8_t* file = makePlan(&b, BYTES);
    const uint32_t size = ((const tigris_header*)(const void*)file)->file_size;
    CHECK_EQ(tigris_plan_open(&plan, file, size), TIGRIS_OK);
    damages[i]((tigris_tiling*)(uintptr_t)plan.tilings,
               (tigris_tile_buffer*)(uintptr_t)plan.tile_buffers,
               (tigris_stage*)(uintptr_t)plan.stages);
    if (!CHECK(tigris_plan_open_flags(&plan, file, size, TIGRIS_OPEN_IGNORE_CRC) < TIGRIS_OK))
      printf("rule %u\n", (unsigned)i);
    release(file);
    builderFree(&b);
  }
}

int main(void) {
  randomFloats(input, ROWS * ROW);
  testRuns();
  testTooNear();
  testRules();
  return finish();
}
