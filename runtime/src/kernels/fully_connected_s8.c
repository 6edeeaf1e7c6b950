/* int8 dense layer; weights [N, K]. */
#include "dense_s8.h"
#include "kernels.h"
#include "walk.h"

tigris_status tigris_fully_connected_s8(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t n = (uint32_t)dims[0];
  const uint32_t k = (uint32_t)dims[1];
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->requant, p->requant_count, p->weight_zeros,
                                                p->weight_zeros_count, p->lo.i, p->hi.i);
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint32_t m;
  for (m = span.begin / n; m < (span.begin + span.count) / n; ++m) {
    const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], m * k, 1);
    int8_t* y = (int8_t*)(void*)tigris_element(&call->out[0], m * n, 1);
    const uint32_t inputSum = dense.zeros == NULL ? 0 : tigris_sum_s8(x, dense.in_zero, k);
    uint32_t o;
    uint32_t block;
    for (o = 0; o < n; o += block) {
      uint32_t sum[4] = {0, 0, 0, 0};
      uint32_t i;
      block = n - o >= 4 ? 4 : 1;
      if (block == 4)
        tigris_dot4_s8(sum, x, dense.in_zero, weights + (size_t)o * k, k, k);
      else
        sum[0] = tigris_dot1_s8(x, dense.in_zero, weights + (size_t)o * k, k);
      for (i = 0; i < block; ++i)
        y[o + i] = tigris_finish_s8(&dense, o + i, sum[i], inputSum);
    }
  }
  return TIGRIS_OK;
}
