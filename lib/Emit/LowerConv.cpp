// Convolutions and dense layers: weights in kernel order, biases in accumulator units,
// requantization.
#include "tigris/Emit/DenseRequant.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/RuntimeWindow.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tigris {

namespace {

/// Fields that tigris_conv_params and tigris_fc_params share, and the operands.
struct Dense {
  std::vector<tigris_operand> inputs;
  Bounds bounds = {};
  DenseRequant requant; // of integer ops

  template <typename Params> void fill(Params& params) const {
    params.lo = bounds.lo;
    params.hi = bounds.hi;
  }
};

class DenseLowering {
public:
  DenseLowering(LoweringContext& context, const Op& op, const DenseForm& form)
      : context_(context), op_(op), form_(form),
        isFloat_(context.graph().tensor(op.input(0)).type == DType::Float32) {}

  bool isFloat() const { return isFloat_; }
  const Tensor& in(size_t index) const { return context_.graph().tensor(op_.input(index)); }

  /// Weights must be constant: float32 if activations are float32, int8 otherwise.
  Status checkWeights() const {
    const Tensor& weights = in(1);
    if (!weights.isConstant())
      return fail("weights '", weights.name, "' are not constant");
    const DType wanted = isFloat_ ? DType::Float32 : DType::Int8;
    if (weights.type != wanted)
      return fail("weights '", weights.name, "' are ", dtypeName(weights.type), ", expected ",
                  dtypeName(wanted));
    const Tensor& result = context_.graph().tensor(op_.output());
    if (result.type != in(0).type)
      return fail("result '", result.name, "' is ", dtypeName(result.type), ", expected ",
                  dtypeName(in(0).type));
    return {};
  }

  Expected<Dense> lower(const WeightArray& weights) {
    Dense dense;
    const Expected<tigris_operand> input = context_.operand(op_.input(0));
    if (!input)
      return input.error();
    dense.inputs = {*input, context_.weights(in(1), weights, isFloat_)};
    const Expected<Bounds> bounds = activationBounds(context_, op_);
    if (!bounds)
      return bounds.error();
    dense.bounds = *bounds;
    if (!isFloat_) {
      const Expected<DenseRequant> requant = denseRequant(context_, op_, form_);
      if (!requant)
        return requant.error();
      dense.requant = *requant;
      if (!requant->bias.empty())
        dense.inputs.push_back(biasOperand(TIGRIS_S32, requant->bias));
    } else if (op_.input(2)) {
      const Expected<tigris_operand> bias = floatBias();
      if (!bias)
        return bias.error();
      dense.inputs.push_back(*bias);
    }
    return dense;
  }

private:
  template <typename... Args> Error fail(const Args&... text) const {
    return LoweringContext::unsupported(op_, text...);
  }

  Expected<tigris_operand> floatBias() {
    const Tensor& tensor = in(2);
    if (!tensor.isConstant())
      return fail("bias '", tensor.name, "' is not constant");
    const auto count = static_cast<size_t>(tensor.elements());
    if (count != form_.channels && count != 1)
      return fail("bias '", tensor.name, "' has ", count, " values, expected ", form_.channels);
    if (tensor.type != DType::Float32)
      return fail("bias '", tensor.name, "' is ", dtypeName(tensor.type), ", expected float32");
    std::vector<float> values = tensor.data->values<float>();
    values.resize(form_.channels, values[0]);
    return biasOperand(TIGRIS_F32, values);
  }

  template <typename T>
  tigris_operand biasOperand(tigris_dtype type, const std::vector<T>& values) {
    return context_.constant(in(2).name, type, {static_cast<int32_t>(values.size())},
                             bytesOf(values));
  }

  template <typename T> static std::span<const uint8_t> bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
  }

  LoweringContext& context_;
  const Op& op_;
  DenseForm form_;
  bool isFloat_;
};

/// Kernel, strides, dilations and pads; a single spatial dimension is the height, with a width of
/// 1.
Expected<tigris_conv_params> convWindow(const LoweringContext& context, const Op& op) {
  const Expected<Window> window = runtimeWindow(context, op);
  if (!window)
    return window.error();
  const size_t rank = window->kernel.size();
  const auto at = [&](const std::vector<int64_t>& values, size_t index, int64_t fallback) {
    return static_cast<int32_t>(index < values.size() ? values[index] : fallback);
  };
  tigris_conv_params params = {};
  params.kernel_h = at(window->kernel, 0, 1);
  params.kernel_w = at(window->kernel, 1, 1);
  params.stride_h = at(window->strides, 0, 1);
  params.stride_w = at(window->strides, 1, 1);
  params.dilation_h = at(window->dilations, 0, 1);
  params.dilation_w = at(window->dilations, 1, 1);
  params.pad_top = at(window->pads, 0, 0);
  params.pad_bottom = at(window->pads, rank, 0);
  if (rank > 1) {
    params.pad_left = at(window->pads, 1, 0);
    params.pad_right = at(window->pads, 3, 0);
  }
  return params;
}

/// TensorFlow Lite multiplies the scales of its older models in float32, as for dense layers. Their
/// weights are uint8 with a zero point; those of int8 models have none.
ScaleOf windowScale(const Graph& graph, const Op& op) {
  const std::optional<QuantParam>& quant = graph.tensor(op.input(1)).quant;
  const bool older = graph.rounding() == IntegerRounding::Micro && quant && !quant->perChannel() &&
                     quant->zeroPoint[0] != 0;
  return older ? denseScale : convScale;
}

