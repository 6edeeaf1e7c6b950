// readModule(): parses the documents and returns a verified graph. Everything that Graph would
// abort on is diagnosed here first, with its position in the file.
#include "tigris/Analysis/Cycles.h"
#include "tigris/IR/ShapeCompletion.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Serialize/Documents.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Serialize/PlanText.h"
#include "tigris/Serialize/Scalar.h"
#include "tigris/Serialize/Schema.h"
#include "tigris/Serialize/WeightsReader.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/FileKind.h"

namespace tigris {

namespace {

constexpr int64_t MaxOpset = 1000000;

class GraphReader {
public:
  GraphReader(const NodeReader& reader, WeightsReader& weights)
      : reader_(reader), weights_(weights) {}

  Graph read(const YamlNode& root) {
    checkSchema(reader_, root, "graph", GraphVersion);
    const auto [schema, form, layout, rounding, model, history, inputs, outputs, tensors, ops, plan,
                stage] =
        reader_.fields(root, "graph document",
                       std::array<std::string_view, 12>{"tigris", "form", "layout", "rounding",
                                                        "model", "history", "inputs", "outputs",
                                                        "tensors", "ops", "plan", "stage"});
    const YamlNode* formNode = reader_.renamed(form, "form", stage, "stage");
    graph_.setForm(reader_.word(reader_.required(formNode, root, "graph document", "form"), "form",
                                parseGraphForm, {"imported", "normalized", "planned"}));
    if (layout != nullptr)
      graph_.setLayout(
          reader_.word(*layout, "layout", parseLayout, {"channels-first", "channels-last"}));
    if (rounding != nullptr)
      graph_.setRounding(
          reader_.word(*rounding, "rounding", parseIntegerRounding, {"once", "twice", "micro"}));
    if (model != nullptr)
      readModel(*model);
    if (history != nullptr)
      for (const YamlNode& item : reader_.list(*history, "history"))
        graph_.addHistory(reader_.string(item, "history entry"));
    if (tensors != nullptr)
      for (const YamlNode& item : reader_.list(*tensors, "tensors"))
        readTensor(item);
    if (ops != nullptr)
      for (const YamlNode& item : reader_.list(*ops, "ops"))
        readOp(item);
    for (const YamlNode& item :
         reader_.list(reader_.required(inputs, root, "graph document", "inputs"), "inputs"))
      graph_.addInput(readPort(item, "input"));
    for (const YamlNode& item :
         reader_.list(reader_.required(outputs, root, "graph document", "outputs"), "outputs"))
      graph_.addOutput(readPort(item, "output"));
    if (plan != nullptr)
      graph_.setPlan(readPlan(reader_, *plan, graph_));
    return std::move(graph_);
  }

private:
  static std::optional<Layout> parseLayout(std::string_view name) {
    if (name == "channels-first")
      return Layout::ChannelsFirst;
    return name == "channels-last" ? std::optional(Layout::ChannelsLast) : std::nullopt;
  }

  /// Runs `body`; the message of a failure in it begins with `kind` and the name of the item being
  /// read.
  template <typename Body>
  static void named(std::string_view kind, const std::string& name, const Body& body) {
    try {
      body();
    } catch (const ReadFailure& failure) {
      Diagnostic diagnostic = failure.error.diagnostic();
      diagnostic.message = strCat(kind, " '", name, "': ", diagnostic.message);
      throw ReadFailure{Error(std::move(diagnostic))};
    }
  }

  void readModel(const YamlNode& node) {
    const auto [name, opset] =
        reader_.fields(node, "model", std::array<std::string_view, 2>{"name", "opset"});
    if (name != nullptr)
      graph_.setModelName(reader_.string(*name, "model name"));
    if (opset != nullptr)
      graph_.setOpset(static_cast<int>(reader_.integer(*opset, "opset", 0, MaxOpset)));
  }

  DType readType(const YamlNode& node) const {
    static const std::vector<std::string> Names = [] {
      std::vector<std::string> names;
      for (int type = 0; type <= static_cast<int>(DType::UInt4); ++type)
        names.emplace_back(dtypeName(static_cast<DType>(type)));
      return names;
    }();
    return reader_.word(node, "type", parseDType, Names);
  }

