/* Padding with a constant, the edge value or a mirror image, on any axis. */
#include <string.h>

#include "kernels.h"
#include "walk.h"

typedef struct Pad {
  const tigris_view* in;
  const int32_t* before;
  const int32_t* inDims;
  const int32_t* outDims;
  int32_t strides[TIGRIS_MAX_RANK]; /* of the input */
  uint32_t axis;                    /* innermost axis with padding */
  uint32_t inner;                   /* elements per index of that axis */
  uint32_t size;
  uint32_t mode;
  uint8_t value[8];
} Pad;

/* Source coordinate of output coordinate `o` on an axis, or -1 for the constant. */
static int32_t source(const Pad* k, uint32_t axis, int32_t o) {
  const int32_t size = k->inDims[axis];
  const int32_t i = o - k->before[axis];
  if (i >= 0 && i < size)
    return i;
  if (k->mode == TIGRIS_PAD_CONSTANT)
    return -1;
  if (k->mode == TIGRIS_PAD_EDGE)
    return i < 0 ? 0 : size - 1;
  return i < 0 ? -i : 2 * (size - 1) - i;
}

static void fill(const Pad* k, uint8_t* y, uint32_t n) {
  uint32_t i;
  if (k->size == 1) {
    memset(y, k->value[0], n);
    return;
  }
  for (i = 0; i < n; ++i)
    memcpy(y + (size_t)i * k->size, k->value, k->size);
}

/* One output line along k->axis; `start` is the input element its outer coordinates select, or
 * -1. */
static void line(const Pad* k, uint8_t* y, int32_t start) {
  const size_t pixel = (size_t)k->inner * k->size;
  const uint32_t out = (uint32_t)k->outDims[k->axis];
  uint32_t i;
  if (start < 0) {
    fill(k, y, out * k->inner);
    return;
  }
  for (i = 0; i < out; ++i) {
    const int32_t own = (int32_t)i - k->before[k->axis];
    if (own >= 0 && own < k->inDims[k->axis]) {
      const uint32_t left = (uint32_t)(k->inDims[k->axis] - own);
      const uint32_t n = left < out - i ? left : out - i;
      memcpy(y + i * pixel,
             tigris_element(k->in, (uint32_t)start + (uint32_t)own * k->inner, k->size), n * pixel);
      i += n - 1;
    } else if (k->mode == TIGRIS_PAD_CONSTANT) {
      fill(k, y + i * pixel, k->inner);
    } else {
      const uint32_t from = (uint32_t)start + (uint32_t)source(k, k->axis, (int32_t)i) * k->inner;
      memcpy(y + i * pixel, tigris_element(k->in, from, k->size), pixel);
    }
  }
}

static void setValue(Pad* k, const tigris_pad_params* p, uint32_t dtype) {
  const int64_t wide = p->value.i;
  const int16_t half = (int16_t)p->value.i;
  const int8_t narrow = (int8_t)p->value.i;
  if (dtype == TIGRIS_S64)
    memcpy(k->value, &wide, 8);
  else if (dtype == TIGRIS_S16)
    memcpy(k->value, &half, 2);
  else if (dtype == TIGRIS_S8)
    memcpy(k->value, &narrow, 1);
  else
    memcpy(k->value, &p->value, 4);
}

tigris_status tigris_pad(const tigris_call* call) {
  const tigris_pad_params* p = (const tigris_pad_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_tensor* t = out->tensor;
  const tigris_span span = tigris_span_of(out);
  /* Lines must not extend over rows of ranks that are split by rows: stop below the row axis. */
  const uint32_t lowest = t->rank == 3 || t->rank == 4 ? 2 : (t->rank == 2 ? 1 : 0);
  uint8_t* y = out->data;
  uint32_t lineSize;
  uint32_t index;
  Pad k;
  memset(&k, 0, sizeof k);
  k.in = &call->in[0];
  k.before = p->before;
  k.inDims = call->in[0].dims;
  k.outDims = out->dims;
  k.size = tigris_element_size(t->dtype);
  k.mode = p->mode;
  k.inner = 1;
  setValue(&k, p, t->dtype);
  if (t->rank == 0) {
    memcpy(y, call->in[0].data, k.size);
    return TIGRIS_OK;
  }
  tigris_strides(&call->in[0], k.strides);
  k.axis = t->rank - 1u;
  while (k.axis > lowest && k.inDims[k.axis] == k.outDims[k.axis] && k.before[k.axis] == 0) {
    k.inner *= (uint32_t)k.outDims[k.axis];
    --k.axis;
  }
  lineSize = (uint32_t)k.outDims[k.axis] * k.inner;
  for (index = span.begin / lineSize; index < (span.begin + span.count) / lineSize; ++index) {
    uint32_t rest = index;
    int32_t start = 0;
    uint32_t axis;
    for (axis = k.axis; axis-- > 0;) {
      const int32_t i = source(&k, axis, (int32_t)(rest % (uint32_t)k.outDims[axis]));
      rest /= (uint32_t)k.outDims[axis];
      start = i < 0 || start < 0 ? -1 : start + i * k.strides[axis];
    }
    line(&k, y, start);
    y += (size_t)lineSize * k.size;
  }
  return TIGRIS_OK;
}
