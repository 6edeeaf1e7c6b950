/* Transposition plane by plane: a short last axis is copied along the axis before it. */
#include "kernels/kernels.h"
#include "levels.h"
#include "walk.h"

/* Longest last axis for which this is faster. */
#define SHORT 16

/* y[r * columns + c] = x[r * rowStep + c * columnStep], in elements. */
#define PLANE(Type)                                                                                \
  static void plane##Type(Type* y, const Type* x, int32_t rows, int32_t columns, int32_t rowStep,  \
                          int32_t columnStep) {                                                    \
    int32_t r;                                                                                     \
    int32_t c;                                                                                     \
    for (c = 0; c < columns; ++c) {                                                                \
      const Type* from = x + (ptrdiff_t)c * columnStep;                                            \
      for (r = 0; r < rows; ++r)                                                                   \
        y[(ptrdiff_t)r * columns + c] = from[(ptrdiff_t)r * rowStep];                              \
    }                                                                                              \
  }
PLANE(uint8_t)
PLANE(uint32_t)

tigris_status tigris_host_transpose(const tigris_call* call) {
  const tigris_transpose_params* p = (const tigris_transpose_params*)call->params;
  const tigris_view* out = &call->out[0];
  const uint32_t size = tigris_element_size(out->tensor->dtype);
  const tigris_span span = tigris_span_of(out);
  int32_t strides[TIGRIS_MAX_RANK];
  int32_t rows;
  int32_t columns;
  int32_t rowStep;
  int32_t columnStep;
  uint32_t plane;
  uint8_t* y = out->data;
  tigris_walk w;
  uint32_t i;
  tigris_strides(&call->in[0], strides);
  tigris_walk_init(&w, out);
  for (i = 0; i < w.rank; ++i)
    w.stride[0][i] = strides[call->plan->ints[p->perm + i]];
  tigris_walk_collapse(&w);
  if (w.rank < 2 || w.dim[w.rank - 1] > SHORT || (size != 1 && size != 4))
    return tigris_transpose(call);
  columns = w.dim[w.rank - 1];
  columnStep = w.stride[0][w.rank - 1];
  rows = w.dim[w.rank - 2];
  rowStep = w.stride[0][w.rank - 2];
  plane = (uint32_t)rows * (uint32_t)columns;
  if (span.begin % plane != 0 || span.count % plane != 0)
    return tigris_transpose(call);
  --w.rank;
  w.dim[w.rank - 1] = 1; /* an element of the walk is a plane now */
  for (tigris_walk_start(&w, span.begin / plane, span.count / plane); w.left != 0;
       tigris_walk_advance(&w, 1)) {
    const uint8_t* x = tigris_element(&call->in[0], (uint32_t)w.at[0], size);
    if (size == 1)
      planeuint8_t(y, x, rows, columns, rowStep, columnStep);
    else
      planeuint32_t((uint32_t*)(void*)y, (const uint32_t*)(const void*)x, rows, columns, rowStep,
                    columnStep);
    y += (size_t)plane * size;
  }
  return TIGRIS_OK;
}