  void readTensor(const YamlNode& node) {
    const auto [nameNode, type, shape, quant, constant] = reader_.fields(
        node, "tensor", std::array<std::string_view, 5>{"name", "type", "shape", "quant", "const"});
    Tensor tensor;
    tensor.name = reader_.name(reader_.required(nameNode, node, "tensor", "name"), "tensor name");
    if (graph_.findTensor(tensor.name))
      reader_.fail(DiagId::DuplicateName, *nameNode, "tensor '", tensor.name, "' is given twice");
    named("tensor", tensor.name,
          [&, type = type, shape = shape, quant = quant, constant = constant] {
            if (type != nullptr)
              tensor.type = readType(*type);
            tensor.hasShape = shape != nullptr;
            if (shape != nullptr)
              tensor.shape = reader_.shape(*shape, "shape");
            if (quant != nullptr)
              tensor.quant = readQuant(*quant);
            if (constant != nullptr && reader_.boolean(*constant, "const")) {
              if (tensor.type == DType::Undefined || !tensor.hasShape)
                reader_.fail(DiagId::BadValue, node, "a constant needs type and shape");
              tensor.data = weights_.constant(tensor, node);
            }
          });
    graph_.addTensor(std::move(tensor));
  }

  QuantParam readQuant(const YamlNode& node) {
    const auto [axis, scale, zeroPoint] = reader_.fields(
        node, "quant", std::array<std::string_view, 3>{"axis", "scale", "zero_point"});
    QuantParam quant;
    if (axis != nullptr)
      quant.axis = static_cast<int>(reader_.integer(*axis, "axis", 0, INT16_MAX));
    const YamlNode& scales = reader_.required(scale, node, "quant", "scale");
    if (isReference(scales))
      quant.scale = weights_.scales(scales);
    else if (scales.kind == YamlNode::Kind::Sequence)
      for (const YamlNode& item : scales.items)
        quant.scale.push_back(reader_.real<float>(item, "scale"));
    else
      quant.scale.push_back(reader_.real<float>(scales, "scale"));

    const auto zero = [&](const YamlNode& item) {
      quant.zeroPoint.push_back(
          static_cast<int32_t>(reader_.integer(item, "zero_point", INT32_MIN, INT32_MAX)));
    };
    if (zeroPoint == nullptr)
      quant.zeroPoint.assign(quant.scale.size(), 0);
    else if (isReference(*zeroPoint))
      quant.zeroPoint = weights_.zeroPoints(*zeroPoint);
    else if (zeroPoint->kind == YamlNode::Kind::Sequence)
      for (const YamlNode& item : zeroPoint->items)
        zero(item);
    else
      zero(*zeroPoint);
    if (quant.zeroPoint.size() != quant.scale.size())
      reader_.fail(DiagId::BadValue, node, "quant has ", quant.scale.size(), " scales and ",
                   quant.zeroPoint.size(), " zero points, must have as many");
    return quant;
  }

  /// Whether the node is a name instead of a number: the array is a blob of the weights document.
  static bool isReference(const YamlNode& node) {
    return node.kind == YamlNode::Kind::Scalar && (!node.plain || !parseReal<double>(node.text));
  }

  TensorId tensor(const YamlNode& node) const {
    const std::string name = reader_.name(node, "name of a tensor");
    const auto found = graph_.findTensor(name);
    if (!found)
      reader_.fail(DiagId::UnknownTensor, node, "there is no tensor '", name, "'",
                   suggestion(name, tensorNames()));
    return *found;
  }

  std::vector<std::string> tensorNames() const {
    std::vector<std::string> names;
    for (const TensorId id : graph_.tensors())
      names.push_back(graph_.tensor(id).name);
    return names;
  }

  std::vector<TensorId> operands(const YamlNode* node, std::string_view what) const {
    std::vector<TensorId> ids;
    if (node != nullptr)
      for (const YamlNode& item : reader_.list(*node, what))
        ids.push_back(item.kind == YamlNode::Kind::Null ? TensorId() : tensor(item));
    return ids;
  }

  void readOp(const YamlNode& node) {
    const auto [kind, name, in, out, attrs, act, origin] = reader_.fields(
        node, "op",
        std::array<std::string_view, 7>{"op", "name", "in", "out", "attrs", "act", "origin"});
    Op op;
    op.name = reader_.name(reader_.required(name, node, "op", "name"), "op name");
    if (graph_.findOp(op.name))
      reader_.fail(DiagId::DuplicateName, *name, "op '", op.name, "' is given twice");
    named(
        "op", op.name,
        [&, kind = kind, in = in, out = out, attrs = attrs, act = act, origin = origin] {
          readKind(op, reader_.required(kind, node, "op", "op"));
          op.inputs = operands(in, "in");
          op.outputs = operands(out, "out");
          if (out != nullptr)
            checkResults(op, *out);
          if (attrs != nullptr)
            readAttrs(op, *attrs);
          if (act != nullptr)
            op.act = reader_.word(*act, "act", parseActivation, {"None", "Relu", "Relu6", "Clip"});
          if (origin != nullptr)
            for (const YamlNode& item : reader_.list(*origin, "origin"))
              op.origin.push_back(reader_.string(item, "origin"));
        });
    graph_.addOp(std::move(op));
  }

