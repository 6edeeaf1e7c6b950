// Adds a body in three steps: the names it defines, its nodes, and the outer names of its outputs.
#include "tigris/Import/Onnx/SourceGraph.h"

#include "tigris/Import/Onnx/ModelParser.h"
#include "tigris/Support/FreeName.h"

#include <algorithm>

namespace tigris {

namespace {

/// Functions must not be recursive; this limit detects it.
constexpr unsigned MaxDepth = 64;

std::string functionKey(std::string_view domain, std::string_view name) {
  return strCat(isDefaultDomain(domain) ? std::string_view() : domain, "::", name);
}

void collectUses(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                 std::unordered_set<std::string_view>& used) {
  // Branches may nest; an explicit list keeps hostile files from determining the recursion depth.
  std::vector<const onnx::NodeProto*> pending;
  for (const onnx::NodeProto& node : nodes)
    pending.push_back(&node);
  while (!pending.empty()) {
    const onnx::NodeProto* node = pending.back();
    pending.pop_back();
    used.insert(node->input().begin(), node->input().end());
    for (const onnx::AttributeProto& attribute : node->attribute()) {
      for (const onnx::NodeProto& inner : attribute.g().node())
        pending.push_back(&inner);
      for (const onnx::ValueInfoProto& output : attribute.g().output())
        used.insert(output.name());
    }
  }
}

/// A node that all iterations of a loop can share.
bool isConstantNode(const onnx::NodeProto& node) {
  return node.op_type() == "Constant" && isDefaultDomain(node.domain());
}

std::string freshName(std::set<std::string, std::less<>>& taken, const std::string& base) {
  std::string name =
      firstFreeName(base, [&](const std::string& one) { return taken.count(one) != 0; });
  taken.insert(name);
  return name;
}

} // namespace

SourceGraph::SourceGraph(const onnx::ModelProto& model) : model_(model) {
  for (const onnx::FunctionProto& function : model.functions())
    functions_.emplace(functionKey(function.domain(), function.name()), &function);
  // Reserves the names in the file before names are generated.
  for (const onnx::NodeProto& node : model.graph().node())
    valueNames_.insert(node.output().begin(), node.output().end());
}

std::string SourceGraph::freshValueName(const std::string& base) {
  return freshName(valueNames_, base);
}
std::string SourceGraph::freshNodeName(const std::string& base) {
  return freshName(nodeNames_, base);
}

std::optional<int64_t> SourceGraph::boundDimension(const std::string& symbol) const {
  const auto found = dimensions_.find(symbol);
  return found == dimensions_.end() ? std::nullopt : std::optional(found->second);
}

const onnx::FunctionProto* SourceGraph::calledFunction(const SourceNode& node) const {
  const auto found = functions_.find(functionKey(node.proto->domain(), node.proto->op_type()));
  return found == functions_.end() ? nullptr : found->second;
}

ValueId SourceGraph::addValue(Scope& scope, std::string_view name) {
  const ValueId id(static_cast<uint32_t>(values_.size()));
  SourceValue value;
  // The main graph's names are unique; those of bodies may repeat.
  value.name =
      &scope == &scopes_.front() ? std::string(name) : freshValueName(strCat(scope.prefix, name));
  valueNames_.insert(value.name);
  values_.push_back(std::move(value));
  scope.values[name] = id;
  return id;
}

Expected<ValueId> SourceGraph::defineValue(Scope& scope, std::string_view name,
                                           const std::string& what) {
  if (name.empty())
    return makeError(DiagId::BadModel, what, " has no name");
  const auto found = scope.values.find(name);
  if (found == scope.values.end())
    return addValue(scope, name);
  const SourceValue* value = found->second ? &values_[found->second.index()] : nullptr;
  std::string earlier = "an input";
  if (value != nullptr && value->initializer != nullptr)
    earlier = "an initializer";
  else if (value != nullptr && value->producer)
    earlier = strCat("the output of node '", nodes_[value->producer.index()].name, "'");
  return makeError(DiagId::DuplicateName, what, " defines '", name, "', which is ", earlier,
                   " already");
}

Status SourceGraph::addInitializers(Scope& scope, const onnx::GraphProto& graph) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    Expected<ValueId> id = defineValue(scope, tensor.name(), "an initializer");
    if (!id)
      return id.takeError();
    value(*id).initializer = &tensor;
  }
  for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer())
    return makeError(DiagId::UnsupportedType, "initializer '", sparse.values().name(),
                     "' is sparse; store it as a dense tensor");
  return {};
}

Status SourceGraph::addNode(Scope& scope, const onnx::NodeProto& proto) {
  const NodeId id(static_cast<uint32_t>(nodes_.size()));
  SourceNode node;
  node.proto = &proto;
  node.scope = &scope;
  node.name = proto.name();
  if (node.name.empty())
    node.name = strCat(proto.op_type(), "_", (*scope.nameless)[proto.op_type()]++);
  node.name = freshNodeName(strCat(scope.prefix, node.name));
  nodes_.push_back(std::move(node));
  for (const std::string& output : proto.output()) {
    if (output.empty())
      continue;
    const auto result = scope.results.find(output);
    if (result != scope.results.end() && scope.values.emplace(output, result->second).second) {
      value(result->second).producer = id;
      continue;
    }
    Expected<ValueId> defined =
        defineValue(scope, output, strCat("node '", nodes_.back().name, "'"));
    if (!defined)
      return defined.takeError();
    value(*defined).producer = id;
  }
  return {};
}

