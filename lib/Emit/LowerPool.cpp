// Pooling and reductions.
#include "tigris/Emit/EvenScale.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/RuntimeWindow.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

/// Fields of a pool without padding; its window is the whole input unless filled in.
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

Status emitUnary(LoweringContext& context, const Op& op, tigris_opcode opcode, const auto& params,
                 uint8_t flags = 0) {
  const Expected<tigris_operand> input = context.operand(op.input(0));
  if (!input)
    return input.error();
  return context.emit(op, opcode, std::span(&*input, 1), params, {flags});
}

/// Conversion of sums of quantized values to means.
class Means {
public:
  Means(const LoweringContext& context, const Op& op, const Quant& input, const Quant& output)
      : input_(input), output_(output), rounding_(context.graph().rounding()),
        type_(context.graph().tensor(op.input(0)).type) {}

  DType type() const { return type_; }

  /// Whether a mean over one of the counts can be a half, which requires rounding to even.
  bool mayTie(const std::set<int64_t>& counts) const {
    return rounding_ == IntegerRounding::Once &&
           std::any_of(counts.begin(), counts.end(), [&](int64_t count) {
             return tigris::mayTie(ratio(count), most(count), type_);
           });
  }

  /// Multiplier and shift of a mean over `count` values; with `even`, numerator and denominator.
  Multiplier pair(int64_t count, bool even) const {
    if (even)
      return pairOf(evenScale(ratio(count), most(count), type_));
    if (rounding_ == IntegerRounding::Micro)
      return dividedMultiplier(quantizeMultiplier(static_cast<double>(input_.scale) /
                                                  static_cast<double>(output_.scale)),
                               count);
    return makeMultiplier(static_cast<double>(input_.scale) /
                              (static_cast<double>(output_.scale) * static_cast<double>(count)),
                          rounding_, type_);
  }

  Multiplier sum() const {
    return quantizeMultiplier(static_cast<double>(input_.scale) /
                              static_cast<double>(output_.scale));
  }

private:
  Ratio ratio(int64_t count) const {
    return ratioOf({input_.scale}, {output_.scale}, static_cast<uint64_t>(count));
  }
  double most(int64_t count) const {
    return static_cast<double>(count) *
           static_cast<double>(largestMagnitude(type_, input_.zeroPoint));
  }

  Quant input_;
  Quant output_;
  IntegerRounding rounding_;
  DType type_;
};

/// The pair of a mean over `count` values, if it needs one: its index in REQUANT, and
/// tigris_op.flags.
struct MeanPair {
  uint32_t requant = TIGRIS_NONE;
  uint32_t count = 0;
  uint8_t flags = 0;
};

MeanPair meanPair(LoweringContext& context, const Means& means, int64_t count, bool needed) {
  const bool even = means.mayTie({count});
  if (!even && !needed)
    return {};
  const Multiplier pair = means.pair(count, even);
  return {context.image().requant(std::span(&pair, 1)), 1,
          even ? static_cast<uint8_t>(TIGRIS_ROUND_EVEN) : context.twiceFlag(means.type())};
}

/// The pair of a sum, which TensorFlow Lite rounds twice.
MeanPair sumPair(LoweringContext& context, const Means& means) {
  const Multiplier pair = means.sum();
  return {context.image().requant(std::span(&pair, 1)), 1,
          means.type() == DType::Int16 ? static_cast<uint8_t>(TIGRIS_ROUND_TWICE) : uint8_t{0}};
}

/// The distinct numbers of taps of the windows along an axis. Padding counts if `padded`.
std::set<int64_t> tapCounts(const Window& window, size_t axis, int64_t in, int64_t out,
                            bool padded) {
  const int64_t before = window.pads[axis];
  const int64_t least = padded ? -before : 0;
  const int64_t past = padded ? in + window.pads[window.kernel.size() + axis] : in;
  std::set<int64_t> counts;
  for (int64_t position = 0; position < out; ++position) {
    const int64_t start = position * window.strides[axis] - before;
    const auto tapsBelow = [&](int64_t end) {
      return std::clamp<int64_t>(ceilDiv(std::max<int64_t>(end - start, 0), window.dilations[axis]),
                                 0, window.kernel[axis]);
    };
    counts.insert(tapsBelow(past) - tapsBelow(least));
  }
  return counts;
}

