/* The byte tables of docs/tgrs-format.md as assertions: offset and size of every field of every
 * record. */
#include "check.h"
#include "tigris_format.h"

#define FIELD(record, field, offset, size)                                                         \
  CHECK_EQ(offsetof(record, field), offset);                                                       \
  CHECK_EQ(sizeof(((record*)0)->field), size)

static void testHeader(void) {
  CHECK_EQ(sizeof(tigris_header), 32);
  FIELD(tigris_header, magic, 0, 4);
  FIELD(tigris_header, version, 4, 2);
  FIELD(tigris_header, header_size, 6, 2);
  FIELD(tigris_header, file_size, 8, 4);
  FIELD(tigris_header, crc32, 12, 4);
  FIELD(tigris_header, section_count, 16, 4);
  FIELD(tigris_header, reserved, 20, 12);
}

static void testSummary(void) {
  CHECK_EQ(sizeof(tigris_summary), 32);
  FIELD(tigris_summary, fast_bytes, 0, 4);
  FIELD(tigris_summary, fast_reserved, 4, 4);
  FIELD(tigris_summary, slow_bytes, 8, 4);
  FIELD(tigris_summary, align, 12, 2);
  FIELD(tigris_summary, io_mode, 14, 1);
  FIELD(tigris_summary, flags, 15, 1);
  FIELD(tigris_summary, model, 16, 4);
  FIELD(tigris_summary, target, 20, 4);
  FIELD(tigris_summary, scratch_bytes, 24, 4);
  FIELD(tigris_summary, weights_crc, 28, 4);
  CHECK_EQ(sizeof(tigris_figures), 128);
  FIELD(tigris_figures, planner, 0, 4);
  FIELD(tigris_figures, optimize, 4, 4);
  FIELD(tigris_figures, producer, 8, 4);
  FIELD(tigris_figures, bound_class, 12, 4);
  FIELD(tigris_figures, fast_peak, 16, 4);
  FIELD(tigris_figures, slow_peak, 20, 4);
  FIELD(tigris_figures, kernel_calls, 24, 4);
  FIELD(tigris_figures, weight_bytes, 28, 4);
  FIELD(tigris_figures, tiled_stages, 32, 4);
  FIELD(tigris_figures, streamed_stages, 36, 4);
  FIELD(tigris_figures, chains, 40, 4);
  FIELD(tigris_figures, budget_fast, 44, 4);
  FIELD(tigris_figures, budget_slow, 48, 4);
  FIELD(tigris_figures, budget_flash, 52, 4);
  FIELD(tigris_figures, slow_read, 56, 8);
  FIELD(tigris_figures, slow_write, 64, 8);
  FIELD(tigris_figures, compulsory, 72, 8);
  FIELD(tigris_figures, io_bytes, 80, 8);
  FIELD(tigris_figures, macs, 88, 8);
  FIELD(tigris_figures, recompute_macs, 96, 8);
  FIELD(tigris_figures, unscheduled_peak, 104, 8);
  FIELD(tigris_figures, bound_fast_peak, 112, 8);
  FIELD(tigris_figures, bound_slow_traffic, 120, 8);
}

