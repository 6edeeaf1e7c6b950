/* An int8 network, a float network and an index network, each with a few hundred bytes of
 * operands.
 *
 * Over 500 lines: one function per sample; the samples share tensors and parameters. */
#include "sample_plans.h"

#include <math.h>

#include "check.h"

/* Plans more scratch than any backend needs here, so that each also runs in less memory. */
static void beginPlan(Builder* b, uint32_t ioMode) {
  builderInit(b, ioMode);
  b->summary.scratch_bytes = 5000;
}

static uint32_t oneRequant(Builder* b, uint32_t n) {
  int32_t m[16];
  int32_t s[16];
  uint32_t i;
  for (i = 0; i < n; ++i) {
    m[i] = 1518500250;
    s[i] = -7;
  }
  return builderRequant(b, m, s, n);
}

static int s8(Builder* b, int32_t h, int32_t w, int32_t c) {
  const int32_t dims[4] = {1, h, w, c};
  return builderTensor(b, TIGRIS_S8, 4, dims, 0);
}

static int f32(Builder* b, int32_t h, int32_t w, int32_t c) {
  const int32_t dims[4] = {1, h, w, c};
  return builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
}

static tigris_conv_params convParams(Builder* b, int isFloat, int32_t groups, uint32_t channels) {
  const int32_t zeros[1] = {3};
  tigris_conv_params p;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.groups = groups;
  p.requant = p.weight_zeros = TIGRIS_NONE;
  if (isFloat) {
    p.lo.f = 0.0f;
    p.hi.f = INFINITY;
    return p;
  }
  p.lo.i = -128;
  p.hi.i = 127;
  p.requant = oneRequant(b, channels);
  p.requant_count = channels;
  p.weight_zeros = builderInts(b, zeros, 1);
  p.weight_zeros_count = 1;
  return p;
}

static tigris_pool_params poolParams(void) {
  tigris_pool_params p;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
  p.dilation_h = p.dilation_w = 1;
  p.lo.i = -128;
  p.hi.i = 127;
  p.requant = TIGRIS_NONE;
  return p;
}

