// Runs quantized operators on a copy of the graph in which every quantized tensor is float.
//
//   x8 [0.1, 3] -> Conv -> y8 [0.05, -7]
//     is computed as
//   x = 0.1 * (x8 - 3);  y = Conv(x);  y8 = saturate(roundHalfToEven(y / 0.05) - 7)
#include "tigris/IR/Interpreter.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"
#include "tigris/Support/Progress.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

/// For each element of the port in interface order: its position in the stored tensor.
std::vector<size_t> storedPositions(const Port& port) {
  const size_t rank = port.shape.rank();
  std::vector<int64_t> perm = port.perm;
  for (size_t i = perm.size(); i < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  const std::vector<int64_t> stored = rowMajorStrides(permute(port.shape, perm));
  std::vector<int64_t> strides(rank);
  for (size_t i = 0; i < rank; ++i)
    strides[static_cast<size_t>(perm[i])] = stored[i];
  std::vector<size_t> positions(static_cast<size_t>(port.shape.elements()));
  for (size_t i = 0; i < positions.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t at = 0;
    for (size_t axis = rank; axis-- > 0; rest /= port.shape[axis])
      at += rest % port.shape[axis] * strides[axis];
    positions[i] = static_cast<size_t>(at);
  }
  return positions;
}

/// Index of the scale of an element of a quantized tensor.
class ScaleIndex {
public:
  ScaleIndex(const QuantParam& quant, const Shape& shape) {
    if (!quant.perChannel())
      return;
    const auto axis = static_cast<size_t>(quant.axis);
    channels_ = static_cast<size_t>(shape[axis]);
    for (size_t i = axis + 1; i < shape.rank(); ++i)
      inner_ *= static_cast<size_t>(shape[i]);
  }
  size_t operator()(size_t element) const { return element / inner_ % channels_; }

private:
  size_t inner_ = 1;
  size_t channels_ = 1;
};

double quantized(double real, const QuantParam& quant, size_t index, DType type) {
  const double steps = std::nearbyint(real / static_cast<double>(quant.scale[index]));
  const double value = steps + quant.zeroPoint[index];
  const auto low = static_cast<double>(dtypeMin(type));
  // NaN compares false and becomes the lower bound.
  return value > low ? std::min(value, static_cast<double>(dtypeMax(type))) : low;
}

/// The real values of a quantized tensor as float32.
BlobRef dequantize(const Tensor& tensor, const Blob& blob) {
  const ScaleIndex index(*tensor.quant, tensor.shape);
  const std::vector<double> stored = loadElements<double>(blob, tensor.type);
  std::vector<float> reals(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    const size_t k = index(i);
    reals[i] = static_cast<float>(stored[i] - tensor.quant->zeroPoint[k]) * tensor.quant->scale[k];
  }
  return makeBlobOf(reals);
}

BlobRef quantize(const Tensor& tensor, const Blob& reals) {
  const ScaleIndex index(*tensor.quant, tensor.shape);
  std::vector<double> stored = loadElements<double>(reals, DType::Float32);
  for (size_t i = 0; i < stored.size(); ++i)
    stored[i] = quantized(stored[i], *tensor.quant, index(i), tensor.type);
  return storeElements(stored, tensor.type);
}

class Interpreter {
public:
  explicit Interpreter(const Graph& graph)
      : graph_(graph), shadow_(graph), stored_(graph_), real_(shadow_) {
    for (const TensorId id : graph.tensors()) {
      const Tensor& tensor = graph.tensor(id);
      if (!tensor.quant)
        continue;
      Tensor& real = shadow_.editTensor(id);
      real.type = DType::Float32;
      real.quant.reset();
      if (tensor.data)
        real.data = dequantize(tensor, *tensor.data);
    }
  }

  Expected<PortValues> run(const PortValues& inputs) {
    for (size_t i = 0; i < graph_.inputs().size(); ++i)
      set(graph_.inputs()[i].tensor, fromInterface(graph_.inputs()[i], inputs[i]));
    Progress progress("computing op", graph_.order().size());
    for (const OpId id : graph_.order()) {
      progress.step(graph_.op(id).name);
      if (Status status = execute(graph_.op(id)); !status)
        return status.takeError();
    }
    PortValues outputs;
    for (const Port& port : graph_.outputs())
      outputs.push_back(toInterface(port));
    return outputs;
  }

private:
  void set(TensorId id, BlobRef value) {
    const Tensor& tensor = graph_.tensor(id);
    real_.set(id, tensor.quant ? dequantize(tensor, *value) : value);
    stored_.set(id, std::move(value));
  }

  Status execute(const Op& op) {
    std::vector<ResultType> types;
    std::vector<ResultType> realTypes;
    for (const TensorId id : op.outputs) {
      const Tensor& tensor = graph_.tensor(id);
      if (!tensor.hasShape)
        return makeError(DiagId::DynamicShape, "op '", op.name, "' (", op.kindName(),
                         "): the shape of '", tensor.name, "' is not known");
      types.push_back({tensor.type, tensor.shape});
      realTypes.push_back({tensor.quant ? DType::Float32 : tensor.type, tensor.shape});
    }
    if (op.kind == OpKind::Cast && graph_.tensor(op.output()).quant) {
      castToIntegers(op);
      return {};
    }
    const bool castsReals = op.kind == OpKind::Cast && graph_.tensor(op.input(0)).quant;
    if (const auto results = evaluateOp(op, castsReals ? real_ : stored_, types)) {
      for (size_t i = 0; i < op.outputs.size(); ++i)
        set(op.outputs[i], (*results)[i]);
      return {};
    }
    Op realOp = op;
    if (op.kind == OpKind::Requantize)
      realOp.kind = OpKind::Identity;
    const auto results = evaluateOp(realOp, real_, realTypes);
    if (!results)
      return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                       ") has no evaluation rule");
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const Tensor& tensor = graph_.tensor(op.outputs[i]);
      set(op.outputs[i], tensor.quant ? quantize(tensor, *(*results)[i]) : (*results)[i]);
    }
    return {};
  }

  /// A Cast to integers of scale 1. The integers wrap around.
  void castToIntegers(const Op& op) {
    const Tensor& from = shadow_.tensor(op.input(0));
    const Tensor& to = graph_.tensor(op.output());
    const BlobRef reals = real_.find(op.input(0));
    std::vector<int64_t> numbers = loadElements<int64_t>(*reals, from.type);
    for (int64_t& number : numbers)
      number = static_cast<int64_t>(static_cast<uint64_t>(number) +
                                    static_cast<uint64_t>(int64_t{to.quant->zeroPoint[0]}));
    set(op.output(), storeElements(numbers, to.type));
  }

  /// A float port hides the quantization, and an unsigned port the shift to signed numbers.
  static bool isReal(const Port& port, const Tensor& tensor) {
    return tensor.quant && isFloat(port.type);
  }
  static double shift(const Port& port, const Tensor& tensor) {
    if (port.type == tensor.type || !isInteger(port.type) || dtypeMin(port.type) != 0)
      return 0;
    return -static_cast<double>(dtypeMin(tensor.type));
  }

  BlobRef fromInterface(const Port& port, const std::vector<double>& values) const {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const std::vector<size_t> positions = storedPositions(port);
    std::vector<double> stored(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      stored[positions[i]] = isReal(port, tensor)
                                 ? quantized(values[i], *tensor.quant, 0, tensor.type)
                                 : values[i] - shift(port, tensor);
    return storeElements(stored, tensor.type);
  }

  std::vector<double> toInterface(const Port& port) const {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const std::vector<double> stored =
        isReal(port, tensor) ? loadElements<double>(*real_.find(port.tensor), DType::Float32)
                             : loadElements<double>(*stored_.find(port.tensor), tensor.type);
    std::vector<double> values;
    values.reserve(stored.size());
    for (const size_t position : storedPositions(port))
      values.push_back(stored[position] + shift(port, tensor));
    return values;
  }

  const Graph& graph_;
  Graph shadow_;
  KnownValues stored_;
  KnownValues real_;
};

} // namespace