  void readKind(Op& op, const YamlNode& node) const {
    const std::string name = reader_.name(node, "op");
    if (const auto known = parseOpKind(name)) {
      op.kind = *known;
      return;
    }
    if (name.find("::") == std::string::npos) {
      std::vector<std::string> names;
      for (const OpKind kind : allOpKinds())
        names.emplace_back(opInfo(kind).name);
      reader_.fail(DiagId::UnsupportedOp, node, "unknown operator '", name, "'",
                   suggestion(name, names));
    }
    op.unknownKind = name;
  }

  /// Each tensor has one producer, and no op has the same result twice.
  void checkResults(const Op& op, const YamlNode& node) const {
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const TensorId id = op.outputs[i];
      if (!id)
        continue;
      if (const OpId other = graph_.producer(id))
        reader_.fail(DiagId::BadGraph, node.items[i], "tensor '", graph_.tensor(id).name,
                     "' is already the result of op '", graph_.op(other).name, "'");
      for (size_t j = 0; j < i; ++j)
        if (op.outputs[j] == id)
          reader_.fail(DiagId::BadGraph, node.items[i], "tensor '", graph_.tensor(id).name,
                       "' is a result twice");
    }
  }

  void readAttrs(Op& op, const YamlNode& node) const {
    const std::vector<YamlNode>& items = reader_.map(node, "attrs");
    const OpInfo& info = opInfo(op.kind);
    for (size_t i = 0; i < items.size(); i += 2) {
      const std::string_view name = items[i].text;
      const AttrInfo* known = info.attribute(name);
      if (known == nullptr && op.kind != OpKind::Unknown) {
        std::vector<std::string> names;
        for (const AttrInfo& attribute : info.attributes)
          names.push_back(attribute.name);
        reader_.fail(DiagId::BadAttr, items[i], info.name, " has no attribute '", name, "'",
                     suggestion(name, names));
      }
      op.attrs.set(name, readAttr(items[i + 1], name,
                                  known != nullptr ? known->kind : guessKind(items[i + 1])));
    }
  }

  /// The kind of an unknown op's attribute, from its spelling. An empty list is a list of integers.
  static AttrKind guessKind(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::Sequence) {
      AttrKind kind = AttrKind::Ints;
      for (const YamlNode& item : node.items) {
        const AttrKind one = guessKind(item);
        if (one != AttrKind::Int && one != AttrKind::Float)
          return AttrKind::Strings;
        if (one == AttrKind::Float)
          kind = AttrKind::Floats;
      }
      return kind;
    }
    if (!node.plain)
      return AttrKind::String;
    if (parseInt(node.text))
      return AttrKind::Int;
    return parseReal<double>(node.text) ? AttrKind::Float : AttrKind::String;
  }

  AttrValue readAttr(const YamlNode& node, std::string_view name, AttrKind kind) const {
    try {
      switch (kind) {
      case AttrKind::Int:
        return reader_.integer(node, name, INT64_MIN, INT64_MAX);
      case AttrKind::Float:
        return reader_.real<double>(node, name);
      case AttrKind::String:
        return reader_.string(node, name);
      case AttrKind::Ints:
        return reader_.integers(node, name, INT64_MIN, INT64_MAX);
      case AttrKind::Floats: {
        std::vector<double> values;
        for (const YamlNode& item : reader_.list(node, name))
          values.push_back(reader_.real<double>(item, name));
        return values;
      }
      case AttrKind::Strings: {
        std::vector<std::string> values;
        for (const YamlNode& item : reader_.list(node, name))
          values.push_back(reader_.string(item, name));
        return values;
      }
      }
    } catch (const ReadFailure& failure) {
      Diagnostic diagnostic = failure.error.diagnostic();
      diagnostic.id = DiagId::BadAttr;
      throw ReadFailure{Error(std::move(diagnostic))};
    }
    TIGRIS_UNREACHABLE("attribute kind");
  }

  Port readPort(const YamlNode& node, std::string_view what) const {
    const auto [name, tensorNode, type, shape, perm, state] = reader_.fields(
        node, what,
        std::array<std::string_view, 6>{"name", "tensor", "type", "shape", "perm", "state"});
    Port port;
    port.name = reader_.name(reader_.required(name, node, what, "name"), "port name");
    named(what, port.name,
          [&, name = name, tensorNode = tensorNode, type = type, shape = shape, perm = perm] {
            port.tensor = tensor(tensorNode != nullptr ? *tensorNode : *name);
            const Tensor& stored = graph_.tensor(port.tensor);
            port.type = type != nullptr ? readType(*type) : stored.type;
            port.shape = shape != nullptr ? reader_.shape(*shape, "shape") : stored.shape;
            if (perm != nullptr)
              port.perm = reader_.integers(*perm, "perm", 0, INT16_MAX);
          });
    if (state != nullptr)
      port.state = reader_.name(*state, "state");
    return port;
  }