Status SourceGraph::addNodes(Scope& scope,
                             const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  for (const onnx::NodeProto& node : nodes)
    if (Status status = addNode(scope, node); !status)
      return status;
  collectUses(nodes, scope.used);
  return {};
}

void SourceGraph::addDeclarations(
    Scope& scope, const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos) {
  for (const onnx::ValueInfoProto& info : infos) {
    const auto found = scope.values.find(info.name());
    if (found != scope.values.end())
      value(found->second).declared = &info.type();
  }
}

Status SourceGraph::addMain() {
  const onnx::GraphProto& graph = model_.graph();
  Scope& scope = scopes_.emplace_back();
  scope.opsets = &model_.opset_import();
  if (Status status = addInitializers(scope, graph); !status)
    return status;
  std::unordered_set<std::string_view> seen;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (input.name().empty())
      return makeError(DiagId::BadModel, "an input has no name");
    if (!seen.insert(input.name()).second)
      return makeError(DiagId::DuplicateName, "the model has two inputs '", input.name(), "'");
    // Up to IR version 3 every initializer is also listed as an input.
    if (scope.values.count(input.name()) == 0)
      addValue(scope, input.name());
  }
  if (Status status = addNodes(scope, graph.node()); !status)
    return status;
  addDeclarations(scope, graph.value_info());
  addDeclarations(scope, graph.output());
  for (const onnx::ValueInfoProto& output : graph.output())
    scope.used.insert(output.name());
  return {};
}

Expected<Scope*> SourceGraph::openScope(const SourceNode& call, const Scope* parent) {
  if (call.scope->depth >= MaxDepth)
    return makeError(DiagId::BadModel, "node '", call.name, "' (", call.proto->op_type(),
                     "): functions and branches nest deeper than ", MaxDepth,
                     "; does a function call itself?");
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.depth = call.scope->depth + 1;
  return &scope;
}

Status SourceGraph::addBody(Scope& scope, NodeId call, const std::vector<std::string_view>& names,
                            const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                            const std::string& reader) {
  const std::vector<ValueId> results = outputs(call);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i])
      scope.results.emplace(names[i], results[i]);
  if (Status status = addNodes(scope, nodes); !status)
    return status;
  scope.used.insert(names.begin(), names.end());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || value(results[i]).producer != call)
      continue;
    // Not written by a node of the body, or listed twice: an alias of the value that the body
    // passes on.
    Expected<ValueId> inner = find(scope, names[i], reader);
    if (!inner)
      return inner.takeError();
    const ValueId target = resolve(*inner);
    if (!target || target == results[i])
      return makeError(DiagId::BadModel, reader, ": its output '", value(results[i]).name,
                       target ? "' depends on itself" : "' is an omitted input");
    replaceResult(results[i], target);
  }
  return {};
}

Status SourceGraph::addBranch(NodeId call, const onnx::GraphProto& branch) {
  const SourceNode& caller = node(call);
  Expected<Scope*> scope = openScope(caller, caller.scope);
  if (!scope)
    return scope.takeError();
  Scope& body = **scope;
  body.opsets = caller.scope->opsets;
  body.arguments = caller.scope->arguments;
  body.prefix = caller.scope->prefix;
  body.nameless = caller.scope->nameless;
  if (Status status = addInitializers(body, branch); !status)
    return status;
  std::vector<std::string_view> names;
  for (const onnx::ValueInfoProto& output : branch.output())
    names.push_back(output.name());
  const std::string reader = strCat("node '", caller.name, "' (If)");
  const std::vector<ValueId> results = outputs(call);
  if (names.size() < results.size())
    return makeError(DiagId::BadModel, reader, ": it has ", results.size(), " outputs, its branch ",
                     names.size());
  if (Status status = addBody(body, call, names, branch.node(), reader); !status)
    return status;
  addDeclarations(body, branch.value_info());
  return {};
}

Expected<Scope*> SourceGraph::openLoop(NodeId call, const onnx::GraphProto& body) {
  const SourceNode& caller = node(call);
  Expected<Scope*> scope = openScope(caller, caller.scope);
  if (!scope)
    return scope;
  Scope& loop = **scope;
  loop.opsets = caller.scope->opsets;
  loop.arguments = caller.scope->arguments;
  loop.prefix = strCat(caller.name, "/");
  if (Status status = addInitializers(loop, body); !status)
    return status.takeError();
  for (const onnx::NodeProto& one : body.node())
    if (isConstantNode(one))
      if (Status status = addNode(loop, one); !status)
        return status.takeError();
  return scope;
}

