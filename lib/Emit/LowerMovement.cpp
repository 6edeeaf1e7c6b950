// Operators that move or resample elements: their index lists and tables.
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/ResizeTables.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tigris {

namespace {

template <typename... Params>
Status emitFirst(LoweringContext& context, const Op& op, tigris_opcode opcode,
                 const Params&... params) {
  const Expected<tigris_operand> input = context.operand(op.input(0));
  if (!input)
    return input.error();
  return context.emit(op, opcode, std::span(&*input, 1), params...);
}

Status sameQuant(const LoweringContext& context, const Op& op) {
  return context.requireSameQuant(op, {op.input(0), op.output()});
}

Expected<tigris_axis_params> axisParams(const LoweringContext& context, const Op& op) {
  const size_t rank = context.graph().tensor(op.input(0)).shape.rank();
  const auto axis = normalizeAxis(op.attrs.getInt("axis"), rank);
  if (!axis)
    return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", op.attrs.getInt("axis"),
                     " is outside rank ", rank);
  return tigris_axis_params{static_cast<int32_t>(*axis)};
}

/// The axis a list entry of an operator with optional `axes` stands for.
Expected<size_t> listedAxis(const Op& op, const std::vector<int64_t>& axes, size_t index,
                            size_t rank) {
  const int64_t given = axes.empty() ? static_cast<int64_t>(index) : axes.at(index);
  const auto axis = normalizeAxis(given, rank);
  if (!axis)
    return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", given, " is outside rank ",
                     rank);
  return *axis;
}

/// Factor per axis: the given ones, or those the given sizes amount to.
Expected<std::vector<float>> resizeScales(const Op& op, const Shape& in, const Shape& out) {
  const std::vector<double> given = op.attrs.getFloats("scales");
  const std::vector<int64_t> sizes = op.attrs.getInts("sizes");
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  std::vector<float> scales(in.rank(), 1.0F);
  for (size_t i = 0; i < given.size(); ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, in.rank());
    if (!axis)
      return axis.error();
    scales[*axis] = static_cast<float>(given[i]);
  }
  if (!given.empty())
    return scales;
  const std::string policy = op.attrs.getString("keep_aspect_ratio_policy", "stretch");
  std::vector<size_t> resized;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, in.rank());
    if (!axis)
      return axis.error();
    resized.push_back(*axis);
    const int64_t size = policy == "stretch" ? out[*axis] : sizes[i];
    scales[*axis] = static_cast<float>(size) / static_cast<float>(in[*axis]);
  }
  if (policy != "stretch" && !resized.empty()) {
    float common = scales[resized[0]];
    for (const size_t axis : resized)
      common =
          policy == "not_larger" ? std::min(common, scales[axis]) : std::max(common, scales[axis]);
    for (const size_t axis : resized)
      scales[axis] = common;
  }
  return scales;
}

uint32_t weightIndex(LoweringContext& context, const AxisTable& table, bool isFloat) {
  if (!isFloat)
    return context.image().ints(integerWeights(table));
  std::vector<int32_t> bits;
  for (const float weight : table.weights)
    bits.push_back(std::bit_cast<int32_t>(weight));
  return context.image().ints(bits);
}

} // namespace

Status lowerConcat(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  for (const TensorId input : op.inputs)
    if (Status status = context.requireSameQuant(op, {op.output(), input}); !status)
      return status;
  const Expected<tigris_axis_params> params = axisParams(context, op);
  if (!params)
    return params.error();
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, *params);
}

Status lowerGather(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const Expected<tigris_axis_params> params = axisParams(context, op);
  if (!params)
    return params.error();
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, *params);
}

Status lowerSlice(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const Expected<std::vector<SliceRange>> ranges = resolveSlice(op, KnownValues(context.graph()));
  if (!ranges)
    return ranges.error();
  std::vector<int32_t> starts;
  std::vector<int32_t> steps;
  for (const SliceRange& range : *ranges) {
    starts.push_back(static_cast<int32_t>(range.start));
    // a single element has no step; large ones would not fit
    steps.push_back(range.count == 1 ? 1 : static_cast<int32_t>(range.step));
  }
  return emitFirst(context, op, opcode,
                   tigris_slice_params{context.image().ints(starts), context.image().ints(steps)});
}

