// constant-fold: evaluates operators that do not depend on the model's inputs.
#include "tigris/Analysis/MacCount.h"
#include "tigris/IR/ConstantEval.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* ConstantFoldDoc =
    R"(Exporters write shape arithmetic, scale computations and transposed weights as operators.
With static shapes, their results are known at compile time:

    s = Shape(x)                        # x is [1, 8, 4, 4]
    n = Gather(s, 0)
    t = Concat(Unsqueeze(n), [-1])
    y = Reshape(x, t)              ->   y = Reshape(x, [1, -1])

Evaluation follows the operators' definitions (IR/ConstantEval.h). DequantizeLinear is evaluated
only if the option `dequantize` is set: integer weights must stay integers until quantization
folding has seen them, and only what it leaves behind may become float. A result without elements
needs no operands, so that it is a constant in any case. Two kinds of quantized
constants are exceptions: those that are read only by arithmetic with other constants, such as
weights that the model scales, and arguments such as the value of a Pad. They become real numbers. A
result above 16 MiB is not folded, nor are results above 256 MiB in total, because folding would
trade a small program for a large file. Operators that take more than 2^31 multiply-accumulates are
not folded either.)";

bool hasStaticOperands(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::Shape || op.kind == OpKind::Size)
    return true;
  return !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
    return !id || graph.tensor(id).isConstant();
  });
}

/// The evaluation rules compute on plain numbers. On quantized tensors they may move elements
/// between tensors of one scale, and convert to and from real numbers.
bool mayEvaluate(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::QuantizeLinear || op.kind == OpKind::DequantizeLinear)
    return true;
  const auto plain = [&](TensorId id) {
    return !id || !graph.tensor(id).quant ||
           (!graph.tensor(id).quant->perChannel() && sameQuant(graph, id, op.input(0)));
  };
  return op.act == Activation::None && std::all_of(op.inputs.begin(), op.inputs.end(), plain) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), plain);
}

bool isDequantizedConstant(const Graph& graph, TensorId id) {
  const TensorId source = dequantizedSource(graph, id);
  return source && graph.tensor(source).isConstant();
}

/// Whether `id` is an operand that must be known at compile time: bounds of a Clip, the value of a
/// Pad.
bool isArgument(const Op& op, TensorId id) {
  const std::vector<OperandInfo>& operands = opInfo(op.kind).operands;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (op.inputs[i] == id && (i >= operands.size() || !operands[i].compileTime))
      return false;
  return true;
}

/// Whether every reader computes from constants, quantized or not, or takes the result as an
/// argument. Data movement does not count, because weights may stay integers there.
bool isReadByConstants(const Graph& graph, const Op& dequantize) {
  const std::vector<OpId> users = graph.users(dequantize.output());
  return !users.empty() && std::all_of(users.begin(), users.end(), [&](OpId user) {
    const Op& op = graph.op(user);
    if (isArgument(op, dequantize.output()))
      return true;
    return !isDataMovement(op) && std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
      return !id || graph.tensor(id).isConstant() || isDequantizedConstant(graph, id);
    });
  });
}

class ConstantFold : public Pass {
public:
  explicit ConstantFold(bool dequantizes) : dequantizes_(dequantizes) {}

  PassStatus run(Graph& graph, PassContext&) override {
    return forEachOp(graph, [&](OpId id) {
      const bool emptied = replaceEmptyResults(graph, id);
      return fold(graph, id) || emptied;
    });
  }

private:
  /// Readers of a result without elements read a constant instead.
  static bool replaceEmptyResults(Graph& graph, OpId id) {
    bool changed = false;
    const std::vector<TensorId> outputs = graph.op(id).outputs;
    for (const TensorId output : outputs) {
      if (!output || !graph.tensor(output).hasShape || graph.tensor(output).elements() != 0 ||
          graph.users(output).empty() || graph.isGraphOutput(output))
        continue;
      const Tensor old = graph.tensor(output);
      const TensorId value = graph.addConstant(old.name, old.type, old.shape, makeBlob({}));
      graph.editTensor(value).quant = old.quant;
      graph.replaceAllUses(output, value);
      changed = true;
    }
    return changed;
  }

  bool fold(Graph& graph, OpId id) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::Unknown || !hasKnownTypes(graph, id) || !hasStaticOperands(graph, op) ||
        isOutputCopy(graph, id))
      return false;
    const uint64_t bytes = resultBytes(graph, op);
    const uint64_t macs = macCount(graph, op);
    if (bytes > MaxMadeBytes || bytes > MaxMadeBytesInAll - made_ ||
        macs > MaxFoldedMacs - computed_)
      return false;
    const auto results = evaluate(graph, op);
    if (!results)
      return false;
    made_ += bytes;
    computed_ += macs;
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

  static uint64_t resultBytes(const Graph& graph, const Op& op) {
    uint64_t bytes = 0;
    for (const TensorId output : op.outputs)
      bytes += output ? graph.tensor(output).bytes() : 0;
    return bytes;
  }

  std::optional<std::vector<BlobRef>> evaluate(const Graph& graph, const Op& op) const {
    if (op.kind == OpKind::DequantizeLinear && !dequantizes_ && !isReadByConstants(graph, op))
      return std::nullopt;
    if (!mayEvaluate(graph, op))
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
  /// Bytes of the results so far, and the multiply-accumulates spent on them.
  uint64_t made_ = 0;
  uint64_t computed_ = 0;
};

} // namespace

PassInfo constantFoldPass() {
  return {"constant-fold",
          "operators that depend only on constants are evaluated",
          ConstantFoldDoc,
          {{"dequantize", PassOptionKind::Flag,
            "also evaluate DequantizeLinear of constants, which makes them float"}},
          [](const PassOptions& options) {
            return std::make_unique<ConstantFold>(options.flag("dequantize"));
          }};
}

} // namespace tigris
