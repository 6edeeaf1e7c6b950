/* The reference backend: the table from opcode and dtype to kernel. */
#include "kernels/kernels.h"
#include "view.h"

#define ANY_DTYPE 0

typedef struct KernelRow {
  uint8_t opcode;
  uint8_t dtype; /* of the first input */
  tigris_kernel kernel;
} KernelRow;

static const KernelRow kernels[] = {
#if TIGRIS_KERNEL_CONV_F32
    {TIGRIS_OP_CONV, TIGRIS_F32, tigris_conv_f32},
#endif
#if TIGRIS_KERNEL_CONV_S8
    {TIGRIS_OP_CONV, TIGRIS_S8, tigris_conv_s8},
#endif
#if TIGRIS_KERNEL_DEPTHWISE_CONV_F32
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_F32, tigris_depthwise_conv_f32},
#endif
#if TIGRIS_KERNEL_DEPTHWISE_CONV_S8
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_S8, tigris_depthwise_conv_s8},
#endif
#if TIGRIS_KERNEL_CONV_TRANSPOSE_F32
    {TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_F32, tigris_conv_transpose_f32},
#endif
#if TIGRIS_KERNEL_CONV_TRANSPOSE_S8
    {TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_S8, tigris_conv_transpose_s8},
#endif
#if TIGRIS_KERNEL_CONV_S16
    {TIGRIS_OP_CONV, TIGRIS_S16, tigris_conv_s16},
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_S16, tigris_depthwise_conv_s16},
    {TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_S16, tigris_conv_transpose_s16},
#endif
#if TIGRIS_KERNEL_FULLY_CONNECTED_F32
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_F32, tigris_fully_connected_f32},
#endif
#if TIGRIS_KERNEL_FULLY_CONNECTED_S8
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_S8, tigris_fully_connected_s8},
#endif
#if TIGRIS_KERNEL_MATMUL_F32
    {TIGRIS_OP_MATMUL, TIGRIS_F32, tigris_matmul_f32},
#endif
#if TIGRIS_KERNEL_MATMUL_S8
    {TIGRIS_OP_MATMUL, TIGRIS_S8, tigris_matmul_s8},
#endif
#if TIGRIS_KERNEL_DENSE_S16
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_S16, tigris_fully_connected_s16},
    {TIGRIS_OP_MATMUL, TIGRIS_S16, tigris_matmul_s16},
#endif
#if TIGRIS_KERNEL_POOL_F32
    {TIGRIS_OP_MAX_POOL, TIGRIS_F32, tigris_max_pool_f32},
    {TIGRIS_OP_AVERAGE_POOL, TIGRIS_F32, tigris_average_pool_f32},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_F32, tigris_global_average_pool_f32},
#endif
#if TIGRIS_KERNEL_POOL_S8
    {TIGRIS_OP_MAX_POOL, TIGRIS_S8, tigris_max_pool_s8},
    {TIGRIS_OP_AVERAGE_POOL, TIGRIS_S8, tigris_average_pool_s8},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_S8, tigris_global_average_pool_s8},
#endif
#if TIGRIS_KERNEL_REDUCE_F32
    {TIGRIS_OP_REDUCE, TIGRIS_F32, tigris_reduce_f32},
#endif
#if TIGRIS_KERNEL_REDUCE_S8
    {TIGRIS_OP_REDUCE, TIGRIS_S8, tigris_reduce_s8},
#endif
#if TIGRIS_KERNEL_POOL_S16
    {TIGRIS_OP_MAX_POOL, TIGRIS_S16, tigris_max_pool_s16},
    {TIGRIS_OP_AVERAGE_POOL, TIGRIS_S16, tigris_average_pool_s16},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_S16, tigris_global_average_pool_s16},
    {TIGRIS_OP_REDUCE, TIGRIS_S16, tigris_reduce_s16},
#endif
#if TIGRIS_KERNEL_BINARY_F32
    {TIGRIS_OP_ADD, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_SUB, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_MUL, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_DIV, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_MAXIMUM, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_MINIMUM, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_POW, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_PRELU, TIGRIS_F32, tigris_binary_f32},
    {TIGRIS_OP_FMOD, TIGRIS_F32, tigris_binary_f32},