Status lowerPad(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const Tensor& input = context.graph().tensor(op.input(0));
  const size_t rank = input.shape.rank();
  const std::vector<int64_t> pads = op.attrs.getInts("pads");
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  const size_t count = pads.size() / 2;
  std::vector<int32_t> before(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, rank);
    if (!axis)
      return axis.error();
    if (pads[i] < 0 || pads[i + count] < 0)
      return LoweringContext::unsupported(op, "a padding of ", std::min(pads[i], pads[i + count]),
                                          " is not supported; use Slice");
    before[*axis] = static_cast<int32_t>(pads[i]);
  }
  tigris_pad_params params = {context.image().ints(before), TIGRIS_PAD_CONSTANT, {}};
  const std::string mode = op.attrs.getString("mode", "constant");
  const double value = op.attrs.getFloat("value", 0);
  if (mode == "edge") {
    params.mode = TIGRIS_PAD_EDGE;
  } else if (mode == "reflect") {
    params.mode = TIGRIS_PAD_REFLECT;
  } else if (mode != "constant") {
    return LoweringContext::unsupported(op, "mode '", mode, "' is not supported");
  } else if (input.type == DType::Float32) {
    params.value.f = static_cast<float>(value);
  } else if (input.quant) {
    const Expected<Quant> quant = context.quant(op, op.input(0));
    if (!quant)
      return quant.error();
    params.value.i = quantizeToInt8(value, *quant);
  } else {
    params.value.i = static_cast<int32_t>(value);
  }
  return emitFirst(context, op, opcode, params);
}

Status lowerTranspose(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const size_t rank = context.graph().tensor(op.input(0)).shape.rank();
  std::vector<int64_t> perm = op.attrs.getInts("perm");
  if (perm.empty()) // ONNX: the reversed order
    for (size_t axis = rank; axis > 0; --axis)
      perm.push_back(static_cast<int64_t>(axis - 1));
  const std::vector<int32_t> axes(perm.begin(), perm.end());
  return emitFirst(context, op, opcode, tigris_transpose_params{context.image().ints(axes)});
}

Status lowerReshape(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  return emitFirst(context, op, opcode);
}

Status lowerResize(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const Expected<ResizeRule> rule = resizeRule(op);
  if (!rule)
    return rule.error();
  const Tensor& input = context.graph().tensor(op.input(0));
  const Shape& in = input.shape;
  const Shape& out = context.graph().tensor(op.output()).shape;
  if (in.rank() != 3 && in.rank() != 4)
    return LoweringContext::unsupported(op, "rank ", in.rank(), ", expected 3 or 4");
  if (in[0] != out[0] || in.fromBack(0) != out.fromBack(0))
    return LoweringContext::unsupported(op, "resizes from ", in.str(), " to ", out.str(),
                                        "; batch and channels must stay");
  const Expected<std::vector<float>> scales = resizeScales(op, in, out);
  if (!scales)
    return scales.error();

  std::array<AxisTable, 2> tables; // height, width
  tables[0] = resizeAxis(*rule, in[1], out[1], (*scales)[1]);
  if (in.rank() == 4)
    tables[1] = resizeAxis(*rule, in[2], out[2], (*scales)[2]);
  else
    tables[1].indices = {0};
  const bool weighted = tables[0].taps > 1 || tables[1].taps > 1;
  std::array<uint32_t, 2> weights = {TIGRIS_NONE, TIGRIS_NONE};
  if (weighted)
    for (size_t i = 0; i < tables.size(); ++i) {
      addUnitWeights(tables[i]);
      weights[i] = weightIndex(context, tables[i], input.type == DType::Float32);
    }
  return emitFirst(
      context, op, opcode,
      tigris_resize_params{tables[0].taps, tables[1].taps, context.image().ints(tables[0].indices),
                           context.image().ints(tables[1].indices), weights[0], weights[1]});
}

} // namespace tigris
