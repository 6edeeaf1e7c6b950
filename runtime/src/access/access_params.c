/* Adjusts the parameters of an op to a box of its output. */
#include <string.h>

#include "access_op.h"

uint32_t tigris_box_parameter(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                              const tigris_box* out, const int32_t** dims, int32_t* storage) {
  const tigris_access a = tigris_access_of(plan, op, input, out);
  const uint32_t c = a.y->rank - 1u;
  const uint32_t first = (uint32_t)out->begin[c];
  const uint8_t family = tigris_access_families[op->opcode];
  if (family == TIGRIS_FAMILY_NORM || family == TIGRIS_FAMILY_GATHER ||
      family == TIGRIS_FAMILY_TABLE)
    return 0;
  if (!TIGRIS_OPS_CONV && !TIGRIS_OPS_DENSE)
    return first;
  if (family == TIGRIS_FAMILY_DENSE && a.dy[c] != tigris_dense_outputs(plan, op))
    return 0; /* the output box is the whole output */
  if (input > 1 || family == TIGRIS_FAMILY_SCALE)
    return first;
  if (family == TIGRIS_FAMILY_DENSE) {
    const uint32_t outputs = a.x->dtype == TIGRIS_F32 ? 1 : 0;
    storage[0] = a.dx[0];
    storage[1] = a.dx[1];
    storage[outputs] = out->end[c] - out->begin[c];
    *dims = storage;
    return outputs != 0 ? first : first * (uint32_t)a.dx[1];
  } else {
    const tigris_conv_params* p = (const tigris_conv_params*)a.params;
    const tigris_groups g = tigris_groups_of(&a);
    const uint32_t filter = (uint32_t)(p->kernel_h * p->kernel_w * g.in);
    const uint32_t group = (uint32_t)(g.first * g.out); /* output channels before the first group */
    if (op->opcode == TIGRIS_OP_DEPTHWISE_CONV)
      return first;
    return a.x->dtype == TIGRIS_F32 ? group * filter + (first - group) : first * filter;
  }
}

/* Bytes of the parameters that boxes change, by family. */
static const uint8_t localBytes[] = {
    [TIGRIS_FAMILY_POOL] = sizeof(tigris_pool_params),
    [TIGRIS_FAMILY_SLICE] = sizeof(tigris_slice_params),
    [TIGRIS_FAMILY_PAD] = sizeof(tigris_pad_params),
    [TIGRIS_FAMILY_RESIZE] = sizeof(tigris_resize_params),
    [TIGRIS_FAMILY_RECURRENT] = sizeof(tigris_recurrent_params),
    [TIGRIS_FAMILY_CONV] = sizeof(tigris_conv_params),
    [TIGRIS_FAMILY_TRANSPOSED] = sizeof(tigris_conv_params),
    [TIGRIS_FAMILY_DENSE] = sizeof(tigris_fc_params),
    [TIGRIS_FAMILY_SCALE] = 0, /* the last one */
};

/* Pads of axis H (0) or W (1) of a window op, for indices [begin, end) of its output and an input
 * of `size`: the part of the windows outside the input. */
static void cutAxis(int32_t* params, uint32_t i, int32_t size, int32_t begin, int32_t end) {
  const tigris_window w = tigris_window_of(params, i);
  end = (end - 1) * w.stride - w.before + (w.kernel - 1) * w.dilation + 1;
  params[6 + i] = tigris_most(w.before - begin * w.stride, 0);
  params[8 + i] = tigris_most(tigris_least(end - size, w.after), 0);
}

static void cutWindow(const tigris_access* a, tigris_family family, const tigris_box* in,
                      int32_t* params) {
  uint32_t i;
  for (i = 0; i < 2; ++i) {
    const uint32_t axis = tigris_axes_of[a->x->rank - 2][i + 1];
    if (axis == 4)
      continue;
    if (family == TIGRIS_FAMILY_TRANSPOSED)
      params[6 + i] += a->out->begin[axis] - in->begin[axis] * params[2 + i];
    else
      cutAxis(params, i, a->dx[axis], a->out->begin[axis], a->out->end[axis]);
  }
}

