/* Float dense layer; weights [K, N]. */
#include "dense_f32.h"
#include "kernels.h"
#include "walk.h"

tigris_status tigris_fully_connected_f32(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t k = (uint32_t)dims[0];
  const uint32_t n = (uint32_t)dims[1];
  const float* w = (const float*)(const void*)call->in[1].data;
  const float* bias = call->op->inputs > 2 ? (const float*)(const void*)call->in[2].data : NULL;
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint32_t m;
  for (m = span.begin / n; m < (span.begin + span.count) / n; ++m)
    tigris_line_f32((float*)(void*)tigris_element(&call->out[0], m * n, 4),
                    (const float*)(const void*)tigris_element(&call->in[0], m * k, 4), w, bias, k,
                    n, tigris_weight_row(call), p->lo.f, p->hi.f);
  return TIGRIS_OK;
}