/* The second half of `integers`, from y [1, 4, 4, 5] on: movement, a reduction, dense layers. */
static uint8_t* integerTail(Builder* b, int y, uint32_t requant, const int8_t* data,
                            uint32_t* size) {
  const int32_t before[4] = {0, 1, 0, 0};
  const int32_t starts[4] = {0, 4, 0, 1};
  const int32_t steps[4] = {1, -2, 1, 1};
  const int32_t perm[4] = {0, 1, 3, 2};
  const int32_t fw[2] = {3, 4};
  const int32_t fx[2] = {1, 4};
  const int32_t fy[2] = {1, 3};
  tigris_pad_params pad;
  tigris_slice_params slice;
  tigris_transpose_params transpose;
  tigris_fc_params fc;
  tigris_softmax_params softmax;
  tigris_axis_params axis;
  tigris_reduce_params reduce;
  tigris_requantize_params requantize;
  int in[4];
  int x;
  int z;
  memset(&pad, 0, sizeof pad);
  memcpy(pad.before, before, sizeof before);
  pad.mode = TIGRIS_PAD_CONSTANT;
  pad.value.i = -3;
  x = s8(b, 5, 4, 5);
  builderOp(b, TIGRIS_OP_PAD, 1, &y, x, &pad, sizeof pad);
  memset(&slice, 0, sizeof slice);
  memcpy(slice.starts, starts, sizeof starts);
  memcpy(slice.steps, steps, sizeof steps);
  y = s8(b, 3, 4, 4);
  builderOp(b, TIGRIS_OP_SLICE, 1, &x, y, &slice, sizeof slice);
  transpose.perm = builderInts(b, perm, 4);
  z = s8(b, 3, 4, 4);
  builderOp(b, TIGRIS_OP_TRANSPOSE, 1, &y, z, &transpose, sizeof transpose);
  axis.axis = 1;
  in[0] = y;
  in[1] = z;
  x = s8(b, 6, 4, 4);
  builderOp(b, TIGRIS_OP_CONCAT, 2, in, x, &axis, sizeof axis);
  reduce.kind = TIGRIS_REDUCE_MEAN;
  reduce.axes = 6;
  reduce.requant = requant;
  reduce.requant_count = 1;
  y = builderTensor(b, TIGRIS_S8, 2, fx, 0);
  builderOp(b, TIGRIS_OP_REDUCE, 1, &x, y, &reduce, sizeof reduce);
  fc.lo.i = -128;
  fc.hi.i = 127;
  fc.requant = requant;
  fc.requant_count = 1;
  fc.weight_zeros = TIGRIS_NONE;
  fc.weight_zeros_count = 0;
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 2, fw, TIGRIS_NONE, data);
  in[2] = -1;
  x = builderTensor(b, TIGRIS_S8, 2, fy, 0);
  builderOp(b, TIGRIS_OP_FULLY_CONNECTED, 3, in, x, &fc, sizeof fc);
  requantize.multiplier = 1 << 30;
  requantize.shift = 1;
  requantize.lo = -128;
  requantize.hi = 127;
  builderOp(b, TIGRIS_OP_REQUANTIZE, 1, &x, x, &requantize, sizeof requantize);
  softmax.axis = 1;
  softmax.multiplier = 1717986918;
  softmax.left_shift = 23;
  softmax.diff_min = -248;
  y = builderTensor(b, TIGRIS_S8, 2, fy, 0);
  builderOp(b, TIGRIS_OP_SOFTMAX, 1, &x, y, &softmax, sizeof softmax);
  z = builderTensor(b, TIGRIS_F32, 2, fy, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_DEQUANTIZE, 1, &y, z, NULL, 0);
  builderOutput(b, z);
  return builderFinish(b, size);
}

static uint8_t* integers(Builder* b, uint32_t* size) {
  const int32_t taps[8] = {0, 0, 0, 1, 1, 0, 1, 1};
  const int32_t weights[8] = {1024, 0, 512, 512, 1000, 24, 1024, 0};
  const int32_t cw[4] = {5, 3, 3, 2};
  const int32_t dw[3] = {3, 3, 5};
  const int32_t five[1] = {5};
  const int32_t table[1] = {256};
  int8_t data[256];
  int32_t bias[5] = {100, -100, 7, 0, 99};
  tigris_conv_params conv;
  tigris_pool_params pool;
  tigris_resize_params resize;
  tigris_binary_params add;
  tigris_global_pool_params global;
  const float scale = 0.1f;
  int in[4];
  int x;
  int y;
  int z;
  randomBytes(data, sizeof data);
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, scale, -3);
  x = f32(b, 4, 4, 2);
  builderInput(b, x);
  y = s8(b, 4, 4, 2);
  builderOp(b, TIGRIS_OP_QUANTIZE, 1, &x, y, NULL, 0);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 4, cw, TIGRIS_NONE, data);
  in[2] = builderConst(b, TIGRIS_S32, 1, five, TIGRIS_NONE, bias);
  conv = convParams(b, 0, 1, 5);
  x = s8(b, 4, 4, 5);
  builderOp(b, TIGRIS_OP_CONV, 3, in, x, &conv, sizeof conv);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_S8, 3, dw, TIGRIS_NONE, data);
  conv.groups = 5;
  y = s8(b, 4, 4, 5);
  builderOp(b, TIGRIS_OP_DEPTHWISE_CONV, 3, in, y, &conv, sizeof conv);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 1, table, TIGRIS_NONE, data);
  builderOp(b, TIGRIS_OP_LOOKUP, 2, in, y, NULL, 0);
  pool = poolParams();
  x = s8(b, 2, 2, 5);
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &y, x, &pool, sizeof pool);
  pool.requant = oneRequant(b, 4);
  pool.requant_count = 4;
  z = s8(b, 2, 2, 5);
  builderOp(b, TIGRIS_OP_AVERAGE_POOL, 1, &y, z, &pool, sizeof pool);
  resize.h_origin = resize.w_origin = 0;
  resize.h_taps = resize.w_taps = 2;
  resize.h_index = resize.w_index = builderInts(b, taps, 8);
  resize.h_weight = resize.w_weight = builderInts(b, weights, 8);
  y = s8(b, 4, 4, 5);
  builderOp(b, TIGRIS_OP_RESIZE, 1, &x, y, &resize, sizeof resize);
  memset(&add, 0, sizeof add);
  add.lo.i = -128;
  add.hi.i = 127;
  add.left_shift = 20;
  add.a_multiplier = add.b_multiplier = add.out_multiplier = 1 << 30;
  add.out_shift = -17;
  in[0] = z;
  in[1] = x;
  builderOp(b, TIGRIS_OP_ADD, 2, in, x, &add, sizeof add);
  add.left_shift = 0;
  in[1] = s8(b, 1, 1, 5);
  global.lo.i = -128;
  global.hi.i = 127;
  global.requant = oneRequant(b, 1);
  global.requant_count = 1;
  builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &z, in[1], &global, sizeof global);
  z = s8(b, 2, 2, 5);
  builderOp(b, TIGRIS_OP_DIV, 2, in, z, &add, sizeof add);
  return integerTail(b, y, global.requant, data, size);
}

