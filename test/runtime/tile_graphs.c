/* One function per kind of op; each satisfies the constraints of its opcode. */
#include "tile_graphs.h"

#include <math.h>

#include "check.h"

float graphFloats[4096];
int8_t graphBytes[4096];
int32_t graphBiases[64];

int graphAddValue(Graph* g, const int32_t* dims, int maker) {
  Value* v = &g->values[g->valueCount];
  memset(v, 0, sizeof *v);
  v->dtype = g->dtype;
  memcpy(v->dims, dims, sizeof v->dims);
  v->quant = g->dtype == TIGRIS_S8 ? 0 : TIGRIS_NONE;
  v->maker = maker;
  return g->valueCount++;
}

int graphAddConst(Graph* g, uint8_t dtype, uint32_t rank, const int32_t* dims, const void* data) {
  Value* v = &g->values[g->valueCount];
  memset(v, 0, sizeof *v);
  v->dtype = dtype;
  v->isConst = 1;
  v->rank = rank;
  memcpy(v->constDims, dims, rank * sizeof *dims);
  v->data = data;
  v->quant = dtype == TIGRIS_S8 ? 0 : TIGRIS_NONE;
  v->maker = -1;
  return g->valueCount++;
}

static int pick(const Graph* g) {
  int index;
  do {
    index = randomInt(0, g->valueCount - 1);
  } while (g->values[index].isConst);
  return index;
}

/* The newest values are read most often, so that chains grow. */
static int pickLate(const Graph* g) {
  int index = g->valueCount - 1;
  while (g->values[index].isConst)
    --index;
  return randomInt(0, 2) == 0 ? pick(g) : index;
}

void graphSetBounds(const Graph* g, tigris_scalar* lo, tigris_scalar* hi) {
  if (g->dtype == TIGRIS_F32) {
    lo->f = -3.0f;
    hi->f = INFINITY;
  } else {
    lo->i = -100;
    hi->i = 127;
  }
}

static void addWindow(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  tigris_conv_params* p = &n->params.conv;
  const int depthwise = n->opcode == TIGRIS_OP_DEPTHWISE_CONV;
  const int up = n->opcode == TIGRIS_OP_CONV_TRANSPOSE;
  const int isFloat = g->dtype == TIGRIS_F32;
  const int32_t out = depthwise ? x[3] : randomInt(1, 6);
  int32_t cw[5];
  p->kernel_h = randomInt(1, 3);
  p->kernel_w = randomInt(1, 3);
  p->stride_h = randomInt(1, 2);
  p->stride_w = randomInt(1, 2);
  p->dilation_h = p->dilation_w = randomInt(0, 3) == 0 ? 2 : 1;
  p->pad_top = randomInt(0, p->kernel_h - 1);
  p->pad_left = randomInt(0, p->kernel_w - 1);
  p->pad_bottom = randomInt(0, p->kernel_h - 1);
  p->pad_right = randomInt(0, p->kernel_w - 1);
  p->groups = depthwise ? out : 1;
  graphSetBounds(g, &p->lo, &p->hi);
  y[0] = x[0];
  if (up) {
    y[1] = p->stride_h * (x[1] - 1) + p->dilation_h * (p->kernel_h - 1) + 1 - p->pad_top -
           p->pad_bottom;
    y[2] = p->stride_w * (x[2] - 1) + p->dilation_w * (p->kernel_w - 1) + 1 - p->pad_left -
           p->pad_right;
  } else {
    const int32_t h = x[1] + p->pad_top + p->pad_bottom - p->dilation_h * (p->kernel_h - 1) - 1;
    const int32_t w = x[2] + p->pad_left + p->pad_right - p->dilation_w * (p->kernel_w - 1) - 1;
    y[1] = h < 0 ? 0 : h / p->stride_h + 1;
    y[2] = w < 0 ? 0 : w / p->stride_w + 1;
  }
  y[3] = out;
  n->paramsSize = sizeof *p;
  if (y[1] < 1 || y[2] < 1)
    return;
  if (depthwise) {
    cw[0] = p->kernel_h;
    cw[1] = p->kernel_w;
    cw[2] = out;
    n->in[1] = graphAddConst(g, g->dtype, 3, cw, isFloat ? (const void*)graphFloats : graphBytes);
  } else if (isFloat) {
    cw[0] = 1;
    cw[1] = p->kernel_h;
    cw[2] = p->kernel_w;
    cw[3] = x[3];
    cw[4] = out;
    n->in[1] = graphAddConst(g, g->dtype, 5, cw, graphFloats);
  } else {
    cw[0] = out;
    cw[1] = p->kernel_h;
    cw[2] = p->kernel_w;
    cw[3] = x[3];
    n->in[1] = graphAddConst(g, g->dtype, 4, cw, graphBytes);
  }
  n->in[2] = graphAddConst(g, isFloat ? TIGRIS_F32 : TIGRIS_S32, 1, &out,
                           isFloat ? (const void*)(graphFloats + 7) : graphBiases);
  g->values[n->in[2]].quant = TIGRIS_NONE;
  n->inputs = 3;
}