static void cutConv(const tigris_access* a, tigris_conv_params* p) {
  const uint32_t c = a->y->rank - 1u;
  const uint32_t first = (uint32_t)a->out->begin[c];
  tigris_groups g;
  if (tigris_covers_axes(a, c, c + 1))
    return;
  g = tigris_groups_of(a);
  p->groups = g.past - g.first;
  p->channel = first;
}

static void cutDense(const tigris_access* a, tigris_fc_params* p) {
  const uint32_t c = a->y->rank - 1u;
  if (a->dy[c] == tigris_dense_outputs(a->plan, a->op))
    p->channel = (uint32_t)a->out->begin[c];
}

static void cutSlice(const tigris_access* a, const tigris_box* in, tigris_slice_params* p) {
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i) {
    if (a->out->begin[i] != 0)
      p->starts[i] += a->out->begin[i] * p->steps[i];
    p->starts[i] -= in->begin[i];
  }
}

static void cutPad(const tigris_access* a, const tigris_box* in, tigris_pad_params* p) {
  uint32_t i;
  for (i = 0; i < a->x->rank; ++i)
    p->before[i] += in->begin[i] - a->out->begin[i];
}

static void cutResize(const tigris_access* a, const tigris_box* in, tigris_resize_params* p) {
  p->h.begin = a->out->begin[1];
  p->h.origin = in->begin[1];
  if (a->x->rank < 4)
    return;
  p->w.begin = a->out->begin[2];
  p->w.origin = in->begin[2];
}

const void* tigris_box_params(const tigris_plan* plan, const tigris_op* op, const tigris_box* out,
                              const tigris_box* in, tigris_local_params* local) {
  const tigris_access a = tigris_access_of(plan, op, 0, out);
  const tigris_family family = (tigris_family)tigris_access_families[op->opcode];
  const size_t size = localBytes[family];
  if (size == 0 || (family == TIGRIS_FAMILY_RECURRENT && out->begin[1] == 0))
    return a.params;
  memcpy(local, a.params, size);
  if ((TIGRIS_OPS_CONV || TIGRIS_OPS_POOL) &&
      (family == TIGRIS_FAMILY_CONV || family == TIGRIS_FAMILY_TRANSPOSED ||
       family == TIGRIS_FAMILY_POOL))
    cutWindow(&a, family, in, (int32_t*)(void*)local);
  if (TIGRIS_OPS_CONV && (family == TIGRIS_FAMILY_CONV || family == TIGRIS_FAMILY_TRANSPOSED))
    cutConv(&a, &local->conv);
  else if (TIGRIS_OPS_DENSE && family == TIGRIS_FAMILY_DENSE)
    cutDense(&a, &local->fc);
  else if (TIGRIS_OPS_MOVE && family == TIGRIS_FAMILY_SLICE)
    cutSlice(&a, in, &local->slice);
  else if (TIGRIS_OPS_MOVE && family == TIGRIS_FAMILY_PAD)
    cutPad(&a, in, &local->pad);
  else if (TIGRIS_OPS_RECURRENT && family == TIGRIS_FAMILY_RECURRENT)
    local->recurrent.flags |= TIGRIS_RECURRENT_REVERSE; /* the second direction alone */
  else if (TIGRIS_OPS_RESIZE && family == TIGRIS_FAMILY_RESIZE)
    cutResize(&a, in, &local->resize);
  return local;
}

const void* tigris_rows_params(const tigris_plan* plan, const tigris_op* op, int32_t begin,
                               int32_t end, tigris_local_params* local) {
  if (!TIGRIS_OPS_CONV && !TIGRIS_OPS_POOL)
    return NULL;
  memcpy(local, tigris_params(plan, op), localBytes[tigris_access_families[op->opcode]]);
  cutAxis((int32_t*)(void*)local, 0, tigris_dims(plan, tigris_operand_tensor(plan, op, 0))[1],
          begin, end);
  return local;
}
