// Convolutions and dense layers: weights in kernel order, biases in accumulator units, requantization.
#include "tigris/Emit/OpLowering.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tigris {

namespace {

/// Fields that tigris_conv_params and tigris_fc_params share, and the operands.
struct Dense {
  std::vector<tigris_operand> inputs;
  Bounds bounds = {};
  uint32_t requant = TIGRIS_NONE;
  uint32_t requantCount = 0;
  uint32_t weightZeros = TIGRIS_NONE;
  uint32_t weightZerosCount = 0;

  template <typename Params> void fill(Params& params) const {
    params.lo = bounds.lo;
    params.hi = bounds.hi;
    params.requant = requant;
    params.requant_count = requantCount;
    params.weight_zeros = weightZeros;
    params.weight_zeros_count = weightZerosCount;
  }
};

using ScaleOf = double (*)(float input, float weight, float output);

class DenseLowering {
public:
  DenseLowering(LoweringContext& context, const Op& op, size_t channels)
      : context_(context), op_(op), channels_(channels),
        isFloat_(context.graph().tensor(op.input(0)).type == DType::Float32) {}

  bool isFloat() const { return isFloat_; }
  const Tensor& in(size_t index) const { return context_.graph().tensor(op_.input(index)); }

  /// Weights must be a constant, float32 where activations are and int8 otherwise.
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

