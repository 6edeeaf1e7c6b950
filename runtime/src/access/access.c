/* The access rules: the boxes of the inputs that an op needs for a box of its output, by family of
 * opcodes. */
#include <string.h>

#include "access_op.h"
#include "resize_axis.h"

/* ---- ranges of axes */

static void setRange(tigris_box* box, uint32_t axis, int32_t begin, int32_t end) {
  box->begin[axis] = begin;
  box->end[axis] = end;
}

static void copyRange(tigris_box* box, uint32_t axis, const tigris_box* from, uint32_t fromAxis) {
  setRange(box, axis, from->begin[fromAxis], from->end[fromAxis]);
}

/* ---- windows */

/* Converts a range of an output axis with `out` indices to the range of the input axis with `in`
 * indices that it needs; returns 0 if it needs none. */
static int needOfWindow(const int32_t* params, int32_t in, int32_t out, int32_t* begin,
                        int32_t* end) {
  const tigris_window w = tigris_window_of(params, 0);
  const int isAll = *end - *begin == out;
  const int32_t from = *begin * w.stride - w.before;
  const int32_t past = (*end - 1) * w.stride - w.before + (w.kernel - 1) * w.dilation + 1;
  *begin = isAll ? 0 : tigris_most(from, 0); /* all: including indices that no window reaches */
  *end = isAll ? in : tigris_least(past, in);
  return tigris_most(from, 0) < tigris_least(past, in);
}

/* The same for a transposed convolution. */
static int needOfTransposed(const int32_t* params, int32_t in, int32_t* begin, int32_t* end) {
  const tigris_window w = tigris_window_of(params, 0);
  const int32_t reach = (w.kernel - 1) * w.dilation;
  *begin = (tigris_most(*begin + w.before - reach, 0) + w.stride - 1) / w.stride;
  *end = tigris_least((*end - 1 + w.before) / w.stride + 1, in);
  return *begin < *end;
}

static int needWindow(const tigris_access* a, tigris_family family, tigris_box* need) {
  const uint8_t* axes = tigris_axes_of[a->x->rank - 2];
  const int32_t* params = (const int32_t*)a->params;
  uint32_t i;
  copyRange(need, 0, a->out, 0);
  for (i = 0; i < 2; ++i, ++params) {
    const uint32_t axis = axes[i + 1];
    int32_t* begin = &need->begin[axis];
    int32_t* end = &need->end[axis];
    if (axis == 4)
      continue;
    copyRange(need, axis, a->out, axis);
    if (!(family == TIGRIS_FAMILY_TRANSPOSED
              ? needOfTransposed(params, a->dx[axis], begin, end)
              : needOfWindow(params, a->dx[axis], a->dy[axis], begin, end)))
      return 0;
  }
  return 1;
}

static int needChannels(const tigris_access* a, tigris_box* need) {
  const uint32_t c = a->y->rank - 1u;
  const tigris_groups g = tigris_groups_of(a);
  setRange(need, c, g.first * g.in, g.past * g.in);
  return g.past - g.first == 1 || (a->out->begin[c] % g.out == 0 && a->out->end[c] % g.out == 0);
}

/* ---- the other families */

static int needElements(const tigris_access* a, tigris_box* need) {
  const uint32_t skip = (uint32_t)a->y->rank - a->x->rank;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    if (a->dx[i] != 1)
      copyRange(need, i, a->out, skip + i);
  }
  return 1;
}

static int needGlobalPool(const tigris_access* a, tigris_box* need) {
  const uint32_t c = a->x->rank - 1u;
  const uint32_t last = a->y->rank - 1u;
  if (a->y->rank < 2 || a->dy[0] != a->dx[0] || a->dy[last] != a->dx[c])
    return tigris_covers_axes(a, 0, a->y->rank);
  copyRange(need, 0, a->out, 0);
  copyRange(need, c, a->out, last);
  return 1;
}

