/* Tensor queries of the core and the kernels, as functions that exist once in flash. */
#include "view.h"

uint32_t tigris_element_size(uint32_t dtype) {
  switch (dtype) {
  case TIGRIS_F32:
  case TIGRIS_S32:
    return 4;
  case TIGRIS_S64:
    return 8;
  case TIGRIS_S16:
    return 2;
  case TIGRIS_S8:
  case TIGRIS_BOOL:
    return 1;
  default:
    return 0;
  }
}

void tigris_dense(tigris_view* view, const tigris_tensor* tensor, const int32_t* dims,
                  uint32_t bytes, void* data) {
  const uint32_t rank = tensor->rank;
  uint32_t rows = 1; /* n * h of tigris_shape4_read */
  if (rank >= 2 && rank <= 4)
    rows = (uint32_t)dims[0] * (rank == 2 ? 1u : (uint32_t)dims[1]);
  view->data = (uint8_t*)data;
  view->tensor = tensor;
  view->dims = dims;
  view->first = 0;
  view->rows = rows;
  view->pitch = rows == 0 ? 0 : bytes / rows;
}

uint32_t tigris_stage_ops(const tigris_plan* plan, const tigris_stage* stage) {
  const int isLast = stage + 1 == plan->stages + plan->stage_count;
  return (isLast ? plan->op_count : stage[1].first_op) - stage->first_op;
}

uint32_t tigris_stage_transfers(const tigris_plan* plan, const tigris_stage* stage) {
  const int isLast = stage + 1 == plan->stages + plan->stage_count;
  return (isLast ? plan->transfer_count : stage[1].first_transfer) - stage->first_transfer;
}

uint64_t tigris_shift_bytes(const tigris_op* op, uint32_t pairs) {
  if (op->flags & TIGRIS_ROUND_EVEN)
    return 12u * (uint64_t)pairs;
  if (op->flags & TIGRIS_WIDE_SHIFTS)
    return 4u * (uint64_t)pairs;
  return op->flags & TIGRIS_CHANNEL_SHIFTS ? pairs : 1u;
}

tigris_requant tigris_requant_of(const tigris_plan* plan, const tigris_op* op,
                                 const tigris_tensor* weights) {
  const uint32_t flags = op->flags;
  tigris_requant r;
  r.step = flags & TIGRIS_CHANNEL_PAIRS ? 1u : 0u;
  r.pairs = r.step != 0 ? tigris_weight_channels(plan, weights) : 1;
  r.multiplier = plan->requant + op->requant;
  r.shift = (const int8_t*)(const void*)(r.multiplier + r.pairs);
  r.shift_step =
      flags & TIGRIS_WIDE_SHIFTS ? 4 * r.step : (flags & TIGRIS_CHANNEL_SHIFTS ? 1u : 0u);
  r.zeros = tigris_has_zeros(op) ? r.shift + tigris_shift_bytes(op, r.pairs) : NULL;
  r.zeros_step = flags & TIGRIS_CHANNEL_ZEROS ? 1u : 0u;
  return r;
}
