/* ArgMax, ArgMin, TopK and cumulative sums along an axis. */
#include "kernels.h"
#include "number.h"

/* Lines along an axis: element i of line (o, k) is at (o * size + i) * inner + k. */
typedef struct Lines {
  uint32_t outer;
  uint32_t size;
  uint32_t inner;
} Lines;

static Lines linesOf(const tigris_call* call, int32_t axis) {
  const tigris_tensor* t = call->in[0].tensor;
  const int32_t* dims = call->in[0].dims;
  Lines l = {1, 0, 1};
  uint32_t i;
  l.size = (uint32_t)dims[axis];
  for (i = 0; i < (uint32_t)axis; ++i)
    l.outer *= (uint32_t)dims[i];
  for (i = (uint32_t)axis + 1; i < t->rank; ++i)
    l.inner *= (uint32_t)dims[i];
  return l;
}

/* Whether a precedes b in descending order; equal values do not. */
static int isGreater(uint32_t dtype, const uint8_t* a, const uint8_t* b) {
  if (dtype == TIGRIS_F32)
    return tigris_load_float(a) > tigris_load_float(b);
  return tigris_load_int(a, dtype) > tigris_load_int(b, dtype);
}

tigris_status tigris_arg_max(const tigris_call* call) {
  const tigris_search_params* p = (const tigris_search_params*)call->params;
  const uint32_t dtype = call->in[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  const int largest = call->op->opcode == TIGRIS_OP_ARG_MAX;
  const Lines l = linesOf(call, p->axis);
  uint8_t* y = call->out[0].data;
  uint32_t line;
  for (line = 0; line < l.outer * l.inner; ++line, y += 8) {
    const size_t first = (size_t)(line / l.inner) * l.size * l.inner + line % l.inner;
    const uint8_t* x = call->in[0].data + first * size;
    const size_t step = (size_t)l.inner * size;
    const uint8_t* best = x;
    int64_t found = 0;
    uint32_t i;
    for (i = 1; i < l.size; ++i) {
      const uint8_t* at = x + i * step;
      const int better = largest ? isGreater(dtype, at, best) : isGreater(dtype, best, at);
      const int worse = largest ? isGreater(dtype, best, at) : isGreater(dtype, at, best);
      if (better || (!worse && (p->flags & TIGRIS_SEARCH_LAST) != 0)) {
        best = at;
        found = i;
      }
    }
    memcpy(y, &found, 8);
  }
  return TIGRIS_OK;
}

/* The index of the value after `last` in sorted order, equal values by index; the first if there is
 * no `last`. Index 0 if only NaN remains. */
static uint32_t nextOf(uint32_t dtype, const uint8_t* x, size_t step, uint32_t size, int largest,
                       const uint8_t* last) {
  const uint8_t* best = NULL;
  uint32_t i;
  for (i = 0; i < size; ++i) {
    const uint8_t* at = x + i * step;
    if (last != NULL) {
      const int before = largest ? isGreater(dtype, at, last) : isGreater(dtype, last, at);
      const int behind = largest ? isGreater(dtype, last, at) : isGreater(dtype, at, last);
      if (before || (!behind && at <= last))
        continue;
    }
    if (best == NULL || (largest ? isGreater(dtype, at, best) : isGreater(dtype, best, at)))
      best = at;
  }
  return best == NULL ? 0 : (uint32_t)((size_t)(best - x) / step);
}

tigris_status tigris_top_k(const tigris_call* call) {
  const tigris_search_params* p = (const tigris_search_params*)call->params;
  const uint32_t dtype = call->in[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  const int largest = (p->flags & TIGRIS_SEARCH_LARGEST) != 0;
  const uint32_t count = (uint32_t)call->out[0].dims[p->axis];
  const Lines l = linesOf(call, p->axis);
  uint32_t line;
  for (line = 0; line < l.outer * l.inner; ++line) {
    const uint32_t outer = line / l.inner;
    const uint32_t inner = line % l.inner;
    const uint8_t* x = call->in[0].data + ((size_t)outer * l.size * l.inner + inner) * size;
    const uint8_t* last = NULL;
    uint32_t i;
    for (i = 0; i < count; ++i) {
      const size_t at = ((size_t)outer * count + i) * l.inner + inner;
      const int64_t found = nextOf(dtype, x, (size_t)l.inner * size, l.size, largest, last);
      last = x + (size_t)found * l.inner * size;
      memcpy(call->out[0].data + at * size, last, size);
      memcpy(call->out[1].data + at * 8, &found, 8);
    }
  }
  return TIGRIS_OK;
}

tigris_status tigris_cum_sum(const tigris_call* call) {
  const tigris_search_params* p = (const tigris_search_params*)call->params;
  const uint32_t dtype = call->in[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  const int exclusive = (p->flags & TIGRIS_CUM_SUM_EXCLUSIVE) != 0;
  const Lines l = linesOf(call, p->axis);
  uint32_t line;
  for (line = 0; line < l.outer * l.inner; ++line) {
    const size_t first = (size_t)(line / l.inner) * l.size * l.inner + line % l.inner;
    float sum = 0.0f;
    uint64_t whole = 0;
    uint32_t i;
    for (i = 0; i < l.size; ++i) {
      const uint32_t k = (p->flags & TIGRIS_CUM_SUM_REVERSE) != 0 ? l.size - 1 - i : i;
      const size_t at = (first + (size_t)k * l.inner) * size;
      if (dtype == TIGRIS_F32) {
        const float before = sum;
        sum += tigris_load_float(call->in[0].data + at);
        memcpy(call->out[0].data + at, exclusive ? &before : &sum, 4);
      } else {
        const uint64_t before = whole;
        whole += (uint64_t)tigris_load_int(call->in[0].data + at, dtype);
        tigris_store_int(call->out[0].data + at, dtype, (int64_t)(exclusive ? before : whole));
      }
    }
  }
  return TIGRIS_OK;
}