static uint8_t* floats(Builder* b, uint32_t* size) {
  const int32_t cw[5] = {1, 3, 3, 2, 5};
  const int32_t tw[5] = {1, 3, 3, 5, 3};
  const int32_t dw[3] = {3, 3, 3};
  const int32_t three[1] = {3};
  const int32_t mx[2] = {2, 3};
  const int32_t my[2] = {2, 2};
  const int32_t nearest[4] = {0, 1, 0, 1};
  float data[160];
  tigris_conv_params conv;
  tigris_resize_params resize;
  tigris_clamp_params clamp;
  tigris_reduce_params reduce;
  tigris_layer_norm_params norm;
  tigris_matmul_params matmul;
  tigris_pool_params pool;
  tigris_unary_params unary;
  tigris_softmax_params softmax;
  int in[3];
  int x;
  int y;
  int z;
  randomFloats(data, 160);
  beginPlan(b, TIGRIS_IO_CALLER);
  x = f32(b, 4, 4, 2);
  builderInput(b, x);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_F32, 5, cw, TIGRIS_NONE, data);
  in[2] = -1;
  conv = convParams(b, 1, 1, 5);
  y = f32(b, 4, 4, 5);
  builderOp(b, TIGRIS_OP_CONV, 3, in, y, &conv, sizeof conv);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_F32, 5, tw, TIGRIS_NONE, data);
  conv.stride_h = conv.stride_w = 2;
  x = f32(b, 7, 7, 3);
  builderOp(b, TIGRIS_OP_CONV_TRANSPOSE, 2, in, x, &conv, sizeof conv);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_F32, 3, dw, TIGRIS_NONE, data);
  conv.groups = 3;
  y = f32(b, 4, 4, 3);
  builderOp(b, TIGRIS_OP_DEPTHWISE_CONV, 2, in, y, &conv, sizeof conv);
  clamp.lo.f = -1.0f;
  clamp.hi.f = 1.0f;
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_F32, 1, three, TIGRIS_NONE, data);
  in[2] = builderConst(b, TIGRIS_F32, 1, three, TIGRIS_NONE, data + 3);
  builderOp(b, TIGRIS_OP_BATCH_NORM, 3, in, y, &clamp, sizeof clamp);
  builderOp(b, TIGRIS_OP_PRELU, 2, in, y, NULL, 0);
  pool = poolParams();
  pool.lo.f = -INFINITY;
  pool.hi.f = INFINITY;
  pool.flags = TIGRIS_POOL_COUNT_PAD;
  pool.pad_top = pool.pad_left = 1;
  x = f32(b, 2, 2, 3);
  builderOp(b, TIGRIS_OP_AVERAGE_POOL, 1, &y, x, &pool, sizeof pool);
  resize.h_origin = resize.w_origin = 0;
  resize.h_taps = resize.w_taps = 1;
  resize.h_index = resize.w_index = builderInts(b, nearest, 4);
  resize.h_weight = resize.w_weight = TIGRIS_NONE;
  z = f32(b, 4, 4, 3);
  builderOp(b, TIGRIS_OP_RESIZE, 1, &x, z, &resize, sizeof resize);
  unary.function = TIGRIS_FN_SIGMOID;
  unary.alpha = unary.beta = 0.0f;
  builderOp(b, TIGRIS_OP_UNARY, 1, &z, z, &unary, sizeof unary);
  memset(&reduce, 0, sizeof reduce);
  reduce.kind = TIGRIS_REDUCE_LOG_SUM_EXP;
  reduce.axes = 4;
  reduce.requant = TIGRIS_NONE;
  y = f32(b, 2, 1, 3);
  builderOp(b, TIGRIS_OP_REDUCE, 1, &x, y, &reduce, sizeof reduce);
  norm.axes = 1;
  norm.epsilon = 1e-5f;
  in[0] = y;
  x = f32(b, 2, 1, 3);
  builderOp(b, TIGRIS_OP_LAYER_NORM, 3, in, x, &norm, sizeof norm);
  z = builderTensor(b, TIGRIS_F32, 2, mx, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_RESHAPE, 1, &x, z, NULL, 0);
  matmul.multiplier = 0;
  matmul.shift = 0;
  matmul.flags = TIGRIS_MATMUL_TRANSPOSE_B;
  in[0] = in[1] = z;
  x = builderTensor(b, TIGRIS_F32, 2, my, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_MATMUL, 2, in, x, &matmul, sizeof matmul);
  memset(&softmax, 0, sizeof softmax);
  softmax.axis = 1;
  y = builderTensor(b, TIGRIS_F32, 2, my, TIGRIS_NONE);
  builderOutput(b, y);
  builderOp(b, TIGRIS_OP_LOG_SOFTMAX, 1, &x, y, &softmax, sizeof softmax);
  return builderFinish(b, size);
}

