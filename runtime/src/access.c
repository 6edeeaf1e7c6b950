/* Access rules by family of opcodes. */
#include "access.h"

#include <string.h>

#include "view.h"

typedef enum Family {
  ELEMENTS = 0, /* the same box, under broadcasting: every opcode not listed */
  CONV,
  TRANSPOSED,
  POOL,
  GLOBAL_POOL,
  REDUCTION,
  SOFTMAX,
  NORM,
  DENSE,
  PRODUCT,
  CONCAT,
  SLICE,
  PAD,
  PERMUTATION,
  RESIZE,
  GATHER,
  WHOLE
} Family;

static const uint8_t families[TIGRIS_OP_RNN + 1] = {
    [TIGRIS_OP_CONV] = CONV,
    [TIGRIS_OP_DEPTHWISE_CONV] = CONV,
    [TIGRIS_OP_CONV_TRANSPOSE] = TRANSPOSED,
    [TIGRIS_OP_FULLY_CONNECTED] = DENSE,
    [TIGRIS_OP_MATMUL] = PRODUCT,
    [TIGRIS_OP_MAX_POOL] = POOL,
    [TIGRIS_OP_AVERAGE_POOL] = POOL,
    [TIGRIS_OP_GLOBAL_AVERAGE_POOL] = GLOBAL_POOL,
    [TIGRIS_OP_REDUCE] = REDUCTION,
    [TIGRIS_OP_SOFTMAX] = SOFTMAX,
    [TIGRIS_OP_LOG_SOFTMAX] = SOFTMAX,
    [TIGRIS_OP_LAYER_NORM] = NORM,
    [TIGRIS_OP_CONCAT] = CONCAT,
    [TIGRIS_OP_SLICE] = SLICE,
    [TIGRIS_OP_PAD] = PAD,
    [TIGRIS_OP_TRANSPOSE] = PERMUTATION,
    [TIGRIS_OP_RESHAPE] = WHOLE,
    [TIGRIS_OP_RESIZE] = RESIZE,
    [TIGRIS_OP_GATHER] = GATHER,
    [TIGRIS_OP_ARG_MAX] = WHOLE,
    [TIGRIS_OP_ARG_MIN] = WHOLE,
    [TIGRIS_OP_CUM_SUM] = WHOLE,
    [TIGRIS_OP_TOP_K] = WHOLE,
    [TIGRIS_OP_GATHER_ND] = WHOLE,
    [TIGRIS_OP_GATHER_ELEMENTS] = WHOLE,
    [TIGRIS_OP_SCATTER_ND] = WHOLE,
    [TIGRIS_OP_SCATTER_ELEMENTS] = WHOLE,
    [TIGRIS_OP_LSTM] = WHOLE,
    [TIGRIS_OP_GRU] = WHOLE,
    [TIGRIS_OP_RNN] = WHOLE,
};

/* An op with an output box and one of its inputs. */
typedef struct Access {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;
  const tigris_box* out;
  uint32_t input;
  const tigris_tensor* x;
  const tigris_tensor* y;
  const int32_t* dx;
  const int32_t* dy;
} Access;

static const tigris_tensor* operandTensor(const tigris_plan* plan, const tigris_op* op,
                                          uint32_t i) {
  return &plan->tensors[plan->operands[op->operands + i].tensor];
}

static Access accessOf(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                       const tigris_box* out) {
  Access a;
  a.plan = plan;
  a.op = op;
  a.params = plan->params + op->params;
  a.out = out;
  a.input = input;
  a.x = operandTensor(plan, op, input);
  a.y = operandTensor(plan, op, op->inputs);
  a.dx = tigris_dims(plan, a.x);
  a.dy = tigris_dims(plan, a.y);
  return a;
}

/* ---- ranges of axes */

static void setRange(tigris_box* box, uint32_t axis, int32_t begin, int32_t end) {
  box->begin[axis] = begin;
  box->end[axis] = end;
}

