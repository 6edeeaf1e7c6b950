/* Selects indices along an axis. */
#include <string.h>

#include "kernels.h"
#include "walk.h"

/* Index i as a position on an axis of `size`, or -1 when it is out of range. */
static int64_t position(const tigris_view* indices, uint32_t i, int32_t size) {
  int64_t value;
  if (indices->tensor->dtype == TIGRIS_S32) {
    int32_t narrow;
    memcpy(&narrow, tigris_element(indices, i, 4), 4);
    value = narrow;
  } else {
    /* by memcpy: int64 elements are aligned to 4 only */
    memcpy(&value, tigris_element(indices, i, 8), 8);
  }
  if (value < 0 && value >= -(int64_t)size)
    value += size;
  return value >= 0 && value < size ? value : -1;
}

tigris_status tigris_gather(const tigris_call* call) {
  const tigris_axis_params* p = (const tigris_axis_params*)call->params;
  const tigris_tensor* t = call->in[0].tensor;
  const int32_t* dims = call->in[0].dims;
  const uint32_t size = tigris_element_size(t->dtype);
  const uint32_t picks = tigris_elements(call->in[1].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint8_t* y = call->out[0].data;
  uint32_t inner = 1;
  uint32_t at = span.begin;
  uint32_t i;
  for (i = (uint32_t)p->axis + 1; i < t->rank; ++i)
    inner *= (uint32_t)dims[i];
  while (at != span.begin + span.count) {
    const uint32_t offset = at % inner;
    const uint32_t pick = at / inner % picks;
    const uint32_t outer = at / inner / picks;
    const int64_t from = position(&call->in[1], pick, dims[p->axis]);
    uint32_t n = inner - offset;
    if (from < 0)
      return TIGRIS_E_INDEX;
    n = n < span.begin + span.count - at ? n : span.begin + span.count - at;
    memcpy(y,
           tigris_element(&call->in[0],
                          (outer * (uint32_t)dims[p->axis] + (uint32_t)from) * inner + offset,
                          size),
           (size_t)n * size);
    y += (size_t)n * size;
    at += n;
  }
  return TIGRIS_OK;
}