#endif
#if TIGRIS_KERNEL_BINARY_S8
    {TIGRIS_OP_ADD, TIGRIS_S8, tigris_binary_s8},
    {TIGRIS_OP_SUB, TIGRIS_S8, tigris_binary_s8},
    {TIGRIS_OP_MUL, TIGRIS_S8, tigris_binary_s8},
    {TIGRIS_OP_DIV, TIGRIS_S8, tigris_binary_s8},
    {TIGRIS_OP_MAXIMUM, TIGRIS_S8, tigris_binary_s8},
    {TIGRIS_OP_MINIMUM, TIGRIS_S8, tigris_binary_s8},
#endif
#if TIGRIS_KERNEL_MAP_S16
    {TIGRIS_OP_ADD, TIGRIS_S16, tigris_binary_s16},
    {TIGRIS_OP_SUB, TIGRIS_S16, tigris_binary_s16},
    {TIGRIS_OP_MUL, TIGRIS_S16, tigris_binary_s16},
    {TIGRIS_OP_MAXIMUM, TIGRIS_S16, tigris_binary_s16},
    {TIGRIS_OP_MINIMUM, TIGRIS_S16, tigris_binary_s16},
    {TIGRIS_OP_UNARY, TIGRIS_S16, tigris_unary_s16},
    {TIGRIS_OP_CLAMP, TIGRIS_S16, tigris_clamp_s16},
#endif
#if TIGRIS_KERNEL_BINARY_INT
    {TIGRIS_OP_ADD, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_SUB, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_MUL, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_DIV, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_MAXIMUM, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_MINIMUM, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_MOD, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_FMOD, TIGRIS_S32, tigris_binary_int},
    {TIGRIS_OP_ADD, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_SUB, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_MUL, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_DIV, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_MAXIMUM, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_MINIMUM, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_MOD, TIGRIS_S64, tigris_binary_int},
    {TIGRIS_OP_FMOD, TIGRIS_S64, tigris_binary_int},
#endif
#if TIGRIS_KERNEL_UNARY_F32
    {TIGRIS_OP_UNARY, TIGRIS_F32, tigris_unary_f32},
#endif
#if TIGRIS_KERNEL_MAP
    {TIGRIS_OP_LOOKUP, TIGRIS_S8, tigris_lookup_s8},
    {TIGRIS_OP_CLAMP, TIGRIS_F32, tigris_clamp_f32},
    {TIGRIS_OP_CLAMP, TIGRIS_S8, tigris_clamp_s8},
    {TIGRIS_OP_BATCH_NORM, TIGRIS_F32, tigris_batch_norm_f32},
#endif
#if TIGRIS_KERNEL_SOFTMAX_F32
    {TIGRIS_OP_SOFTMAX, TIGRIS_F32, tigris_softmax_f32},
    {TIGRIS_OP_LOG_SOFTMAX, TIGRIS_F32, tigris_softmax_f32},
#endif
#if TIGRIS_KERNEL_SOFTMAX_S8
    {TIGRIS_OP_SOFTMAX, TIGRIS_S8, tigris_softmax_s8},
#endif
#if TIGRIS_KERNEL_LAYER_NORM_F32
    {TIGRIS_OP_LAYER_NORM, TIGRIS_F32, tigris_layer_norm_f32},
#endif
#if TIGRIS_KERNEL_LOGIC
    {TIGRIS_OP_EQUAL, ANY_DTYPE, tigris_compare},
    {TIGRIS_OP_LESS, ANY_DTYPE, tigris_compare},
    {TIGRIS_OP_LESS_EQUAL, ANY_DTYPE, tigris_compare},
    {TIGRIS_OP_AND, TIGRIS_BOOL, tigris_compare},
    {TIGRIS_OP_OR, TIGRIS_BOOL, tigris_compare},
    {TIGRIS_OP_XOR, TIGRIS_BOOL, tigris_compare},
    {TIGRIS_OP_WHERE, TIGRIS_BOOL, tigris_where},
#endif
#if TIGRIS_KERNEL_CAST
    {TIGRIS_OP_CAST, ANY_DTYPE, tigris_cast},
