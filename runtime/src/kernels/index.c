/* GatherND, GatherElements, ScatterND and ScatterElements. */
#include "kernels.h"
#include "number.h"
#include "walk.h"

static uint32_t product(const int32_t* dims, uint32_t from, uint32_t to) {
  uint32_t result = 1;
  for (; from < to; ++from)
    result *= (uint32_t)dims[from];
  return result;
}

/* The block of elements that tuple `n` of `depth` indices selects on the axes from `first` on; -1
 * if an index is out of range. */
static int64_t blockOf(const tigris_view* indices, uint32_t n, uint32_t depth, const int32_t* dims,
                       uint32_t first) {
  int64_t block = 0;
  uint32_t k;
  for (k = 0; k < depth; ++k) {
    const int64_t at =
        tigris_position(indices->data, indices->tensor->dtype, n * depth + k, dims[first + k]);
    if (at < 0)
      return -1;
    block = block * dims[first + k] + at;
  }
  return block;
}

tigris_status tigris_gather_nd(const tigris_call* call) {
  const uint32_t batchAxes = (uint32_t)((const tigris_axis_params*)call->params)->axis;
  const tigris_tensor* x = call->in[0].tensor;
  const tigris_tensor* indices = call->in[1].tensor;
  const int32_t* dx = call->in[0].dims;
  const int32_t* di = call->in[1].dims;
  const uint32_t depth = (uint32_t)di[indices->rank - 1];
  const uint32_t perBatch = product(di, batchAxes, indices->rank - 1u);
  const uint32_t tuples = product(di, 0, indices->rank - 1u);
  const size_t block =
      (size_t)product(dx, batchAxes + depth, x->rank) * tigris_element_size(x->dtype);
  const size_t blocks = product(dx, batchAxes, batchAxes + depth); /* of one batch */
  uint32_t n;
  for (n = 0; n < tuples; ++n) {
    const int64_t at = blockOf(&call->in[1], n, depth, dx, batchAxes);
    if (at < 0)
      return TIGRIS_E_INDEX;
    memcpy(call->out[0].data + n * block,
           call->in[0].data + (n / perBatch * blocks + (size_t)at) * block, block);
  }
  return TIGRIS_OK;
}

static void copyData(const tigris_call* call) {
  const tigris_view* x = &call->in[0];
  memcpy(call->out[0].data, x->data, (size_t)x->rows * x->pitch);
}

tigris_status tigris_scatter_nd(const tigris_call* call) {
  const tigris_tensor* x = call->in[0].tensor;
  const tigris_tensor* indices = call->in[1].tensor;
  const int32_t* dx = call->in[0].dims;
  const int32_t* di = call->in[1].dims;
  const uint32_t depth = (uint32_t)di[indices->rank - 1];
  const uint32_t tuples = product(di, 0, indices->rank - 1u);
  const size_t block = (size_t)product(dx, depth, x->rank) * tigris_element_size(x->dtype);
  uint32_t n;
  copyData(call);
  for (n = 0; n < tuples; ++n) {
    const int64_t at = blockOf(&call->in[1], n, depth, dx, 0);
    if (at < 0)
      return TIGRIS_E_INDEX;
    memcpy(call->out[0].data + (size_t)at * block, call->in[2].data + n * block, block);
  }
  return TIGRIS_OK;
}

/* Walks the indices and tracks the element of `far` with the same position on all other axes. */
static int32_t startWalk(tigris_walk* w, const tigris_call* call, const tigris_view* far,
                         int32_t axis) {
  int32_t strides[TIGRIS_MAX_RANK];
  uint32_t i;
  tigris_strides(far, strides);
  tigris_walk_init(w, &call->in[1]);
  for (i = 0; i < w->rank; ++i)
    w->stride[0][i] = (int32_t)i == axis ? 0 : strides[i];
  tigris_walk_start(w, 0, tigris_span_of(&call->in[1]).count);
  return strides[axis];
}

/* Copies single elements from X at indices, or from updates to indices. */
static tigris_status moveElements(const tigris_call* call, int gathers) {
  const int32_t axis = ((const tigris_axis_params*)call->params)->axis;
  const tigris_view* indices = &call->in[1];
  const tigris_view* far = gathers ? &call->in[0] : &call->out[0];
  const uint32_t size = tigris_element_size(far->tensor->dtype);
  const int32_t length = far->dims[axis];
  uint8_t* near = gathers ? call->out[0].data : call->in[2].data;
  tigris_walk w;
  const int32_t stride = startWalk(&w, call, far, axis);
  uint32_t n;
  for (n = 0; w.left != 0; ++n, near += size, tigris_walk_advance(&w, 1)) {
    const int64_t at = tigris_position(indices->data, indices->tensor->dtype, n, length);
    uint8_t* there;
    if (at < 0)
      return TIGRIS_E_INDEX;
    there = far->data + ((size_t)w.at[0] + (size_t)at * (size_t)stride) * size;
    if (gathers)
      memcpy(near, there, size);
    else
      memcpy(there, near, size);
  }
  return TIGRIS_OK;
}

tigris_status tigris_gather_elements(const tigris_call* call) { return moveElements(call, 1); }

tigris_status tigris_scatter_elements(const tigris_call* call) {
  copyData(call);
  return moveElements(call, 0);
}
