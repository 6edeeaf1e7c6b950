// Dispatches to the rule of each operator and walks a graph in execution order.
#include "tigris/IR/ShapeInference.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/ShapeRules.h"

#include <algorithm>
#include <set>

namespace tigris {

using shape::opError;
using shape::OpView;
using shape::Results;

namespace {

/// Larger values are never needed to find a shape.
constexpr int64_t MaxFoldedElements = 4096;

Results applyRule(const OpView& view) {
  using namespace shape;
  switch (view.op().kind) {
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
    return convRule(view);
  case OpKind::ConvTranspose:
    return convTransposeRule(view);
  case OpKind::MaxPool:
  case OpKind::AveragePool:
    return poolRule(view);
  case OpKind::GlobalAveragePool:
  case OpKind::GlobalMaxPool:
    return globalPoolRule(view);
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
    return binaryRule(view);
  case OpKind::Pow:
    return powRule(view);
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::Sum:
    return variadicRule(view);
  case OpKind::Clip:
    return clipRule(view);
  case OpKind::PRelu:
    return preluRule(view);
  case OpKind::Relu:
  case OpKind::Relu6:
  case OpKind::LeakyRelu:
  case OpKind::Elu:
  case OpKind::Selu:
  case OpKind::Celu:
  case OpKind::Sigmoid:
  case OpKind::HardSigmoid:
  case OpKind::HardSwish:
  case OpKind::Tanh:
  case OpKind::Softplus:
  case OpKind::Softsign:
  case OpKind::Mish:
  case OpKind::Gelu:
  case OpKind::Erf:
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sqrt:
  case OpKind::Reciprocal:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Floor:
  case OpKind::Ceil:
  case OpKind::Round:
  case OpKind::Sin:
  case OpKind::Cos:
  case OpKind::Tan:
  case OpKind::Asin:
  case OpKind::Acos:
  case OpKind::Atan:
  case OpKind::Sinh:
  case OpKind::Cosh:
  case OpKind::Asinh:
  case OpKind::Acosh:
  case OpKind::Atanh:
  case OpKind::ThresholdedRelu:
  case OpKind::Shrink:
  case OpKind::Silu:
  case OpKind::Identity:
  case OpKind::Constant:
    return sameAsFirst(view);
  case OpKind::QuantizeLinear:
    return quantizeRule(view);
  case OpKind::DequantizeLinear:
    return dequantizeRule(view);
  case OpKind::Requantize:
    return requantizeRule(view);
  case OpKind::Concat:
    return concatRule(view);
  case OpKind::BatchNorm:
    return batchNormRule(view);
  case OpKind::Resize:
    return resizeRule(view);
  case OpKind::Pad:
    return padRule(view);
  case OpKind::Reshape:
    return reshapeRule(view);
  case OpKind::Transpose:
    return transposeRule(view);
  case OpKind::Slice:
    return sliceRule(view);
  case OpKind::Split:
    return splitRule(view);
  case OpKind::Gather:
    return gatherRule(view);
  case OpKind::Expand:
    return expandRule(view);
  case OpKind::Tile:
    return tileRule(view);
  case OpKind::DepthToSpace:
    return depthToSpaceRule(view);
  case OpKind::SpaceToDepth:
    return spaceToDepthRule(view);
  case OpKind::Gemm:
    return gemmRule(view);
  case OpKind::MatMul:
    return matMulRule(view);
  case OpKind::Softmax:
  case OpKind::LogSoftmax:
    return softmaxRule(view);
  case OpKind::LayerNormalization:
    return layerNormalizationRule(view);
  case OpKind::ReduceMean:
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::ReduceL1:
  case OpKind::ReduceL2:
  case OpKind::ReduceSumSquare:
  case OpKind::ReduceLogSum:
  case OpKind::ReduceLogSumExp:
    return reduceRule(view);
  case OpKind::ArgMax:
  case OpKind::ArgMin:
    return argMaxRule(view);
  case OpKind::TopK:
    return topKRule(view);
  case OpKind::CumSum:
    return cumSumRule(view);
  case OpKind::GatherND:
    return gatherNdRule(view);
  case OpKind::GatherElements:
    return gatherElementsRule(view);
  case OpKind::ScatterElements:
    return scatterElementsRule(view);
  case OpKind::ScatterND:
    return scatterNdRule(view);
  case OpKind::LSTM:
  case OpKind::GRU:
  case OpKind::RNN:
    return recurrentRule(view);
  case OpKind::ConstantOfShape:
    return constantOfShapeRule(view);
  case OpKind::Shape:
    return shapeRule(view);
  case OpKind::Size:
    return sizeRule(view);
  case OpKind::Range:
    return rangeRule(view);
  case OpKind::Cast:
    return castRule(view);
  case OpKind::Dropout:
    return dropoutRule(view);
  case OpKind::Flatten:
    return flattenRule(view);
  case OpKind::Squeeze:
    return squeezeRule(view);
  case OpKind::Unsqueeze:
    return unsqueezeRule(view);
  case OpKind::BatchNormalization:
    return batchNormalizationRule(view);
  case OpKind::Equal:
  case OpKind::Less:
  case OpKind::LessOrEqual:
  case OpKind::Greater:
  case OpKind::GreaterOrEqual:
    return comparisonRule(view);
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
    return logicRule(view);
  case OpKind::Not:
    return notRule(view);
  case OpKind::Where:
    return whereRule(view);
  case OpKind::Mod:
    return modRule(view);
  case OpKind::Unknown:
    break;
  }
  return view.error(DiagId::UnsupportedOp, "no shape rule: the operator is not in the list");
}

Status checkOperands(const OpView& view) {
  const Op& op = view.op();
  const OpInfo& info = opInfo(op.kind);
  const size_t count = op.inputs.size();
  if (count < info.minOperands() || count > info.maxOperands())
    return view.error(DiagId::BadArity, "has ", count, " operands, expected ",
                      count < info.minOperands() ? "at least " : "at most ",
                      count < info.minOperands() ? info.minOperands() : info.maxOperands());
  for (size_t i = 0; i < count; ++i) {
    const OperandInfo& operand = info.operands[std::min(i, info.operands.size() - 1)];
    if (!view.has(i)) {
      if (!operand.optional && !operand.compileTime)
        return view.error(DiagId::BadArity, "operand '", operand.name, "' is missing");
    } else if (!view.operand(i).hasShape) {
      return view.error(DiagId::DynamicShape, "the shape of operand ", view.describe(i),
                        " is not known");
    }
  }
  return {};
}

void storeResults(Graph& graph, const Op& op, const std::vector<ResultType>& results) {
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const TensorId id = op.outputs[i];
    if (!id)
      continue;
    const Tensor& now = graph.tensor(id);
    if (now.hasShape && now.type == results[i].type && now.shape == results[i].shape)
      continue;
    Tensor& tensor = graph.editTensor(id);
    tensor.type = results[i].type;
    tensor.shape = results[i].shape;
    tensor.hasShape = true;
  }
}

/// Shape and Size ask an operand for its shape only.
bool isCheap(const Op& op, const std::vector<ResultType>& results, const KnownValues& values) {
  const auto small = [](const Shape& shape) { return shape.elements() <= MaxFoldedElements; };
  return std::all_of(results.begin(), results.end(),
                     [&](const ResultType& result) { return small(result.shape); }) &&
         (op.kind == OpKind::Shape || op.kind == OpKind::Size ||
          std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
            return !id || values.find(id) == nullptr || small(values.graph().tensor(id).shape);
          }));
}