static void addPool(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  tigris_pool_params* p = &n->params.pool;
  p->kernel_h = randomInt(1, 3);
  p->kernel_w = randomInt(1, 3);
  p->stride_h = randomInt(1, 3);
  p->stride_w = randomInt(1, 2);
  p->dilation_h = p->dilation_w = 1;
  p->pad_top = randomInt(0, p->kernel_h - 1);
  p->pad_left = randomInt(0, p->kernel_w - 1);
  p->pad_bottom = randomInt(0, p->kernel_h - 1);
  p->pad_right = randomInt(0, p->kernel_w - 1);
  p->flags = n->opcode == TIGRIS_OP_AVERAGE_POOL && randomInt(0, 1) ? TIGRIS_POOL_COUNT_PAD : 0;
  graphSetBounds(g, &p->lo, &p->hi);
  p->requant = TIGRIS_NONE;
  y[0] = x[0];
  y[1] = x[1] + p->pad_top + p->pad_bottom - p->kernel_h;
  y[2] = x[2] + p->pad_left + p->pad_right - p->kernel_w;
  y[1] = y[1] < 0 ? 0 : y[1] / p->stride_h + 1;
  y[2] = y[2] < 0 ? 0 : y[2] / p->stride_w + 1;
  y[3] = x[3];
  n->paramsSize = sizeof *p;
}

/* Nearest, without a period. */
static tigris_resize_axis resizeAxis(Graph* g, int32_t in, int32_t out) {
  tigris_resize_axis axis = {1, (uint32_t)out, (uint32_t)in, g->intCount, TIGRIS_NONE, 0, 0};
  int32_t i;
  for (i = 0; i < out; ++i)
    g->ints[g->intCount++] = i * in / out;
  return axis;
}

static void addResize(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  tigris_resize_params* p = &n->params.resize;
  memcpy(y, x, 16);
  y[1] = randomInt(1, 2 * x[1]);
  y[2] = randomInt(1, 2 * x[2]);
  n->paramsSize = sizeof *p;
  if (y[1] > 16 || y[2] > 16 || g->intCount + (uint32_t)(y[1] + y[2]) > 256) {
    y[1] = 0;
    return;
  }
  p->h = resizeAxis(g, x[1], y[1]);
  p->w = resizeAxis(g, x[2], y[2]);
}

static void addSliceOrPad(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  int i;
  (void)g;
  for (i = 0; i < 4; ++i) {
    if (n->opcode == TIGRIS_OP_SLICE) {
      tigris_slice_params* p = &n->params.slice;
      const int32_t step = i == 1 || i == 2 ? (randomInt(0, 1) ? -1 : randomInt(1, 2)) : 1;
      p->steps[i] = step;
      p->starts[i] = step < 0 ? x[i] - 1 : (i == 0 ? 0 : randomInt(0, x[i] / 2));
      y[i] = step < 0 ? randomInt(1, x[i]) : (x[i] - 1 - p->starts[i]) / step + 1;
      n->paramsSize = sizeof *p;
    } else {
      tigris_pad_params* p = &n->params.pad;
      const int32_t most = i == 0 || x[i] == 1 ? 0 : (x[i] - 1 < 2 ? x[i] - 1 : 2);
      if (i == 0)
        p->mode = (uint32_t)randomInt(0, 2);
      p->before[i] = randomInt(0, most);
      y[i] = x[i] + p->before[i] + randomInt(0, most);
      n->paramsSize = sizeof *p;
    }
  }
}

