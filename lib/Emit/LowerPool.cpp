// Pooling and reductions.
#include "tigris/Emit/OpLowering.h"
#include "tigris/IR/ShapeInference.h"

namespace tigris {

namespace {

/// Fields of a pool without padding, over whole rows and columns unless filled in.
Expected<tigris_pool_params> openPool(const LoweringContext& context, const Op& op) {
  const Expected<Bounds> bounds = activationBounds(context, op);
  if (!bounds)
    return bounds.error();
  tigris_pool_params params = {};
  params.stride_h = params.stride_w = 1;
  params.dilation_h = params.dilation_w = 1;
  params.lo = bounds->lo;
  params.hi = bounds->hi;
  params.requant = TIGRIS_NONE;
  return params;
}

Status emitUnary(LoweringContext& context, const Op& op, tigris_opcode opcode, const auto& params) {
  const Expected<tigris_operand> input = context.operand(op.input(0));
  if (!input)
    return input.error();
  return context.emit(op, opcode, std::span(&*input, 1), params);
}

/// Multiplier of a mean over `count` values.
Multiplier meanMultiplier(const LoweringContext& context, const Op& op, const Quant& input,
                          const Quant& output, int64_t count) {
  return makeMultiplier(static_cast<double>(input.scale) /
                            (static_cast<double>(output.scale) * static_cast<double>(count)),
                        context.graph().rounding(), context.graph().tensor(op.input(0)).type);
}

bool isQuantized(const LoweringContext& context, const Op& op) {
  return isQuantizedType(context.graph().tensor(op.input(0)).type);
}

/// Quantizations of input and output.
Expected<std::pair<Quant, Quant>> quants(const LoweringContext& context, const Op& op) {
  const Expected<Quant> input = context.quant(op, op.input(0));
  if (!input)
    return input.error();
  const Expected<Quant> output = context.quant(op, op.output());
  if (!output)
    return output.error();
  return std::pair(*input, *output);
}

} // namespace

Status lowerPool(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<Window> window = resolveWindow(op, context.graph());
  if (!window)
    return window.error();
  Expected<tigris_pool_params> params = openPool(context, op);
  if (!params)
    return params.takeError();
  for (const int64_t pad : window->pads)
    if (pad < 0)
      return LoweringContext::unsupported(op, "a padding of ", pad, " is not supported");
  const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
  const size_t rank = window->kernel.size();
  params->kernel_h = narrow(window->kernel[0]);
  params->kernel_w = rank > 1 ? narrow(window->kernel[1]) : 1;
  params->stride_h = narrow(window->strides[0]);
  params->dilation_h = narrow(window->dilations[0]);
  params->pad_top = narrow(window->pads[0]);
  params->pad_bottom = narrow(window->pads[rank]);
  if (rank > 1) {
    params->stride_w = narrow(window->strides[1]);
    params->dilation_w = narrow(window->dilations[1]);
    params->pad_left = narrow(window->pads[1]);
    params->pad_right = narrow(window->pads[3]);
  }
  if (op.attrs.getInt("count_include_pad") != 0)
    params->flags |= TIGRIS_POOL_COUNT_PAD;

  if (opcode == TIGRIS_OP_MAX_POOL) {
    if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
      return status;
  } else if (isQuantized(context, op)) {
    const auto quant = quants(context, op);
    if (!quant)
      return quant.error();
    if (quant->first != quant->second) {
      std::vector<Multiplier> multipliers;
      for (int64_t taps = 1; taps <= int64_t{params->kernel_h} * params->kernel_w; ++taps)
        multipliers.push_back(meanMultiplier(context, op, quant->first, quant->second, taps));
      params->requant = context.image().requant(multipliers);
      params->requant_count = static_cast<uint32_t>(multipliers.size());
    }
  }
  return emitUnary(context, op, opcode, *params);
}

Status lowerGlobalMaxPool(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
    return status;
  Expected<tigris_pool_params> params = openPool(context, op);
  if (!params)
    return params.takeError();
  const Shape& input = context.graph().tensor(op.input(0)).shape;
  params->kernel_h = static_cast<int32_t>(input.rank() > 2 ? input[1] : 1);
  params->kernel_w = static_cast<int32_t>(input.rank() > 3 ? input[2] : 1);
  return emitUnary(context, op, opcode, *params);
}

Status lowerGlobalAveragePool(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<Bounds> bounds = activationBounds(context, op);
  if (!bounds)
    return bounds.error();
  tigris_global_pool_params params = {bounds->lo, bounds->hi, TIGRIS_NONE, 0};
  if (isQuantized(context, op)) {
    const auto quant = quants(context, op);
    if (!quant)
      return quant.error();
    if (quant->first != quant->second) {
      const Tensor& input = context.graph().tensor(op.input(0));
      const int64_t values = input.elements() / (input.shape[0] * input.shape.fromBack(0));
      const Multiplier multiplier =
          meanMultiplier(context, op, quant->first, quant->second, values);
      params.requant = context.image().requant(std::span(&multiplier, 1));
      params.requant_count = 1;
    }
  }
  return emitUnary(context, op, opcode, params);
}

namespace {

tigris_reduction reduction(OpKind kind) {
  switch (kind) {
  case OpKind::ReduceMean:
    return TIGRIS_REDUCE_MEAN;
  case OpKind::ReduceSum:
    return TIGRIS_REDUCE_SUM;
  case OpKind::ReduceMax:
    return TIGRIS_REDUCE_MAX;
  case OpKind::ReduceMin:
    return TIGRIS_REDUCE_MIN;
  case OpKind::ReduceProd:
    return TIGRIS_REDUCE_PROD;
  case OpKind::ReduceL1:
    return TIGRIS_REDUCE_L1;
  case OpKind::ReduceL2:
    return TIGRIS_REDUCE_L2;
  case OpKind::ReduceSumSquare:
    return TIGRIS_REDUCE_SUM_SQUARE;
  case OpKind::ReduceLogSum:
    return TIGRIS_REDUCE_LOG_SUM;
  default:
    return TIGRIS_REDUCE_LOG_SUM_EXP;
  }
}

} // namespace

Status lowerReduce(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Tensor& input = context.graph().tensor(op.input(0));
  const size_t rank = input.shape.rank();
  std::vector<int64_t> axes = op.attrs.getInts("axes");
  if (axes.empty()) {
    if (op.attrs.getInt("noop_with_empty_axes") != 0)
      return LoweringContext::unsupported(op, "reduces no axis; tigris-norm removes such an op");
    for (size_t axis = 0; axis < rank; ++axis)
      axes.push_back(static_cast<int64_t>(axis));
  }
  tigris_reduce_params params = {0, 0, TIGRIS_NONE, 0};
  int64_t values = 1;
  for (const int64_t given : axes) {
    const auto axis = normalizeAxis(given, rank);
    if (!axis)
      return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", given, " is outside rank ",
                       rank);
    if ((params.axes >> *axis & 1U) == 0)
      values *= input.shape[*axis];
    params.axes |= 1U << *axis;
  }
  params.kind = reduction(op.kind);
  if (isQuantized(context, op)) {
    if (op.kind == OpKind::ReduceMean) {
      const auto quant = quants(context, op);
      if (!quant)
        return quant.error();
      const Multiplier multiplier =
          meanMultiplier(context, op, quant->first, quant->second, values);
      params.requant = context.image().requant(std::span(&multiplier, 1));
      params.requant_count = 1;
    } else if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status) {
      return status;
    }
  }
  return emitUnary(context, op, opcode, params);
}

} // namespace tigris
