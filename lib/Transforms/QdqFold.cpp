// qdq-fold: operators between DequantizeLinear and QuantizeLinear become operators on integers.
//
// An operator is folded if it has an integer kernel, its data operands are dequantized tensors of
// one type (int8 or int16), and its result is only quantized to that type:
//
//   x8 [0.1, 3] -> DQ -+
//   w8 [0.02]   -> DQ -+-> Conv -> y -> Q -> y8 [0.05, -7]
//   b32 [0.002] -> DQ -+
//     becomes
//   x8, w8, b32 -> Conv -> y8         scale and zero point [s, z] stay on the tensors
//
// The cases:
//   Q(DQ(x))            nothing, or Requantize if the parameters differ
//   ArgMax(DQ(x)), ...  ArgMax(x): quantization preserves the order of values
//   Q(op(DQ(x), ...))   op(x, ...) if its kernel accepts the types and parameters
// Weights keep their integers and zero points. A bias becomes int32 in units of scale(x) * scale(w)
// if it consists of such integers; otherwise it stays as it is, so that results are rounded only
// once. Graphs that round twice take the nearest int32.
//
// Operators without an integer kernel, or not quantized on all sides, keep their Q and DQ and run
// in float: slower, but correct. Conditions of single kernels (softmax writes scale 1/256) are
// checked here.
#include "tigris/Support/Remarks.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

constexpr const char* QdqFoldDoc =
    R"(An operator whose data operands are dequantized and whose result is quantized becomes an
integer operator:

    DQ(x), DQ(w), DQ(b) -> Conv -> Q    ->   Conv(x, w, b)

Zero points of weights are kept. Biases become int32 in units of scale(x) * scale(w) where they are
integers in that unit, and always in graphs that round twice; otherwise they stay unchanged.
Adjacent Q and DQ cancel or become Requantize. All other operators keep their Q and DQ and compute
in float.)";

/// Whether the tensor is a constant int8 weight with one scale, or one per index of `axis`.
bool isQuantizedWeight(const Graph& graph, TensorId id, int axis) {
  if (!id)
    return false;
  const Tensor& tensor = graph.tensor(id);
  return tensor.isConstant() && tensor.type == DType::Int8 && tensor.quant &&
         (!tensor.quant->perChannel() || tensor.quant->axis == axis);
}

/// Real values of a constant bias: float32, or int32 or int8 with a DequantizeLinear.
std::optional<std::vector<double>> realBias(const Graph& graph, TensorId id) {
  const Tensor& direct = graph.tensor(id);
  if (direct.isConstant() && direct.type == DType::Float32) {
    const std::vector<float> values = direct.data->values<float>();
    return std::vector<double>(values.begin(), values.end());
  }
  const TensorId source = dequantizedSource(graph, id);
  if (!source)
    return std::nullopt;
  const Tensor& tensor = graph.tensor(source);
  if (!tensor.isConstant() || !tensor.quant ||
      (tensor.type != DType::Int32 && tensor.type != DType::Int8))
    return std::nullopt;
  std::vector<double> result;
  const auto append = [&](auto typed) {
    for (size_t i = 0; i < typed.size(); ++i) {
      const size_t k = tensor.quant->perChannel() ? i : 0;
      result.push_back((static_cast<double>(typed[i]) - tensor.quant->zeroPoint[k]) *
                       tensor.quant->scale[k]);
    }
  };
  if (tensor.type == DType::Int32)
    append(tensor.data->values<int32_t>());
  else
    append(tensor.data->values<int8_t>());
  return result;
}