static void addGather(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  const int axis = randomInt(2, 3);
  int32_t* indices = g->ints + g->intCount;
  int i;
  memcpy(y, x, 16);
  y[axis] = randomInt(1, 6);
  g->intCount += (uint32_t)y[axis];
  for (i = 0; i < y[axis]; ++i)
    indices[i] = randomInt(-x[axis], x[axis] - 1);
  n->in[1] = graphAddConst(g, TIGRIS_S32, 1, y + axis, indices);
  n->inputs = 2;
  n->params.axis.axis = axis;
  n->paramsSize = sizeof n->params.axis;
}

static int sameDims(const int32_t* a, const int32_t* b, int except) {
  int i;
  for (i = 0; i < 4; ++i) {
    if (i != except && a[i] != b[i])
      return 0;
  }
  return 1;
}

static void addJoin(Graph* g, Node* n, const int32_t* x, int32_t* y) {
  const int axis = randomInt(1, 3);
  const int other = pick(g);
  memcpy(y, x, 16);
  n->in[1] = other;
  n->inputs = 2;
  if (n->opcode == TIGRIS_OP_CONCAT) {
    if (!sameDims(x, g->values[other].dims, axis)) {
      n->in[1] = n->in[0];
      y[axis] += x[axis];
    } else {
      y[axis] += g->values[other].dims[axis];
    }
    n->params.axis.axis = axis;
    n->paramsSize = sizeof n->params.axis;
    return;
  }
  if (!sameDims(x, g->values[other].dims, -1)) {
    /* a constant per channel */
    n->in[1] = graphAddConst(g, g->dtype, 1, x + 3,
                             g->dtype == TIGRIS_F32 ? (const void*)graphFloats : graphBytes);
  }
  graphSetBounds(g, &n->params.binary.lo, &n->params.binary.hi);
  n->params.binary.left_shift = g->dtype == TIGRIS_S8 ? 20 : 0;
  n->params.binary.a_multiplier = n->params.binary.b_multiplier = 1 << 30;
  n->params.binary.out_multiplier = 1 << 30;
  n->params.binary.out_shift = -17;
  n->paramsSize = sizeof n->params.binary;
}

static void addNode(Graph* g) {
  static const uint16_t opcodes[] = {TIGRIS_OP_CONV,
                                     TIGRIS_OP_CONV,
                                     TIGRIS_OP_DEPTHWISE_CONV,
                                     TIGRIS_OP_CONV_TRANSPOSE,
                                     TIGRIS_OP_MAX_POOL,
                                     TIGRIS_OP_AVERAGE_POOL,
                                     TIGRIS_OP_ADD,
                                     TIGRIS_OP_ADD,
                                     TIGRIS_OP_CONCAT,
                                     TIGRIS_OP_RESIZE,
                                     TIGRIS_OP_SLICE,
                                     TIGRIS_OP_PAD,
                                     TIGRIS_OP_GATHER,
                                     TIGRIS_OP_CLAMP};
  const int values = g->valueCount;
  const uint32_t ints = g->intCount;
  Node* n = &g->nodes[g->nodeCount];
  const int32_t* x;
  int32_t y[4];
  int i;
  memset(n, 0, sizeof *n);
  n->opcode = opcodes[randomInt(0, (int32_t)(sizeof opcodes / sizeof opcodes[0]) - 1)];
  n->inputs = 1;
  n->in[0] = pickLate(g);
  x = g->values[n->in[0]].dims;
  switch (n->opcode) {
  case TIGRIS_OP_CONV:
  case TIGRIS_OP_DEPTHWISE_CONV:
  case TIGRIS_OP_CONV_TRANSPOSE:
    addWindow(g, n, x, y);
    break;
  case TIGRIS_OP_MAX_POOL:
  case TIGRIS_OP_AVERAGE_POOL:
    addPool(g, n, x, y);
    break;
  case TIGRIS_OP_RESIZE:
    addResize(g, n, x, y);
    break;
  case TIGRIS_OP_SLICE:
  case TIGRIS_OP_PAD:
    addSliceOrPad(g, n, x, y);
    break;
  case TIGRIS_OP_GATHER:
    addGather(g, n, x, y);
    break;
  case TIGRIS_OP_ADD:
  case TIGRIS_OP_CONCAT:
    addJoin(g, n, x, y);
    break;
  default:
    memcpy(y, x, 16);
    graphSetBounds(g, &n->params.clamp.lo, &n->params.clamp.hi);
    n->paramsSize = sizeof n->params.clamp;
    break;
  }
  if (y[1] < 1 || y[2] < 1 || y[1] > 20 || y[2] > 20 || y[3] > 12) {
    g->valueCount = values;
    g->intCount = ints;
    return;
  }
  for (i = 0; i < n->inputs; ++i)
    ++g->values[n->in[i]].readers;
  n->out = graphAddValue(g, y, g->nodeCount++);
}

