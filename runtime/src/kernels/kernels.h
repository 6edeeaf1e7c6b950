/* The reference kernels, by opcode and dtype. Each computes the rows its output view asks for. */
#ifndef TIGRIS_KERNELS_H
#define TIGRIS_KERNELS_H

#include "tigris_backend.h"

tigris_status tigris_conv_f32(const tigris_call* call);
tigris_status tigris_conv_s8(const tigris_call* call);
tigris_status tigris_depthwise_conv_f32(const tigris_call* call);
tigris_status tigris_depthwise_conv_s8(const tigris_call* call);
tigris_status tigris_conv_transpose_f32(const tigris_call* call);
tigris_status tigris_conv_transpose_s8(const tigris_call* call);
tigris_status tigris_fully_connected_f32(const tigris_call* call);
tigris_status tigris_fully_connected_s8(const tigris_call* call);
tigris_status tigris_matmul_f32(const tigris_call* call);
tigris_status tigris_matmul_s8(const tigris_call* call);
tigris_status tigris_max_pool_f32(const tigris_call* call);
tigris_status tigris_max_pool_s8(const tigris_call* call);
tigris_status tigris_average_pool_f32(const tigris_call* call);
tigris_status tigris_average_pool_s8(const tigris_call* call);
tigris_status tigris_global_average_pool_f32(const tigris_call* call);
tigris_status tigris_global_average_pool_s8(const tigris_call* call);
tigris_status tigris_global_average_pool_rows_f32(const tigris_call* call); /* sinks */
tigris_status tigris_global_average_pool_rows_s8(const tigris_call* call);
tigris_status tigris_reduce_f32(const tigris_call* call);
tigris_status tigris_reduce_s8(const tigris_call* call);
tigris_status tigris_binary_f32(const tigris_call* call); /* by call->op->opcode, PRELU included */
tigris_status tigris_binary_s8(const tigris_call* call);  /* by call->op->opcode */
tigris_status tigris_unary_f32(const tigris_call* call);
/* y[i] = function(x[i]); y may be x. */
void tigris_apply_function(const tigris_unary_params* p, float* y, const float* x, uint32_t n);
tigris_status tigris_lookup_s8(const tigris_call* call);
tigris_status tigris_clamp_f32(const tigris_call* call);
tigris_status tigris_clamp_s8(const tigris_call* call);
tigris_status tigris_batch_norm_f32(const tigris_call* call);
tigris_status tigris_softmax_f32(const tigris_call* call); /* SOFTMAX and LOG_SOFTMAX */
tigris_status tigris_softmax_s8(const tigris_call* call);
tigris_status tigris_layer_norm_f32(const tigris_call* call);
tigris_status tigris_concat(const tigris_call* call);
tigris_status tigris_slice(const tigris_call* call);
tigris_status tigris_pad(const tigris_call* call);
tigris_status tigris_transpose(const tigris_call* call);
tigris_status tigris_reshape(const tigris_call* call);
tigris_status tigris_gather(const tigris_call* call);
tigris_status tigris_binary_int(const tigris_call* call); /* by call->op->opcode */
tigris_status tigris_compare(const tigris_call* call);    /* by call->op->opcode, AND OR XOR too */
tigris_status tigris_where(const tigris_call* call);
tigris_status tigris_cast(const tigris_call* call);
tigris_status tigris_arg_max(const tigris_call* call); /* ARG_MAX and ARG_MIN */
tigris_status tigris_top_k(const tigris_call* call);
tigris_status tigris_cum_sum(const tigris_call* call);
tigris_status tigris_gather_nd(const tigris_call* call);
tigris_status tigris_gather_elements(const tigris_call* call);
tigris_status tigris_scatter_nd(const tigris_call* call);
tigris_status tigris_scatter_elements(const tigris_call* call);
tigris_status tigris_recurrent_f32(const tigris_call* call); /* LSTM, GRU and RNN */
tigris_status tigris_resize_f32(const tigris_call* call);
tigris_status tigris_resize_s8(const tigris_call* call);
tigris_status tigris_resize_s16(const tigris_call* call);
tigris_status tigris_quantize(const tigris_call* call);
tigris_status tigris_dequantize(const tigris_call* call);
tigris_status tigris_requantize_s8(const tigris_call* call);

/* int16 activations; weights of convolutions and dense layers are int8. */
tigris_status tigris_conv_s16(const tigris_call* call);
tigris_status tigris_depthwise_conv_s16(const tigris_call* call);
tigris_status tigris_conv_transpose_s16(const tigris_call* call);
tigris_status tigris_fully_connected_s16(const tigris_call* call);
tigris_status tigris_matmul_s16(const tigris_call* call);
tigris_status tigris_max_pool_s16(const tigris_call* call);
tigris_status tigris_average_pool_s16(const tigris_call* call);
tigris_status tigris_global_average_pool_s16(const tigris_call* call);
tigris_status tigris_reduce_s16(const tigris_call* call);
tigris_status tigris_binary_s16(const tigris_call* call); /* by call->op->opcode */
tigris_status tigris_unary_s16(const tigris_call* call);
tigris_status tigris_clamp_s16(const tigris_call* call);
tigris_status tigris_requantize_s16(const tigris_call* call);

#endif /* TIGRIS_KERNELS_H */
