/* Dense layers of int16 activations with int8 weights [N, K], and products of two int16 tensors. */
#include "dense_s16.h"
#include "kernels.h"
#include "matmul.h"
#include "walk.h"

tigris_status tigris_fully_connected_s16(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t n = (uint32_t)dims[0];
  const uint32_t k = (uint32_t)dims[1];
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  const tigris_span span = tigris_span_of(&call->out[0]);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t m;
  for (m = span.begin / n; m < (span.begin + span.count) / n; ++m) {
    const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], m * k, 2);
    uint32_t o;
    for (o = 0; o < n; ++o)
      *y++ = tigris_finish_s16(&dense, o,
                               tigris_dot_s16(x, dense.in_zero, weights + (size_t)o * k,
                                              tigris_weight_zero(&dense, o), k));
  }
  return TIGRIS_OK;
}

tigris_status tigris_matmul_s16(const tigris_call* call) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)call->params;
  const uint32_t rank = call->out[0].tensor->rank;
  const uint32_t m = (uint32_t)call->out[0].dims[rank - 2];
  const uint32_t n = (uint32_t)call->out[0].dims[rank - 1];
  const uint32_t k = (uint32_t)call->in[0].dims[call->in[0].tensor->rank - 1];
  const uint32_t row =
      (uint32_t)tigris_matmul_layout(call, &call->in[1])[call->in[1].tensor->rank - 1];
  const int flip = (p->flags & TIGRIS_MATMUL_TRANSPOSE_B) != 0;
  const size_t step = flip ? 1 : row; /* distance between elements of a column of b */
  const size_t next = flip ? row : 1; /* distance between columns of b */
  const int32_t aZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bZero = tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t line;
  for (line = span.begin / n; line < (span.begin + span.count) / n; ++line) {
    const uint32_t aStart = tigris_matmul_start(call, &call->in[0], line / m) + line % m * k;
    const uint32_t bStart = tigris_matmul_start(call, &call->in[1], line / m);
    const int16_t* a = (const int16_t*)(const void*)tigris_element(&call->in[0], aStart, 2);
    const int16_t* b = (const int16_t*)(const void*)tigris_element(&call->in[1], bStart, 2);
    uint32_t o;
    for (o = 0; o < n; ++o) {
      int64_t sum = 0;
      uint32_t i;
      for (i = 0; i < k; ++i)
        sum += (int64_t)(a[i] - aZero) * (b[i * step + o * next] - bZero);
      *y++ = tigris_scale_s16(call->op, sum, p->multiplier, p->shift, yZero, INT16_MIN, INT16_MAX);
    }
  }
  return TIGRIS_OK;
}