bool isStated(const Graph& graph, const Op& op) {
  return std::all_of(op.outputs.begin(), op.outputs.end(),
                     [&](TensorId id) { return !id || graph.tensor(id).hasShape; });
}

/// Unknown operators keep what the model declared; that must be complete.
bool checkDeclared(const Graph& graph, const Op& op, DiagnosticEngine& diagnostics) {
  bool complete = true;
  for (const TensorId id : op.outputs)
    if (id && !graph.tensor(id).hasShape) {
      diagnostics.report(opError(DiagId::DynamicShape, op,
                                 "the model declares no shape for result '", graph.tensor(id).name,
                                 "'")
                             .diagnostic());
      complete = false;
    }
  return complete;
}

} // namespace

BlobRef KnownValues::find(TensorId id) const {
  if (!id)
    return nullptr;
  if (const auto found = computed_.find(id); found != computed_.end())
    return found->second;
  return graph_->tensor(id).data;
}

Results inferResults(const Op& op, const KnownValues& values) {
  const OpView view(op, values);
  if (op.kind != OpKind::Unknown)
    if (Status status = checkOperands(view); !status)
      return status.takeError();
  Results results = applyRule(view);
  if (!results)
    return results;
  for (const ResultType& result : *results)
    if (!result.shape.checkedElements())
      return view.error(DiagId::BadShape, "a result of shape ", result.shape.str(),
                        " is impossible; at most ", Shape::MaxElements, " elements are");
  const size_t wanted = std::max(op.outputs.size(), opInfo(op.kind).minResults());
  if (wanted > results->size())
    return view.error(DiagId::BadArity, "has ", wanted, " results, expected at most ",
                      results->size());
  results->resize(wanted);
  return results;
}

bool inferShapes(Graph& graph, DiagnosticEngine& diagnostics) {
  KnownValues values(graph);
  std::set<TensorId> unresolved;
  bool complete = true;
  const auto fail = [&](const Op& op) {
    complete = false;
    for (const TensorId id : op.outputs)
      if (id && !graph.tensor(id).hasShape)
        unresolved.insert(id);
  };
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::Unknown) {
      if (!checkDeclared(graph, op, diagnostics))
        fail(op);
      continue;
    }
    // What follows from one failure is not worth a second message.
    if (std::any_of(op.inputs.begin(), op.inputs.end(),
                    [&](TensorId input) { return unresolved.count(input) != 0; })) {
      fail(op);
      continue;
    }
    Results results = inferResults(op, values);
    if (!results) {
      if (results.error().id() == DiagId::DynamicShape && isStated(graph, op))
        continue;
      diagnostics.report(results.error().diagnostic());
      fail(op);
      continue;
    }
    storeResults(graph, op, *results);
    if (!isCheap(op, *results, values))
      continue;
    if (const auto computed = evaluateOp(op, values, *results))
      for (size_t i = 0; i < op.outputs.size(); ++i)
        if (op.outputs[i] && (*computed)[i] != nullptr)
          values.set(op.outputs[i], (*computed)[i]);
  }
  return complete;
}

size_t channelAxis(Layout layout, size_t rank) {
  if (rank < 2)
    return 0;
  return layout == Layout::ChannelsFirst ? 1 : rank - 1;
}

size_t firstSpatialAxis(Layout layout) { return layout == Layout::ChannelsFirst ? 2 : 1; }

} // namespace tigris