  const NodeReader& reader_;
  WeightsReader& weights_;
  Graph graph_;
};

/// Builds the module's graph, unverified; throws ReadFailure.
Graph readGraph(std::shared_ptr<const std::string> text, const NodeReader& reader) {
  const auto check = [](Status status) {
    if (!status)
      throw ReadFailure{status.takeError()};
  };
  check(refuseForeign(*text, reader.fileName()));
  const std::vector<YamlDocument> documents = splitDocuments(*text);
  if (documents.empty())
    throw ReadFailure{
        makeError(DiagId::EmptyInput, "the input contains only comments and blank lines")
            .at({reader.fileName(), 0, 0})};
  check(refuseControlBytes(documents[0], reader.fileName()));
  auto tree = parseYaml(documents[0].text, documents[0].line, reader.fileName());
  const bool isProse = !tree || tree->root.kind == YamlNode::Kind::Scalar;
  if (const FileKind* kind = recognizeFile(*text);
      isProse && kind != nullptr && !namesSchema(documents[0].text))
    throw ReadFailure{
        notThisKind(DiagId::BadModule, "a graph module", *kind).at({reader.fileName(), 0, 0})};
  if (!tree)
    throw ReadFailure{tree.takeError()};
  // Checked first: a newer schema may differ in everything else.
  checkSchema(reader, tree->root, "graph", GraphVersion);
  if (documents.size() > 2)
    throw ReadFailure{makeError(DiagId::BadModule,
                                "a module has a graph document and a weights document, not ",
                                documents.size(), " documents")
                          .at({reader.fileName(), documents[2].line, 1})};

  WeightsReader weights(reader, std::move(text));
  if (documents.size() == 2)
    weights.read(documents[1]);
  Graph graph = GraphReader(reader, weights).read(tree->root);
  weights.finish();
  return graph;
}

/// The first error, with the others as notes, and the cycle if no order of the ops is right.
Error firstError(const Graph& graph, const DiagnosticEngine& diagnostics,
                 const std::string& fileName) {
  constexpr size_t MostNotes = 20;
  std::optional<Diagnostic> first;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    if (!first)
      first = diagnostic;
    else if (first->notes.size() < MostNotes)
      first->notes.push_back(strCat("also: ", diagnostic.message));
  }
  TIGRIS_CHECK_MSG(first.has_value(), "the verifier rejected a graph without an error");
  if (first->loc.file.empty())
    first->loc.file = fileName;
  std::vector<std::string> cycle;
  for (const OpId id : firstCycle(graph))
    cycle.push_back(strCat("'", graph.op(id).name, "' (", graph.op(id).kindName(), ")"));
  if (!cycle.empty())
    first->notes.insert(first->notes.begin(), strCat("op ", cycleMessage(cycle)));
  return Error(std::move(*first));
}

/// Types that completeShapes() cannot derive stay unknown: a plugin may replace the operator.
void complete(Graph& graph, const std::string& fileName, DiagnosticEngine* warnings) {
  DiagnosticEngine found;
  completeShapes(graph, found);
  for (Diagnostic diagnostic : found.all())
    if (warnings != nullptr && diagnostic.severity == Severity::Warning) {
      diagnostic.loc.file = fileName;
      warnings->report(std::move(diagnostic));
    }
}

Status finishRead(Graph& graph, const std::string& fileName, DiagnosticEngine* warnings) {
  DiagnosticEngine diagnostics;
  if (!verifyOperators(graph, diagnostics))
    return firstError(graph, diagnostics, fileName);
  complete(graph, fileName, warnings);
  return verifyGraph(graph, diagnostics) ? Status() : firstError(graph, diagnostics, fileName);
}

} // namespace

Expected<Graph> readModule(std::shared_ptr<const std::string> text, const std::string& fileName,
                           DiagnosticEngine* warnings) {
  const NodeReader reader(displayName(fileName));
  try {
    Graph graph = readGraph(std::move(text), reader);
    if (Status status = finishRead(graph, reader.fileName(), warnings); !status)
      return status.takeError();
    return graph;
  } catch (const ReadFailure& failure) {
    return failure.error;
  } catch (const DataError& damage) {
    // Quantization arrays are decoded while reading, and the verifier may read small constants.
    return makeError(DiagId::BadWeights, damage.what()).at({reader.fileName(), 0, 0});
  }
}

} // namespace tigris