void graphMake(Graph* g) {
  const int target = randomInt(1, 7);
  int32_t dims[4];
  int tries;
  int i;
  memset(g, 0, sizeof *g);
  g->dtype = randomInt(0, 1) ? TIGRIS_F32 : TIGRIS_S8;
  for (i = 0; i < 2; ++i) {
    if (i == 0 || randomInt(0, 3) == 0) {
      dims[0] = i == 0 ? (randomInt(0, 3) == 0 ? 2 : 1) : dims[0];
      dims[1] = i == 0 || randomInt(0, 1) ? randomInt(1, 12) : dims[1];
      dims[2] = i == 0 || randomInt(0, 1) ? randomInt(1, 9) : dims[2];
      dims[3] = randomInt(1, 5);
      graphAddValue(g, dims, -1);
    }
  }
  for (tries = 0; tries < 60 && g->nodeCount < target && g->valueCount < MAX_VALUES - 4; ++tries)
    addNode(g);
}

int graphIsOutput(const Graph* g, int index, uint32_t extra) {
  const Value* v = &g->values[index];
  return v->maker >= 0 && (v->readers == 0 || (uint32_t)index == extra);
}

static uint32_t firstReader(const Graph* g, int value) {
  int i;
  int k;
  for (i = 0; i < g->nodeCount; ++i) {
    for (k = 0; k < g->nodes[i].inputs; ++k) {
      if (g->nodes[i].in[k] == value)
        return (uint32_t)i;
    }
  }
  return 0;
}

uint8_t* graphBuild(Builder* b, const Graph* g, uint32_t mode, uint32_t extra,
                    const uint32_t* tiles, uint32_t* size) {
  const int32_t multiplier = 1518500250;
  const int32_t shift = -7;
  uint32_t port = 0;
  int pass;
  int i;
  builderInit(b, mode);
  builderQuant(b, 0.05f, -3);
  builderDense(b, &multiplier, &shift, 1, NULL, 0);
  builderInts(b, g->ints, g->intCount);
  for (i = 0; i < g->valueCount; ++i) {
    const Value* v = &g->values[i];
    if (v->isConst)
      builderConst(b, v->dtype, (uint8_t)v->rank, v->constDims, v->quant, v->data);
    else
      builderTensor(b, v->dtype, 4, v->dims, v->quant);
  }
  for (pass = 0; pass < 2; ++pass) {
    for (i = 0; i < g->valueCount; ++i) {
      const Value* v = &g->values[i];
      const int isPort = pass == 0 ? !v->isConst && v->maker < 0 : graphIsOutput(g, i, extra);
      tigris_tile_buffer like;
      memset(&like, 0, sizeof like);
      if (isPort && pass == 0)
        builderInput(b, i);
      else if (isPort)
        builderOutput(b, i);
      if (tiles == NULL || v->isConst || (!isPort && (pass == 0 || v->maker < 0)))
        continue;
      if (isPort) {
        const tigris_port* p =
            (const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data + port;
        like.flags = pass == 0 ? TIGRIS_TILE_LOAD : TIGRIS_TILE_STORE;
        like.backing = mode == TIGRIS_IO_SLOW ? TIGRIS_POOL_SLOW : TIGRIS_POOL_CALLER;
        like.backing_offset = mode == TIGRIS_IO_SLOW ? p->offset : port;
        like.start = (uint16_t)(pass == 0 ? firstReader(g, i) : 0);
        like.reload_axes = pass == 0 ? 0xF : 0;
        ++port;
      }
      builderTile(b, i, &like);
    }
  }
  for (i = 0; i < g->nodeCount; ++i)
    builderOp(b, g->nodes[i].opcode, g->nodes[i].inputs, g->nodes[i].in, g->nodes[i].out,
              &g->nodes[i].params, g->nodes[i].paramsSize);
  if (tiles != NULL)
    builderTiledStage(b, tiles);
  return builderFinish(b, size);
}