  /// `channelAxis` is the output channels' axis of the weights as the graph has them.
  Expected<Dense> lower(const WeightArray& weights, int channelAxis, ScaleOf scaleOf,
                        IntegerRounding rounding) {
    Dense dense;
    const Expected<tigris_operand> input = context_.operand(op_.input(0));
    if (!input)
      return input.error();
    dense.inputs = {*input, context_.weights(in(1), weights, isFloat_)};
    const Expected<Bounds> bounds = activationBounds(context_, op_);
    if (!bounds)
      return bounds.error();
    dense.bounds = *bounds;
    if (!isFloat_)
      if (Status status = requantize(dense, channelAxis, scaleOf, rounding); !status)
        return status.takeError();
    if (op_.input(2)) {
      const Expected<tigris_operand> bias = this->bias();
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

  /// Scale of an output channel's weights. Grouped transposed convolutions repeat theirs per group.
  float weightScale(size_t channel) const {
    const std::vector<float>& scales = in(1).quant->scale;
    return scales[channel % scales.size()];
  }

  Status requantize(Dense& dense, int channelAxis, ScaleOf scaleOf, IntegerRounding rounding) {
    const Expected<Quant> input = context_.quant(op_, op_.input(0));
    if (!input)
      return input.error();
    const Expected<Quant> output = context_.quant(op_, op_.output());
    if (!output)
      return output.error();
    inputScale_ = input->scale;
    const Tensor& weights = in(1);
    if (!weights.quant)
      return fail("weights '", weights.name, "' are int8 without quantization");
    const QuantParam& quant = *weights.quant;
    if (quant.perChannel() && (quant.axis != channelAxis || channels_ % quant.scale.size() != 0))
      return fail("weights '", weights.name, "' are quantized along axis ", quant.axis, " with ",
                  quant.scale.size(), " scales, expected axis ", channelAxis, " with ", channels_);
    const size_t count = quant.perChannel() ? channels_ : 1;
    std::vector<Multiplier> multipliers;
    std::vector<int32_t> zeros;
    for (size_t channel = 0; channel < count; ++channel) {
      multipliers.push_back(makeMultiplier(
          scaleOf(input->scale, weightScale(channel), output->scale), rounding, in(0).type));
      zeros.push_back(quant.zeroPoint[channel % quant.zeroPoint.size()]);
    }
    dense.requant = context_.image().requant(multipliers);
    dense.requantCount = static_cast<uint32_t>(count);
    if (std::any_of(zeros.begin(), zeros.end(), [](int32_t zero) { return zero != 0; })) {
      dense.weightZeros = context_.image().ints(zeros);
      dense.weightZerosCount = static_cast<uint32_t>(count);
    }
    return {};
  }

  /// The bias with one value per output channel, int32 in units of scale(x) * scale(w) where the layer is int8.
  Expected<tigris_operand> bias() {
    const Tensor& tensor = in(2);
    if (!tensor.isConstant())
      return fail("bias '", tensor.name, "' is not constant");
    const auto count = static_cast<size_t>(tensor.elements());
    if (count != channels_ && count != 1)
      return fail("bias '", tensor.name, "' has ", count, " values, expected ", channels_);
    const std::vector<int32_t> dims = {static_cast<int32_t>(channels_)};
    const DType type = isFloat_ ? DType::Float32 : DType::Int32;
    if (tensor.type != type)
      return fail("bias '", tensor.name, "' is ", dtypeName(tensor.type), ", expected ",
                  dtypeName(type));
    if (isFloat_) {
      std::vector<float> values = tensor.data->values<float>();
      values.resize(channels_, values[0]);
      return context_.constant(tensor.name, TIGRIS_F32, dims, bytesOf(values));
    }
    std::vector<int32_t> values(channels_);
    for (size_t channel = 0; channel < channels_; ++channel) {
      const Expected<int32_t> value = biasValue(tensor, channel, count == 1 ? 0 : channel);
      if (!value)
        return value.error();
      values[channel] = *value;
    }
    return context_.constant(tensor.name, TIGRIS_S32, dims, bytesOf(values));
  }

  /// Keeps an integer that is in accumulator units already, up to float32 rounding of its scale.
  Expected<int32_t> biasValue(const Tensor& tensor, size_t channel, size_t index) const {
    constexpr double SameScale = 1e-6;
    const auto stored = elementOf<int32_t>(tensor, index);
    if (!tensor.quant)
      return stored;
    const QuantParam& quant = *tensor.quant;
    const double unit = static_cast<double>(inputScale_) * weightScale(channel);
    const double scale = quant.scale[index % quant.scale.size()];
    const int32_t zero = quant.zeroPoint[index % quant.zeroPoint.size()];
    if (zero == 0 && std::abs(scale - unit) <= SameScale * unit)
      return stored;
    const double real = (static_cast<double>(stored) - zero) * scale;
    const double value = std::round(real / unit);
    if (!(std::abs(value) <= 2147483647.0))
      return fail("bias '", tensor.name, "' of channel ", channel, " is ", real,
                  ", which is no int32 in units of ", unit,
                  "; quantize the layer with a larger weight scale");
    return static_cast<int32_t>(value);
  }

  template <typename T> static T elementOf(const Tensor& tensor, size_t index) {
    T value;
    copyBytes(&value, tensor.data->bytes().subspan(index * sizeof(T), sizeof(T)));
    return value;
  }

  template <typename T> static std::span<const uint8_t> bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
  }

  LoweringContext& context_;
  const Op& op_;
  size_t channels_;
  bool isFloat_;
  float inputScale_ = 1;
};

/// Kernel, strides, dilations and pads; a single spatial dimension is the height of a width of 1.
Expected<tigris_conv_params> convWindow(const LoweringContext& context, const Op& op) {
  const Expected<Window> window = resolveWindow(op, context.graph());
  if (!window)
    return window.error();
  const size_t rank = window->kernel.size();
  const auto at = [&](const std::vector<int64_t>& values, size_t index, int64_t fallback) {
    return static_cast<int32_t>(index < values.size() ? values[index] : fallback);
  };
  for (const int64_t pad : window->pads)
    if (pad < 0)
      return LoweringContext::unsupported(op, "a padding of ", pad, " is not supported");
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

Status lowerWindowed(LoweringContext& context, const Op& op, tigris_opcode opcode,
                     FilterOrder order) {
  const Graph& graph = context.graph();
  const Shape& input = graph.tensor(op.input(0)).shape;
  const Shape& output = graph.tensor(op.output()).shape;
  const auto channels = static_cast<size_t>(output.fromBack(0));
  DenseLowering lowering(context, op, channels);
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
  const Expected<Dense> dense =
      lowering.lower(array, order == FilterOrder::OutputFirst ? 0 : 1, convScale, graph.rounding());
  if (!dense)
    return dense.error();
  dense->fill(*params);
  return context.emit(op, depthwise ? TIGRIS_OP_DEPTHWISE_CONV : opcode, dense->inputs, *params);
}

/// x times a constant matrix, which is [N, K] when `transposed` and [K, N] otherwise.
Status lowerDense(LoweringContext& context, const Op& op, bool transposed) {
  const Tensor& weights = context.graph().tensor(op.input(1));
  const auto channels = static_cast<size_t>(weights.shape[transposed ? 0 : 1]);
  DenseLowering lowering(context, op, channels);
  if (Status status = lowering.checkWeights(); !status)
    return status;
  const WeightArray array =
      denseWeights(weights.data->bytes(), weights.shape, transposed, lowering.isFloat());
  const bool perChannel = weights.quant && weights.quant->perChannel();
  // TensorFlow Lite's dense layers round once whatever its convolutions do: measured on its outputs.
  const Expected<Dense> dense = lowering.lower(
      array, transposed ? 0 : 1, perChannel ? convScale : denseScale, IntegerRounding::Once);
  if (!dense)
    return dense.error();
  tigris_fc_params params = {};
  dense->fill(params);
  return context.emit(op, TIGRIS_OP_FULLY_CONNECTED, dense->inputs, params);
}

/// Of two tensors, each of which may be computed.
Status lowerProduct(LoweringContext& context, const Op& op, bool transposed) {
  tigris_matmul_params params = {transposed ? TIGRIS_MATMUL_TRANSPOSE_B : 0, 0, 0};
  if (const DType type = context.graph().tensor(op.input(0)).type; isQuantizedType(type)) {
    std::array<float, 3> scales = {};
    const std::array<TensorId, 3> tensors = {op.input(0), op.input(1), op.output()};
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Expected<Quant> quant = context.quant(op, tensors[i]);
      if (!quant)
        return quant.error();
      scales[i] = quant->scale;
    }
    const Multiplier multiplier = makeMultiplier(convScale(scales[0], scales[1], scales[2]),
                                                 context.graph().rounding(), type);
    params.multiplier = multiplier.multiplier;
    params.shift = multiplier.shift;
  }
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, TIGRIS_OP_MATMUL, *inputs, params);
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
