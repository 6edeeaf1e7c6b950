// Operators with subgraphs, which are translated in place, once per call.
#include "tigris/IR/Elements.h"
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

using tflite::BuiltinOperator;
using Values = std::vector<TensorId>;

/// The operands from `first` on.
Values operandsFrom(OpContext& op, size_t first) {
  Values values;
  for (size_t i = first; i < op.inputCount(); ++i)
    values.push_back(op.input(i));
  return values;
}

/// The outputs of a subgraph; empty after an error.
Values called(OpContext& op, int32_t graph, const Values& arguments, const std::string& suffix) {
  if (op.failed())
    return {};
  Expected<Values> results = op.translator().call(op, graph, arguments, suffix);
  if (!results)
    op.fail(results.error().id(), results.error().message());
  return results ? std::move(*results) : Values();
}

Status finishAll(OpContext& op, const Values& values) {
  if (!op.failed() && values.size() < op.outputCount())
    return op.fail(DiagId::BadArity, "its subgraph has ", values.size(), " outputs, it has ",
                   op.outputCount());
  for (size_t i = 0; i < op.outputCount() && !op.failed(); ++i)
    op.finishAs(values[i], i);
  return op.status();
}

/// A condition that is known at compile time.
std::optional<bool> knownCondition(OpContext& op, TensorId id) {
  const BlobRef value = id ? op.builder().values().find(id) : nullptr;
  if (value == nullptr || op.tensor(id).elements() != 1)
    return std::nullopt;
  return loadElements<int64_t>(*value, op.tensor(id).type)[0] != 0;
}

Status composite(OpContext& op) {
  const auto* options = op.flat().builtin_options_2_as_StableHLOCompositeOptions();
  if (options == nullptr)
    return op.fail(DiagId::BadModel, "it does not say which subgraph is its body");
  return finishAll(
      op, called(op, options->decomposition_subgraph_index(), operandsFrom(op, 0), "body"));
}

Status whileLoop(OpContext& op) {
  const auto* options = op.options<tflite::WhileOptions>();
  if (options == nullptr)
    return op.fail(DiagId::BadModel, "it does not say which subgraphs it calls");
  Values values = operandsFrom(op, 0);
  for (size_t i = 0; !op.failed(); ++i) {
    const Values condition =
        called(op, options->cond_subgraph_index(), values, strCat("condition", i));
    if (op.failed())
      break;
    const std::optional<bool> isTrue =
        knownCondition(op, condition.empty() ? TensorId() : condition[0]);
    if (!isTrue)
      return op.unsupported("the number of its iterations is not known at compile time; unroll the "
                            "loop before the conversion");
    if (!*isTrue)
      break;
    values = called(op, options->body_subgraph_index(), values, strCat("iteration", i));
  }
  return finishAll(op, values);
}

/// Without a known condition, both branches are computed, which may not assign variables.
Status branch(OpContext& op) {
  const auto* options = op.options<tflite::IfOptions>();
  if (options == nullptr)
    return op.fail(DiagId::BadModel, "it does not say which subgraphs it calls");
  const TensorId condition = op.input(0);
  const Values values = operandsFrom(op, 1);
  if (const std::optional<bool> isTrue = knownCondition(op, condition))
    return finishAll(
        op, called(op, *isTrue ? options->then_subgraph_index() : options->else_subgraph_index(),
                   values, "branch"));
  for (const int32_t graph : {options->then_subgraph_index(), options->else_subgraph_index()})
    if (graph >= 0 && static_cast<size_t>(graph) < op.model().graphs().size())
      for (const tflite::Operator* inner :
           op.model().graphs()[static_cast<size_t>(graph)].operators)
        if (op.model().codeOf(*inner).builtin == BuiltinOperator::ASSIGN_VARIABLE)
          return op.unsupported("a branch assigns a variable, and the condition is computed at run "
                                "time");
  const Values then = called(op, options->then_subgraph_index(), values, "then");
  const Values otherwise = called(op, options->else_subgraph_index(), values, "else");
  if (!op.failed() && (then.size() < op.outputCount() || otherwise.size() < op.outputCount()))
    return op.fail(DiagId::BadArity, "its subgraphs have fewer outputs than it");
  for (size_t i = 0; i < op.outputCount() && !op.failed(); ++i)
    op.finish(OpKind::Where,
              {condition, op.requantized(then[i], i), op.requantized(otherwise[i], i)}, {}, i);
  return op.status();
}

constexpr OpRule CallOps[] = {
    {BuiltinOperator::IF, 1, branch, "both branches are computed"},
    {BuiltinOperator::WHILE, 1, whileLoop, "a number of iterations that is known at import"},
    {BuiltinOperator::STABLEHLO_COMPOSITE, 1, composite, "by its body"},
};

} // namespace

std::span<const OpRule> callOps() { return CallOps; }

} // namespace tigris
