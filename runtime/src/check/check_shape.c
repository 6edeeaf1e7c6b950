/* Contracts of data movement and shape changes: concat, slice, pad, transpose, resize, gather,
 * reduce. */
#include "check.h"

static int sameType(const tigris_op_check* c) {
  return tigris_in(c, 0)->dtype == tigris_out(c, 0)->dtype;
}

tigris_status tigris_check_concat(const tigris_op_check* c) {
  const tigris_axis_params* p = (const tigris_axis_params*)c->params;
  const tigris_tensor* y = tigris_out(c, 0);
  const int32_t* dy = tigris_dims(c->plan, y);
  int64_t total = 0;
  uint32_t i;
  uint32_t k;
  if (p->axis < 0 || p->axis >= (int32_t)y->rank)
    return TIGRIS_E_OP;
  for (i = 0; i < c->op->inputs; ++i) {
    const tigris_tensor* x = tigris_in(c, i);
    const int32_t* dx = tigris_dims(c->plan, x);
    if (x->dtype != y->dtype || x->rank != y->rank)
      return TIGRIS_E_OP;
    for (k = 0; k < x->rank; ++k) {
      if ((int32_t)k != p->axis && dx[k] != dy[k])
        return TIGRIS_E_OP;
    }
    total += dx[p->axis];
  }
  return total == dy[p->axis] ? TIGRIS_OK : TIGRIS_E_OP;
}