static void copyRange(tigris_box* box, uint32_t axis, const tigris_box* from, uint32_t fromAxis) {
  setRange(box, axis, from->begin[fromAxis], from->end[fromAxis]);
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

/* The output box has all of its axes in [from, past). */
static int coversAxes(const Access* a, uint32_t from, uint32_t past) {
  for (; from < past; ++from) {
    if (a->out->end[from] - a->out->begin[from] != a->dy[from])
      return 0;
  }
  return 1;
}

/* Which axes of a tensor are N, H, W and C; those it does not have have the number 4. */
static const uint8_t axesOf[3][4] = {{0, 4, 4, 1}, {0, 1, 4, 2}, {0, 1, 2, 3}};

/* ---- windows: the leading fields of tigris_conv_params and tigris_pool_params are the same */

typedef struct Window {
  int32_t kernel;
  int32_t stride;
  int32_t dilation;
  int32_t before;
  int32_t after;
} Window;

/* Of axis H (0) or W (1). */
static Window windowOf(const void* params, uint32_t axis) {
  const int32_t* p = (const int32_t*)params + axis;
  Window w;
  w.kernel = p[0];
  w.stride = p[2];
  w.dilation = p[4];
  w.before = p[6];
  w.after = p[8];
  return w;
}

/* Indices of an axis, H (0) or W (1) of the window, that the indices [begin, end) of the output need; 0: none. */
static int needAxis(const Access* a, Family family, uint32_t i, uint32_t axis, int32_t begin,
                    int32_t end, tigris_box* need) {
  const Window w = windowOf(a->params, i);
  const int32_t reach = (w.kernel - 1) * w.dilation;
  const int isAll = family != TRANSPOSED && end - begin == a->dy[axis];
  int isSome;
  if (family == TRANSPOSED) {
    begin = (most(begin + w.before - reach, 0) + w.stride - 1) / w.stride;
    end = (end - 1 + w.before) / w.stride + 1;
  } else {
    begin = begin * w.stride - w.before;
    end = (end - 1) * w.stride - w.before + reach + 1;
  }
  setRange(need, axis, most(begin, 0), least(end, a->dx[axis]));
  isSome = need->begin[axis] < need->end[axis];
  if (isAll) /* with what no window reaches: rows stay in one piece */
    setRange(need, axis, 0, a->dx[axis]);
  return isSome;
}

static int needWindow(const Access* a, Family family, tigris_box* need) {
  const uint8_t* axes = axesOf[a->x->rank - 2];
  uint32_t i;
  copyRange(need, 0, a->out, 0);
  for (i = 0; i < 2; ++i) {
    const uint32_t axis = axes[i + 1];
    if (axis != 4 && !needAxis(a, family, i, axis, a->out->begin[axis], a->out->end[axis], need))
      return 0;
  }
  return 1;
}

/* Groups [first, past) of a convolution that an output box touches, and its channels in each. */
typedef struct Groups {
  int32_t in;
  int32_t out;
  int32_t first;
  int32_t past;
} Groups;

static Groups groupsOf(const Access* a) {
  const int32_t groups = ((const tigris_conv_params*)a->params)->groups;
  const uint32_t c = a->y->rank - 1u;
  const tigris_tensor* x = operandTensor(a->plan, a->op, 0);
  Groups g;
  g.in = tigris_dims(a->plan, x)[c] / groups;
  g.out = a->dy[c] / groups;
  g.first = a->out->begin[c] / g.out;
  g.past = (a->out->end[c] - 1) / g.out + 1;
  return g;
}

static int needChannels(const Access* a, tigris_box* need) {
  const uint32_t c = a->y->rank - 1u;
  const Groups g = groupsOf(a);
  setRange(need, c, g.first * g.in, g.past * g.in);
  return g.past - g.first == 1 || (a->out->begin[c] % g.out == 0 && a->out->end[c] % g.out == 0);
}

/* ---- the other families */

static int needElements(const Access* a, tigris_box* need) {
  const uint32_t skip = (uint32_t)a->y->rank - a->x->rank;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    if (a->dx[i] != 1)
      copyRange(need, i, a->out, skip + i);
  }
  return 1;
}

