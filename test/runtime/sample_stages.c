/* Samples of stages: with blocks of packed weights, in tiles, and streamed. */
#include "check.h"
#include "sample_parts.h"

/* Two blocks of packed weights in the first stage, one in the second, and a constant that is not
 * packed: in WEIGHTS, or in a block of its own if the plan copies its weights. */
static uint8_t* weightBlocks(Builder* b, uint32_t* size, int copies) {
  const int32_t wide[2] = {1, 24};
  const int32_t one[2] = {1, 1};
  const float half = 0.5f;
  tigris_binary_params binary;
  tigris_transfer loads[2];
  tigris_transfer spill;
  float ramp[24];
  float flat[24];
  uint32_t i;
  int in[2];
  int x;
  int y;
  int z;
  for (i = 0; i < 24; ++i) {
    ramp[i] = (float)(i / 4);
    flat[i] = 2.0f;
  }
  memset(&binary, 0, sizeof binary);
  memset(loads, 0, sizeof loads);
  binary.lo.f = -1e9f;
  binary.hi.f = 1e9f;
  beginPlan(b, TIGRIS_IO_SLOW);
  builderReserve(b, copies ? 224 : 208);
  if (copies)
    b->summary.flags |= TIGRIS_SUMMARY_COPY;
  x = builderTensor(b, TIGRIS_F32, 2, wide, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_F32, 2, wide, TIGRIS_NONE);
  builderInput(b, x);
  z = builderTensor(b, TIGRIS_F32, 2, wide, TIGRIS_NONE);
  builderOutput(b, z);
  in[0] = x;
  in[1] = builderPacked(b, TIGRIS_F32, 2, wide, TIGRIS_NONE, ramp);
  builderBlock(b);
  builderOp(b, TIGRIS_OP_ADD, 2, in, y, &binary, sizeof binary);
  in[0] = y;
  if (copies) {
    in[1] = builderPacked(b, TIGRIS_F32, 2, one, TIGRIS_NONE, &half);
    builderRawBlock(b);
  } else {
    in[1] = builderConst(b, TIGRIS_F32, 2, one, TIGRIS_NONE, &half);
  }
  builderOp(b, TIGRIS_OP_MUL, 2, in, x, &binary, sizeof binary);
  in[0] = x;
  in[1] = builderPacked(b, TIGRIS_F32, 2, wide, TIGRIS_NONE, flat);
  z = builderPacked(b, TIGRIS_F32, 2, wide, TIGRIS_NONE, ramp);
  builderBlock(b);
  builderOp(b, TIGRIS_OP_MUL, 2, in, y, &binary, sizeof binary);
  in[0] = y;
  in[1] = z;
  builderOp(b, TIGRIS_OP_ADD, 2, in, x, &binary, sizeof binary);
  loads[0].tensor = (uint16_t)x;
  loads[0].fast = b->place[x].offset;
  spill = loads[0];
  spill.slow = builderSlow(b, builderBytesOf(b, spill.tensor));
  builderStage(b, loads, 1, &spill, 1);
  loads[0].slow = spill.slow;
  in[0] = x;
  in[1] = builderPacked(b, TIGRIS_F32, 2, one, TIGRIS_NONE, ramp + 23);
  builderBlock(b);
  z = y + 1; /* the output */
  builderOp(b, TIGRIS_OP_MUL, 2, in, z, &binary, sizeof binary);
  spill.tensor = (uint16_t)z;
  spill.fast = b->place[z].offset;
  spill.slow = ((const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data)[1].offset;
  builderStage(b, loads, 1, &spill, 1);
  return builderFinish(b, size);
}

uint8_t* samplePacked(Builder* b, uint32_t* size) { return weightBlocks(b, size, 0); }

uint8_t* sampleCopied(Builder* b, uint32_t* size) { return weightBlocks(b, size, 1); }

/* A tiled stage with a convolution with halo and a residual sum, then a whole stage. */
uint8_t* sampleTiled(Builder* b, uint32_t* size) {
  const uint32_t tiles[4] = {1, 3, 1, 1};
  const int32_t cw[4] = {2, 3, 3, 2};
  const int32_t two[1] = {2};
  const int32_t bias[2] = {50, -20};
  const tigris_port* ports;
  tigris_conv_params conv;
  tigris_binary_params add;
  tigris_clamp_params clamp;
  tigris_tile_buffer like;
  tigris_transfer load;
  tigris_transfer spill;
  int8_t data[36];
  int in[3];
  int x;
  int y;
  int z;
  int out;
  randomBytes(data, sizeof data);
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  x = s8(b, 6, 4, 2);
  y = s8(b, 6, 4, 2);
  z = s8(b, 6, 4, 2);
  out = s8(b, 6, 4, 2);
  builderInput(b, x);
  builderOutput(b, out);
  ports = (const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data;
  memset(&load, 0, sizeof load);
  load.tensor = (uint16_t)x;
  load.fast = b->place[x].offset;
  load.slow = builderSlow(b, builderBytesOf(b, x));
  spill = load;
  spill.tensor = (uint16_t)out;
  spill.fast = b->place[out].offset;
  spill.slow = ports[1].offset;
  memset(&like, 0, sizeof like);
  like.flags = TIGRIS_TILE_LOAD;
  like.backing = TIGRIS_POOL_SLOW;
  like.backing_offset = ports[0].offset;
  like.reload_axes = 2;
  builderTile(b, x, &like);
  memset(&like, 0, sizeof like);
  builderTile(b, y, &like);
  like.flags = TIGRIS_TILE_STORE;
  like.backing = TIGRIS_POOL_SLOW;
  like.backing_offset = load.slow;
  builderTile(b, z, &like);
  conv = convParams(b, 0, 1, 2);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_S8, 4, cw, TIGRIS_NONE, data);
  in[2] = builderConst(b, TIGRIS_S32, 1, two, TIGRIS_NONE, bias);
  builderOp(b, TIGRIS_OP_CONV, 3, in, y, &conv, sizeof conv);
  memset(&add, 0, sizeof add);
  add.lo.i = -128;
  add.hi.i = 127;
  add.left_shift = 20;
  add.a_multiplier = add.b_multiplier = add.out_multiplier = 1 << 30;
  add.out_shift = -17;
  in[1] = y;
  builderOp(b, TIGRIS_OP_ADD, 2, in, z, &add, sizeof add);
  builderTiledStage(b, tiles);
  clamp.lo.i = -50;
  clamp.hi.i = 60;
  b->place[x].pool = TIGRIS_POOL_FAST;
  b->place[x].offset = load.fast;
  builderOp(b, TIGRIS_OP_CLAMP, 1, &x, out, &clamp, sizeof clamp);
  builderStage(b, &load, 1, &spill, 1);
  return builderFinish(b, size);
}

/* A streamed stage with a convolution whose rows are added to sums. */
uint8_t* sampleSums(Builder* b, uint32_t* size) {
  const uint32_t steps[4] = {1, 4, 1, 1};
  const int32_t cw[4] = {2, 3, 3, 2};
  const int32_t two[1] = {2};
  const int32_t bias[2] = {50, -20};
  tigris_global_pool_params average = {{0}, {0}, TIGRIS_NONE, 0};
  const tigris_port* ports;
  tigris_conv_params conv;
  tigris_tile_buffer like;
  int8_t data[36];
  int in[3];
  int x;
  int m;
  int y;
  randomBytes(data, sizeof data);
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  x = s8(b, 6, 4, 2);
  m = s8(b, 6, 4, 2);
  y = s8(b, 1, 1, 2);
  builderInput(b, x);
  builderOutput(b, y);
  ports = (const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data;
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
  like.bytes = 8;
  builderTile(b, y, &like);
  average.lo.i = -128;
  average.hi.i = 127;
  conv = convParams(b, 0, 1, 2);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_S8, 4, cw, TIGRIS_NONE, data);
  in[2] = builderConst(b, TIGRIS_S32, 1, two, TIGRIS_NONE, bias);
  builderOp(b, TIGRIS_OP_CONV, 3, in, m, &conv, sizeof conv);
  builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &m, y, &average, sizeof average);
  builderStreamedStage(b, steps);
  return builderFinish(b, size);
}

