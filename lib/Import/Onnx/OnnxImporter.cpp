// Imports on demand: starting at the outputs, a node is translated when everything it reads has
// been translated.
//
// The traversal is depth-first with an explicit stack, because hostile files must not determine the
// recursion depth:
//   enter(value)     pushes the node that produces it: a function call, an If or a loop is expanded
//   next input       entered from last to first
//   leave(node)      translates the node when all inputs are done
// A node that cannot be translated is recorded with its reason; nodes that depend on it are
// skipped, so that each error is reported once.
#include "tigris/Import/Onnx/OnnxImporter.h"

#include "tigris/Analysis/Cycles.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Import/Onnx/LoopExpansion.h"
#include "tigris/Import/Onnx/ModelInterface.h"
#include "tigris/Import/Onnx/ModelParser.h"
#include "tigris/Import/Onnx/OnnxOps.h"
#include "tigris/Import/Onnx/OperatorManual.h"
#include "tigris/Import/RefusalList.h"
#include "tigris/Support/FileKind.h"
#include "tigris/Support/Progress.h"

#include <algorithm>
#include <cctype>

namespace tigris {

namespace {

std::string modelName(const onnx::GraphProto& graph, const std::string& path) {
  if (!graph.name().empty())
    return graph.name();
  std::string stem = path.substr(path.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  return stem.empty() || stem == "-" ? "model" : stem;
}

/// Converters keep TensorFlow Lite's integers, so its kernels define what the model computes.
/// tf2onnx finds quantization only in TensorFlow Lite files.
bool isFromTensorFlowLite(const onnx::ModelProto& model) {
  std::string producer = model.producer_name();
  std::transform(producer.begin(), producer.end(), producer.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return producer.find("tflite") != std::string::npos || producer == "tf2onnx";
}

bool isIf(const onnx::NodeProto& node) {
  return node.op_type() == "If" && isDefaultDomain(node.domain());
}

class OnnxReader {
public:
  OnnxReader(const onnx::ModelProto& model, const ImportOptions& options,
             DiagnosticEngine& diagnostics)
      : model_(model), options_(options), diagnostics_(diagnostics), source_(model),
        builder_(diagnostics), reader_(options.modelPath) {}

  Expected<Graph> run();

private:
  /// A node being visited: its inputs, last to first, and the number of those visited.
  struct Frame {
    NodeId node;
    /// The result that is needed.
    ValueId wanted;
    std::vector<ValueId> pending;
    /// Whether the node has been replaced by the body that it represents.
    bool expanded = false;
    /// A loop that is being unrolled; null for other nodes.
    std::unique_ptr<LoopExpansion> loop = {};
  };

  Status importValue(ValueId root);
  Status enter(ValueId value);
  Error cycleError();
  /// Replaces a call by the function's body, or an `If` by its branch; returns false for other
  /// nodes.
  Expected<bool> expand(Frame& frame);
  Expected<bool> expandIf(NodeId id);
  /// Unrolls a loop by one step.
  Expected<bool> expandLoop(Frame& frame);
  Expected<const onnx::GraphProto*> chosenBranch(NodeId id);
  Expected<NodeContext> contextOf(NodeId id);
  Status leave(NodeId id);
  Status importConstant(ValueId id);
  bool anyRefused(const std::vector<ValueId>& values);
  void refuse(NodeId id, Error error);
  void markRefused(NodeId id);
  std::vector<std::string> namesBefore(const std::vector<TensorId>& inputs) const;

  const onnx::ModelProto& model_;
  const ImportOptions& options_;
  DiagnosticEngine& diagnostics_;
  SourceGraph source_;
  GraphBuilder builder_;
  TensorReader reader_;
  std::vector<Frame> stack_;
  RefusalList refusals_;
  Progress progress_{"importing node"};
};

Status OnnxReader::importConstant(ValueId id) {
  SourceValue& value = source_.value(id);
  Expected<ConstantData> data = reader_.read(*value.initializer, value.name);
  if (!data)
    return data.takeError();
  value.tensor = builder_.addConstant(value.name, std::move(*data));
  return {};
}

/// Creates the value's tensor, or pushes its producer to do so.
Status OnnxReader::enter(ValueId wanted) {
  const ValueId id = source_.resolve(wanted);
  SourceValue& value = source_.value(id);
  if (value.tensor || value.refused)
    return {};
  if (value.initializer != nullptr)
    return importConstant(id);
  SourceNode& node = source_.node(value.producer);
  if (node.state == VisitState::Open)
    return cycleError();
  if (node.state == VisitState::Done)
    return makeError(DiagId::BadArity, "node '", node.name, "' (", node.proto->op_type(),
                     "): the operator has no result for its output '", value.name, "'");
  node.state = VisitState::Open;
  Frame frame;
  frame.node = value.producer;
  frame.wanted = id;
  Expected<std::vector<ValueId>> inputs = source_.inputs(frame.node);
  if (!inputs)
    return inputs.takeError();
  // A function body determines which arguments are needed, and when.
  if (source_.calledFunction(node) == nullptr)
    frame.pending = std::move(*inputs);
  stack_.push_back(std::move(frame));
  return {};
}

/// Some of the nodes being visited depend on each other. Calls whose bodies have been added no
/// longer have results.
Error OnnxReader::cycleError() {
  const auto isOpen = [&](NodeId id) { return id && source_.node(id).state == VisitState::Open; };
  std::vector<std::pair<size_t, size_t>> uses;
  for (uint32_t reader = 0; reader < source_.nodeCount(); ++reader) {
    if (!isOpen(NodeId(reader)))
      continue;
    const Expected<std::vector<ValueId>> inputs = source_.inputs(NodeId(reader));
    if (!inputs)
      return inputs.error();
    for (const ValueId input : *inputs)
      if (input && isOpen(source_.value(input).producer))
        uses.emplace_back(source_.value(input).producer.index(), reader);
  }
  std::vector<std::string> names;
  for (const size_t vertex : firstCycle(source_.nodeCount(), uses)) {
    const SourceNode& node = source_.node(NodeId(static_cast<uint32_t>(vertex)));
    names.push_back(strCat("'", node.name, "' (", node.proto->op_type(), ")"));
  }
  return makeError(DiagId::BadModel, "node ", cycleMessage(names));
}

/// The node and its inputs, which have been imported.
Expected<NodeContext> OnnxReader::contextOf(NodeId id) {
  Expected<std::vector<ValueId>> inputs = source_.inputs(id);
  if (!inputs)
    return inputs.takeError();
  std::vector<TensorId> tensors;
  for (const ValueId input : *inputs)
    tensors.push_back(input ? source_.value(input).tensor : TensorId());
  return NodeContext(builder_, source_, reader_, id, std::move(tensors));
}

Expected<const onnx::GraphProto*> OnnxReader::chosenBranch(NodeId id) {
  const Expected<NodeContext> node = contextOf(id);
  if (!node)
    return node.error();
  const BlobRef condition = node->valueOf(node->input(0));
  if (condition == nullptr || condition->size() != 1)
    return node->unsupported(
        "its condition is not known at compile time; where it depends on a model "
        "input that never changes, fix it with --input-value");
  const char* name = condition->bytes()[0] != 0 ? "then_branch" : "else_branch";
  const onnx::AttributeProto* branch = node->findAttr(name);
  if (branch == nullptr || !branch->has_g())
    return node->refuse(DiagId::BadAttr, "attribute '", name, "' must be a graph");
  return &branch->g();
}

Expected<bool> OnnxReader::expandIf(NodeId id) {
  Expected<const onnx::GraphProto*> branch = chosenBranch(id);
  if (!branch) {
    refuse(id, branch.takeError());
    return false;
  }
  if (Status status = source_.addBranch(id, **branch); !status)
    return status.takeError();
  return true;
}

Expected<bool> OnnxReader::expandLoop(Frame& frame) {
  if (frame.loop == nullptr) {
    Expected<NodeContext> node = contextOf(frame.node);
    if (!node)
      return node.takeError();
    frame.loop = std::make_unique<LoopExpansion>(std::move(*node), source_, frame.node);
  } else if (anyRefused(frame.loop->needed())) {
    markRefused(frame.node);
    return false;
  }
  Expected<std::vector<ValueId>> needed = frame.loop->next();
  if (!needed) {
    refuse(frame.node, needed.takeError());
    return false;
  }
  frame.expanded = needed->empty();
  frame.pending = needed->empty() ? std::vector<ValueId>{frame.wanted} : std::move(*needed);
  return true;
}

Expected<bool> OnnxReader::expand(Frame& frame) {
  const SourceNode& node = source_.node(frame.node);
  if (const onnx::FunctionProto* function = source_.calledFunction(node)) {
    if (Status status = source_.addFunction(frame.node, *function); !status)
      return status.takeError();
  } else if (const bool loop = isLoop(*node.proto); loop || isIf(*node.proto)) {
    Expected<std::vector<ValueId>> inputs = source_.inputs(frame.node);
    if (!inputs)
      return inputs.takeError();
    if (anyRefused(*inputs)) {
      markRefused(frame.node);
      return false;
    }
    if (loop)
      return expandLoop(frame);
    Expected<bool> chosen = expandIf(frame.node);
    if (!chosen || !*chosen)
      return chosen;
  } else {
    return false;
  }
  // Producers of other results are found in the body when they are needed.
  frame.expanded = true;
  frame.pending = {frame.wanted};
  return true;
}

bool OnnxReader::anyRefused(const std::vector<ValueId>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](ValueId id) { return id && source_.value(source_.resolve(id)).refused; });
}

/// The tensors at which the model can end instead of before a node with these inputs.
std::vector<std::string> OnnxReader::namesBefore(const std::vector<TensorId>& inputs) const {
  const Graph& graph = builder_.graph();
  std::vector<std::string> names;
  for (const TensorId input : inputs)
    if (input && !isStatic(graph, input) && !graph.isGraphInput(input) &&
        source_.findInMain(graph.tensor(input).name))
      names.push_back(graph.tensor(input).name);
  return names;
}

void OnnxReader::refuse(NodeId id, Error error) {
  const Expected<NodeContext> node = contextOf(id);
  refusals_.add(std::move(error), node ? namesBefore(node->inputs()) : std::vector<std::string>());
  markRefused(id);
}

void OnnxReader::markRefused(NodeId id) {
  for (const ValueId output : source_.outputs(id))
    if (output)
      source_.value(output).refused = true;
}

/// Translates a node whose inputs are done.
Status OnnxReader::leave(NodeId id) {
  progress_.step(source_.node(id).name);
  Expected<std::vector<ValueId>> values = source_.inputs(id);
  if (!values)
    return values.takeError();
  Expected<NodeContext> node = contextOf(id);
  if (!node)
    return node.takeError();
  std::string reason;
  const bool known = isKnownOperator(*node, reason);
  if (!known && !options_.allowUnknownOps) {
    refuse(id, node->unsupported(reason));
    return {};
  }
  if (anyRefused(*values)) { // an error of an input has been reported already
    markRefused(id);
    return {};
  }
  if (Status status = known ? translateNode(*node) : node->finishUnknown(); !status)
    refuse(id, status.takeError());
  return {};
}

Status OnnxReader::importValue(ValueId root) {
  if (Status status = enter(root); !status)
    return status;
  while (!stack_.empty()) {
    if (!stack_.back().pending.empty()) {
      const ValueId next = stack_.back().pending.back();
      stack_.back().pending.pop_back();
      if (next)
        if (Status status = enter(next); !status)
          return status;
      continue;
    }
    Frame& frame = stack_.back();
    SourceNode& node = source_.node(frame.node);
    if (!frame.expanded) {
      const Expected<bool> expanded = expand(frame);
      if (!expanded)
        return expanded.error();
      if (*expanded)
        continue;
      const std::vector<ValueId> outputs = source_.outputs(frame.node);
      if (!anyRefused(outputs))
        if (Status status = leave(frame.node); !status)
          return status;
    }
    node.state = VisitState::Done;
    stack_.pop_back();
  }
  return {};
}

Expected<Graph> OnnxReader::run() {
  if (Status status = source_.addMain(); !status)
    return status.takeError();
  const onnx::GraphProto& main = model_.graph();
  if (main.output().empty())
    return makeError(DiagId::BadModel, "the model has no outputs");
  if (Status status = addInputs(main, options_, source_, builder_, diagnostics_); !status)
    return status.takeError();
  const Expected<std::vector<ModelOutput>> outputs = modelOutputs(main, options_, source_);
  if (!outputs)
    return outputs.error();
  for (const ModelOutput& output : *outputs)
    if (Status status = importValue(output.value); !status)
      return status.takeError();
  if (refusals_.empty()) {
    if (Status status = addOutputs(*outputs, source_, builder_, diagnostics_); !status)
      return status.takeError();
    builder_.eraseDeadOps();
  }
  for (auto& [op, error] : builder_.unsupportedUses())
    refusals_.add(std::move(error), namesBefore(builder_.graph().op(op).inputs));
  if (!refusals_.empty())
    return refusals_.report(diagnostics_);

  Graph& graph = builder_.graph();
  graph.setModelName(modelName(main, options_.modelPath));
  graph.setOpset(opsetVersion(model_.opset_import(), ""));
  graph.setRounding(options_.rounding.value_or(
      isFromTensorFlowLite(model_) ? IntegerRounding::Twice : IntegerRounding::Once));
  if (options_.onFileRead)
    for (const std::string& path : reader_.filesRead())
      options_.onFileRead(path);
  DiagnosticEngine verifier;
  TIGRIS_CHECK_MSG(verifyGraph(graph, verifier), verifier.all().front().message);
  return std::move(graph);
}

} // namespace

Expected<Graph> importOnnx(std::string_view modelBytes, const ImportOptions& options,
                           DiagnosticEngine& diagnostics) {
  if (!options.signature.empty())
    return makeError(DiagId::Usage, "option '--signature': ONNX models have no signatures");
  Expected<std::shared_ptr<const onnx::ModelProto>> model = parseModel(modelBytes);
  if (!model)
    return model.takeError();
  return OnnxReader(**model, options, diagnostics).run();
}

Importer onnxImporter() {
  return {.name = "onnx",
          .matches =
              [](std::string_view bytes) {
                const FileKind* const kind = recognizeFile(bytes);
                return kind != nullptr && kind->role == FileKind::Role::Onnx;
              },
          .importModel = importOnnx,
          .operatorNames = operatorNames,
          .operatorManual = operatorManual};
}

} // namespace tigris