/// The distinct numbers of taps of all windows of a pool over [N, spatial..., C].
std::set<int64_t> tapCounts(const Window& window, const Shape& in, const Shape& out, bool padded) {
  std::set<int64_t> result = {1};
  for (size_t axis = 0; axis < window.kernel.size(); ++axis) {
    std::set<int64_t> products;
    for (const int64_t taps : tapCounts(window, axis, in[axis + 1], out[axis + 1], padded))
      for (const int64_t others : result)
        products.insert(taps * others);
    result = std::move(products);
  }
  return result;
}

bool isQuantized(const LoweringContext& context, const Op& op) {
  return isQuantizedType(context.graph().tensor(op.input(0)).type);
}

} // namespace

Status lowerPool(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<Window> window = runtimeWindow(context, op);
  if (!window)
    return window.error();
  Expected<tigris_pool_params> params = openPool(context, op);
  if (!params)
    return params.takeError();
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
    const auto quant = context.quants(op);
    if (!quant)
      return quant.error();
    const Means means(context, op, quant->input, quant->output);
    const bool even = means.mayTie(tapCounts(*window, context.graph().tensor(op.input(0)).shape,
                                             context.graph().tensor(op.output()).shape,
                                             (params->flags & TIGRIS_POOL_COUNT_PAD) != 0));
    if (even || quant->input != quant->output) {
      std::vector<Multiplier> multipliers;
      for (int64_t taps = 1; taps <= int64_t{params->kernel_h} * params->kernel_w; ++taps)
        multipliers.push_back(means.pair(taps, even));
      params->requant = context.image().requant(multipliers);
      params->requant_count = static_cast<uint32_t>(multipliers.size());
    }
    return emitUnary(context, op, opcode, *params, even ? TIGRIS_ROUND_EVEN : 0);
  }
  return emitUnary(context, op, opcode, *params);
}

Status lowerGlobalMaxPool(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
    return status;
  if (Status status = checkSpatialSizes(context, op); !status)
    return status;
  const Shape& input = context.graph().tensor(op.input(0)).shape;
  if (Status status = checkTaps(op, input.elements() / (input[0] * input.fromBack(0))); !status)
    return status;
  Expected<tigris_pool_params> params = openPool(context, op);
  if (!params)
    return params.takeError();
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
    const auto quant = context.quants(op);
    if (!quant)
      return quant.error();
    const Tensor& input = context.graph().tensor(op.input(0));
    const int64_t values = input.elements() / (input.shape[0] * input.shape.fromBack(0));
    const MeanPair pair = meanPair(context, Means(context, op, quant->input, quant->output), values,
                                   quant->input != quant->output);
    params.requant = pair.requant;
    params.requant_count = pair.count;
    return emitUnary(context, op, opcode, params, pair.flags);
  }
  return emitUnary(context, op, opcode, params);
}

namespace {

tigris_reduction reductionNumber(OpKind kind) {
  switch (kind) {
#define TIGRIS_REDUCTION(kind, opClass, types, quant, name)                                        \
  case OpKind::kind:                                                                               \
    return TIGRIS_REDUCE_##name;
#include "tigris/IR/Ops.def"
  default:
    TIGRIS_UNREACHABLE("not a reduction");
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
  params.kind = reductionNumber(op.kind);
  if (isQuantized(context, op)) {
    if (op.kind == OpKind::ReduceMean || op.kind == OpKind::ReduceSum) {
      const auto quant = context.quants(op);
      if (!quant)
        return quant.error();
      const Means means(context, op, quant->input, quant->output);
      const bool isSum = op.kind == OpKind::ReduceSum;
      const MeanPair pair =
          isSum ? sumPair(context, means) : meanPair(context, means, values, true);
      params.kind = TIGRIS_REDUCE_MEAN; // a sum is a mean that is not divided
      params.requant = pair.requant;
      params.requant_count = pair.count;
      return emitUnary(context, op, opcode, params, pair.flags);
    }
    if (Status status = context.requireSameQuant(op, {op.input(0), op.output()}); !status)
      return status;
  }
  return emitUnary(context, op, opcode, params);
}

} // namespace tigris
