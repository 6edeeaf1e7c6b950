/* Product of two float tensors with broadcast leading axes. */
#include <math.h>

#include "dense_f32.h"
#include "kernels.h"
#include "walk.h"

/* First element of the matrix that batch `index` of the output uses from `operand`, under broadcasting of
 * the leading axes. */
static uint32_t matrixStart(const tigris_plan* plan, const tigris_tensor* operand,
                            const tigris_tensor* output, uint32_t index) {
  const int32_t* d = tigris_dims(plan, operand);
  const int32_t* dy = tigris_dims(plan, output);
  const uint32_t batchAxes = (uint32_t)operand->rank - 2u;
  uint32_t step = (uint32_t)d[operand->rank - 1] * (uint32_t)d[operand->rank - 2];
  uint32_t start = 0;
  uint32_t i;
  for (i = 0; i < batchAxes; ++i) {
    const uint32_t axis = batchAxes - 1 - i;
    const uint32_t size = (uint32_t)dy[output->rank - 3u - i];
    if (d[axis] != 1)
      start += index % size * step;
    step *= (uint32_t)d[axis];
    index /= size;
  }
  return start;
}

tigris_status tigris_matmul_f32(const tigris_call* call) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)call->params;
  const tigris_tensor* ta = call->in[0].tensor;
  const tigris_tensor* ty = call->out[0].tensor;
  const uint32_t m = (uint32_t)tigris_dims(call->plan, ty)[ty->rank - 2];
  const uint32_t n = (uint32_t)tigris_dims(call->plan, ty)[ty->rank - 1];
  const uint32_t k = (uint32_t)tigris_dims(call->plan, ta)[ta->rank - 1];
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint32_t line;
  for (line = span.begin / n; line < (span.begin + span.count) / n; ++line) {
    const uint32_t batch = line / m;
    const uint32_t aStart = matrixStart(call->plan, ta, ty, batch) + line % m * k;
    const uint32_t bStart = matrixStart(call->plan, call->in[1].tensor, ty, batch);
    const float* a = (const float*)(const void*)tigris_element(&call->in[0], aStart, 4);
    const float* b = (const float*)(const void*)tigris_element(&call->in[1], bStart, 4);
    float* y = (float*)(void*)tigris_element(&call->out[0], line * n, 4);
    uint32_t o;
    uint32_t i;
    if ((p->flags & TIGRIS_MATMUL_TRANSPOSE_B) == 0) {
      tigris_line_f32(y, a, b, NULL, k, n, -HUGE_VALF, HUGE_VALF);
      continue;
    }
    for (o = 0; o < n; ++o) {
      float sum = 0.0f;
      for (i = 0; i < k; ++i)
        sum += a[i] * b[(size_t)o * k + i];
      y[o] = sum;
    }
  }
  return TIGRIS_OK;
}