/// The bias in the kernels' units: int32, scale(x) * scale(w) per channel, zero point 0. nullopt if
/// a value does not fit, or differs from the real value by more than the relative `tolerance`.
std::optional<Tensor> integerBias(const std::vector<double>& real, size_t channels,
                                  float inputScale, const QuantParam& weights, double tolerance) {
  std::vector<int32_t> values(channels);
  QuantParam quant;
  for (size_t c = 0; c < channels; ++c) {
    const double scale =
        static_cast<double>(inputScale) * weights.scale[weights.perChannel() ? c : 0];
    const double exact = real[real.size() == 1 ? 0 : c] / scale;
    const double value = std::nearbyint(exact);
    if (!(std::abs(value) <= 2147483647.0 &&
          std::abs(exact - value) <= tolerance * std::abs(exact)))
      return std::nullopt;
    values[c] = static_cast<int32_t>(value);
    if (weights.perChannel() || c == 0)
      quant.scale.push_back(static_cast<float>(scale));
  }
  quant.zeroPoint.assign(quant.scale.size(), 0);
  quant.axis = quant.scale.size() > 1 ? 0 : -1;
  Tensor tensor;
  tensor.type = DType::Int32;
  tensor.shape = Shape{static_cast<int64_t>(channels)};
  tensor.quant = std::move(quant);
  tensor.data = makeBlobOf(values);
  return tensor;
}

/// Whether the tensor is int32 in units of scale(x) * scale(w), up to float32 rounding.
bool isInUnits(const Tensor& bias, float inputScale, const QuantParam& weights) {
  constexpr double SameScale = 1e-6;
  if (bias.type != DType::Int32)
    return false;
  const size_t channels = std::max(bias.quant->scale.size(), weights.scale.size());
  for (size_t c = 0; c < channels; ++c) {
    const size_t k = c % bias.quant->scale.size();
    const double unit = static_cast<double>(inputScale) * weights.scale[c % weights.scale.size()];
    if (bias.quant->zeroPoint[k] != 0 || std::abs(bias.quant->scale[k] - unit) > SameScale * unit)
      return false;
  }
  return true;
}

/// The quantized constant widened to int32.
Tensor widened(const Tensor& tensor) {
  Tensor result = tensor;
  if (tensor.type == DType::Int8) {
    const std::vector<int8_t> stored = tensor.data->values<int8_t>();
    result.type = DType::Int32;
    result.data = makeBlobOf(std::vector<int32_t>(stored.begin(), stored.end()));
  }
  return result;
}

class QdqFold {
public:
  static PassStatus run(Graph& graph, PassContext&) {
    bool changed = false;
    const std::vector<OpId> order = graph.order();
    for (const OpId id : order)
      if (graph.contains(id))
        changed |= fold(graph, id);
    if (changed)
      graph.eraseUnusedTensors();
    return changedIf(changed);
  }

private:
  static bool fold(Graph& graph, OpId id) {
    switch (graph.op(id).kind) {
    case OpKind::QuantizeLinear:
      return foldPair(graph, id);
    case OpKind::ArgMax:
    case OpKind::ArgMin:
      return foldSearch(graph, id);
    default:
      return foldOp(graph, id);
    }
  }

  /// Quantization preserves order, so a search on the integers finds the same index.
  static bool foldSearch(Graph& graph, OpId id) {
    const Op op = graph.op(id);
    const TensorId source = dequantizedSource(graph, op.input(0));
    if (!isPerTensorInteger(graph, source))
      return false;
    graph.setInputs(id, {source});
    eraseIfDead(graph, graph.producer(op.input(0)));
    return true;
  }

  /// Folds a Q whose operand is the result of a DQ.
  static bool foldPair(Graph& graph, OpId id) {
    const Op op = graph.op(id);
    const TensorId source = dequantizedSource(graph, op.input(0));
    if (!source)
      return false;
    const Tensor& from = graph.tensor(source);
    const Tensor& to = graph.tensor(op.output());
    if (from.quant && from.type == to.type && from.quant == to.quant) {
      graph.eraseOp(id);
      graph.replaceAllUses(op.output(), source);
    } else if (from.type == to.type && isPerTensorInteger(graph, source) &&
               isPerTensorInteger(graph, op.output())) {
      graph.setInputs(id, {source});
      graph.editOp(id).kind = OpKind::Requantize;
    } else {
      return false;
    }
    eraseIfDead(graph, graph.producer(op.input(0)));
    return true;
  }

  static bool foldOp(Graph& graph, OpId id) {
    const Op op = graph.op(id);
    if (op.outputs.size() != 1)
      return false;
    const OpId quantizer = soleQuantizer(graph, op.output());
    const TensorId result = quantizer ? graph.op(quantizer).output() : TensorId();
    std::optional<std::vector<TensorId>> inputs;
    if (quantizer)
      inputs = integerOperands(graph, id, result);
    if (!inputs)
      return explainFloat(graph, op, result);
    const std::vector<TensorId> before = op.inputs;
    graph.eraseOp(quantizer);
    graph.setInputs(id, *inputs);
    graph.setOutputs(id, {result});
    for (const TensorId input : before)
      if (input)
        eraseIfDead(graph, graph.producer(input));
    return true;
  }

