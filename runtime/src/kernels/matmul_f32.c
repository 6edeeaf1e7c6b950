/* Product of two float tensors with broadcast leading axes. */
#include <math.h>

#include "dense_f32.h"
#include "kernels.h"
#include "matmul.h"
#include "walk.h"

tigris_status tigris_matmul_f32(const tigris_call* call) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)call->params;
  const uint32_t rank = call->out[0].tensor->rank;
  const uint32_t m = (uint32_t)call->out[0].dims[rank - 2];
  const uint32_t n = (uint32_t)call->out[0].dims[rank - 1];
  const uint32_t k = (uint32_t)call->in[0].dims[call->in[0].tensor->rank - 1];
  const uint32_t row =
      (uint32_t)tigris_matmul_layout(call, &call->in[1])[call->in[1].tensor->rank - 1];
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint32_t line;
  for (line = span.begin / n; line < (span.begin + span.count) / n; ++line) {
    const uint32_t batch = line / m;
    const uint32_t aStart = tigris_matmul_start(call, &call->in[0], batch) + line % m * k;
    const uint32_t bStart = tigris_matmul_start(call, &call->in[1], batch);
    const float* a = (const float*)(const void*)tigris_element(&call->in[0], aStart, 4);
    const float* b = (const float*)(const void*)tigris_element(&call->in[1], bStart, 4);
    float* y = (float*)(void*)tigris_element(&call->out[0], line * n, 4);
    uint32_t o;
    uint32_t i;
    if ((p->flags & TIGRIS_MATMUL_TRANSPOSE_B) == 0) {
      tigris_line_f32(y, a, b, NULL, k, n, row, -HUGE_VALF, HUGE_VALF);
      continue;
    }
    for (o = 0; o < n; ++o) {
      float sum = 0.0f;
      for (i = 0; i < k; ++i)
        sum += a[i] * b[(size_t)o * row + i];
      y[o] = sum;
    }
  }
  return TIGRIS_OK;
}