static uint8_t* indices(Builder* b, uint32_t* size) {
  const int32_t xd[2] = {5, 3};
  const int32_t id[1] = {2};
  const int32_t yd[2] = {2, 3};
  const int32_t pd[2] = {4, 5};
  const int32_t before[2] = {1, 1};
  tigris_axis_params axis;
  tigris_pad_params pad;
  int in[2];
  int y;
  int z;
  beginPlan(b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(b, TIGRIS_S64, 2, xd, TIGRIS_NONE);
  in[1] = builderTensor(b, TIGRIS_S32, 1, id, TIGRIS_NONE);
  y = builderTensor(b, TIGRIS_S64, 2, yd, TIGRIS_NONE);
  z = builderTensor(b, TIGRIS_S64, 2, pd, TIGRIS_NONE);
  builderInput(b, in[0]);
  builderInput(b, in[1]);
  builderOutput(b, z);
  axis.axis = 0;
  builderOp(b, TIGRIS_OP_GATHER, 2, in, y, &axis, sizeof axis);
  memset(&pad, 0, sizeof pad);
  memcpy(pad.before, before, sizeof before);
  pad.mode = TIGRIS_PAD_REFLECT;
  pad.value.i = 0;
  builderOp(b, TIGRIS_OP_PAD, 1, &y, z, &pad, sizeof pad);
  return builderFinish(b, size);
}

/* Packed weights: two blocks in the first stage, one in the second, and a constant that is not
 * packed. */
static uint8_t* packed(Builder* b, uint32_t* size) {
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
  builderReserve(b, 208);
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
  in[1] = builderConst(b, TIGRIS_F32, 2, one, TIGRIS_NONE, &half);
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
  loads[0].bytes = builderBytesOf(b, x);
  spill = loads[0];
  spill.slow = builderSlow(b, spill.bytes);
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

/* A tiled stage with a convolution with halo and a residual sum, then a whole stage. */
static uint8_t* tiled(Builder* b, uint32_t* size) {
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
  load.bytes = builderBytesOf(b, x);
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
static uint8_t* sums(Builder* b, uint32_t* size) {
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
static uint8_t* stripes(Builder* b, uint32_t* size) {
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

/* A streamed stage of two windows: new rows of the second buffer overwrite rows of the first that
 * are no longer needed. */
static uint8_t* reusedRows(Builder* b, uint32_t* size) {
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

/* Searches, comparisons, selections and computed indices, including an op with two outputs. */
static uint8_t* searches(Builder* b, uint32_t* size) {
  const int32_t xd[2] = {2, 6};
  const int32_t yd[2] = {2, 3};
  const int32_t nd[2] = {2, 1};
  const int32_t pd[1] = {2};
  const float zero = 0.0f;
  const int64_t picks[2] = {1, 0};
  tigris_search_params search;
  tigris_axis_params axis;
  tigris_binary_params binary;
  int in[3];
  int top[2];
  int x;
  int y;
  beginPlan(b, TIGRIS_IO_ARENA);
  x = builderTensor(b, TIGRIS_F32, 2, xd, TIGRIS_NONE);
  builderInput(b, x);
  in[0] = builderConst(b, TIGRIS_S64, 2, nd, TIGRIS_NONE, picks);
  top[0] = builderTensor(b, TIGRIS_F32, 2, yd, TIGRIS_NONE);
  top[1] = builderTensor(b, TIGRIS_S64, 2, yd, TIGRIS_NONE);
  search.axis = 1;
  search.flags = TIGRIS_SEARCH_LARGEST;
  builderOpOutputs(b, TIGRIS_OP_TOP_K, 1, &x, 2, top, &search, sizeof search);
  in[1] = in[0];
  in[0] = top[0];
  y = builderTensor(b, TIGRIS_F32, 2, yd, TIGRIS_NONE);
  axis.axis = 0;
  builderOp(b, TIGRIS_OP_GATHER_ND, 2, in, y, &axis, sizeof axis);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_F32, 0, NULL, TIGRIS_NONE, &zero);
  x = builderTensor(b, TIGRIS_BOOL, 2, yd, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_LESS, 2, in, x, NULL, 0);
  in[2] = in[1];
  in[1] = in[0];
  in[0] = x;
  x = builderTensor(b, TIGRIS_F32, 2, yd, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_WHERE, 3, in, x, NULL, 0);
  y = builderTensor(b, TIGRIS_S64, 2, yd, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_CAST, 1, &x, y, NULL, 0);
  in[0] = y;
  in[1] = top[1];
  memset(&binary, 0, sizeof binary);
  x = builderTensor(b, TIGRIS_S64, 2, yd, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_MOD, 2, in, x, &binary, sizeof binary);
  y = builderTensor(b, TIGRIS_S64, 1, pd, TIGRIS_NONE);
  search.flags = TIGRIS_SEARCH_LAST;
  builderOp(b, TIGRIS_OP_ARG_MAX, 1, &x, y, &search, sizeof search);
  builderOutput(b, y);
  return builderFinish(b, size);
}

/* A bidirectional LSTM that keeps two steps, followed by a GRU. */
static uint8_t* recurrent(Builder* b, uint32_t* size) {
  const int32_t xd[3] = {4, 1, 2};
  const int32_t wd[4] = {2, 1, 2, 4};
  const int32_t rd[4] = {2, 1, 1, 4};
  const int32_t bd[3] = {2, 1, 4};
  const int32_t yd[4] = {2, 2, 1, 1};
  const int32_t cd[3] = {2, 1, 1};
  const int32_t vd[4] = {1, 1, 1, 3};
  const int32_t gd[3] = {1, 1, 4};
  const int32_t zd[4] = {2, 1, 1, 1};
  const int32_t hd[1] = {1};
  const int32_t sd[3] = {2, 2, 1};
  tigris_recurrent_params p;
  float weights[16];
  int in[4];
  int out[2];
  uint32_t i;
  for (i = 0; i < 16; ++i)
    weights[i] = (float)i / 8.0f - 1.0f;
  beginPlan(b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(b, TIGRIS_F32, 3, xd, TIGRIS_NONE);
  builderInput(b, in[0]);
  in[1] = builderConst(b, TIGRIS_F32, 4, wd, TIGRIS_NONE, weights);
  in[2] = builderConst(b, TIGRIS_F32, 4, rd, TIGRIS_NONE, weights);
  in[3] = builderConst(b, TIGRIS_F32, 3, bd, TIGRIS_NONE, weights);
  out[0] = builderTensor(b, TIGRIS_F32, 4, yd, TIGRIS_NONE);
  out[1] = builderTensor(b, TIGRIS_F32, 3, cd, TIGRIS_NONE);
  p.flags = 0;
  p.clip = 8.0f;
  builderOpOutputs(b, TIGRIS_OP_LSTM, 4, in, 2, out, &p, sizeof p);
  in[0] = builderTensor(b, TIGRIS_F32, 3, sd, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_RESHAPE, 1, out, in[0], NULL, 0);
  {
    const int32_t flat[3] = {2, 1, 2};
    const int sequence = builderTensor(b, TIGRIS_F32, 3, flat, TIGRIS_NONE);
    const int32_t wide[4] = {1, 1, 2, 3};
    builderOp(b, TIGRIS_OP_RESHAPE, 1, in, sequence, NULL, 0);
    in[0] = sequence;
    in[1] = builderConst(b, TIGRIS_F32, 4, wide, TIGRIS_NONE, weights);
  }
  in[2] = builderConst(b, TIGRIS_F32, 4, vd, TIGRIS_NONE, weights);
  in[3] = builderConst(b, TIGRIS_F32, 3, gd, TIGRIS_NONE, weights);
  out[0] = builderTensor(b, TIGRIS_F32, 4, zd, TIGRIS_NONE);
  out[1] = builderTensor(b, TIGRIS_F32, 1, hd, TIGRIS_NONE);
  p.flags = TIGRIS_RECURRENT_REVERSE;
  builderOpOutputs(b, TIGRIS_OP_GRU, 4, in, 2, out, &p, sizeof p);
  builderOutput(b, out[0]);
  return builderFinish(b, size);
}

/* int8 within the limits of vendors' kernels: weights without zero points, one quantization around
 * pools. */
static uint8_t* plain(Builder* b, uint32_t* size) {
  const int32_t cw[4] = {4, 3, 3, 2};
  const int32_t pw[4] = {4, 1, 1, 4};
  const int32_t dw[3] = {3, 3, 4};
  const int32_t four[1] = {4};
  const int32_t fw[2] = {3, 4};
  const int32_t fx[2] = {1, 4};
  const int32_t fy[2] = {1, 3};
  int8_t data[256];
  int32_t bias[4] = {100, -100, 7, 0};
  tigris_conv_params conv = convParams(b, 1, 1, 0);
  tigris_pool_params pool = poolParams();
  tigris_global_pool_params global;
  tigris_binary_params binary;
  tigris_fc_params fc;
  tigris_softmax_params softmax;
  int in[3];
  int x;
  int y;
  int z;
  randomBytes(data, sizeof data);
  beginPlan(b, TIGRIS_IO_SLOW);
  builderQuant(b, 0.1f, -3);
  conv.lo.i = -128;
  conv.hi.i = 127;
  x = s8(b, 6, 6, 2);
  builderInput(b, x);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_S8, 4, cw, TIGRIS_NONE, data);
  in[2] = builderConst(b, TIGRIS_S32, 1, four, TIGRIS_NONE, bias);
  conv.requant = oneRequant(b, 4);
  conv.requant_count = 4;
  y = s8(b, 6, 6, 4);
  builderOp(b, TIGRIS_OP_CONV, 3, in, y, &conv, sizeof conv);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 3, dw, TIGRIS_NONE, data);
  conv.groups = 4;
  x = s8(b, 6, 6, 4);
  builderOp(b, TIGRIS_OP_DEPTHWISE_CONV, 3, in, x, &conv, sizeof conv);
  in[0] = x;
  in[1] = builderConst(b, TIGRIS_S8, 4, pw, TIGRIS_NONE, data);
  conv.groups = conv.kernel_h = conv.kernel_w = 1;
  conv.pad_top = conv.pad_left = conv.pad_bottom = conv.pad_right = 0;
  conv.requant_count = 1;
  conv.requant = oneRequant(b, 1);
  z = s8(b, 6, 6, 4);
  builderOp(b, TIGRIS_OP_CONV, 3, in, z, &conv, sizeof conv);
  memset(&binary, 0, sizeof binary);
  binary.lo.i = -128;
  binary.hi.i = 127;
  binary.left_shift = 20;
  binary.a_multiplier = binary.b_multiplier = binary.out_multiplier = 1 << 30;
  binary.out_shift = -17;
  in[1] = z;
  y = s8(b, 6, 6, 4);
  builderOp(b, TIGRIS_OP_ADD, 2, in, y, &binary, sizeof binary);
  binary.out_shift = -4;
  in[0] = y;
  x = s8(b, 6, 6, 4);
  builderOp(b, TIGRIS_OP_MUL, 2, in, x, &binary, sizeof binary);
  y = s8(b, 3, 3, 4);
  builderOp(b, TIGRIS_OP_MAX_POOL, 1, &x, y, &pool, sizeof pool);
  pool.stride_h = pool.stride_w = 1;
  x = s8(b, 2, 2, 4);
  builderOp(b, TIGRIS_OP_AVERAGE_POOL, 1, &y, x, &pool, sizeof pool);
  memset(&global, 0, sizeof global);
  global.lo.i = -128;
  global.hi.i = 127;
  global.requant = TIGRIS_NONE;
  y = builderTensor(b, TIGRIS_S8, 2, fx, 0);
  builderOp(b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &x, y, &global, sizeof global);
  memset(&fc, 0, sizeof fc);
  fc.lo.i = -128;
  fc.hi.i = 127;
  fc.requant = conv.requant;
  fc.requant_count = 1;
  fc.weight_zeros = TIGRIS_NONE;
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 2, fw, TIGRIS_NONE, data);
  x = builderTensor(b, TIGRIS_S8, 2, fy, 0);
  builderOp(b, TIGRIS_OP_FULLY_CONNECTED, 2, in, x, &fc, sizeof fc);
  memset(&softmax, 0, sizeof softmax);
  softmax.axis = 1;
  softmax.multiplier = 1717986918;
  softmax.left_shift = 23;
  softmax.diff_min = -248;
  y = builderTensor(b, TIGRIS_S8, 2, fy, 0);
  builderOp(b, TIGRIS_OP_SOFTMAX, 1, &x, y, &softmax, sizeof softmax);
  builderOutput(b, y);
  return builderFinish(b, size);
}

uint8_t* samplePlan(Builder* b, unsigned index, uint32_t* size) {
  switch (index) {
  case 0:
    return integers(b, size);
  case 1:
    return floats(b, size);
  case 2:
    return indices(b, size);
  case 3:
    return packed(b, size);
  case 4:
    return tiled(b, size);
  case 5:
    return searches(b, size);
  case 6:
    return recurrent(b, size);
  case 7:
    return sums(b, size);
  case 8:
    return stripes(b, size);
  case 9:
    return reusedRows(b, size);
  case 10:
    return plain(b, size);
  default:
    return NULL;
  }
}
