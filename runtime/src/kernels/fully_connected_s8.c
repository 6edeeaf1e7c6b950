/* int8 dense layer; weights [N, K]. */
#include "dense_s8.h"
#include "kernels.h"
#include "walk.h"

/* The current lines; a second one follows the first. */
typedef struct LinesS8 {
  const int8_t* x;
  uint32_t k;
  int32_t zero;
} LinesS8;

static void gather(const void* source, uint32_t pixel, uint32_t from, uint32_t n, int16_t* patch) {
  const LinesS8* lines = (const LinesS8*)source;
  tigris_widen_s8(patch, lines->x + (size_t)pixel * lines->k + from, lines->zero, n);
}

tigris_status tigris_fully_connected_s8(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t n = (uint32_t)dims[0];
  const uint32_t k = (uint32_t)dims[1];
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint32_t past = (span.begin + span.count) / n;
  tigris_patches_s8 patches;
  LinesS8 lines;
  uint32_t m;
  lines.k = k;
  lines.zero = dense.in_zero;
  patches.gather = gather;
  patches.source = &lines;
  patches.taps = k;
  for (m = span.begin / n; m < past; m += patches.pixels) {
    int8_t* y[2];
    patches.pixels = past - m < 2 ? 1 : 2;
    lines.x = (const int8_t*)(const void*)tigris_element(&call->in[0], m * k, 1);
    y[0] = (int8_t*)(void*)tigris_element(&call->out[0], m * n, 1);
    y[1] = y[0] + n;
    tigris_dense_pixels_s8(&dense, &patches, weights, k, 0, n, y);
  }
  return TIGRIS_OK;
}
