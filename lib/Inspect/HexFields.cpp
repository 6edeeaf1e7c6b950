// One table per record. Static assertions fail if the format gets a member that a table lacks.
#include "tigris/Inspect/HexFields.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tigris {

namespace {

/// Whether every byte of the record belongs to exactly one field, in order.
template <size_t N> constexpr bool covers(const HexField (&fields)[N], size_t size) {
  size_t reached = 0;
  for (const HexField& field : fields) {
    if (field.offset != reached)
      return false;
    reached += size_t{field.size} * field.count;
  }
  return reached == size;
}

/// 1 if the member is not an array.
template <typename T>
constexpr uint8_t ElementCount = std::is_array_v<T> ? static_cast<uint8_t>(std::extent_v<T>) : 1;

/// The record of a type of parameters; null for tigris_no_params.
template <typename T> constexpr const HexRecord* RecordOf = nullptr;

/// Also of a member of a member.
#define MemberType(record, member) decltype(std::declval<record>().member)

// clang-format off
#define FIELD(record, member, kind)                                                                \
  {#member, offsetof(record, member), sizeof(std::remove_extent_t<MemberType(record, member)>),    \
   ElementCount<MemberType(record, member)>, FieldKind::kind}
// clang-format on
#define RECORD(constant, record, name, fields)                                                     \
  static_assert(covers(fields, sizeof(record)));                                                   \
  constexpr HexRecord constant = {name, sizeof(record), fields}
#define PARAMS_RECORD(constant, record, name, fields)                                              \
  RECORD(constant, record, name, fields);                                                          \
  template <> constexpr const HexRecord* RecordOf<record> = &constant

constexpr HexField HeaderFields[] = {
    FIELD(tigris_header, magic, Characters),     FIELD(tigris_header, version, Unsigned),
    FIELD(tigris_header, header_size, Unsigned), FIELD(tigris_header, file_size, Unsigned),
    FIELD(tigris_header, crc32, Address),        FIELD(tigris_header, section_count, Unsigned),
    FIELD(tigris_header, reserved, Unsigned),
};
RECORD(Header, tigris_header, "header", HeaderFields);

constexpr HexField SummaryFields[] = {
    FIELD(tigris_summary, fast_bytes, Unsigned),    FIELD(tigris_summary, fast_reserved, Unsigned),
    FIELD(tigris_summary, slow_bytes, Unsigned),    FIELD(tigris_summary, align, Unsigned),
    FIELD(tigris_summary, io_mode, Unsigned),       FIELD(tigris_summary, flags, Address),
    FIELD(tigris_summary, model, String),           FIELD(tigris_summary, target, String),
    FIELD(tigris_summary, scratch_bytes, Unsigned), FIELD(tigris_summary, weights_crc, Address),
};
RECORD(Summary, tigris_summary, "summary", SummaryFields);

constexpr HexField FiguresFields[] = {
    FIELD(tigris_figures, planner, String),
    FIELD(tigris_figures, optimize, String),
    FIELD(tigris_figures, producer, String),
    FIELD(tigris_figures, bound_class, String),
    FIELD(tigris_figures, fast_peak, Unsigned),
    FIELD(tigris_figures, slow_peak, Unsigned),
    FIELD(tigris_figures, kernel_calls, Unsigned),
    FIELD(tigris_figures, weight_bytes, Unsigned),
    FIELD(tigris_figures, tiled_stages, Unsigned),
    FIELD(tigris_figures, streamed_stages, Unsigned),
    FIELD(tigris_figures, chains, Unsigned),
    FIELD(tigris_figures, budget_fast, Unsigned),
    FIELD(tigris_figures, budget_slow, Unsigned),
    FIELD(tigris_figures, budget_flash, Unsigned),
    FIELD(tigris_figures, slow_read, Unsigned),
    FIELD(tigris_figures, slow_write, Unsigned),
    FIELD(tigris_figures, compulsory, Unsigned),
    FIELD(tigris_figures, io_bytes, Unsigned),
    FIELD(tigris_figures, macs, Unsigned),
    FIELD(tigris_figures, recompute_macs, Unsigned),
    FIELD(tigris_figures, unscheduled_peak, Unsigned),
    FIELD(tigris_figures, bound_fast_peak, Unsigned),
    FIELD(tigris_figures, bound_slow_traffic, Unsigned),
};
RECORD(Figures, tigris_figures, "figures", FiguresFields);

constexpr HexField TensorFields[] = {
    FIELD(tigris_tensor, dtype, Type),     FIELD(tigris_tensor, rank, Unsigned),
    FIELD(tigris_tensor, flags, Address),  FIELD(tigris_tensor, reserved, Unsigned),
    FIELD(tigris_tensor, dims, Unsigned),  FIELD(tigris_tensor, quant, Unsigned),
    FIELD(tigris_tensor, bytes, Unsigned),
};
RECORD(TensorRecord, tigris_tensor, "tensor", TensorFields);

constexpr HexField QuantFields[] = {
    FIELD(tigris_quant, scale, Float),
    FIELD(tigris_quant, zero_point, Signed),
};
RECORD(QuantRecord, tigris_quant, "quant", QuantFields);

constexpr HexField PortFields[] = {
    FIELD(tigris_port, tensor, Unsigned),   FIELD(tigris_port, direction, Unsigned),
    FIELD(tigris_port, dtype, Type),        FIELD(tigris_port, rank, Unsigned),
    FIELD(tigris_port, reserved, Unsigned), FIELD(tigris_port, state, Unsigned),
    FIELD(tigris_port, dims, Unsigned),     FIELD(tigris_port, perm, Unsigned),
    FIELD(tigris_port, offset, Address),    FIELD(tigris_port, name, String),
};
RECORD(PortRecord, tigris_port, "port", PortFields);

constexpr HexField OperandFields[] = {
    FIELD(tigris_operand, tensor, Unsigned),
    FIELD(tigris_operand, pool, Pool),
    FIELD(tigris_operand, reserved, Unsigned),
    FIELD(tigris_operand, offset, Address),
};
RECORD(OperandRecord, tigris_operand, "operand", OperandFields);

constexpr HexField OpFields[] = {
    FIELD(tigris_op, opcode, Opcode),     FIELD(tigris_op, flags, Address),
    FIELD(tigris_op, inputs, Unsigned),   FIELD(tigris_op, outputs, Unsigned),
    FIELD(tigris_op, operands, Unsigned), FIELD(tigris_op, params, Unsigned),
    FIELD(tigris_op, requant, Unsigned),
};
RECORD(OpRecord, tigris_op, "op", OpFields);

constexpr HexField StageFields[] = {
    FIELD(tigris_stage, first_op, Unsigned),
    FIELD(tigris_stage, first_transfer, Unsigned),
    FIELD(tigris_stage, detail, Unsigned),
    FIELD(tigris_stage, mode, StageMode),
};
RECORD(StageRecord, tigris_stage, "stage", StageFields);

constexpr HexField TilingFields[] = {
    FIELD(tigris_tiling, first_buffer, Unsigned),
    FIELD(tigris_tiling, buffer_count, Unsigned),
    FIELD(tigris_tiling, bookkeeping, Unsigned),
    FIELD(tigris_tiling, tiles, Unsigned),
};
RECORD(TilingRecord, tigris_tiling, "tiling", TilingFields);

constexpr HexField TileBufferFields[] = {
    FIELD(tigris_tile_buffer, tensor, Unsigned), FIELD(tigris_tile_buffer, backing, Pool),
    FIELD(tigris_tile_buffer, flags, Address),   FIELD(tigris_tile_buffer, fast, Address),
    FIELD(tigris_tile_buffer, bytes, Unsigned),  FIELD(tigris_tile_buffer, backing_offset, Address),
    FIELD(tigris_tile_buffer, start, Unsigned),  FIELD(tigris_tile_buffer, reload_axes, Address),
};
RECORD(TileBufferRecord, tigris_tile_buffer, "tile_buffer", TileBufferFields);

constexpr HexField WeightBlockFields[] = {
    FIELD(tigris_weight_block, first_op, Unsigned),     FIELD(tigris_weight_block, data, Address),
    FIELD(tigris_weight_block, packed_bytes, Unsigned), FIELD(tigris_weight_block, bytes, Unsigned),
    FIELD(tigris_weight_block, fast, Address),          FIELD(tigris_weight_block, mode, Unsigned),
};
RECORD(WeightBlockRecord, tigris_weight_block, "weight_block", WeightBlockFields);

constexpr HexField TransferFields[] = {
    FIELD(tigris_transfer, tensor, Unsigned),
    FIELD(tigris_transfer, reserved, Unsigned),
    FIELD(tigris_transfer, fast, Address),
    FIELD(tigris_transfer, slow, Address),
};
RECORD(TransferRecord, tigris_transfer, "transfer", TransferFields);

constexpr HexField ConvParamsFields[] = {
    FIELD(tigris_conv_params, kernel_h, Signed),   FIELD(tigris_conv_params, kernel_w, Signed),
    FIELD(tigris_conv_params, stride_h, Signed),   FIELD(tigris_conv_params, stride_w, Signed),
    FIELD(tigris_conv_params, dilation_h, Signed), FIELD(tigris_conv_params, dilation_w, Signed),
    FIELD(tigris_conv_params, pad_top, Signed),    FIELD(tigris_conv_params, pad_left, Signed),
    FIELD(tigris_conv_params, pad_bottom, Signed), FIELD(tigris_conv_params, pad_right, Signed),
    FIELD(tigris_conv_params, groups, Signed),     FIELD(tigris_conv_params, lo, Scalar),
    FIELD(tigris_conv_params, hi, Scalar),         FIELD(tigris_conv_params, channel, Unsigned),
};
PARAMS_RECORD(ConvParamsRecord, tigris_conv_params, "conv_params", ConvParamsFields);

constexpr HexField FcParamsFields[] = {
    FIELD(tigris_fc_params, lo, Scalar),
    FIELD(tigris_fc_params, hi, Scalar),
    FIELD(tigris_fc_params, channel, Unsigned),
};
PARAMS_RECORD(FcParamsRecord, tigris_fc_params, "fc_params", FcParamsFields);

constexpr HexField MatmulParamsFields[] = {
    FIELD(tigris_matmul_params, flags, Address),
    FIELD(tigris_matmul_params, multiplier, Signed),
    FIELD(tigris_matmul_params, shift, Signed),
};
PARAMS_RECORD(MatmulParamsRecord, tigris_matmul_params, "matmul_params", MatmulParamsFields);

constexpr HexField PoolParamsFields[] = {
    FIELD(tigris_pool_params, kernel_h, Signed),
    FIELD(tigris_pool_params, kernel_w, Signed),
    FIELD(tigris_pool_params, stride_h, Signed),
    FIELD(tigris_pool_params, stride_w, Signed),
    FIELD(tigris_pool_params, dilation_h, Signed),
    FIELD(tigris_pool_params, dilation_w, Signed),
    FIELD(tigris_pool_params, pad_top, Signed),
    FIELD(tigris_pool_params, pad_left, Signed),
    FIELD(tigris_pool_params, pad_bottom, Signed),
    FIELD(tigris_pool_params, pad_right, Signed),
    FIELD(tigris_pool_params, flags, Address),
    FIELD(tigris_pool_params, lo, Scalar),
    FIELD(tigris_pool_params, hi, Scalar),
    FIELD(tigris_pool_params, requant, Unsigned),
    FIELD(tigris_pool_params, requant_count, Unsigned),
};
PARAMS_RECORD(PoolParamsRecord, tigris_pool_params, "pool_params", PoolParamsFields);

constexpr HexField GlobalPoolParamsFields[] = {
    FIELD(tigris_global_pool_params, lo, Scalar),
    FIELD(tigris_global_pool_params, hi, Scalar),
    FIELD(tigris_global_pool_params, requant, Unsigned),
    FIELD(tigris_global_pool_params, requant_count, Unsigned),
};
PARAMS_RECORD(GlobalPoolParamsRecord, tigris_global_pool_params, "global_pool_params",
              GlobalPoolParamsFields);

constexpr HexField ReduceParamsFields[] = {
    FIELD(tigris_reduce_params, kind, Unsigned),
    FIELD(tigris_reduce_params, axes, Unsigned),
    FIELD(tigris_reduce_params, requant, Unsigned),
    FIELD(tigris_reduce_params, requant_count, Unsigned),
};
PARAMS_RECORD(ReduceParamsRecord, tigris_reduce_params, "reduce_params", ReduceParamsFields);

constexpr HexField BinaryParamsFields[] = {
    FIELD(tigris_binary_params, lo, Scalar),
    FIELD(tigris_binary_params, hi, Scalar),
    FIELD(tigris_binary_params, left_shift, Signed),
    FIELD(tigris_binary_params, a_multiplier, Signed),
    FIELD(tigris_binary_params, a_shift, Signed),
    FIELD(tigris_binary_params, b_multiplier, Signed),
    FIELD(tigris_binary_params, b_shift, Signed),
    FIELD(tigris_binary_params, out_multiplier, Signed),
    FIELD(tigris_binary_params, out_shift, Signed),
};
PARAMS_RECORD(BinaryParamsRecord, tigris_binary_params, "binary_params", BinaryParamsFields);

constexpr HexField UnaryParamsFields[] = {
    FIELD(tigris_unary_params, function, Unsigned),
    FIELD(tigris_unary_params, alpha, Float),
    FIELD(tigris_unary_params, beta, Float),
};
PARAMS_RECORD(UnaryParamsRecord, tigris_unary_params, "unary_params", UnaryParamsFields);

constexpr HexField ClampParamsFields[] = {
    FIELD(tigris_clamp_params, lo, Scalar),
    FIELD(tigris_clamp_params, hi, Scalar),
};
PARAMS_RECORD(ClampParamsRecord, tigris_clamp_params, "clamp_params", ClampParamsFields);

constexpr HexField SoftmaxParamsFields[] = {
    FIELD(tigris_softmax_params, axis, Signed),
    FIELD(tigris_softmax_params, multiplier, Signed),
    FIELD(tigris_softmax_params, left_shift, Signed),
    FIELD(tigris_softmax_params, diff_min, Signed),
};
PARAMS_RECORD(SoftmaxParamsRecord, tigris_softmax_params, "softmax_params", SoftmaxParamsFields);

constexpr HexField LayerNormParamsFields[] = {
    FIELD(tigris_layer_norm_params, axes, Unsigned),
    FIELD(tigris_layer_norm_params, epsilon, Float),
};
PARAMS_RECORD(LayerNormParamsRecord, tigris_layer_norm_params, "layer_norm_params",
              LayerNormParamsFields);

constexpr HexField AxisParamsFields[] = {
    FIELD(tigris_axis_params, axis, Signed),
};
PARAMS_RECORD(AxisParamsRecord, tigris_axis_params, "axis_params", AxisParamsFields);

constexpr HexField SearchParamsFields[] = {
    FIELD(tigris_search_params, axis, Signed),
    FIELD(tigris_search_params, flags, Unsigned),
};
PARAMS_RECORD(SearchParamsRecord, tigris_search_params, "search_params", SearchParamsFields);

constexpr HexField RecurrentParamsFields[] = {
    FIELD(tigris_recurrent_params, flags, Unsigned),
    FIELD(tigris_recurrent_params, clip, Float),
};
PARAMS_RECORD(RecurrentParamsRecord, tigris_recurrent_params, "recurrent_params",
              RecurrentParamsFields);

constexpr HexField LstmIntParamsFields[] = {
    FIELD(tigris_lstm_int_params, flags, Unsigned),
    FIELD(tigris_lstm_int_params, cell_clip, Signed),
    FIELD(tigris_lstm_int_params, cell_power, Signed),
    FIELD(tigris_lstm_int_params, multipliers, Signed),
    FIELD(tigris_lstm_int_params, shifts, Signed),
};
PARAMS_RECORD(LstmIntParamsRecord, tigris_lstm_int_params, "lstm_int_params", LstmIntParamsFields);

constexpr HexField SvdfParamsFields[] = {
    FIELD(tigris_svdf_params, rank, Signed),
    FIELD(tigris_svdf_params, feature_multiplier, Signed),
    FIELD(tigris_svdf_params, feature_shift, Signed),
    FIELD(tigris_svdf_params, time_multiplier, Signed),
    FIELD(tigris_svdf_params, time_shift, Signed),
};
PARAMS_RECORD(SvdfParamsRecord, tigris_svdf_params, "svdf_params", SvdfParamsFields);

constexpr HexField DetectParamsFields[] = {
    FIELD(tigris_detect_params, scales, Float),
    FIELD(tigris_detect_params, least_score, Float),
    FIELD(tigris_detect_params, most_overlap, Float),
    FIELD(tigris_detect_params, first_column, Unsigned),
};
PARAMS_RECORD(DetectParamsRecord, tigris_detect_params, "detect_params", DetectParamsFields);

constexpr HexField SigmoidParamsFields[] = {
    FIELD(tigris_sigmoid_params, function, Unsigned),
    FIELD(tigris_sigmoid_params, multiplier, Signed),
    FIELD(tigris_sigmoid_params, shift, Unsigned),
};
PARAMS_RECORD(SigmoidParamsRecord, tigris_sigmoid_params, "sigmoid_params", SigmoidParamsFields);

constexpr HexField SliceParamsFields[] = {
    FIELD(tigris_slice_params, starts, Signed),
    FIELD(tigris_slice_params, steps, Signed),
};
PARAMS_RECORD(SliceParamsRecord, tigris_slice_params, "slice_params", SliceParamsFields);

constexpr HexField PadParamsFields[] = {
    FIELD(tigris_pad_params, before, Signed),
    FIELD(tigris_pad_params, mode, Unsigned),
    FIELD(tigris_pad_params, value, Scalar),
};
PARAMS_RECORD(PadParamsRecord, tigris_pad_params, "pad_params", PadParamsFields);

constexpr HexField TransposeParamsFields[] = {
    FIELD(tigris_transpose_params, perm, Unsigned),
};
PARAMS_RECORD(TransposeParamsRecord, tigris_transpose_params, "transpose_params",
              TransposeParamsFields);

constexpr HexField ResizeParamsFields[] = {
    FIELD(tigris_resize_params, h.taps, Unsigned),
    FIELD(tigris_resize_params, h.period, Unsigned),
    FIELD(tigris_resize_params, h.advance, Unsigned),
    FIELD(tigris_resize_params, h.first, Unsigned),
    FIELD(tigris_resize_params, h.weight, Unsigned),
    FIELD(tigris_resize_params, h.begin, Signed),
    FIELD(tigris_resize_params, h.origin, Signed),
    FIELD(tigris_resize_params, w.taps, Unsigned),
    FIELD(tigris_resize_params, w.period, Unsigned),
    FIELD(tigris_resize_params, w.advance, Unsigned),
    FIELD(tigris_resize_params, w.first, Unsigned),
    FIELD(tigris_resize_params, w.weight, Unsigned),
    FIELD(tigris_resize_params, w.begin, Signed),
    FIELD(tigris_resize_params, w.origin, Signed),
};
PARAMS_RECORD(ResizeParamsRecord, tigris_resize_params, "resize_params", ResizeParamsFields);

constexpr HexField RequantizeParamsFields[] = {
    FIELD(tigris_requantize_params, multiplier, Signed),
    FIELD(tigris_requantize_params, shift, Signed),
    FIELD(tigris_requantize_params, lo, Signed),
    FIELD(tigris_requantize_params, hi, Signed),
};
PARAMS_RECORD(RequantizeParamsRecord, tigris_requantize_params, "requantize_params",
              RequantizeParamsFields);

#undef FIELD
#undef PARAMS_RECORD
#undef RECORD

} // namespace

