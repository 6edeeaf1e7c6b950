/* Product of two int8 tensors with broadcast leading axes. */
#include "fixed_point.h"
#include "kernels.h"
#include "matmul.h"
#include "walk.h"

#define COLUMNS 8u /* columns of b whose sums are held during one pass over its rows */

typedef struct Product {
  const int8_t* a; /* one row */
  uint32_t k;
  int32_t aZero;
  int32_t bZero;
  uint32_t step; /* distance between elements of a column of b */
  uint32_t next; /* distance between columns of b */
} Product;

/* sums[j] = sum over i of (a[i] - zero) * (b[i * step + j * next] - zero), modulo 2^32. */
static void sumColumns(const Product* p, const int8_t* b, uint32_t count, uint32_t* sums) {
  uint32_t i;
  uint32_t j;
  for (j = 0; j < count; ++j)
    sums[j] = 0;
  for (i = 0; i < p->k; ++i, b += p->step) {
    const int32_t v = p->a[i] - p->aZero;
    for (j = 0; j < count; ++j)
      sums[j] += (uint32_t)(v * (b[(size_t)j * p->next] - p->bZero));
  }
}

tigris_status tigris_matmul_s8(const tigris_call* call) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)call->params;
  const uint32_t rank = call->out[0].tensor->rank;
  const uint32_t m = (uint32_t)call->out[0].dims[rank - 2];
  const uint32_t n = (uint32_t)call->out[0].dims[rank - 1];
  const uint32_t row =
      (uint32_t)tigris_matmul_layout(call, &call->in[1])[call->in[1].tensor->rank - 1];
  const int even = tigris_rounds_even(call->op);
  const int flip = (p->flags & TIGRIS_MATMUL_TRANSPOSE_B) != 0;
  const int32_t yZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  Product product;
  uint32_t line;
  product.k = (uint32_t)call->in[0].dims[call->in[0].tensor->rank - 1];
  product.aZero = tigris_zero_point(call->plan, call->in[0].tensor);
  product.bZero = tigris_zero_point(call->plan, call->in[1].tensor);
  product.step = flip ? 1 : row;
  product.next = flip ? row : 1;
  for (line = span.begin / n; line < (span.begin + span.count) / n; ++line) {
    const uint32_t aStart =
        tigris_matmul_start(call, &call->in[0], line / m) + line % m * product.k;
    const uint32_t bStart = tigris_matmul_start(call, &call->in[1], line / m);
    const int8_t* b = (const int8_t*)(const void*)tigris_element(&call->in[1], bStart, 1);
    int8_t* y = (int8_t*)(void*)tigris_element(&call->out[0], line * n, 1);
    uint32_t o;
    product.a = (const int8_t*)(const void*)tigris_element(&call->in[0], aStart, 1);
    for (o = 0; o < n; o += COLUMNS) {
      const uint32_t count = n - o < COLUMNS ? n - o : COLUMNS;
      uint32_t sums[COLUMNS];
      uint32_t j;
      sumColumns(&product, b + (size_t)o * product.next, count, sums);
      for (j = 0; j < count; ++j)
        y[o + j] = (int8_t)tigris_scale_s8(even, (int32_t)sums[j], p->multiplier, p->shift, yZero,
                                           -128, 127);
    }
  }
  return TIGRIS_OK;
}