static int needGlobalPool(const Access* a, tigris_box* need) {
  const uint32_t c = a->x->rank - 1u;
  const uint32_t last = a->y->rank - 1u;
  if (a->y->rank < 2 || a->dy[0] != a->dx[0] || a->dy[last] != a->dx[c])
    return coversAxes(a, 0, a->y->rank);
  copyRange(need, 0, a->out, 0);
  copyRange(need, c, a->out, last);
  return 1;
}

static int needReduction(const Access* a, tigris_box* need) {
  const uint32_t axes = ((const tigris_reduce_params*)a->params)->axes;
  uint32_t from = 0;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    const int isReduced = (int)((axes >> i) & 1u);
    if (!isReduced)
      copyRange(need, i, a->out, from);
    if (!isReduced || a->x->rank == a->y->rank)
      ++from;
  }
  return 1;
}

/* The same box, which has all of the axes in [from, past). */
static int needAxes(const Access* a, uint32_t from, uint32_t past, tigris_box* need) {
  *need = *a->out;
  return coversAxes(a, from, past);
}

/* Outputs of a dense layer, N. */
static int32_t denseOutputs(const tigris_plan* plan, const tigris_op* op) {
  const tigris_tensor* w = operandTensor(plan, op, 1);
  return tigris_dims(plan, w)[w->dtype == TIGRIS_F32 ? 1 : 0];
}

static int needDense(const Access* a, tigris_box* need) {
  const uint32_t last = a->y->rank - 1u;
  const int byOutput = a->dy[last] == denseOutputs(a->plan, a->op);
  uint32_t same = 0;
  while (a->x->rank == a->y->rank && same < last && a->dx[same] == a->dy[same])
    ++same;
  if (same < last || a->x->rank != a->y->rank || !byOutput)
    return coversAxes(a, 0, byOutput ? last : a->y->rank);
  for (same = 0; same < last; ++same)
    copyRange(need, same, a->out, same);
  return 1;
}

static int needProduct(const Access* a, tigris_box* need) {
  const uint32_t flags = ((const tigris_matmul_params*)a->params)->flags;
  const uint32_t rows = a->x->rank - 2u;
  const uint32_t skip = (uint32_t)a->y->rank - a->x->rank;
  uint32_t i;
  for (i = 0; i < rows; ++i) {
    if (a->dx[i] != 1)
      copyRange(need, i, a->out, skip + i);
  }
  if (a->input == 0)
    copyRange(need, rows, a->out, a->y->rank - 2u);
  else
    copyRange(need, rows + (flags & TIGRIS_MATMUL_TRANSPOSE_B ? 0 : 1), a->out, a->y->rank - 1u);
  return 1;
}

static int needConcat(const Access* a, tigris_box* need) {
  const uint32_t axis = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  int32_t start = 0;
  uint32_t i;
  for (i = 0; i < a->input; ++i)
    start += tigris_dims(a->plan, operandTensor(a->plan, a->op, i))[axis];
  *need = *a->out;
  setRange(need, axis, most(a->out->begin[axis] - start, 0),
           least(a->out->end[axis] - start, a->dx[axis]));
  if (need->begin[axis] >= need->end[axis])
    memset(need, 0, sizeof *need);
  return 1;
}

static int needSlice(const Access* a, tigris_box* need) {
  const tigris_slice_params* p = (const tigris_slice_params*)a->params;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    /* the step of an axis of one element may be any number and is never taken */
    const int32_t span = a->out->end[i] - 1;
    const int32_t first = p->starts[i] + (a->out->begin[i] ? a->out->begin[i] * p->steps[i] : 0);
    const int32_t last = p->starts[i] + (span ? span * p->steps[i] : 0);
    setRange(need, i, least(first, last), most(first, last) + 1);
  }
  return 1;
}