static void testRecords(void) {
  CHECK_EQ(sizeof(tigris_tensor), 12);
  FIELD(tigris_tensor, dtype, 0, 1);
  FIELD(tigris_tensor, rank, 1, 1);
  FIELD(tigris_tensor, flags, 2, 1);
  FIELD(tigris_tensor, reserved, 3, 1);
  FIELD(tigris_tensor, dims, 4, 2);
  FIELD(tigris_tensor, quant, 6, 2);
  FIELD(tigris_tensor, bytes, 8, 4);
  CHECK_EQ(sizeof(tigris_quant), 8);
  FIELD(tigris_quant, scale, 0, 4);
  FIELD(tigris_quant, zero_point, 4, 4);
  CHECK_EQ(sizeof(tigris_port), 20);
  FIELD(tigris_port, tensor, 0, 2);
  FIELD(tigris_port, direction, 2, 1);
  FIELD(tigris_port, dtype, 3, 1);
  FIELD(tigris_port, rank, 4, 1);
  FIELD(tigris_port, reserved, 5, 1);
  FIELD(tigris_port, state, 6, 2);
  FIELD(tigris_port, dims, 8, 2);
  FIELD(tigris_port, perm, 10, 2);
  FIELD(tigris_port, offset, 12, 4);
  FIELD(tigris_port, name, 16, 4);
  CHECK_EQ(sizeof(tigris_operand), 8);
  FIELD(tigris_operand, tensor, 0, 2);
  FIELD(tigris_operand, pool, 2, 1);
  FIELD(tigris_operand, reserved, 3, 1);
  FIELD(tigris_operand, offset, 4, 4);
  CHECK_EQ(sizeof(tigris_op), 12);
  FIELD(tigris_op, opcode, 0, 1);
  FIELD(tigris_op, flags, 1, 1);
  FIELD(tigris_op, inputs, 2, 1);
  FIELD(tigris_op, outputs, 3, 1);
  FIELD(tigris_op, operands, 4, 2);
  FIELD(tigris_op, params, 6, 2);
  FIELD(tigris_op, requant, 8, 4);
  CHECK_EQ(sizeof(tigris_stage), 8);
  FIELD(tigris_stage, first_op, 0, 2);
  FIELD(tigris_stage, first_transfer, 2, 2);
  FIELD(tigris_stage, detail, 4, 2);
  FIELD(tigris_stage, mode, 6, 2);
  CHECK_EQ(sizeof(tigris_transfer), 12);
  FIELD(tigris_transfer, tensor, 0, 2);
  FIELD(tigris_transfer, reserved, 2, 2);
  FIELD(tigris_transfer, fast, 4, 4);
  FIELD(tigris_transfer, slow, 8, 4);
  CHECK_EQ(sizeof(tigris_tiling), 24);
  FIELD(tigris_tiling, first_buffer, 0, 2);
  FIELD(tigris_tiling, buffer_count, 2, 2);
  FIELD(tigris_tiling, bookkeeping, 4, 4);
  FIELD(tigris_tiling, tiles, 8, 16);
  CHECK_EQ(sizeof(tigris_weight_block), 24);
  FIELD(tigris_weight_block, first_op, 0, 4);
  FIELD(tigris_weight_block, data, 4, 4);
  FIELD(tigris_weight_block, packed_bytes, 8, 4);
  FIELD(tigris_weight_block, bytes, 12, 4);
  FIELD(tigris_weight_block, fast, 16, 4);
  FIELD(tigris_weight_block, mode, 20, 4);
  CHECK_EQ(sizeof(tigris_stage_stats), 48);
  FIELD(tigris_stage_stats, slow_read, 0, 8);
  FIELD(tigris_stage_stats, slow_write, 8, 8);
  FIELD(tigris_stage_stats, kernel_calls, 16, 8);
  FIELD(tigris_stage_stats, recompute_macs, 24, 8);
  FIELD(tigris_stage_stats, halo_rows, 32, 8);
  FIELD(tigris_stage_stats, peak, 40, 8);
  CHECK_EQ(sizeof(tigris_tile_buffer), 20);
  FIELD(tigris_tile_buffer, tensor, 0, 2);
  FIELD(tigris_tile_buffer, backing, 2, 1);
  FIELD(tigris_tile_buffer, flags, 3, 1);
  FIELD(tigris_tile_buffer, fast, 4, 4);
  FIELD(tigris_tile_buffer, bytes, 8, 4);
  FIELD(tigris_tile_buffer, backing_offset, 12, 4);
  FIELD(tigris_tile_buffer, start, 16, 2);
  FIELD(tigris_tile_buffer, reload_axes, 18, 2);
}

/* Parameters consist of 32-bit fields in declaration order, so first, last and size determine the
 * layout. */
static void testParams(void) {
  CHECK_EQ(sizeof(tigris_conv_params), 56);
  FIELD(tigris_conv_params, kernel_h, 0, 4);
  FIELD(tigris_conv_params, groups, 40, 4);
  FIELD(tigris_conv_params, lo, 44, 4);
  FIELD(tigris_conv_params, channel, 52, 4);
  CHECK_EQ(sizeof(tigris_fc_params), 12);
  FIELD(tigris_fc_params, channel, 8, 4);
  CHECK_EQ(sizeof(tigris_matmul_params), 12);
  CHECK_EQ(sizeof(tigris_pool_params), 60);
  FIELD(tigris_pool_params, flags, 40, 4);
  FIELD(tigris_pool_params, requant_count, 56, 4);
  CHECK_EQ(sizeof(tigris_global_pool_params), 16);
  CHECK_EQ(sizeof(tigris_reduce_params), 16);
  CHECK_EQ(sizeof(tigris_binary_params), 36);
  FIELD(tigris_binary_params, left_shift, 8, 4);
  FIELD(tigris_binary_params, out_shift, 32, 4);
  CHECK_EQ(sizeof(tigris_unary_params), 12);
  CHECK_EQ(sizeof(tigris_clamp_params), 8);
  CHECK_EQ(sizeof(tigris_softmax_params), 16);
  CHECK_EQ(sizeof(tigris_layer_norm_params), 8);
  CHECK_EQ(sizeof(tigris_axis_params), 4);
  CHECK_EQ(sizeof(tigris_slice_params), 64);
  FIELD(tigris_slice_params, steps, 32, 32);
  CHECK_EQ(sizeof(tigris_pad_params), 40);
  FIELD(tigris_pad_params, mode, 32, 4);
  CHECK_EQ(sizeof(tigris_transpose_params), 4);
  CHECK_EQ(sizeof(tigris_resize_params), 56);
  FIELD(tigris_resize_params, w.origin, 52, 4);
  CHECK_EQ(sizeof(tigris_requantize_params), 16);
}

int main(void) {
  testHeader();
  testSummary();
  testRecords();
  testParams();
  return finish();
}
