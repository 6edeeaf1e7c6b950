// Infers shapes during construction, because the translation of a node may depend on ranks
// and values.
#include "tigris/Import/GraphBuilder.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Verifier.h"

#include <algorithm>

namespace tigris {

namespace {

/// Limit for values that are computed: larger ones, or those computed from larger ones, never
/// determine a shape.
constexpr int64_t MaxKnownElements = 65536;
constexpr int64_t MaxReadElements = int64_t{1} << 20;

/// Whether computing the op's value is cheap enough to do in case it determines a shape.
bool mayDecideShapes(const Graph& graph, const Op& op, const std::vector<ResultType>& results) {
  if (op.kind == OpKind::Shape || op.kind == OpKind::Size)
    return true;
  int64_t read = 0;
  for (const TensorId input : op.inputs)
    read += input ? graph.tensor(input).shape.elements() : 0;
  return read <= MaxReadElements && macCount(graph, op) <= MaxReadElements &&
         std::all_of(results.begin(), results.end(), [](const ResultType& result) {
           return result.shape.elements() <= MaxKnownElements;
         });
}

} // namespace

TensorId GraphBuilder::addTensor(const std::string& name, DType type, const Shape& shape) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = shape;
  return graph_.addTensor(std::move(tensor));
}

TensorId GraphBuilder::addConstant(const std::string& name, ConstantData data) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = data.type;
  tensor.shape = std::move(data.shape);
  tensor.data = std::move(data.data);
  return graph_.addTensor(std::move(tensor));
}

TensorId GraphBuilder::addResult(const std::string& name) {
  Tensor tensor;
  tensor.name = name;
  tensor.hasShape = false;
  return graph_.addTensor(std::move(tensor));
}

Status GraphBuilder::addOp(Op newOp) {
  const OpId id = graph_.addOp(std::move(newOp));
  const Op& op = graph_.op(id);
  if (op.kind == OpKind::Unknown)
    return {};
  const Expected<std::vector<ResultType>> results = inferResults(op, values_);
  if (!results)
    return results.error();
  // Operands and attributes come from the file, so errors in them are not internal errors.
  if (Status status = verifyOp(graph_, op); !status)
    return status;
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (op.outputs[i]) {
      Tensor& tensor = graph_.editTensor(op.outputs[i]);
      tensor.type = (*results)[i].type;
      tensor.shape = (*results)[i].shape;
      tensor.hasShape = true;
      if (tensor.elements() == 0) // nothing to compute
        values_.set(op.outputs[i], makeBlob({}));
    }
  if (op.kind == OpKind::Constant) {
    values_.set(op.outputs[0], graph_.tensor(op.inputs[0]).data);
    return {};
  }
  if (knownBytes_ < MaxMadeBytesInAll && mayDecideShapes(graph_, op, *results))
    if (const auto computed = evaluateOp(op, values_, *results))
      for (size_t i = 0; i < op.outputs.size(); ++i)
        if (op.outputs[i] && (*computed)[i] != nullptr) {
          knownBytes_ += (*computed)[i]->size();
          values_.set(op.outputs[i], (*computed)[i]);
        }
  return {};
}

std::vector<std::pair<OpId, Error>> GraphBuilder::unsupportedUses() const {
  std::vector<std::pair<OpId, Error>> errors;
  for (const OpId id : graph_.order()) {
    const Op& op = graph_.op(id);
    const auto resolved = [&](TensorId tensor) {
      return !tensor || graph_.tensor(tensor).hasShape;
    };
    const auto isKnown = [&](TensorId tensor) {
      return !tensor || values_.find(tensor) != nullptr;
    };
    // A known value will be folded, whether or not the operator has a kernel.
    if (op.kind == OpKind::Unknown || std::all_of(op.outputs.begin(), op.outputs.end(), isKnown) ||
        !std::all_of(op.outputs.begin(), op.outputs.end(), resolved))
      continue;
    if (Status status = checkSupported(op, graph_); !status)
      errors.emplace_back(id, status.takeError());
  }
  return errors;
}

void GraphBuilder::eraseDeadOps() {
  const std::vector<OpId> order = graph_.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const std::vector<TensorId>& results = graph_.op(*id).outputs;
    if (std::none_of(results.begin(), results.end(), [&](TensorId result) {
          return result && (!graph_.users(result).empty() || graph_.isGraphOutput(result));
        }))
      graph_.eraseOp(*id);
  }
  graph_.eraseUnusedTensors();
}

} // namespace tigris