tigris_status tigris_check_slice(const tigris_op_check* c) {
  const tigris_slice_params* p = (const tigris_slice_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  uint32_t i;
  if (!sameType(c) || x->rank != y->rank)
    return TIGRIS_E_OP;
  for (i = 0; i < x->rank; ++i) {
    const int64_t start = p->starts[i];
    const int64_t step = p->steps[i];
    const int64_t last = start + (tigris_dims(c->plan, y)[i] - 1) * step;
    const int64_t size = tigris_dims(c->plan, x)[i];
    if (step == 0 || start < 0 || start >= size || last < 0 || last >= size)
      return TIGRIS_E_OP;
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_pad(const tigris_op_check* c) {
  const tigris_pad_params* p = (const tigris_pad_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  uint32_t i;
  if (!sameType(c) || x->rank != y->rank || p->mode > TIGRIS_PAD_REFLECT)
    return TIGRIS_E_OP;
  for (i = 0; i < x->rank; ++i) {
    const int64_t before = p->before[i];
    const int64_t size = tigris_dims(c->plan, x)[i];
    const int64_t after = tigris_dims(c->plan, y)[i] - size - before;
    if (before < 0 || after < 0 ||
        (p->mode == TIGRIS_PAD_REFLECT && (before >= size || after >= size)))
      return TIGRIS_E_OP;
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_transpose(const tigris_op_check* c) {
  const tigris_transpose_params* p = (const tigris_transpose_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  return sameType(c) && x->rank == y->rank &&
                 tigris_permutes(c->plan, p->perm, x->rank, tigris_dims(c->plan, x),
                                 tigris_dims(c->plan, y))
             ? TIGRIS_OK
             : TIGRIS_E_OP;
}

tigris_status tigris_check_reshape(const tigris_op_check* c) {
  return sameType(c) && tigris_in(c, 0)->bytes == tigris_out(c, 0)->bytes ? TIGRIS_OK : TIGRIS_E_OP;
}

/* Positions of RESIZE ascend, and no sum of them overflows. */
static int positionsOk(const tigris_op_check* c, const tigris_resize_axis* p, uint32_t out) {
  const int32_t most = 1 << 29;
  const int32_t* first = c->plan->ints + p->first;
  uint32_t i;
  if (p->begin != 0 || p->origin != 0 || p->period - 1 >= out ||
      !tigris_has_ints(c->plan, p->first, p->period) ||
      (uint64_t)((out - 1) / p->period) * p->advance > (uint32_t)most ||
      p->advance > (uint32_t)most || first[0] < -most || first[0] > most)
    return 0;
  for (i = 1; i < p->period; ++i) {
    if (first[i] < first[i - 1])
      return 0;
  }
  return first[p->period - 1] <= first[0] + (int32_t)p->advance;
}

/* One axis of RESIZE: weights are present where needed, and small enough for int32 sums. */
static int resizeAxisOk(const tigris_op_check* c, const tigris_resize_axis* p, int weighted,
                        int32_t out) {
  const int isFloat = tigris_in(c, 0)->dtype == TIGRIS_F32;
  const uint32_t taps = p->taps;
  uint32_t i;
  if ((taps != 1 && taps != 2 && taps != 4) || !positionsOk(c, p, (uint32_t)out))
    return 0;
  if (!weighted)
    return p->weight == TIGRIS_NONE;
  if (p->period > UINT32_MAX / taps || !tigris_has_ints(c->plan, p->weight, p->period * taps))
    return 0;
  for (i = 0; !isFloat && i < p->period * taps; i += taps) {
    int64_t sum = 0;
    int64_t magnitude = 0;
    uint32_t k;
    for (k = 0; k < taps; ++k) {
      const int64_t w = c->plan->ints[p->weight + i + k];
      sum += w;
      magnitude += w < 0 ? -w : w;
    }
    if (tigris_rounds_even(c->op) ? sum != magnitude || sum < 1 || sum > 1 << 14
                                  : sum != 1024 || magnitude > 2048)
      return 0;
  }
  return 1;
}

tigris_status tigris_check_resize(const tigris_op_check* c) {
  const tigris_resize_params* p = (const tigris_resize_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_shape4 sx = tigris_shape4_of(c->plan, x);
  const tigris_shape4 sy = tigris_shape4_of(c->plan, y);
  const int weighted = p->h.taps != 1 || p->w.taps != 1;
  if (!sameType(c) ||
      (x->dtype != TIGRIS_F32 && x->dtype != TIGRIS_S8 && (x->dtype != TIGRIS_S16 || weighted)) ||
      x->rank != y->rank || (x->rank != 3 && x->rank != 4) || sx.n != sy.n || sx.c != sy.c ||
      (tigris_rounds_even(c->op) && (!weighted || x->dtype != TIGRIS_S8)) ||
      !resizeAxisOk(c, &p->h, weighted, sy.h) || !resizeAxisOk(c, &p->w, weighted, sy.w))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_gather(const tigris_op_check* c) {
  const tigris_axis_params* p = (const tigris_axis_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* indices = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  uint32_t out = 0;
  uint32_t i;
  uint32_t k;
  if (!sameType(c) || (indices->dtype != TIGRIS_S32 && indices->dtype != TIGRIS_S64) ||
      p->axis < 0 || p->axis >= (int32_t)x->rank ||
      (uint32_t)y->rank != (uint32_t)x->rank - 1u + indices->rank)
    return TIGRIS_E_OP;
  for (i = 0; i < x->rank; ++i) {
    if ((int32_t)i != p->axis) {
      if (tigris_dims(c->plan, y)[out++] != tigris_dims(c->plan, x)[i])
        return TIGRIS_E_OP;
      continue;
    }
    for (k = 0; k < indices->rank; ++k) {
      if (tigris_dims(c->plan, y)[out++] != tigris_dims(c->plan, indices)[k])
        return TIGRIS_E_OP;
    }
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_reduce(const tigris_op_check* c) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const int keeps = y->rank == x->rank;
  uint32_t kept = 0;
  uint32_t i;
  if (p->kind < TIGRIS_REDUCE_MEAN || p->kind >= TIGRIS_REDUCE_END)
    return TIGRIS_E_UNSUPPORTED;
  if (p->axes == 0 || (x->rank < 32 && p->axes >> x->rank != 0))
    return TIGRIS_E_OP;
  for (i = 0; i < x->rank; ++i) {
    const int reduced = (int)((p->axes >> i) & 1u);
    if (reduced && !keeps)
      continue;
    if (kept >= y->rank ||
        tigris_dims(c->plan, y)[kept++] != (reduced ? 1 : tigris_dims(c->plan, x)[i]))
      return TIGRIS_E_OP;
  }
  if (kept != y->rank)
    return TIGRIS_E_OP;
  if (x->dtype == TIGRIS_F32 && y->dtype == TIGRIS_F32)
    return p->requant == TIGRIS_NONE && p->requant_count == 0 ? TIGRIS_OK : TIGRIS_E_OP;
  if (!tigris_arithmetic_pair(x, y))
    return TIGRIS_E_OP;
  if (p->kind == TIGRIS_REDUCE_MEAN)
    return p->requant_count == 1 && tigris_requant_ok(c, p->requant, 1) ? TIGRIS_OK : TIGRIS_E_OP;
  if ((p->kind != TIGRIS_REDUCE_MAX && p->kind != TIGRIS_REDUCE_MIN) || p->requant != TIGRIS_NONE ||
      p->requant_count != 0 || tigris_rounds_even(c->op))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