PortValues randomInputs(const Graph& graph, uint64_t seed) {
  PortValues inputs;
  // SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t state = seed;
  const auto next = [&state] {
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  };
  for (const Port& port : graph.inputs()) {
    std::vector<double> values(static_cast<size_t>(port.shape.elements()));
    for (double& value : values) {
      const auto bits = static_cast<double>(next() >> 40); // 24 bits: exact in float32
      if (isFloat(port.type))
        value = bits / 8388608.0 - 1.0;
      else if (port.type == DType::Int8 || port.type == DType::UInt8)
        value = std::floor(bits / 65536.0) - (port.type == DType::Int8 ? 128 : 0);
      else
        value = bits < 8388608.0 ? 0 : 1;
    }
    inputs.push_back(std::move(values));
  }
  return inputs;
}

Expected<PortValues> interpretGraph(const Graph& graph, const PortValues& inputs) {
  TIGRIS_CHECK(inputs.size() == graph.inputs().size());
  for (const Port& port : graph.inputs())
    if (!hasElements(graph.tensor(port.tensor).type))
      return makeError(DiagId::UnsupportedType, "input '", port.name, "' is ",
                       dtypeName(graph.tensor(port.tensor).type));
  return Interpreter(graph).run(inputs);
}

} // namespace tigris
