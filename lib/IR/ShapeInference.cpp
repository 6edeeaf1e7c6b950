// Applies the rule that Ops.def names for each operator, in execution order.
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

/// Limit for values that are evaluated: larger ones never determine a shape.
constexpr int64_t MaxFoldedElements = 4096;

Results noRule(const OpView& view) {
  return view.error(DiagId::UnsupportedOp, "no shape rule: the operator is not in the list");
}

Results applyRule(const OpView& view) {
  using Rule = Results (*)(const OpView&);
  static constexpr Rule Rules[] = {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, rule, ...)        \
  shape::rule,
#include "tigris/IR/Ops.def"
      noRule,
  };
  return Rules[static_cast<size_t>(view.op().kind)](view);
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

/// Shape and Size need only the shape of an operand.
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

/// Unknown operators keep the types that the model declares, which must be complete.
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
    // Failures that follow from an earlier one are not reported.
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