const HexRecord HeaderRecord = Header;
const HexRecord SummaryRecord = Summary;
const HexRecord FiguresRecord = Figures;

std::string_view sectionName(uint32_t type) {
  switch (type) {
#define SECTION(name)                                                                              \
  case TIGRIS_SECTION_##name:                                                                      \
    return #name;
    SECTION(SUMMARY)
    SECTION(STRINGS)
    SECTION(INTS)
    SECTION(QUANT)
    SECTION(REQUANT)
    SECTION(TENSORS)
    SECTION(PORTS)
    SECTION(OPERANDS)
    SECTION(PARAMS)
    SECTION(OPS)
    SECTION(TRANSFERS)
    SECTION(STAGES)
    SECTION(WEIGHTS)
    SECTION(TILINGS)
    SECTION(TILE_BUFFERS)
    SECTION(BLOCKS)
    SECTION(STAGE_STATS)
    SECTION(NAMES)
#undef SECTION
  default:
    return {};
  }
}

const HexRecord* sectionRecord(uint32_t type) {
  switch (type) {
  case TIGRIS_SECTION_QUANT:
    return &QuantRecord;
  case TIGRIS_SECTION_TENSORS:
    return &TensorRecord;
  case TIGRIS_SECTION_PORTS:
    return &PortRecord;
  case TIGRIS_SECTION_OPERANDS:
    return &OperandRecord;
  case TIGRIS_SECTION_OPS:
    return &OpRecord;
  case TIGRIS_SECTION_TRANSFERS:
    return &TransferRecord;
  case TIGRIS_SECTION_STAGES:
    return &StageRecord;
  case TIGRIS_SECTION_TILINGS:
    return &TilingRecord;
  case TIGRIS_SECTION_TILE_BUFFERS:
    return &TileBufferRecord;
  case TIGRIS_SECTION_BLOCKS:
    return &WeightBlockRecord;
  default:
    return nullptr;
  }
}

const HexRecord* paramsRecord(uint32_t opcode) {
  switch (opcode) {
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  case number:                                                                                     \
    return RecordOf<params>;
#include "tigris_opcodes.def"
  default:
    return nullptr;
  }
}

} // namespace tigris