Expected<SourceGraph::Iteration> SourceGraph::addIteration(NodeId call, const Scope& loop,
                                                           const onnx::GraphProto& body,
                                                           int64_t iteration,
                                                           const std::vector<ValueId>& arguments) {
  const SourceNode& caller = node(call);
  Scope& scope = scopes_.emplace_back();
  scope.parent = &loop;
  scope.depth = loop.depth;
  scope.opsets = loop.opsets;
  scope.arguments = loop.arguments;
  scope.prefix = strCat(loop.prefix, iteration, "/");
  for (size_t i = 0; i < arguments.size(); ++i)
    scope.values[body.input(static_cast<int>(i)).name()] = arguments[i];
  for (const onnx::NodeProto& one : body.node())
    if (!isConstantNode(one)) {
      ++iterationNodes_;
      if (Status status = addNode(scope, one); !status)
        return status.takeError();
    }
  collectUses(body.node(), scope.used);
  addDeclarations(scope, body.value_info());
  Iteration added = {&scope, {}};
  const std::string reader = strCat("node '", caller.name, "' (", caller.proto->op_type(), ")");
  for (const onnx::ValueInfoProto& output : body.output()) {
    scope.used.insert(output.name());
    Expected<ValueId> result = find(scope, output.name(), reader);
    if (!result)
      return result.takeError();
    added.results.push_back(resolve(*result));
  }
  return added;
}

ValueId SourceGraph::addComputed(TensorId tensor) {
  const ValueId id(static_cast<uint32_t>(values_.size()));
  values_.emplace_back().tensor = tensor;
  return id;
}

void SourceGraph::replaceResult(ValueId result, ValueId target) {
  value(result).producer = NodeId();
  value(result).alias = target;
}

Status SourceGraph::addFunction(NodeId call, const onnx::FunctionProto& function) {
  const SourceNode& caller = node(call);
  const std::string reader = strCat("node '", caller.name, "' (", function.name(), ")");
  Expected<std::vector<ValueId>> actual = inputs(call);
  if (!actual)
    return actual.takeError();
  const std::vector<ValueId> results = outputs(call);
  if (actual->size() > static_cast<size_t>(function.input_size()) ||
      results.size() > static_cast<size_t>(function.output_size()))
    return makeError(DiagId::BadArity, reader, ": it has ", actual->size(), " inputs and ",
                     results.size(), " outputs, the function ", function.input_size(), " and ",
                     function.output_size());
  Expected<Scope*> scope = openScope(caller, nullptr);
  if (!scope)
    return scope.takeError();
  Scope& body = **scope;
  body.opsets = &function.opset_import();
  body.prefix = strCat(caller.name, "/");
  for (const onnx::AttributeProto& preset : function.attribute_proto())
    body.arguments[preset.name()] = &preset;
  for (const onnx::AttributeProto& given : caller.proto->attribute()) {
    const onnx::AttributeProto* argument = &given;
    if (!given.ref_attr_name().empty()) {
      const auto found = caller.scope->arguments.find(given.ref_attr_name());
      if (found == caller.scope->arguments.end())
        continue;
      argument = found->second;
    }
    body.arguments[given.name()] = argument;
  }
  for (size_t i = 0; i < static_cast<size_t>(function.input_size()); ++i)
    // An omitted argument is an omitted input wherever the body refers to it.
    body.values[function.input(static_cast<int>(i))] =
        i < actual->size() ? (*actual)[i] : ValueId();
  const std::vector<std::string_view> names(function.output().begin(), function.output().end());
  return addBody(body, call, names, function.node(), reader);
}

ValueId SourceGraph::resolve(ValueId id) const {
  while (id && values_[id.index()].alias)
    id = values_[id.index()].alias;
  return id;
}

Expected<ValueId> SourceGraph::find(const Scope& scope, std::string_view name,
                                    const std::string& reader) const {
  for (const Scope* at = &scope; at != nullptr; at = at->parent) {
    const auto found = at->values.find(name);
    if (found != at->values.end())
      return found->second;
  }
  return makeError(DiagId::BadModel, reader, " reads '", name, "', which nothing defines");
}

std::optional<ValueId> SourceGraph::findInMain(std::string_view name) const {
  const auto found = mainScope().values.find(name);
  return found == mainScope().values.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> SourceGraph::namesInMain() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : mainScope().values)
    names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Expected<std::vector<ValueId>> SourceGraph::inputs(NodeId id) const {
  const SourceNode& reader = nodes_[id.index()];
  std::vector<ValueId> result;
  for (const std::string& name : reader.proto->input()) {
    if (name.empty()) {
      result.emplace_back();
      continue;
    }
    Expected<ValueId> found = find(
        *reader.scope, name, strCat("node '", reader.name, "' (", reader.proto->op_type(), ")"));
    if (!found)
      return found.takeError();
    result.push_back(resolve(*found));
  }
  return result;
}

std::vector<ValueId> SourceGraph::outputs(NodeId id) const {
  const SourceNode& writer = nodes_[id.index()];
  std::vector<ValueId> result;
  for (const std::string& name : writer.proto->output())
    result.push_back(name.empty() ? ValueId() : writer.scope->values.find(name)->second);
  return result;
}

} // namespace tigris
