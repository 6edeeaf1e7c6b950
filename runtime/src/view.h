/* Geometry of stored tensors: dimensions, the NHWC reading of ranks 1..4, rows, and row access. */
#ifndef TIGRIS_VIEW_H
#define TIGRIS_VIEW_H

#include "tigris_backend.h"

/* Whether the port is an output whose bytes are in WEIGHTS, at port->offset. */
static inline int tigris_is_constant(const tigris_plan* plan, const tigris_port* port) {
  return (plan->tensors[port->tensor].flags & TIGRIS_TENSOR_CONST) != 0;
}

/* A tensor read as [n, h, w, c]; ranks other than 1..4 become [1, 1, 1, elements]. */
typedef struct tigris_shape4 {
  int32_t n;
  int32_t h;
  int32_t w;
  int32_t c;
} tigris_shape4;

/* The parameters of an op; NULL when it has none. */
static inline const void* tigris_params(const tigris_plan* plan, const tigris_op* op) {
  return op->params == TIGRIS_NO_PARAMS ? NULL : plan->params + 4u * op->params;
}

/* The ops and transfers of a stage. */
uint32_t tigris_stage_ops(const tigris_plan* plan, const tigris_stage* stage);
uint32_t tigris_stage_transfers(const tigris_plan* plan, const tigris_stage* stage);

/* The first of its transfers are loads. */
static inline uint32_t tigris_stage_loads(const tigris_stage* stage) {
  return stage->mode == TIGRIS_STAGE_WHOLE ? stage->detail : 0u;
}

/* Raises `highest` to `value` if that is larger. */
static inline void tigris_raise(uint32_t* highest, uint32_t value) {
  if (value > *highest)
    *highest = value;
}

/* Bytes of one element; 0 for a dtype that is never stored. */
uint32_t tigris_element_size(uint32_t dtype);

static inline const int32_t* tigris_dims(const tigris_plan* plan, const tigris_tensor* tensor) {
  return plan->ints + tensor->dims;
}

static inline uint32_t tigris_elements(const tigris_tensor* tensor) {
  return tensor->bytes / tigris_element_size(tensor->dtype);
}

static inline tigris_shape4 tigris_shape4_read(const tigris_tensor* tensor, const int32_t* d) {
  tigris_shape4 s = {1, 1, 1, 1};
  switch (tensor->rank) {
  case 1:
    s.c = d[0];
    break;
  case 2:
    s.n = d[0];
    s.c = d[1];
    break;
  case 3:
    s.n = d[0];
    s.h = d[1];
    s.c = d[2];
    break;
  case 4:
    s.n = d[0];
    s.h = d[1];
    s.w = d[2];
    s.c = d[3];
    break;
  default:
    s.c = (int32_t)tigris_elements(tensor);
    break;
  }
  return s;
}

static inline tigris_shape4 tigris_shape4_of(const tigris_plan* plan, const tigris_tensor* tensor) {
  return tigris_shape4_read(tensor, tigris_dims(plan, tensor));
}

static inline tigris_shape4 tigris_view_shape(const tigris_view* view) {
  return tigris_shape4_read(view->tensor, view->dims);
}

/* A view of all rows of a dense tensor of `bytes` bytes and dimensions `dims` at `data`. */
void tigris_dense(tigris_view* view, const tigris_tensor* tensor, const int32_t* dims,
                  uint32_t bytes, void* data);

/* The view of a whole tensor at `data`. */
static inline void tigris_whole(tigris_view* view, const tigris_plan* plan,
                                const tigris_tensor* tensor, void* data) {
  tigris_dense(view, tensor, tigris_dims(plan, tensor), tensor->bytes, data);
}

/* Distance between innermost rows of the weights (input 1): the last dimension of the whole
 * tensor. */
static inline uint32_t tigris_weight_row(const tigris_call* call) {
  const tigris_tensor* w = call->in[1].tensor;
  return (uint32_t)tigris_dims(call->plan, w)[w->rank - 1];
}

