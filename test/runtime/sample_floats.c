/* Samples: a float network, a recurrent one, and networks of indices and searches. */
#include <math.h>

#include "check.h"
#include "sample_parts.h"

uint8_t* sampleFloats(Builder* b, uint32_t* size) {
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

uint8_t* sampleIndices(Builder* b, uint32_t* size) {
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

/* Searches, comparisons, selections and computed indices, including an op with two outputs. */
uint8_t* sampleSearches(Builder* b, uint32_t* size) {
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
uint8_t* sampleRecurrent(Builder* b, uint32_t* size) {
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