Status lowerWindowed(LoweringContext& context, const Op& op, tigris_opcode opcode,
                     FilterOrder order) {
  const Graph& graph = context.graph();
  const Shape& input = graph.tensor(op.input(0)).shape;
  const Shape& output = graph.tensor(op.output()).shape;
  const auto channels = static_cast<size_t>(output.fromBack(0));
  const DenseForm form = {channels, order == FilterOrder::OutputFirst ? 0 : 1,
                          windowScale(graph, op), graph.rounding()};
  DenseLowering lowering(context, op, form);
  if (Status status = lowering.checkWeights(); !status)
    return status;
  Expected<tigris_conv_params> params = convWindow(context, op);
  if (!params)
    return params.takeError();
  const int64_t groups = op.attrs.getInt("group", 1);
  params->groups = static_cast<int32_t>(groups);
  const Tensor& weights = graph.tensor(op.input(1));
  const bool depthwise = order == FilterOrder::OutputFirst && groups > 1 &&
                         groups == input.fromBack(0) && weights.shape[1] == 1;
  const WeightArray array =
      depthwise
          ? depthwiseWeights(weights.data->bytes(), weights.shape, lowering.isFloat())
          : convWeights(weights.data->bytes(), weights.shape, order, groups, lowering.isFloat());
  const Expected<Dense> dense = lowering.lower(array);
  if (!dense)
    return dense.error();
  dense->fill(*params);
  return context.emit(op, depthwise ? TIGRIS_OP_DEPTHWISE_CONV : opcode, dense->inputs, *params,
                      dense->requant.form);
}

/// x times a constant matrix, stored as [N, K] if `transposed` and as [K, N] otherwise.
Status lowerDense(LoweringContext& context, const Op& op, bool transposed) {
  const Tensor& weights = context.graph().tensor(op.input(1));
  const auto channels = static_cast<size_t>(weights.shape[transposed ? 0 : 1]);
  const bool perChannel = weights.quant && weights.quant->perChannel();
  // TensorFlow Lite's dense layers round once, unlike its convolutions and TensorFlow Lite Micro's
  // dense layers; verified on their outputs.
  const IntegerRounding graph = context.graph().rounding();
  DenseLowering lowering(context, op,
                         {channels, transposed ? 0 : 1, perChannel ? convScale : denseScale,
                          graph == IntegerRounding::Micro ? graph : IntegerRounding::Once});
  if (Status status = lowering.checkWeights(); !status)
    return status;
  const WeightArray array =
      denseWeights(weights.data->bytes(), weights.shape, transposed, lowering.isFloat());
  const Expected<Dense> dense = lowering.lower(array);
  if (!dense)
    return dense.error();
  tigris_fc_params params = {};
  dense->fill(params);
  return context.emit(op, TIGRIS_OP_FULLY_CONNECTED, dense->inputs, params, dense->requant.form);
}

/// The product of two tensors, each of which may be computed.
Status lowerProduct(LoweringContext& context, const Op& op, bool transposed) {
  bool even = false;
  tigris_matmul_params params = {transposed ? TIGRIS_MATMUL_TRANSPOSE_B : 0, 0, 0};
  if (const DType type = context.graph().tensor(op.input(0)).type; isQuantizedType(type)) {
    std::array<float, 3> scales = {};
    // one term per element of a line of the first operand
    auto most = static_cast<double>(context.graph().tensor(op.input(0)).shape.fromBack(0));
    const std::array<TensorId, 3> tensors = {op.input(0), op.input(1), op.output()};
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Expected<Quant> quant = context.quant(op, tensors[i]);
      if (!quant)
        return quant.error();
      scales[i] = quant->scale;
      if (i < 2)
        most *= static_cast<double>(largestMagnitude(type, quant->zeroPoint));
    }
    const Ratio ratio = ratioOf({scales[0], scales[1]}, {scales[2]});
    even = context.roundsEven() && mayTie(ratio, most, type);
    const Multiplier multiplier = even ? pairOf(evenScale(ratio, most, type))
                                       : sumMultiplier(convScale(scales[0], scales[1], scales[2]),
                                                       context.graph().rounding(), type);
    params.multiplier = multiplier.multiplier;
    params.shift = multiplier.shift;
  }
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, TIGRIS_OP_MATMUL, *inputs, params, evenForm(even));
}

} // namespace

Status lowerConv(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  return lowerWindowed(context, op, opcode, FilterOrder::OutputFirst);
}

Status lowerConvTranspose(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  return lowerWindowed(context, op, opcode, FilterOrder::InputFirst);
}

Status lowerGemm(LoweringContext& context, const Op& op, tigris_opcode) {
  if (op.attrs.getInt("transA") != 0 || op.attrs.getFloat("alpha", 1) != 1 ||
      (op.input(2) && op.attrs.getFloat("beta", 1) != 1))
    return LoweringContext::unsupported(
        op, "transA, alpha and beta other than 0, 1 and 1 are not supported");
  const bool transposed = op.attrs.getInt("transB") != 0;
  if (context.graph().tensor(op.input(1)).isConstant())
    return lowerDense(context, op, transposed);
  if (op.input(2) || op.act != Activation::None)
    return LoweringContext::unsupported(
        op, "a product of two activations must be without bias and activation");
  return lowerProduct(context, op, transposed);
}

Status lowerMatMul(LoweringContext& context, const Op& op, tigris_opcode) {
  const Tensor& right = context.graph().tensor(op.input(1));
  if (right.isConstant() && right.shape.rank() == 2 &&
      !context.graph().tensor(op.input(0)).isConstant())
    return lowerDense(context, op, false);
  if (context.graph().tensor(op.input(0)).shape.rank() < 2 || right.shape.rank() < 2)
    return LoweringContext::unsupported(op, "operands of rank 1 are not supported");
  return lowerProduct(context, op, false);
}

} // namespace tigris
