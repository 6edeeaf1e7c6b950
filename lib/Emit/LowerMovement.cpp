// Operators that move or resample elements, with their index lists and tables.
#include "tigris/Analysis/ResizeTables.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>
#include <bit>

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

enum class WeightForm : uint8_t { Float, Q10, Fraction };

std::vector<int32_t> storedWeights(const AxisTable& table, WeightForm form) {
  if (form == WeightForm::Q10)
    return integerWeights(table);
  if (form == WeightForm::Fraction)
    return fractionWeights(table);
  std::vector<int32_t> bits;
  for (const float weight : table.weights)
    bits.push_back(std::bit_cast<int32_t>(weight));
  return bits;
}

/// Stores one period of the tables.
tigris_resize_axis axisRecord(PlanImage& image, const AxisTable& table,
                              const std::vector<int32_t>& weights) {
  const AxisPeriod period = periodOf(table, weights);
  const std::span<const int32_t> once =
      std::span(weights).first(weights.empty() ? 0 : size_t{period.outputs} * table.taps);
  return {table.taps,
          period.outputs,
          period.advance,
          image.ints(std::span(table.first).first(period.outputs)),
          weights.empty() ? TIGRIS_NONE : image.ints(once),
          0,
          0};
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
  tigris_slice_params params = {};
  for (size_t axis = 0; axis < ranges->size(); ++axis) {
    const SliceRange& range = (*ranges)[axis];
    params.starts[axis] = static_cast<int32_t>(range.start);
    // the step of a single element is unused; a large one would not fit
    params.steps[axis] = range.count == 1 ? 1 : static_cast<int32_t>(range.step);
  }
  return emitFirst(context, op, opcode, params);
}

Status lowerPad(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = sameQuant(context, op); !status)
    return status;
  const Tensor& input = context.graph().tensor(op.input(0));
  const Expected<AxisPads> pads = resolvePad(op, input.shape.rank());
  if (!pads)
    return pads.error();
  tigris_pad_params params = {{}, TIGRIS_PAD_CONSTANT, {}};
  for (size_t axis = 0; axis < pads->before.size(); ++axis) {
    if (pads->before[axis] < 0 || pads->after[axis] < 0)
      return LoweringContext::unsupported(op, "a padding of ",
                                          std::min(pads->before[axis], pads->after[axis]),
                                          " is not supported; use Slice");
    params.before[axis] = static_cast<int32_t>(pads->before[axis]);
  }
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
    params.value.i = quantizeTo(input.type, value, *quant, context.graph().rounding());
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
  if (perm.empty()) // ONNX: the default is the reversed order
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
  const Tensor& input = context.graph().tensor(op.input(0));
  const Shape& in = input.shape;
  const Shape& out = context.graph().tensor(op.output()).shape;
  if (in.rank() != 3 && in.rank() != 4)
    return LoweringContext::unsupported(op, "rank ", in.rank(), ", expected 3 or 4");
  if (in[0] != out[0] || in.fromBack(0) != out.fromBack(0))
    return LoweringContext::unsupported(op, "resizes from ", in.str(), " to ", out.str(),
                                        "; batch and channels must stay");
  Expected<ResizeTables> tables = resizeTables(op, in, out);
  if (!tables)
    return tables.takeError();
  const bool weighted = tables->height.taps > 1 || tables->width.taps > 1;
  if (weighted && input.type != DType::Float32 && input.type != DType::Int8)
    return LoweringContext::unsupported(op, "interpolates ", dtypeName(input.type),
                                        ", but there are kernels for float32 and int8 only");
  PlanImage& image = context.image();
  if (!weighted)
    return emitFirst(context, op, opcode,
                     tigris_resize_params{axisRecord(image, tables->height, {}),
                                          axisRecord(image, tables->width, {})});
  const bool isLinear = tables->height.taps <= 2 && tables->width.taps <= 2; // no negative weights
  const WeightForm form = input.type == DType::Float32       ? WeightForm::Float
                          : context.roundsEven() && isLinear ? WeightForm::Fraction
                                                             : WeightForm::Q10;
  addUnitWeights(tables->height);
  addUnitWeights(tables->width);
  const tigris_resize_params params = {
      axisRecord(image, tables->height, storedWeights(tables->height, form)),
      axisRecord(image, tables->width, storedWeights(tables->width, form))};
  const Expected<tigris_operand> x = context.operand(op.input(0));
  if (!x)
    return x.error();
  return context.emit(op, opcode, std::span(&*x, 1), params,
                      evenForm(form == WeightForm::Fraction));
}

} // namespace tigris
