/* Contracts of the ops that compute indices or use them. */
#include "check.h"

static int isIndex(const tigris_tensor* t) {
  return t->dtype == TIGRIS_S32 || t->dtype == TIGRIS_S64;
}

/* Whether y has x's dimensions with the axis as 1 or removed. */
static int dropsAxis(const tigris_op_check* c, const tigris_tensor* x, const tigris_tensor* y,
                     uint32_t axis) {
  const int keeps = x->rank == y->rank;
  uint32_t i;
  uint32_t k = 0;
  if (!keeps && (uint32_t)y->rank + 1u != x->rank)
    return 0;
  for (i = 0; i < x->rank; ++i) {
    if (i == axis && !keeps)
      continue;
    if (tigris_dims(c->plan, y)[k++] != (i == axis ? 1 : tigris_dims(c->plan, x)[i]))
      return 0;
  }
  return 1;
}

/* Whether y has x's dimensions with another, not larger, size of the axis. */
static int cutsAxis(const tigris_op_check* c, const tigris_tensor* x, const tigris_tensor* y,
                    uint32_t axis) {
  uint32_t i;
  if (x->rank != y->rank)
    return 0;
  for (i = 0; i < x->rank; ++i) {
    const int32_t dx = tigris_dims(c->plan, x)[i];
    const int32_t dy = tigris_dims(c->plan, y)[i];
    if (i == axis ? dy > dx : dy != dx)
      return 0;
  }
  return 1;
}

tigris_status tigris_check_detect(const tigris_op_check* c) {
  const tigris_detect_params* p = (const tigris_detect_params*)c->params;
  const tigris_tensor* boxes = tigris_in(c, 0);
  const tigris_tensor* scores = tigris_in(c, 1);
  const tigris_tensor* anchors = tigris_in(c, 2);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_tensor* work = tigris_out(c, 1);
  const int32_t* db = tigris_dims(c->plan, boxes);
  uint32_t i;
  if (boxes->dtype != TIGRIS_F32 || scores->dtype != TIGRIS_F32 || anchors->dtype != TIGRIS_F32 ||
      y->dtype != TIGRIS_F32 || work->dtype != TIGRIS_F32 || boxes->rank != 2 ||
      scores->rank != 2 || anchors->rank != 2 || y->rank != 2 || work->rank != 1)
    return TIGRIS_E_OP;
  for (i = 0; i < 4; ++i) {
    if (!(p->scales[i] > 0.0f))
      return TIGRIS_E_OP;
  }
  if (db[1] < 4 || tigris_dims(c->plan, scores)[0] != db[0] ||
      (uint32_t)tigris_dims(c->plan, scores)[1] <= p->first_column ||
      tigris_dims(c->plan, anchors)[0] != db[0] || tigris_dims(c->plan, anchors)[1] != 4 ||
      tigris_dims(c->plan, y)[1] != 6 || tigris_dims(c->plan, work)[0] - 1 != db[0])
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_search(const tigris_op_check* c) {
  const tigris_search_params* p = (const tigris_search_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  uint32_t flags = TIGRIS_SEARCH_LAST;
  int ok;
  if (p->axis < 0 || p->axis >= (int32_t)x->rank || x->dtype == TIGRIS_BOOL)
    return TIGRIS_E_OP;
  switch (c->op->opcode) {
  case TIGRIS_OP_TOP_K:
    flags = TIGRIS_SEARCH_LARGEST;
    ok = y->dtype == x->dtype && cutsAxis(c, x, y, (uint32_t)p->axis) &&
         tigris_same_dims(c->plan, y, tigris_out(c, 1)) && tigris_out(c, 1)->dtype == TIGRIS_S64;
    break;
  case TIGRIS_OP_CUM_SUM:
    flags = TIGRIS_CUM_SUM_EXCLUSIVE | TIGRIS_CUM_SUM_REVERSE;
    ok = y->dtype == x->dtype && x->dtype != TIGRIS_S8 && x->dtype != TIGRIS_S16 &&
         tigris_same_dims(c->plan, x, y);
    break;
  default:
    ok = y->dtype == TIGRIS_S64 && dropsAxis(c, x, y, (uint32_t)p->axis);
    break;
  }
  return ok && (p->flags & ~flags) == 0 ? TIGRIS_OK : TIGRIS_E_OP;
}

/* Whether `part` has the dimensions of the indices without the last one, followed by those of x
 * from axis `from` on. */
static int isParts(const tigris_op_check* c, const tigris_tensor* part, uint32_t from) {
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* indices = tigris_in(c, 1);
  const uint32_t lead = (uint32_t)indices->rank - 1u;
  uint32_t i;
  if (part->rank != lead + x->rank - from)
    return 0;
  for (i = 0; i < part->rank; ++i) {
    const int32_t expected =
        i < lead ? tigris_dims(c->plan, indices)[i] : tigris_dims(c->plan, x)[from + i - lead];
    if (tigris_dims(c->plan, part)[i] != expected)
      return 0;
  }
  return 1;
}

/* Number of axes of x that the batch and one index select; 0 if impossible. */
static uint32_t indexedAxes(const tigris_op_check* c, int32_t batch) {
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* indices = tigris_in(c, 1);
  int32_t depth;
  int32_t i;
  if (!isIndex(indices) || batch < 0 || indices->rank < 1 || batch >= (int32_t)indices->rank ||
      batch >= (int32_t)x->rank)
    return 0;
  for (i = 0; i < batch; ++i) {
    if (tigris_dims(c->plan, x)[i] != tigris_dims(c->plan, indices)[i])
      return 0;
  }
  depth = tigris_dims(c->plan, indices)[indices->rank - 1];
  return depth <= (int32_t)x->rank - batch ? (uint32_t)(batch + depth) : 0;
}

tigris_status tigris_check_gather_nd(const tigris_op_check* c) {
  const uint32_t from = indexedAxes(c, ((const tigris_axis_params*)c->params)->axis);
  const tigris_tensor* y = tigris_out(c, 0);
  if (from == 0 || tigris_in(c, 0)->dtype != y->dtype || !isParts(c, y, from))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_scatter_nd(const tigris_op_check* c) {
  const tigris_axis_params* p = (const tigris_axis_params*)c->params;
  const uint32_t from = p->axis == 0 ? indexedAxes(c, 0) : 0;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* updates = tigris_in(c, 2);
  const tigris_tensor* y = tigris_out(c, 0);
  if (from == 0 || x->dtype != y->dtype || updates->dtype != x->dtype ||
      !tigris_same_dims(c->plan, x, y) || !isParts(c, updates, from))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

/* GATHER_ELEMENTS and SCATTER_ELEMENTS. */
tigris_status tigris_check_by_element(const tigris_op_check* c) {
  const tigris_axis_params* p = (const tigris_axis_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* indices = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  const int scatters = c->op->opcode == TIGRIS_OP_SCATTER_ELEMENTS;
  const tigris_tensor* parts = scatters ? tigris_in(c, 2) : y;
  uint32_t i;
  if (!isIndex(indices) || p->axis < 0 || p->axis >= (int32_t)x->rank || indices->rank != x->rank ||
      parts->dtype != x->dtype || !tigris_same_dims(c->plan, indices, parts))
    return TIGRIS_E_OP;
  for (i = 0; i < x->rank; ++i) {
    if ((int32_t)i != p->axis && tigris_dims(c->plan, indices)[i] > tigris_dims(c->plan, x)[i])
      return TIGRIS_E_OP;
  }
  if (scatters && (y->dtype != x->dtype || !tigris_same_dims(c->plan, x, y)))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
