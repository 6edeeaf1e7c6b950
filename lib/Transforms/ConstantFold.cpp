// constant-fold: what does not depend on the model's inputs is computed now.
#include "tigris/IR/ConstantEval.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/Rewrite.h"

#include <algorithm>
#include <limits>

namespace tigris {

namespace {

constexpr const char* Doc = R"(Exporters write shape arithmetic, scale computations and transposed weights as
operators. With static shapes their results are known, and nothing of them needs to run on a device:

    s = Shape(x)                        # x is [1, 8, 4, 4]
    n = Gather(s, 0)
    t = Concat(Unsqueeze(n), [-1])
    y = Reshape(x, t)              ->   y = Reshape(x, [1, -1])

The arithmetic is that of the operators (IR/ConstantEval.h). DequantizeLinear is left alone unless the
option `dequantize` is given: integer weights must stay integers until quantization folding has seen them,
and only what it left behind may become float. Results above 16 MiB are not folded: they would trade a
small program for a large file.)";

constexpr uint64_t MaxResultBytes = uint64_t{16} << 20;

bool isStatic(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::Shape || op.kind == OpKind::Size)
    return true;
  return !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
    return !id || graph.tensor(id).isConstant();
  });
}

/// The rules compute on plain numbers; on quantized tensors only moving them is the same thing.
bool isPlain(const Graph& graph, const Op& op) {
  const bool moves = op.kind == OpKind::Reshape || op.kind == OpKind::Slice ||
                     op.kind == OpKind::Transpose || op.kind == OpKind::Gather;
  const auto plain = [&](TensorId id) {
    return !id || !graph.tensor(id).quant ||
           (moves && !graph.tensor(id).quant->perChannel() && sameQuant(graph, id, op.input(0)));
  };
  return op.act == Activation::None && std::all_of(op.inputs.begin(), op.inputs.end(), plain) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), plain);
}

/// (q - zero point) * scale for a constant that carries its quantization itself.
BlobRef dequantize(const Tensor& source) {
  const int64_t elements = source.elements();
  const QuantParam& quant = *source.quant;
  const auto axis = static_cast<size_t>(std::max(quant.axis, 0));
  const int64_t inner =
      quant.perChannel() ? source.shape.elementsFrom(axis) / std::max<int64_t>(source.shape[axis], 1) : 1;
  std::vector<float> real(static_cast<size_t>(elements));
  const auto convert = [&](const auto& integers) {
    for (size_t i = 0; i < real.size(); ++i) {
      const size_t k =
          quant.perChannel() ? i / static_cast<size_t>(inner) % quant.scale.size() : size_t{0};
      real[i] = static_cast<float>(int64_t{integers[i]} - quant.zeroPoint[k]) * quant.scale[k];
    }
  };
  switch (source.type) {
  case DType::Int8:
    convert(source.data->values<int8_t>());
    break;
  case DType::UInt8:
    convert(source.data->values<uint8_t>());
    break;
  case DType::Int16:
    convert(source.data->values<int16_t>());
    break;
  case DType::Int32:
    convert(source.data->values<int32_t>());
    break;
  default:
    return nullptr;
  }
  return makeBlobOf(real);
}

class ConstantFold : public Pass {
public:
  explicit ConstantFold(bool dequantizes) : dequantizes_(dequantizes) {}

  PassStatus run(Graph& graph, PassContext&) override {
    return forEachOp(graph, [&](OpId id) { return fold(graph, id); });
  }

private:
  bool fold(Graph& graph, OpId id) const {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::Unknown || !hasKnownTypes(graph, id) || !isStatic(graph, op) ||
        isOutputCopy(graph, id))
      return false;
    const auto results = evaluate(graph, op);
    if (!results)
      return false;
    const std::vector<TensorId> outputs = op.outputs;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] && graph.isGraphOutput(outputs[i]) && outputs.size() > 1)
        return false;
    if (graph.isGraphOutput(outputs[0])) {
      const Tensor old = graph.tensor(outputs[0]);
      const TensorId value = graph.addConstant(old.name, old.type, old.shape, (*results)[0]);
      graph.editTensor(value).quant = old.quant;
      replaceByValue(graph, id, value);
      return true;
    }
    graph.eraseOp(id);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i])
        graph.editTensor(outputs[i]).data = (*results)[i];
    return true;
  }

  std::optional<std::vector<BlobRef>> evaluate(const Graph& graph, const Op& op) const {
    uint64_t bytes = 0;
    for (const TensorId output : op.outputs)
      bytes += output ? graph.tensor(output).bytes() : 0;
    if (bytes > MaxResultBytes)
      return std::nullopt;
    if (op.kind == OpKind::DequantizeLinear) {
      if (!dequantizes_)
        return std::nullopt;
      const Tensor& source = graph.tensor(op.input(0));
      if (op.inputs.size() == 1 && source.quant && graph.tensor(op.output()).type == DType::Float32) {
        if (BlobRef real = dequantize(source))
          return std::vector<BlobRef>{real};
        return std::nullopt;
      }
    }
    if (!isPlain(graph, op))
      return std::nullopt;
    const KnownValues values(graph);
    const Expected<std::vector<ResultType>> types = inferResults(op, values);
    if (!types)
      return std::nullopt;
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (op.outputs[i] && (graph.tensor(op.outputs[i]).type != (*types)[i].type ||
                            graph.tensor(op.outputs[i]).shape != (*types)[i].shape))
        return std::nullopt;
    return evaluateOp(op, values, *types);
  }

  bool dequantizes_;
};

} // namespace

PassInfo constantFoldPass() {
  return {"constant-fold",
          "what does not depend on the model's inputs is computed now",
          Doc,
          {{"dequantize", PassOptionKind::Flag, "also turn dequantized constants into float constants"}},
          [](const PassOptions& options) {
            return std::make_unique<ConstantFold>(options.flag("dequantize"));
          }};
}

} // namespace tigris
