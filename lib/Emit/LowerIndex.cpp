// Operators that compute indices or use them.
#include "tigris/Emit/OpLowering.h"

#include <algorithm>
#include <array>

namespace tigris {

namespace {

Expected<int32_t> axisOf(const LoweringContext& context, const Op& op, int64_t fallback) {
  const size_t rank = context.graph().tensor(op.input(0)).shape.rank();
  const int64_t given = op.attrs.getInt("axis", fallback);
  const auto axis = normalizeAxis(given, rank);
  if (!axis)
    return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", given, " is outside rank ",
                     rank);
  return static_cast<int32_t>(*axis);
}

template <typename Params>
Status emitAll(LoweringContext& context, const Op& op, tigris_opcode opcode, const Params& params) {
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, params);
}

} // namespace

Status lowerArgMax(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<int32_t> axis = axisOf(context, op, 0);
  if (!axis)
    return axis.error();
  tigris_search_params params = {*axis, 0};
  if (op.attrs.getInt("select_last_index") != 0)
    params.flags |= TIGRIS_SEARCH_LAST;
  return emitAll(context, op, opcode, params);
}

Status lowerCumSum(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<int32_t> axis = axisOf(context, op, 0);
  if (!axis)
    return axis.error();
  tigris_search_params params = {*axis, 0};
  if (op.attrs.getInt("exclusive") != 0)
    params.flags |= TIGRIS_CUM_SUM_EXCLUSIVE;
  if (op.attrs.getInt("reverse") != 0)
    params.flags |= TIGRIS_CUM_SUM_REVERSE;
  return emitAll(context, op, opcode, params);
}

Status lowerTopK(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
    return status;
  const Expected<int32_t> axis = axisOf(context, op, -1);
  if (!axis)
    return axis.error();
  tigris_search_params params = {*axis, 0};
  if (op.attrs.getInt("largest", 1) != 0)
    params.flags |= TIGRIS_SEARCH_LARGEST;
  const Expected<tigris_operand> x = context.operand(op.input(0));
  if (!x)
    return x.error();
  return context.emit(op, opcode, std::span(&*x, 1), params);
}

Status lowerDetection(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  tigris_detect_params params = {};
  const std::vector<double> scales = op.attrs.getFloats("scales");
  if (scales.size() != std::size(params.scales) ||
      std::any_of(scales.begin(), scales.end(), [](double scale) { return !(scale > 0); }))
    return LoweringContext::unsupported(op, "'scales' must have four positive values");
  std::transform(scales.begin(), scales.end(), params.scales,
                 [](double scale) { return static_cast<float>(scale); });
  params.least_score = static_cast<float>(op.attrs.getFloat("score_threshold"));
  params.most_overlap = static_cast<float>(op.attrs.getFloat("iou_threshold"));
  params.first_column = static_cast<uint32_t>(op.attrs.getInt("first_column"));
  return emitAll(context, op, opcode, params);
}

Status lowerGatherNd(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
    return status;
  return emitAll(context, op, opcode,
                 tigris_axis_params{static_cast<int32_t>(op.attrs.getInt("batch_dims"))});
}

Status lowerScatter(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(0), op.input(2), op.output()});
      !status)
    return status;
  const Expected<int32_t> axis = axisOf(context, op, 0);
  if (!axis)
    return axis.error();
  return emitAll(context, op, opcode,
                 tigris_axis_params{opcode == TIGRIS_OP_SCATTER_ND ? 0 : *axis});
}

} // namespace tigris