/* The axes in the bit set are reduced. */
static int needReduction(const tigris_access* a, uint32_t axes, tigris_box* need) {
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

/* The same box, which must contain the whole extent of the axes in [from, past). */
static int needAxes(const tigris_access* a, uint32_t from, uint32_t past, tigris_box* need) {
  *need = *a->out;
  return tigris_covers_axes(a, from, past);
}

/* The same box with all of the input along an axis, which must not be cut. */
static int needLines(const tigris_access* a, uint32_t axis, tigris_box* need) {
  *need = *a->out;
  setRange(need, axis, 0, a->dx[axis]);
  return tigris_covers_axes(a, axis, axis + 1);
}

static int needDense(const tigris_access* a, tigris_box* need) {
  const uint32_t last = a->y->rank - 1u;
  const int byOutput = a->dy[last] == tigris_dense_outputs(a->plan, a->op);
  uint32_t same = 0;
  while (a->x->rank == a->y->rank && same < last && a->dx[same] == a->dy[same])
    ++same;
  if (same < last || a->x->rank != a->y->rank || !byOutput)
    return tigris_covers_axes(a, 0, byOutput ? last : a->y->rank);
  for (same = 0; same < last; ++same)
    copyRange(need, same, a->out, same);
  return 1;
}

static int needProduct(const tigris_access* a, tigris_box* need) {
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

static int needConcat(const tigris_access* a, tigris_box* need) {
  const uint32_t axis = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  int32_t start = 0;
  uint32_t i;
  for (i = 0; i < a->input; ++i)
    start += tigris_dims(a->plan, tigris_operand_tensor(a->plan, a->op, i))[axis];
  *need = *a->out;
  setRange(need, axis, tigris_most(a->out->begin[axis] - start, 0),
           tigris_least(a->out->end[axis] - start, a->dx[axis]));
  if (need->begin[axis] >= need->end[axis])
    memset(need, 0, sizeof *need);
  return 1;
}

static int needSlice(const tigris_access* a, tigris_box* need) {
  const tigris_slice_params* p = (const tigris_slice_params*)a->params;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    /* the step of an axis of size 1 is arbitrary and unused */
    const int32_t span = a->out->end[i] - 1;
    const int32_t first = p->starts[i] + (a->out->begin[i] ? a->out->begin[i] * p->steps[i] : 0);
    const int32_t last = p->starts[i] + (span ? span * p->steps[i] : 0);
    setRange(need, i, tigris_least(first, last), tigris_most(first, last) + 1);
  }
  return 1;
}

static int needPad(const tigris_access* a, tigris_box* need) {
  const tigris_pad_params* p = (const tigris_pad_params*)a->params;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    const int32_t size = a->dx[i];
    const int32_t begin = a->out->begin[i] - p->before[i];
    const int32_t end = a->out->end[i] - p->before[i];
    int32_t first = begin;
    int32_t past = end;
    if (p->mode == TIGRIS_PAD_REFLECT) {
      /* everything from the border to the mirror image of the outside part */
      if (begin < 0)
        past = tigris_most(past, 1 - begin);
      if (end > size)
        first = tigris_least(first, 2 * size - 1 - end);
    }
    setRange(need, i, tigris_least(tigris_most(first, 0), size - 1),
             tigris_most(tigris_least(past, size), 1));
  }
  return 1;
}

static int needPermutation(const tigris_access* a, tigris_box* need) {
  const uint32_t perm = ((const tigris_transpose_params*)a->params)->perm;
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i)
    copyRange(need, (uint32_t)a->plan->ints[perm + i], a->out, i);
  return 1;
}

static int needGather(const tigris_access* a, tigris_box* need) {
  const uint32_t axis = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  /* the indices are not a vector: only the whole of y can be computed, from the whole of x */
  if (a->x->rank != a->y->rank)
    return tigris_covers_axes(a, 0, a->y->rank);
  return needLines(a, axis, need);
}

/* Data is used as a whole along the axis. On the others all inputs agree, or nothing is cut. */
static int needByElement(const tigris_access* a, tigris_box* need) {
  const uint32_t axis = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  const int gathers = a->op->opcode == TIGRIS_OP_GATHER_ELEMENTS;
  const int32_t* data = tigris_dims(a->plan, tigris_operand_tensor(a->plan, a->op, 0));
  const int32_t* indices = tigris_dims(a->plan, tigris_operand_tensor(a->plan, a->op, 1));
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    if (i == axis ? gathers : data[i] == indices[i]) {
      if (i != axis || a->input == 1)
        copyRange(need, i, a->out, i);
    } else if (!tigris_covers_axes(a, i, i + 1)) {
      return 0;
    }
  }
  return 1;
}

