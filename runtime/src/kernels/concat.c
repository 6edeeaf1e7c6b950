/* Joins tensors along an axis. */
#include <string.h>

#include "kernels.h"
#include "walk.h"

tigris_status tigris_concat(const tigris_call* call) {
  const tigris_axis_params* p = (const tigris_axis_params*)call->params;
  const tigris_tensor* t = call->out[0].tensor;
  const int32_t* dims = call->out[0].dims;
  const uint32_t size = tigris_element_size(t->dtype);
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint8_t* y = call->out[0].data;
  uint32_t inner = 1; /* elements per index of the axis */
  uint32_t total;     /* elements of one complete line along the axis */
  uint32_t line;
  uint32_t at; /* position in that line */
  uint32_t left;
  uint32_t k = 0;
  uint32_t start = 0; /* position of input k in the line */
  uint32_t i;
  for (i = (uint32_t)p->axis + 1; i < t->rank; ++i)
    inner *= (uint32_t)dims[i];
  total = (uint32_t)dims[p->axis] * inner;
  line = span.begin / total;
  at = span.begin % total;
  for (left = span.count; left != 0;) {
    const tigris_view* in = &call->in[k];
    const uint32_t own = (uint32_t)in->dims[p->axis] * inner;
    if (at < start + own) {
      uint32_t n = start + own - at;
      n = n < left ? n : left;
      memcpy(y, tigris_element(in, line * own + (at - start), size), (size_t)n * size);
      y += (size_t)n * size;
      at += n;
      left -= n;
    }
    start += own;
    if (++k == call->op->inputs) {
      k = 0;
      start = 0;
      if (at == total) {
        at = 0;
        ++line;
      }
    }
  }
  return TIGRIS_OK;
}