static int needPad(const Access* a, tigris_box* need) {
  const tigris_pad_params* p = (const tigris_pad_params*)a->params;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    const int32_t size = a->dx[i];
    const int32_t begin = a->out->begin[i] - p->before[i];
    const int32_t end = a->out->end[i] - p->before[i];
    int32_t first = begin;
    int32_t past = end;
    if (p->mode == TIGRIS_PAD_REFLECT) {
      /* everything from the border to the mirror image of what lies outside */
      if (begin < 0)
        past = most(past, 1 - begin);
      if (end > size)
        first = least(first, 2 * size - 1 - end);
    }
    setRange(need, i, least(most(first, 0), size - 1), most(least(past, size), 1));
  }
  return 1;
}

static int needPermutation(const Access* a, tigris_box* need) {
  const uint32_t perm = ((const tigris_transpose_params*)a->params)->perm;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i)
    copyRange(need, (uint32_t)a->plan->ints[perm + i], a->out, i);
  return 1;
}

static int needGather(const Access* a, tigris_box* need) {
  const uint32_t axis = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  if (a->x->rank != a->y->rank) /* not one table of indices: *need is all there is */
    return coversAxes(a, 0, a->y->rank);
  *need = *a->out;
  setRange(need, axis, 0, a->dx[axis]);
  return coversAxes(a, axis, axis + 1);
}

static void needTable(const Access* a, uint32_t axis, uint32_t taps, uint32_t index,
                      tigris_box* need) {
  const int32_t* at = a->plan->ints + index + (uint32_t)a->out->begin[axis] * taps;
  const int32_t* past = a->plan->ints + index + (uint32_t)a->out->end[axis] * taps;
  setRange(need, axis, *at, *at + 1);
  for (; at < past; ++at)
    setRange(need, axis, least(need->begin[axis], *at), most(need->end[axis], *at + 1));
}

static int needResize(const Access* a, tigris_box* need) {
  const tigris_resize_params* p = (const tigris_resize_params*)a->params;
  *need = *a->out;
  needTable(a, 1, p->h_taps, p->h_index, need);
  if (a->x->rank == 4)
    needTable(a, 2, p->w_taps, p->w_index, need);
  return 1;
}

int tigris_is_parameter(const tigris_op* op, uint32_t input) {
  const uint8_t family = families[op->opcode];
  return input > 0 &&
         (family == CONV || family == TRANSPOSED || family == DENSE || family == NORM ||
          family == GATHER || op->opcode == TIGRIS_OP_LOOKUP || op->opcode == TIGRIS_OP_BATCH_NORM);
}