/* Every tuple of indices selects the axes [batch, past) of data, and the blocks behind them. */
static int needGatherNd(const tigris_access* a, tigris_box* need) {
  const uint32_t batch = (uint32_t)((const tigris_axis_params*)a->params)->axis;
  const tigris_tensor* indices = tigris_operand_tensor(a->plan, a->op, 1);
  const uint32_t tuples = indices->rank - 1u;
  const uint32_t past = batch + (uint32_t)tigris_dims(a->plan, indices)[tuples];
  uint32_t i;
  for (i = 0; i < (a->input == 0 ? batch : tuples); ++i)
    copyRange(need, i, a->out, i);
  for (i = past; a->input == 0 && i < a->x->rank; ++i)
    copyRange(need, i, a->out, tuples + i - past);
  return 1;
}

/* Every tuple of indices selects a block of the output, which may be cut inside the blocks. */
static int needScatterNd(const tigris_access* a, tigris_box* need) {
  const tigris_tensor* indices = tigris_operand_tensor(a->plan, a->op, 1);
  const uint32_t tuples = indices->rank - 1u;
  const uint32_t depth = (uint32_t)tigris_dims(a->plan, indices)[tuples];
  const uint32_t first = a->input == 0 ? depth : tuples;
  uint32_t i;
  for (i = first; a->input != 1 && i < a->x->rank; ++i)
    copyRange(need, i, a->out, depth + i - first);
  return tigris_covers_axes(a, 0, depth);
}

/* Positions ascend. */
static void needTaps(const tigris_access* a, uint32_t axis, const tigris_resize_axis* p,
                     tigris_box* need) {
  const int32_t* table = a->plan->ints + p->first;
  const int32_t first = tigris_resize_first(p, table, a->out->begin[axis]);
  const int32_t end = tigris_most(a->out->begin[axis] + 1, a->out->end[axis]);
  const int32_t last = tigris_resize_first(p, table, end - 1) + (int32_t)p->taps - 1;
  setRange(need, axis, tigris_resize_inside(first, a->dx[axis]),
           tigris_resize_inside(last, a->dx[axis]) + 1);
}

static int needResize(const tigris_access* a, tigris_box* need) {
  const tigris_resize_params* p = (const tigris_resize_params*)a->params;
  *need = *a->out;
  needTaps(a, 1, &p->h, need);
  if (a->x->rank == 4)
    needTaps(a, 2, &p->w, need);
  return 1;
}

static int needRecurrent(const tigris_access* a, tigris_box* need) {
  const int isState = a->input == 4 || a->input == 5;
  copyRange(need, 0, a->out, a->input == 0 ? 0 : 1);
  if (a->input == 0 || isState)
    copyRange(need, 1, a->out, 2);
  return tigris_covers_axes(a, 3, 4);
}

