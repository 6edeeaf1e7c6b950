// Translates the operators that the outputs need, in the order of the file.
#include "tigris/Import/Tflite/TfliteImporter.h"

#include "tigris/IR/Verifier.h"
#include "tigris/Import/RefusalList.h"
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Signature.h"
#include "tigris/Support/Progress.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

std::string flatModelName(const FlatGraph& graph, const std::string& path) {
  const std::string& given = graph.name;
  if (!given.empty() && given != "main")
    return given;
  std::string stem = path.substr(path.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  return stem.empty() || stem == "-" ? "model" : stem;
}

class TfliteReader final : public Translator {
public:
  TfliteReader(const FlatModel& model, Signature signature, const ImportOptions& options,
               DiagnosticEngine& diagnostics)
      : model_(model), options_(options), diagnostics_(diagnostics), builder_(diagnostics),
        signature_(std::move(signature)), main_(model, signature_.graph), variables_(model) {}

  Expected<Graph> run();

  Expected<std::vector<TensorId>> call(OpContext& op, int32_t graphIndex,
                                       const std::vector<TensorId>& arguments,
                                       const std::string& suffix) override;
  Variables& variables() override { return variables_; }

private:
  Status addInputs();
  Expected<std::vector<int32_t>> outputIndices() const;
  std::vector<bool> neededOps(const FlatGraph& graph, const std::vector<int32_t>& outputs) const;
  void translate(GraphScope& scope, size_t index);
  void refuse(GraphScope& scope, const tflite::Operator& op, Error error);
  /// The name of an input or output: that of the signature, or else that of the tensor.
  std::string portName(const std::map<int32_t, std::string>& names, int32_t index) const;
  Status addOutputs(const std::vector<int32_t>& outputs);

  const FlatModel& model_;
  const ImportOptions& options_;
  DiagnosticEngine& diagnostics_;
  GraphBuilder builder_;
  Signature signature_;
  GraphScope main_;
  Variables variables_;
  /// Called operators so far, and calls inside each other.
  size_t calledOps_ = 0;
  int depth_ = 0;
  RefusalList refusals_;
  Progress progress_{"importing operator"};
};

std::string TfliteReader::portName(const std::map<int32_t, std::string>& names,
                                   int32_t index) const {
  const auto named = names.find(index);
  return named == names.end() || named->second.empty() ? main_.nameOf(index) : named->second;
}

Status TfliteReader::addInputs() {
  const FlatGraph& graph = main_.graph();
  for (const int32_t index : graph.inputs) {
    const std::string name = portName(signature_.inputs, index);
    Expected<TensorFacts> facts = main_.facts(index);
    if (!facts)
      return facts.takeError();
    const TensorId id =
        builder_.addTensor(builder_.graph().uniqueName(name), facts->type, facts->shape);
    builder_.graph().editTensor(id).quant = facts->quant;
    const auto given = options_.inputShapes.find(name);
    if (given != options_.inputShapes.end() && given->second != facts->shape)
      return makeError(DiagId::Usage, "--input-shape ", name, ": ", given->second.str(),
                       " differs from the shape in the TensorFlow Lite model, which is ",
                       facts->shape.str(), "; shapes of these models are fixed");
    builder_.graph().addInput(
        {builder_.graph().tensor(id).name, id, facts->portType, facts->shape, {}});
    main_.set(index, id);
  }
  return {};
}

Expected<std::vector<int32_t>> TfliteReader::outputIndices() const {
  const FlatGraph& graph = main_.graph();
  if (options_.outputs.empty()) {
    if (graph.outputs.empty())
      return makeError(DiagId::BadModel, "the model has no outputs");
    return graph.outputs;
  }
  std::vector<int32_t> outputs;
  for (const std::string& name : options_.outputs) {
    int32_t found = -1;
    for (size_t i = 0; i < graph.tensors.size() && found < 0; ++i)
      if (main_.nameOf(static_cast<int32_t>(i)) == name)
        found = static_cast<int32_t>(i);
    if (found < 0)
      return makeError(DiagId::Usage, "option '--output-tensor': the model has no tensor '", name,
                       "'");
    outputs.push_back(found);
  }
  return outputs;
}

/// Which operators of a subgraph its outputs need, and those with effects of their own.
std::vector<bool> TfliteReader::neededOps(const FlatGraph& graph,
                                          const std::vector<int32_t>& outputs) const {
  std::vector<bool> tensors(graph.tensors.size());
  std::vector<bool> ops(graph.operators.size());
  for (const int32_t output : outputs)
    tensors[static_cast<size_t>(output)] = true;
  for (size_t i = graph.operators.size(); i-- > 0;) {
    const tflite::Operator& op = *graph.operators[i];
    const std::vector<int32_t> results = elementsOf(op.outputs());
    const tflite::BuiltinOperator code = model_.codeOf(op).builtin;
    ops[i] = code == tflite::BuiltinOperator::ASSIGN_VARIABLE ||
             code == tflite::BuiltinOperator::CALL_ONCE ||
             std::any_of(results.begin(), results.end(), [&](int32_t result) {
               return result >= 0 && tensors[static_cast<size_t>(result)];
             });
    if (!ops[i])
      continue;
    for (const int32_t operand : elementsOf(op.inputs()))
      if (operand >= 0)
        tensors[static_cast<size_t>(operand)] = true;
  }
  return ops;
}

void TfliteReader::refuse(GraphScope& scope, const tflite::Operator& op, Error error) {
  std::vector<std::string> before;
  for (const int32_t operand : elementsOf(op.inputs()))
    if (operand >= 0 && scope.isSet(operand) && !scope.isConstant(operand) &&
        std::find(scope.graph().inputs.begin(), scope.graph().inputs.end(), operand) ==
            scope.graph().inputs.end())
      before.push_back(scope.nameOf(operand));
  refusals_.add(std::move(error), before);
  for (const int32_t result : elementsOf(op.outputs()))
    if (result >= 0)
      scope.refuse(result);
}

void TfliteReader::translate(GraphScope& scope, size_t index) {
  const tflite::Operator& flat = *scope.graph().operators[index];
  const std::vector<int32_t> operands = elementsOf(flat.inputs());
  OpContext op(model_, builder_, scope, index, *this);
  progress_.step(op.name());
  const bool afterRefused = std::any_of(operands.begin(), operands.end(), [&](int32_t operand) {
    return operand >= 0 && scope.isRefused(operand);
  });
  if (afterRefused) {
    for (const int32_t result : elementsOf(flat.outputs()))
      if (result >= 0)
        scope.refuse(result);
    return;
  }
  const OpRule* const rule = findRule(op.code());
  if (rule == nullptr)
    op.unsupported("this operator is not supported; ", refusalAdvice(op.code()));
  else if (op.code().version > rule->newest)
    op.unsupported("version ", op.code().version, " is newer than ", rule->newest,
                   ", the newest that is supported; convert the model with an older TensorFlow");
  const Status status = op.failed() ? op.status() : rule->translate(op);
  if (!status)
    refuse(scope, flat, status.error());
}

Expected<std::vector<TensorId>> TfliteReader::call(OpContext& op, int32_t graphIndex,
                                                   const std::vector<TensorId>& arguments,
                                                   const std::string& suffix) {
  const std::vector<FlatGraph>& graphs = model_.graphs();
  if (graphIndex < 0 || static_cast<size_t>(graphIndex) >= graphs.size())
    return makeError(DiagId::BadModel, "it calls subgraph ", graphIndex, ", the model has ",
                     graphs.size());
  const FlatGraph& graph = graphs[static_cast<size_t>(graphIndex)];
  calledOps_ += graph.operators.size() + 1;
  if (calledOps_ > MaxCalledOps || depth_ == MaxDepth)
    return makeError(DiagId::UnsupportedOp, "calls of subgraphs take more than ", MaxCalledOps,
                     " operators, or are more than ", MaxDepth, " deep");
  if (graph.inputs.size() != arguments.size())
    return makeError(DiagId::BadModel, "it gives ", arguments.size(), " values to subgraph '",
                     graph.name, "', which has ", graph.inputs.size(), " inputs");
  GraphScope scope(model_, static_cast<size_t>(graphIndex), strCat(op.name(), "/", suffix, "/"));
  for (size_t i = 0; i < arguments.size(); ++i)
    scope.set(graph.inputs[i], arguments[i]);
  const std::vector<bool> needed = neededOps(graph, graph.outputs);
  ++depth_;
  for (size_t i = 0; i < needed.size(); ++i)
    if (needed[i])
      translate(scope, i);
  --depth_;
  std::vector<TensorId> results;
  for (const int32_t output : graph.outputs) {
    if (scope.isRefused(output))
      return makeError(DiagId::UnsupportedOp, "operators of subgraph '", graph.name,
                       "', which it calls, are not supported");
    const Expected<TensorId> id = scope.value(builder_, output);
    if (!id)
      return id.error();
    if (!*id)
      return makeError(DiagId::BadModel, "nothing writes output '", scope.nameOf(output),
                       "' of subgraph '", graph.name, "'");
    results.push_back(*id);
  }
  return results;
}

Status TfliteReader::addOutputs(const std::vector<int32_t>& outputs) {
  for (const int32_t index : outputs) {
    const std::string name = portName(signature_.outputs, index);
    Expected<TensorId> id = main_.value(builder_, index);
    if (!id)
      return id.takeError();
    if (!*id)
      return makeError(DiagId::BadModel, "nothing writes output '", name, "'");
    Expected<TensorFacts> facts = main_.facts(index);
    if (!facts)
      return facts.takeError();
    std::string port = name;
    const auto& ports = builder_.graph().outputs();
    for (int copy = 1; std::any_of(ports.begin(), ports.end(),
                                   [&](const Port& other) { return other.name == port; });
         ++copy)
      port = strCat(name, "_", copy);
    builder_.graph().addOutput(
        {std::move(port), *id, facts->portType, builder_.tensor(*id).shape, {}});
  }
  return {};
}

Expected<Graph> TfliteReader::run() {
  if (Status status = addInputs(); !status)
    return status.takeError();
  const Expected<std::vector<int32_t>> outputs = outputIndices();
  if (!outputs)
    return outputs.error();
  const std::vector<bool> needed = neededOps(main_.graph(), *outputs);
  for (size_t i = 0; i < needed.size(); ++i)
    if (needed[i])
      translate(main_, i);
  if (refusals_.empty()) {
    if (Status status = addOutputs(*outputs); !status)
      return status.takeError();
    if (Status status = variables_.addStates(builder_); !status)
      return status.takeError();
    builder_.eraseDeadOps();
  }
  for (auto& [op, error] : builder_.unsupportedUses())
    refusals_.add(std::move(error), {});
  if (!refusals_.empty())
    return refusals_.report(diagnostics_);
  Graph& graph = builder_.graph();
  graph.setModelName(flatModelName(main_.graph(), options_.modelPath));
  graph.setRounding(options_.rounding.value_or(IntegerRounding::Micro));
  DiagnosticEngine verifier;
  if (!verifyGraph(graph, verifier))
    return makeError(DiagId::BadModel, verifier.all().front().message);
  return std::move(graph);
}

} // namespace

Expected<Graph> importTflite(std::string_view bytes, const ImportOptions& options,
                             DiagnosticEngine& diagnostics) {
  Expected<std::unique_ptr<FlatModel>> model = FlatModel::open(bytes);
  if (!model)
    return model.takeError();
  Expected<Signature> signature = findSignature(**model, options.signature);
  if (!signature)
    return signature.takeError();
  return TfliteReader(**model, std::move(*signature), options, diagnostics).run();
}

Importer tfliteImporter() {
  return {.name = "tflite",
          .matches =
              [](std::string_view bytes) {
                return bytes.size() >= 8 && bytes.substr(4, 4) == tflite::ModelIdentifier();
              },
          .importModel = importTflite,
          .operatorNames = tfliteOperatorNames,
          .operatorManual = tfliteOperatorManual};
}

} // namespace tigris