int tigris_box_need(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                    const tigris_box* out, tigris_box* need) {
  const Access a = accessOf(plan, op, input, out);
  const Family family = (Family)families[op->opcode];
  if (a.x->rank > TIGRIS_BOX_RANK)
    return 0;
  tigris_box_whole(need, a.dx, a.x->rank);
  switch (family) {
  case CONV:
  case TRANSPOSED:
    return TIGRIS_OPS_CONV && needWindow(&a, family, need) && needChannels(&a, need);
  case POOL:
    copyRange(need, a.x->rank - 1u, out, a.x->rank - 1u);
    return TIGRIS_OPS_POOL && needWindow(&a, family, need);
  case GLOBAL_POOL:
    return TIGRIS_OPS_POOL && needGlobalPool(&a, need);
  case REDUCTION:
    return TIGRIS_OPS_REDUCE && needReduction(&a, need);
  case SOFTMAX: {
    const uint32_t axis = (uint32_t)((const tigris_softmax_params*)a.params)->axis;
    return TIGRIS_OPS_SOFTMAX && needAxes(&a, axis, axis + 1, need);
  }
  case NORM: {
    const uint32_t axes = ((const tigris_layer_norm_params*)a.params)->axes;
    return TIGRIS_OPS_LAYER_NORM && needAxes(&a, a.x->rank - axes, a.x->rank, need);
  }
  case DENSE:
    return TIGRIS_OPS_DENSE && needDense(&a, need);
  case PRODUCT:
    return TIGRIS_OPS_MATMUL && needProduct(&a, need);
  case CONCAT:
    return TIGRIS_OPS_MOVE && needConcat(&a, need);
  case SLICE:
    return TIGRIS_OPS_MOVE && needSlice(&a, need);
  case PAD:
    return TIGRIS_OPS_MOVE && needPad(&a, need);
  case PERMUTATION:
    return TIGRIS_OPS_MOVE && needPermutation(&a, need);
  case RESIZE:
    return TIGRIS_OPS_RESIZE && needResize(&a, need);
  case GATHER:
    return TIGRIS_OPS_MOVE && needGather(&a, need);
  case WHOLE:
    return coversAxes(&a, 0, a.y->rank);
  default:
    return needElements(&a, need);
  }
}

int tigris_rows_need(const tigris_plan* plan, const tigris_op* op, uint32_t input, int32_t begin,
                     int32_t end, tigris_box* need) {
  const Family family = (Family)families[op->opcode];
  const Access a = accessOf(plan, op, input, NULL);
  if (family == ELEMENTS && a.x->rank == a.y->rank && a.x->rank > 1 && a.dx[1] == a.dy[1]) {
    setRange(need, 1, begin, end);
    return 1;
  }
  if (!(TIGRIS_OPS_CONV && family == CONV) && !(TIGRIS_OPS_POOL && family == POOL))
    return -1;
  return a.x->rank > 2 ? needAxis(&a, family, 0, 1, begin, end, need) : -1;
}

/* ---- parameters */

uint32_t tigris_box_parameter(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                              const tigris_box* out, const int32_t** dims, int32_t* room) {
  const Access a = accessOf(plan, op, input, out);
  const uint32_t c = a.y->rank - 1u;
  const uint32_t first = (uint32_t)out->begin[c];
  const uint8_t family = families[op->opcode];
  if (family == NORM || family == GATHER || op->opcode == TIGRIS_OP_LOOKUP)
    return 0;
  if (!TIGRIS_OPS_CONV && !TIGRIS_OPS_DENSE)
    return first;
  if (family == DENSE && a.dy[c] != denseOutputs(plan, op))
    return 0; /* the output box is the whole output */
  if (input > 1 || op->opcode == TIGRIS_OP_BATCH_NORM)
    return first;
  if (family == DENSE) {
    const uint32_t outputs = a.x->dtype == TIGRIS_F32 ? 1 : 0;
    room[0] = a.dx[0];
    room[1] = a.dx[1];
    room[outputs] = out->end[c] - out->begin[c];
    *dims = room;
    return outputs != 0 ? first : first * (uint32_t)a.dx[1];
  } else {
    const tigris_conv_params* p = (const tigris_conv_params*)a.params;
    const Groups g = groupsOf(&a);
    const uint32_t filter = (uint32_t)(p->kernel_h * p->kernel_w * g.in);
    const uint32_t group = (uint32_t)(g.first * g.out); /* output channels before the first group */
    if (op->opcode == TIGRIS_OP_DEPTHWISE_CONV)
      return first;
    return a.x->dtype == TIGRIS_F32 ? group * filter + (first - group) : first * filter;
  }
}