int tigris_box_need(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                    const tigris_box* out, tigris_box* need) {
  const tigris_access a = tigris_access_of(plan, op, input, out);
  const tigris_family family = (tigris_family)tigris_access_families[op->opcode];
  if (a.x->rank > TIGRIS_BOX_RANK)
    return 0;
  tigris_box_whole(need, a.dx, a.x->rank);
  switch (family) {
  case TIGRIS_FAMILY_CONV:
  case TIGRIS_FAMILY_TRANSPOSED:
    return TIGRIS_OPS_CONV && needWindow(&a, family, need) && needChannels(&a, need);
  case TIGRIS_FAMILY_POOL:
    copyRange(need, a.x->rank - 1u, out, a.x->rank - 1u);
    return TIGRIS_OPS_POOL && needWindow(&a, family, need);
  case TIGRIS_FAMILY_GLOBAL_POOL:
    return TIGRIS_OPS_POOL && needGlobalPool(&a, need);
  case TIGRIS_FAMILY_REDUCTION:
    return TIGRIS_OPS_REDUCE &&
           needReduction(&a, ((const tigris_reduce_params*)a.params)->axes, need);
  case TIGRIS_FAMILY_ARG:
    return TIGRIS_OPS_SEARCH &&
           needReduction(&a, 1u << ((const tigris_search_params*)a.params)->axis, need);
  case TIGRIS_FAMILY_LINES:
    return TIGRIS_OPS_SEARCH &&
           needLines(&a, (uint32_t)((const tigris_search_params*)a.params)->axis, need);
  case TIGRIS_FAMILY_SOFTMAX:
    return TIGRIS_OPS_SOFTMAX &&
           needLines(&a, (uint32_t)((const tigris_softmax_params*)a.params)->axis, need);
  case TIGRIS_FAMILY_NORM: {
    const uint32_t axes = ((const tigris_layer_norm_params*)a.params)->axes;
    return TIGRIS_OPS_LAYER_NORM && needAxes(&a, a.x->rank - axes, a.x->rank, need);
  }
  case TIGRIS_FAMILY_DENSE:
    return TIGRIS_OPS_DENSE && needDense(&a, need);
  case TIGRIS_FAMILY_PRODUCT:
    return TIGRIS_OPS_MATMUL && needProduct(&a, need);
  case TIGRIS_FAMILY_CONCAT:
    return TIGRIS_OPS_MOVE && needConcat(&a, need);
  case TIGRIS_FAMILY_SLICE:
    return TIGRIS_OPS_MOVE && needSlice(&a, need);
  case TIGRIS_FAMILY_PAD:
    return TIGRIS_OPS_MOVE && needPad(&a, need);
  case TIGRIS_FAMILY_PERMUTATION:
    return TIGRIS_OPS_MOVE && needPermutation(&a, need);
  case TIGRIS_FAMILY_RESIZE:
    return TIGRIS_OPS_RESIZE && needResize(&a, need);
  case TIGRIS_FAMILY_GATHER:
    return TIGRIS_OPS_MOVE && needGather(&a, need);
  case TIGRIS_FAMILY_BY_ELEMENT:
    return TIGRIS_OPS_INDEX && needByElement(&a, need);
  case TIGRIS_FAMILY_GATHER_ND:
    return TIGRIS_OPS_INDEX && needGatherNd(&a, need);
  case TIGRIS_FAMILY_SCATTER_ND:
    return TIGRIS_OPS_INDEX && needScatterNd(&a, need);
  case TIGRIS_FAMILY_RECURRENT:
    return TIGRIS_OPS_RECURRENT && needRecurrent(&a, need);
  case TIGRIS_FAMILY_WHOLE:
    return tigris_covers_axes(&a, 0, a.y->rank);
  default:
    return needElements(&a, need);
  }
}

int tigris_rows_are_windows(const tigris_plan* plan, const tigris_op* op) {
  const tigris_family family = (tigris_family)tigris_access_families[op->opcode];
  return ((TIGRIS_OPS_CONV && family == TIGRIS_FAMILY_CONV) ||
          (TIGRIS_OPS_POOL && family == TIGRIS_FAMILY_POOL)) &&
         tigris_operand_tensor(plan, op, 0)->rank > 2;
}

int tigris_rows_need(const tigris_plan* plan, const tigris_op* op, uint32_t input, int32_t begin,
                     int32_t end, tigris_box* need) {
  const tigris_family family = (tigris_family)tigris_access_families[op->opcode];
  const tigris_tensor* x = tigris_operand_tensor(plan, op, input);
  const tigris_tensor* y = tigris_operand_tensor(plan, op, op->inputs);
  const int32_t* in = tigris_dims(plan, x) + 1;
  const int32_t* out = tigris_dims(plan, y) + 1;
  setRange(need, 1, begin, end);
  if (TIGRIS_OPS_POOL && family == TIGRIS_FAMILY_GLOBAL_POOL && x->rank > 2) {
    setRange(need, 1, 0, *in);
    return 1;
  }
  if (tigris_rows_are_windows(plan, op))
    return needOfWindow((const int32_t*)tigris_params(plan, op), *in, *out, &need->begin[1],
                        &need->end[1]);
  return (family == TIGRIS_FAMILY_ELEMENTS || family >= TIGRIS_FAMILY_TABLE) &&
                 x->rank == y->rank && x->rank > 1 && *in == *out
             ? 1
             : -1;
}