#endif
#if TIGRIS_KERNEL_SEARCH
    {TIGRIS_OP_ARG_MAX, ANY_DTYPE, tigris_arg_max},
    {TIGRIS_OP_ARG_MIN, ANY_DTYPE, tigris_arg_max},
    {TIGRIS_OP_TOP_K, ANY_DTYPE, tigris_top_k},
    {TIGRIS_OP_CUM_SUM, ANY_DTYPE, tigris_cum_sum},
#endif
#if TIGRIS_KERNEL_INDEX
    {TIGRIS_OP_GATHER_ND, ANY_DTYPE, tigris_gather_nd},
    {TIGRIS_OP_GATHER_ELEMENTS, ANY_DTYPE, tigris_gather_elements},
    {TIGRIS_OP_SCATTER_ND, ANY_DTYPE, tigris_scatter_nd},
    {TIGRIS_OP_SCATTER_ELEMENTS, ANY_DTYPE, tigris_scatter_elements},
#endif
#if TIGRIS_KERNEL_RECURRENT_F32
    {TIGRIS_OP_LSTM, TIGRIS_F32, tigris_recurrent_f32},
    {TIGRIS_OP_GRU, TIGRIS_F32, tigris_recurrent_f32},
    {TIGRIS_OP_RNN, TIGRIS_F32, tigris_recurrent_f32},
#endif
#if TIGRIS_KERNEL_RESIZE
    {TIGRIS_OP_RESIZE, TIGRIS_F32, tigris_resize_f32},
    {TIGRIS_OP_RESIZE, TIGRIS_S8, tigris_resize_s8},
    {TIGRIS_OP_RESIZE, TIGRIS_S16, tigris_resize_s16},
#endif
#if TIGRIS_KERNEL_QUANTIZE
    {TIGRIS_OP_QUANTIZE, TIGRIS_F32, tigris_quantize},
    {TIGRIS_OP_DEQUANTIZE, TIGRIS_S8, tigris_dequantize},
    {TIGRIS_OP_DEQUANTIZE, TIGRIS_S16, tigris_dequantize},
    {TIGRIS_OP_REQUANTIZE, TIGRIS_S8, tigris_requantize_s8},
    {TIGRIS_OP_REQUANTIZE, TIGRIS_S16, tigris_requantize_s16},
#endif
#if TIGRIS_KERNEL_MOVE
    {TIGRIS_OP_CONCAT, ANY_DTYPE, tigris_concat},
    {TIGRIS_OP_SLICE, ANY_DTYPE, tigris_slice},
    {TIGRIS_OP_PAD, ANY_DTYPE, tigris_pad},
    {TIGRIS_OP_TRANSPOSE, ANY_DTYPE, tigris_transpose},
    {TIGRIS_OP_RESHAPE, ANY_DTYPE, tigris_reshape},
    {TIGRIS_OP_GATHER, ANY_DTYPE, tigris_gather},
#endif
    {0, 0, NULL},
};

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  const uint32_t dtype = plan->tensors[plan->operands[op->operands].tensor].dtype;
  const KernelRow* row;
  if (op->flags != 0 && !tigris_rounds_even(op))
    return NULL;
  for (row = kernels; row->kernel != NULL; ++row) {
    if (row->opcode == op->opcode && (row->dtype == ANY_DTYPE || row->dtype == dtype))
      return row->kernel;
  }
  return NULL;
}

tigris_kernel tigris_reference_sink(const tigris_plan* plan, const tigris_op* op) {
  const uint32_t dtype = plan->tensors[plan->operands[op->operands].tensor].dtype;
#if TIGRIS_KERNEL_POOL_F32
  if (op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL && dtype == TIGRIS_F32)
    return tigris_global_average_pool_rows_f32;
#endif
#if TIGRIS_KERNEL_POOL_S8
  if (op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL && dtype == TIGRIS_S8)
    return tigris_global_average_pool_rows_s8;
#endif
  (void)dtype;
  return NULL;
}

const tigris_backend tigris_backend_reference = {
    "reference", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN, find, NULL, tigris_reference_sink};