/* Offset of a model input or output in slow memory. */
static uint32_t portOffset(const Builder* b, uint32_t index) {
  return ((const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data)[index].offset;
}

static void loadedTile(Builder* b, int tensor, uint32_t port) {
  tigris_tile_buffer like;
  memset(&like, 0, sizeof like);
  like.flags = TIGRIS_TILE_LOAD;
  like.backing = TIGRIS_POOL_SLOW;
  like.backing_offset = portOffset(b, port);
  like.reload_axes = 0xF;
  builderTile(b, tensor, &like);
}

static void storedTile(Builder* b, int tensor, uint32_t port, uint8_t flags, uint32_t bytes) {
  tigris_tile_buffer like;
  memset(&like, 0, sizeof like);
  like.flags = (uint8_t)(TIGRIS_TILE_STORE | flags);
  like.backing = TIGRIS_POOL_SLOW;
  like.backing_offset = portOffset(b, port);
  like.bytes = bytes;
  builderTile(b, tensor, &like);
}

/* A stage in stripes of columns, whose windows extend into the next stripe, and one in stripes of
 * channels with sums. */
uint8_t* sampleStripes(Builder* b, uint32_t* size) {
  const uint32_t ofColumns[4] = {1, 6, 2, 1};
  const uint32_t ofChannels[4] = {1, 3, 2, 1};
  const int32_t sequence[3] = {1, 6, 4};
  const int32_t mean[3] = {1, 1, 4};
  tigris_global_pool_params average = {{0}, {0}, TIGRIS_NONE, 0};
  const tigris_tile_buffer own = {0};
  tigris_pool_params pool = poolParams();
  tigris_clamp_params clamp;
  int x;
  int y;
  int z;
  int m;
  int s;
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  x = s8(b, 6, 4, 2);
  z = builderTensor(b, TIGRIS_S8, 3, sequence, 0);
  y = s8(b, 6, 4, 2);
  m = builderTensor(b, TIGRIS_S8, 3, sequence, 0);
  s = builderTensor(b, TIGRIS_S8, 3, mean, 0);
  builderInput(b, x);
  builderInput(b, z);
  builderOutput(b, y);
  builderOutput(b, s);
  pool.kernel_h = pool.kernel_w = 3;
  pool.stride_h = pool.stride_w = 1;
  pool.pad_top = pool.pad_left = pool.pad_bottom = pool.pad_right = 1;
  loadedTile(b, x, 0);
  storedTile(b, y, 2, 0, 0);
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &x, y, &pool, sizeof pool);
  builderStreamedStage(b, ofColumns);
  clamp.lo.i = -100;
  clamp.hi.i = 110;
  average.lo.i = -128;
  average.hi.i = 127;
  loadedTile(b, z, 1);
  builderTile(b, m, &own);
  storedTile(b, s, 3, TIGRIS_TILE_SINK, 4 * 4);
  builderOp(b, TIGRIS_OP_CLAMP, 1, &z, m, &clamp, sizeof clamp);
  builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &m, s, &average, sizeof average);
  builderStreamedStage(b, ofChannels);
  return builderFinish(b, size);
}