  /// Remarks why an operator keeps computing in float although its operand or its result is
  /// quantized. `result` is the result of the QuantizeLinear after it, or invalid if there is none.
  /// Always returns false.
  static bool explainFloat(const Graph& graph, const Op& op, TensorId result) {
    if (RemarkCollector::current() == nullptr || op.kind == OpKind::DequantizeLinear ||
        isDataMovement(op) || isMonotone(op))
      return false;
    const TensorId first = dequantizedSource(graph, op.input(0));
    if (!first && !result)
      return false;
    const auto name = [&](TensorId id) { return strCat("tensor '", graph.tensor(id).name, "'"); };
    if (!result)
      return remarkOn(op, "not-folded", "its result ", name(op.output()),
                      " is not quantized, or has readers other than the quantizer");
    if (!first)
      return remarkOn(op, "not-folded", "its operand ", name(op.input(0)), " is not dequantized");
    const DType from = graph.tensor(first).type;
    const DType to = graph.tensor(result).type;
    if (from != to)
      return remarkOn(op, "not-folded", "it turns ", dtypeName(from), " into ", dtypeName(to));
    if (op.kind == OpKind::Softmax)
      return remarkOn(op, "not-folded",
                      "the integer kernel requires a result with scale 1/256 and zero "
                      "point -128");
    if (const TensorId second = op.input(1); second && !dequantizedSource(graph, second))
      return remarkOn(op, "not-folded", "its operand ", name(second), " is not dequantized");
    return remarkOn(op, "not-folded",
                    "no integer kernel takes its attributes and the quantization of its operands");
  }

  /// Operands of the integer form; nullopt if the operator has none here.
  static std::optional<std::vector<TensorId>> integerOperands(Graph& graph, OpId id,
                                                              TensorId result) {
    const Op& op = graph.op(id);
    const DType type = graph.tensor(result).type;
    switch (op.kind) {
    case OpKind::Conv:
    case OpKind::DepthwiseConv:
    case OpKind::Conv1D:
      return weighted(graph, id, 0, type);
    case OpKind::ConvTranspose:
      // Per-channel scales run over W[I, O/group, ...]; with groups they would repeat per group.
      return op.attrs.getInt("group", 1) == 1 ? weighted(graph, id, 1, type) : std::nullopt;
    case OpKind::Gemm:
      if (op.attrs.getInt("transA", 0) != 0 || op.attrs.getFloat("alpha", 1.0) != 1.0 ||
          op.attrs.getFloat("beta", 1.0) != 1.0)
        return std::nullopt;
      if (auto operands = weighted(graph, id, op.attrs.getInt("transB", 0) != 0 ? 0 : 1, type))
        return operands;
      return op.input(2) ? std::nullopt : computedProduct(graph, op, type);
    case OpKind::MatMul:
      if (graph.tensor(op.input(1)).shape.rank() == 2)
        if (auto operands = weighted(graph, id, 1, type))
          return operands;
      return computedProduct(graph, op, type);
    case OpKind::Softmax: {
      const QuantParam& quant = *graph.tensor(result).quant;
      if (type != DType::Int8 || quant.scale[0] != 1.0F / 256.0F || quant.zeroPoint[0] != -128)
        return std::nullopt;
      return allDequantized(graph, op, type);
    }
    case OpKind::Resize:
      if (op.attrs.getString("mode", "nearest") != "linear" || type != DType::Int8)
        return std::nullopt;
      return resampled(graph, id, result);
    default:
      return hasIntegerForm(op.kind, type) ? allDequantized(graph, op, type) : std::nullopt;
    }
  }

  static bool hasIntegerForm(OpKind kind, DType type) {
    const OpInfo& info = opInfo(kind);
    return (info.quant == QuantRule::Light || info.quant == QuantRule::Heavy) &&
           info.computesIn(type);
  }