/* The address of a row. Kernels access rows only through this function. */
static inline uint8_t* tigris_row(const tigris_view* view, uint32_t row) {
  return view->data + (size_t)(row - view->first) * view->pitch;
}

static inline const float* tigris_row_f32(const tigris_view* view, uint32_t row) {
  return (const float*)(const void*)tigris_row(view, row);
}

static inline const int8_t* tigris_row_s8(const tigris_view* view, uint32_t row) {
  return (const int8_t*)(const void*)tigris_row(view, row);
}

/* The rows of an output view, as first element and element count in the whole tensor. */
typedef struct tigris_span {
  uint32_t begin;
  uint32_t count;
} tigris_span;

static inline tigris_span tigris_span_of(const tigris_view* view) {
  const uint32_t size = tigris_element_size(view->tensor->dtype);
  tigris_span span;
  span.begin = view->first * (view->pitch / size);
  span.count = view->rows * (view->pitch / size);
  return span;
}

/* S8 or S16 with a quantization record. */
static inline int tigris_is_quantized(const tigris_tensor* t) {
  return (t->dtype == TIGRIS_S8 || t->dtype == TIGRIS_S16) && t->quant != TIGRIS_NO_QUANT;
}

/* Whether the op has TIGRIS_ROUND_EVEN; constant 0 in a build without it. */
static inline int tigris_rounds_even(const tigris_op* op) {
  return TIGRIS_EVEN_KERNELS && (op->flags & TIGRIS_ROUND_EVEN) != 0;
}

static inline int tigris_rounds_twice(const tigris_op* op) {
  return (op->flags & TIGRIS_ROUND_TWICE) != 0;
}

static inline int32_t tigris_zero_point(const tigris_plan* plan, const tigris_tensor* tensor) {
  return plan->quant[tensor->quant].zero_point;
}

/* Whether the op, or one with these flags, has weight zero points. */
static inline int tigris_has_zeros(const tigris_op* op) {
  return (op->flags & (TIGRIS_ONE_ZERO | TIGRIS_CHANNEL_ZEROS)) != 0;
}

/* The arrays in REQUANT of a dense op on integers; a step of 0 stands for one value for all
 * channels. */
typedef struct tigris_requant {
  const int32_t* multiplier;
  const int8_t* shift; /* of wide shifts, the low byte, which has their value */
  const int8_t* zeros; /* NULL: all 0 */
  uint32_t pairs;      /* number of multipliers */
  uint32_t step;       /* of multipliers */
  uint32_t shift_step;
  uint32_t zeros_step;
} tigris_requant;

/* Number of output channels of a dense op with these s8 weights. */
static inline uint32_t tigris_weight_channels(const tigris_plan* plan,
                                              const tigris_tensor* weights) {
  return (uint32_t)tigris_dims(plan, weights)[weights->rank == 3 ? 2 : 0];
}

/* Bytes of the shifts of `pairs` multipliers, or with TIGRIS_ROUND_EVEN of what replaces them. */
uint64_t tigris_shift_bytes(const tigris_op* op, uint32_t pairs);

/* The arrays of an op whose input 1 is `weights`. */
tigris_requant tigris_requant_of(const tigris_plan* plan, const tigris_op* op,
                                 const tigris_tensor* weights);

/* The taps k in [*begin, *end) of a window for which 0 <= start + k*dilation < size. */
static inline void tigris_taps(int32_t start, int32_t dilation, int32_t size, int32_t kernel,
                               int32_t* begin, int32_t* end) {
  const int32_t first = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const int32_t past = start < size ? (size - start + dilation - 1) / dilation : 0;
  *begin = first;
  *end = past < kernel ? past : kernel;
  if (*end < *begin)
    *end = *begin;
}

#endif /* TIGRIS_VIEW_H */