/* A streamed stage with two reductions of the same rows: of means with columns, and of maxima. */
uint8_t* sampleReducedRows(Builder* b, uint32_t* size) {
  const uint32_t steps[4] = {1, 3, 1, 1};
  const int32_t multiplier = 1 << 30;
  const int32_t shift = -2;
  tigris_reduce_params mean = {TIGRIS_REDUCE_MEAN, 1u << 1 | 1u << 2, 0, 1};
  const tigris_reduce_params most = {TIGRIS_REDUCE_MAX, 1u << 1, TIGRIS_NONE, 0};
  int x;
  int y;
  int z;
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  mean.requant = builderRequant(b, &multiplier, &shift, 1);
  x = s8(b, 6, 4, 2);
  y = s8(b, 1, 1, 2);
  z = s8(b, 1, 4, 2);
  builderInput(b, x);
  builderOutput(b, y);
  builderOutput(b, z);
  loadedTile(b, x, 0);
  storedTile(b, y, 1, TIGRIS_TILE_SINK, 4 * 2);
  storedTile(b, z, 2, TIGRIS_TILE_SINK, 4 * 2);
  builderOp(b, TIGRIS_OP_REDUCE, 1, &x, y, &mean, sizeof mean);
  builderOp(b, TIGRIS_OP_REDUCE, 1, &x, z, &most, sizeof most);
  builderStreamedStage(b, steps);
  return builderFinish(b, size);
}

/* A streamed stage of two windows: new rows of the second buffer overwrite rows of the first that
 * are no longer needed. */
uint8_t* sampleReusedRows(Builder* b, uint32_t* size) {
  const uint32_t steps[4] = {1, 6, 1, 1};
  const uint32_t row = 4 * 2;
  const tigris_tile_buffer own = {0};
  tigris_pool_params pool = poolParams();
  tigris_clamp_params clamp;
  tigris_tile_buffer* buffers;
  int x;
  int m;
  int n;
  int y;
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  x = s8(b, 6, 4, 2);
  m = s8(b, 6, 4, 2);
  n = s8(b, 6, 4, 2);
  y = s8(b, 6, 4, 2);
  builderInput(b, x);
  builderOutput(b, y);
  pool.kernel_h = pool.kernel_w = 3;
  pool.stride_h = pool.stride_w = 1;
  pool.pad_top = pool.pad_left = pool.pad_bottom = pool.pad_right = 1;
  clamp.lo.i = -100;
  clamp.hi.i = 110;
  loadedTile(b, x, 0);
  builderTile(b, m, &own);
  builderTile(b, n, &own);
  storedTile(b, y, 1, 0, 0);
  buffers = (tigris_tile_buffer*)(void*)b->section[TIGRIS_SECTION_TILE_BUFFERS].data;
  buffers[0].bytes = buffers[2].bytes = 3 * row;
  buffers[0].fast = buffers[2].fast + 2 * row;
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &x, m, &pool, sizeof pool);
  builderOp(b, TIGRIS_OP_CLAMP, 1, &m, n, &clamp, sizeof clamp);
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &n, y, &pool, sizeof pool);
  builderStreamedStage(b, steps);
  return builderFinish(b, size);
}