  static std::optional<std::vector<TensorId>> allDequantized(const Graph& graph, const Op& op,
                                                             DType type) {
    std::vector<TensorId> inputs;
    for (const TensorId input : op.inputs) {
      const TensorId source = dequantizedSource(graph, input);
      if (!isPerTensorInteger(graph, source) || graph.tensor(source).type != type)
        return std::nullopt;
      inputs.push_back(source);
    }
    return inputs;
  }

  /// Both factors of a matrix product, with one scale each.
  static std::optional<std::vector<TensorId>> computedProduct(const Graph& graph, const Op& op,
                                                              DType type) {
    for (const TensorId input : op.inputs)
      if (graph.tensor(input).shape.rank() < 2)
        return std::nullopt;
    return allDequantized(graph, op, type);
  }

  /// Operands of an op with weights: x of the type, int8 w with its output channels on `axis`,
  /// bias.
  static std::optional<std::vector<TensorId>> weighted(Graph& graph, OpId id, int axis,
                                                       DType type) {
    const Op& op = graph.op(id);
    const TensorId input = dequantizedSource(graph, op.input(0));
    const TensorId weights = dequantizedSource(graph, op.input(1));
    if (!isPerTensorInteger(graph, input) || graph.tensor(input).isConstant() ||
        graph.tensor(input).type != type || !isQuantizedWeight(graph, weights, axis))
      return std::nullopt;
    std::vector<TensorId> inputs = {input, weights};
    if (const TensorId bias = op.input(2)) {
      const Tensor& result = graph.tensor(op.output());
      const size_t channelAxis = op.kind == OpKind::Gemm ? result.shape.rank() - 1 : 1;
      const auto channels = static_cast<size_t>(result.shape[channelAxis]);
      const auto real = realBias(graph, bias);
      // Gemm also allows one value per row, which no kernel supports.
      const Shape& biasShape = graph.tensor(bias).shape;
      const bool perChannel =
          real && real->size() == channels && biasShape.fromBack(0) == biasShape.elements();
      if (!perChannel && (!real || real->size() != 1))
        return std::nullopt;
      if (!std::all_of(real->begin(), real->end(), [](double v) { return std::isfinite(v); }))
        return std::nullopt;
      const TensorId stored = biasOperand(graph, bias, *real, channels, {input, weights});
      if (!stored)
        return std::nullopt;
      inputs.push_back(stored);
    }
    return inputs;
  }

  struct Factors {
    TensorId input;
    TensorId weights;
  };

  /// The bias of the integer op; invalid if it has none.
  static TensorId biasOperand(Graph& graph, TensorId bias, const std::vector<double>& real,
                              size_t channels, const Factors& factors) {
    const float scale = graph.tensor(factors.input).quant->scale[0];
    const QuantParam& weights = *graph.tensor(factors.weights).quant;
    const TensorId source = dequantizedSource(graph, bias);
    const bool rounds = graph.rounding() != IntegerRounding::Once ||
                        (source && isInUnits(graph.tensor(source), scale, weights));
    constexpr double Exact = 1e-12; // tolerance for the rounding of doubles
    auto tensor = integerBias(real, channels, scale, weights, rounds ? 1.0 : Exact);
    if (!tensor && rounds)
      return {};
    if (!tensor && !source)
      return bias;
    if (!tensor)
      tensor = widened(graph.tensor(source));
    tensor->name = graph.uniqueName(graph.tensor(source ? source : bias).name + "_s32");
    return graph.addTensor(std::move(*tensor));
  }

  /// The kernel interpolates integers of one quantization.
  static std::optional<std::vector<TensorId>> resampled(Graph& graph, OpId id, TensorId result) {
    const Op& op = graph.op(id);
    const TensorId source = dequantizedSource(graph, op.input(0));
    if (!isPerTensorInteger(graph, source) ||
        graph.tensor(source).quant != graph.tensor(result).quant)
      return std::nullopt;
    std::vector<TensorId> inputs = op.inputs;
    inputs[0] = source;
    return inputs;
  }
};

} // namespace

PassInfo qdqFoldPass() {
  return functionPass("qdq-fold",
                      "operators between Dequantize and Quantize become integer operators",
                      QdqFoldDoc, QdqFold::run);
}

} // namespace tigris
