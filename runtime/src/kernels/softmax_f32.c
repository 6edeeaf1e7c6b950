/* Float softmax and log-softmax along any axis. */
#include <math.h>

#include "kernels.h"
#include "walk.h"

/* n values, `step` apart; y may be x. */
static void normalize(float* y, const float* x, uint32_t n, size_t step, int isLog) {
  float top = x[0];
  float sum = 0.0f;
  uint32_t i;
  for (i = 1; i < n; ++i)
    top = x[i * step] > top ? x[i * step] : top;
  for (i = 0; i < n; ++i) {
    const float e = expf(x[i * step] - top);
    if (!isLog)
      y[i * step] = e;
    sum += e;
  }
  if (isLog) {
    sum = logf(sum);
    for (i = 0; i < n; ++i)
      y[i * step] = x[i * step] - top - sum;
  } else {
    for (i = 0; i < n; ++i)
      y[i * step] /= sum;
  }
}

tigris_status tigris_softmax_f32(const tigris_call* call) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)call->params;
  const tigris_tensor* t = call->out[0].tensor;
  const int32_t* dims = call->out[0].dims;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const float* x = (const float*)(const void*)tigris_element(&call->in[0], span.begin, 4);
  float* y = (float*)(void*)call->out[0].data;
  const uint32_t n = (uint32_t)dims[p->axis];
  uint32_t inner = 1;
  uint32_t outer;
  uint32_t i;
  for (i = (uint32_t)p->axis + 1; i < t->rank; ++i)
    inner *= (uint32_t)dims[i];
  for (outer = 0; outer < span.count; outer += n * inner) {
    for (i = 0; i < inner; ++i)
      normalize(y + outer + i, x + outer + i, n, inner, call->op->opcode == TIGRIS_OP_LOG_SOFTMAX);
  }
  return TIGRIS_OK;
}