/* The pads of a window problem: what the windows of the box reach beyond the input. */
static void cutWindow(const Access* a, Family family, const tigris_box* in, int32_t* params) {
  uint32_t i;
  for (i = 0; i < 2; ++i) {
    const uint32_t axis = axesOf[a->x->rank - 2][i + 1];
    const Window w = windowOf(a->params, i);
    int32_t begin;
    int32_t end;
    if (axis == 4)
      continue;
    if (family == TRANSPOSED) {
      params[6 + i] = w.before + a->out->begin[axis] - in->begin[axis] * w.stride;
      continue;
    }
    begin = a->out->begin[axis] * w.stride - w.before;
    end = (a->out->end[axis] - 1) * w.stride - w.before + (w.kernel - 1) * w.dilation + 1;
    params[6 + i] = most(-begin, 0);
    params[8 + i] = most(least(end, a->dx[axis] + w.after) - a->dx[axis], 0);
  }
}

static void cutConv(const Access* a, tigris_conv_params* p) {
  const uint32_t c = a->y->rank - 1u;
  const uint32_t first = (uint32_t)a->out->begin[c];
  Groups g;
  if (coversAxes(a, c, c + 1))
    return;
  g = groupsOf(a);
  p->groups = g.past - g.first;
  if (p->requant_count > 1)
    p->requant += first;
  if (p->weight_zeros_count > 1)
    p->weight_zeros += first;
}

static void cutDense(const Access* a, tigris_fc_params* p) {
  const uint32_t c = a->y->rank - 1u;
  const uint32_t first = a->dy[c] == denseOutputs(a->plan, a->op) ? (uint32_t)a->out->begin[c] : 0;
  if (p->requant_count > 1)
    p->requant += first;
  if (p->weight_zeros_count > 1)
    p->weight_zeros += first;
}

static void cutSlice(const Access* a, const tigris_box* in, tigris_slice_params* p) {
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    if (a->out->begin[i] != 0)
      p->starts[i] += a->out->begin[i] * p->steps[i];
    p->starts[i] -= in->begin[i];
  }
}

static void cutPad(const Access* a, const tigris_box* in, tigris_pad_params* p) {
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i)
    p->before[i] += in->begin[i] - a->out->begin[i];
}

static void cutTable(uint32_t begin, uint32_t taps, uint32_t* index, uint32_t* weight) {
  *index += begin * taps;
  if (*weight != TIGRIS_NONE)
    *weight += begin * taps;
}

static void cutResize(const Access* a, const tigris_box* in, tigris_resize_params* p) {
  cutTable((uint32_t)a->out->begin[1], p->h_taps, &p->h_index, &p->h_weight);
  p->h_origin = in->begin[1];
  if (a->x->rank < 4)
    return;
  cutTable((uint32_t)a->out->begin[2], p->w_taps, &p->w_index, &p->w_weight);
  p->w_origin = in->begin[2];
}

const void* tigris_box_params(const tigris_plan* plan, const tigris_op* op, const tigris_box* out,
                              const tigris_box* in, tigris_local_params* local) {
  const Access a = accessOf(plan, op, 0, out);
  const Family family = (Family)families[op->opcode];
  if (op->params_size == 0)
    return NULL;
  if (op->params_size > sizeof *local)
    return a.params;
  memcpy(local, a.params, op->params_size);
  if ((TIGRIS_OPS_CONV || TIGRIS_OPS_POOL) &&
      (family == CONV || family == TRANSPOSED || family == POOL))
    cutWindow(&a, family, in, (int32_t*)(void*)local);
  if (TIGRIS_OPS_CONV && (family == CONV || family == TRANSPOSED))
    cutConv(&a, &local->conv);
  else if (TIGRIS_OPS_DENSE && family == DENSE)
    cutDense(&a, &local->fc);
  else if (TIGRIS_OPS_MOVE && family == SLICE)
    cutSlice(&a, in, &local->slice);
  else if (TIGRIS_OPS_MOVE && family == PAD)
    cutPad(&a, in, &local->pad);
  else if (TIGRIS_OPS_RESIZE && family == RESIZE)
    cutResize(&a, in, &local->resize);
  return local;
}
