// Converts attributes and connects ops with the node that they implement.
#include "tigris/Import/Onnx/NodeContext.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/ModelParser.h"

#include <algorithm>

namespace tigris {

using onnx::AttributeProto;

AttributeProto::AttributeType attrType(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED)
    return attribute.type();
  if (attribute.has_f())
    return AttributeProto::FLOAT;
  if (attribute.has_i())
    return AttributeProto::INT;
  if (attribute.has_s())
    return AttributeProto::STRING;
  if (attribute.has_t())
    return AttributeProto::TENSOR;
  if (attribute.has_g())
    return AttributeProto::GRAPH;
  if (attribute.floats_size() > 0)
    return AttributeProto::FLOATS;
  if (attribute.strings_size() > 0)
    return AttributeProto::STRINGS;
  return AttributeProto::INTS;
}

NodeContext::NodeContext(GraphBuilder& builder, SourceGraph& source, TensorReader& reader,
                         NodeId id, std::vector<TensorId> inputs)
    : builder_(builder), source_(source), reader_(reader), id_(id), node_(source.node(id)),
      proto_(*node_.proto), inputs_(std::move(inputs)) {
  opset_ = opsetVersion(*node_.scope->opsets, proto_.domain());
  if (opset_ == 0)
    opset_ = opsetVersion(*node_.scope->opsets, "");
}

Status NodeContext::requireInputs(size_t count) const {
  for (size_t i = 0; i < count; ++i)
    if (!input(i))
      return refuse(DiagId::BadArity, "input ", i, " is missing");
  return {};
}

bool NodeContext::outputUsed(size_t index) const {
  return index < outputCount() && !proto_.output(static_cast<int>(index)).empty() &&
         SourceGraph::isUsed(*node_.scope, proto_.output(static_cast<int>(index)));
}

const AttributeProto* NodeContext::findAttr(std::string_view name) const {
  for (const AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() != name)
      continue;
    if (attribute.ref_attr_name().empty())
      return &attribute;
    const auto found = node_.scope->arguments.find(attribute.ref_attr_name());
    return found == node_.scope->arguments.end() ? nullptr : found->second;
  }
  return nullptr;
}

Expected<AttrValue> NodeContext::convert(const AttributeProto& attribute) const {
  switch (attrType(attribute)) {
  case AttributeProto::INT:
    return AttrValue(attribute.i());
  case AttributeProto::FLOAT:
    return AttrValue(double{attribute.f()});
  case AttributeProto::STRING:
    return AttrValue(attribute.s());
  case AttributeProto::INTS:
    return AttrValue(std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
  case AttributeProto::FLOATS:
    return AttrValue(std::vector<double>(attribute.floats().begin(), attribute.floats().end()));
  case AttributeProto::STRINGS:
    return AttrValue(
        std::vector<std::string>(attribute.strings().begin(), attribute.strings().end()));
  default:
    return refuse(DiagId::BadAttr, "attribute '", attribute.name(), "' contains a ",
                  AttributeProto::AttributeType_Name(attrType(attribute)),
                  ", expected numbers or text");
  }
}

namespace {

template <typename T>
Expected<T> typed(const NodeContext& node, std::string_view name, const AttributeProto* attribute,
                  T fallback, AttributeProto::AttributeType type, T (*get)(const AttributeProto&)) {
  if (attribute == nullptr)
    return fallback;
  if (attrType(*attribute) != type)
    return node.refuse(DiagId::BadAttr, "attribute '", name, "' is a ",
                       AttributeProto::AttributeType_Name(attrType(*attribute)), ", expected ",
                       AttributeProto::AttributeType_Name(type));
  return get(*attribute);
}

} // namespace

Expected<int64_t> NodeContext::intAttr(std::string_view name, int64_t fallback) const {
  return typed<int64_t>(*this, name, findAttr(name), fallback, AttributeProto::INT,
                        [](const AttributeProto& a) -> int64_t { return a.i(); });
}

Expected<double> NodeContext::floatAttr(std::string_view name, double fallback) const {
  return typed<double>(*this, name, findAttr(name), fallback, AttributeProto::FLOAT,
                       [](const AttributeProto& a) -> double { return a.f(); });
}

Expected<std::string> NodeContext::stringAttr(std::string_view name,
                                              const std::string& fallback) const {
  return typed<std::string>(*this, name, findAttr(name), fallback, AttributeProto::STRING,
                            [](const AttributeProto& a) { return a.s(); });
}

Expected<ConstantData> NodeContext::tensorAttr(std::string_view name) const {
  const AttributeProto* attribute = findAttr(name);
  if (attribute == nullptr || attrType(*attribute) != AttributeProto::TENSOR)
    return refuse(DiagId::BadAttr, "attribute '", name, "' must be a tensor");
  return reader_.read(attribute->t(), strCat(this->name(), ".", name));
}

Expected<AttrMap> NodeContext::attrsFor(OpKind kind,
                                        std::initializer_list<std::string_view> except) const {
  const OpInfo& info = opInfo(kind);
  AttrMap attrs;
  for (const AttributeProto& given : proto_.attribute()) {
    if (std::find(except.begin(), except.end(), given.name()) != except.end())
      continue;
    const AttributeProto* attribute = findAttr(given.name());
    if (attribute == nullptr)
      continue;
    // Attributes of fused operators exist in the IR only.
    const AttrInfo* known = given.name() == "act_min" || given.name() == "act_max"
                                ? nullptr
                                : info.attribute(given.name());
    if (known == nullptr)
      return refuse(DiagId::BadAttr, "attribute '", given.name(), "' is not known in opset ",
                    opset(), " and might change the result");
    Expected<AttrValue> value = convert(*attribute);
    if (!value)
      return value.takeError();
    const auto actual = static_cast<AttrKind>(value->index());
    if (actual != known->kind)
      return refuse(DiagId::BadAttr, "attribute '", given.name(), "' is of kind ",
                    attrKindName(actual), ", expected ", attrKindName(known->kind));
    attrs.set(given.name(), std::move(*value));
  }
  return attrs;
}

AttrMap NodeContext::allAttrs(std::vector<std::string>& dropped) const {
  AttrMap attrs;
  for (const AttributeProto& given : proto_.attribute()) {
    const AttributeProto* attribute = findAttr(given.name());
    if (attribute == nullptr)
      continue;
    if (Expected<AttrValue> value = convert(*attribute))
      attrs.set(given.name(), std::move(*value));
    else
      dropped.push_back(given.name());
  }
  return attrs;
}

Op NodeContext::makeOp(OpKind kind, std::string opName, std::vector<TensorId> inputs,
                       AttrMap attrs) const {
  Op op;
  op.kind = kind;
  op.name = std::move(opName);
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  op.origin = {name()};
  return op;
}

std::vector<TensorId> NodeContext::makeResults(const OpInfo& info, size_t count) {
  std::vector<TensorId> results;
  const std::vector<ValueId> values = source_.outputs(id_);
  for (size_t i = 0; i < count; ++i) {
    const bool optional = i < info.results.size() && info.results[i].optional;
    if (!values[i] || (optional && !outputUsed(i))) {
      results.emplace_back();
      continue;
    }
    SourceValue& value = source_.value(values[i]);
    value.tensor = builder_.addResult(value.name);
    results.push_back(value.tensor);
  }
  return results;
}

Status NodeContext::finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs) {
  const OpInfo& info = opInfo(kind);
  size_t count = outputCount();
  // Unused results cost nothing and must not make an operator unsupported.
  if (info.maxResults() != SIZE_MAX)
    while (count > 1 && !outputUsed(count - 1))
      --count;
  if (count > info.maxResults())
    return refuse(DiagId::BadArity, "has ", count, " outputs, expected at most ",
                  info.maxResults());
  Op op = makeOp(kind, name(), std::move(inputs), std::move(attrs));
  op.outputs = makeResults(info, count);
  return builder_.addOp(std::move(op));
}

Status NodeContext::finishPlain(OpKind kind, std::initializer_list<std::string_view> except) {
  Expected<AttrMap> attrs = attrsFor(kind, except);
  if (!attrs)
    return attrs.takeError();
  return finish(kind, inputs_, std::move(*attrs));
}

Expected<TensorId> NodeContext::step(std::string_view suffix, OpKind kind,
                                     std::vector<TensorId> inputs, AttrMap attrs) {
  Expected<std::vector<TensorId>> results =
      steps(suffix, kind, std::move(inputs), std::move(attrs), 1);
  if (!results)
    return results.takeError();
  return results->front();
}

Expected<std::vector<TensorId>> NodeContext::steps(std::string_view suffix, OpKind kind,
                                                   std::vector<TensorId> inputs, AttrMap attrs,
                                                   size_t count) {
  const std::string base = strCat(name(), "_", suffix);
  Op op = makeOp(kind, source_.freshNodeName(base), std::move(inputs), std::move(attrs));
  for (size_t i = 0; i < count; ++i)
    op.outputs.push_back(builder_.addResult(source_.freshValueName(base)));
  std::vector<TensorId> results = op.outputs;
  if (Status status = builder_.addOp(std::move(op)); !status)
    return status.takeError();
  return results;
}

Status NodeContext::finishOutput(size_t index, OpKind kind, std::vector<TensorId> inputs,
                                 AttrMap attrs) {
  SourceValue& value = source_.value(source_.outputs(id_)[index]);
  Op op = makeOp(kind, source_.freshNodeName(strCat(name(), "_", index)), std::move(inputs),
                 std::move(attrs));
  value.tensor = builder_.addResult(value.name);
  op.outputs = {value.tensor};
  return builder_.addOp(std::move(op));
}

Status NodeContext::limitTable(const Shape& shape, DType type) const {
  const std::optional<int64_t> elements = shape.checkedElements();
  if (elements && static_cast<uint64_t>(*elements) * dtypeSize(type) <= MaxMadeBytes)
    return {};
  return unsupported("it needs a table of shape ", shape.str(), " and type ", dtypeName(type),
                     ", at most ", formatBytes(MaxMadeBytes), " are made");
}

TensorId NodeContext::constant(std::string_view suffix, DType type, Shape shape, BlobRef data) {
  return builder_.addConstant(source_.freshValueName(strCat(name(), "_", suffix)),
                              {type, std::move(shape), std::move(data)});
}

TensorId NodeContext::scalar(std::string_view suffix, float value) {
  return constant(suffix, DType::Float32, Shape(), makeBlobOf(std::vector<float>{value}));
}

TensorId NodeContext::scalarOf(std::string_view suffix, DType type, double value) {
  return constant(suffix, type, Shape(), storeElements(std::vector<double>{value}, type));
}

Status NodeContext::finishUnknown() {
  std::vector<std::string> dropped;
  Op op = makeOp(OpKind::Unknown, name(), inputs_, allAttrs(dropped));
  op.unknownKind = strCat(isDefaultDomain(domain()) ? "ai.onnx" : domain(), "::", opType());
  if (!dropped.empty())
    return unsupported("attribute '", dropped.front(),
                       "' contains a tensor or a graph, which an unknown operator cannot have");
  const std::vector<ValueId> values = source_.outputs(id_);
  for (const ValueId id : values) {
    if (!id) {
      op.outputs.emplace_back();
      continue;
    }
    SourceValue& value = source_.value(id);
    Tensor tensor;
    tensor.name = value.name;
    const onnx::TypeProto* declared = value.declared;
    if (declared == nullptr || !declared->has_tensor_type() || !declared->tensor_type().has_shape())
      return refuse(DiagId::DynamicShape, "the model declares no type and shape for output '",
                    value.name, "', and nothing is known about the operator");
    const std::optional<DType> type = importedType(declared->tensor_type().elem_type());
    if (!type)
      return refuse(DiagId::UnsupportedType, "output '", value.name, "' is of type ",
                    onnxTypeName(declared->tensor_type().elem_type()));
    noteFloatType(builder_, declared->tensor_type().elem_type());
    tensor.type = *type;
    std::vector<int64_t> dims;
    for (const auto& dim : declared->tensor_type().shape().dim()) {
      const std::optional<int64_t> size = dim.has_dim_value()
                                              ? std::optional(int64_t{dim.dim_value()})
                                              : source_.boundDimension(dim.dim_param());
      if (!size)
        return refuse(DiagId::DynamicShape, "output '", value.name, "' has the free dimension '",
                      dim.dim_param(), "', and nothing is known about the operator");
      dims.push_back(*size);
    }
    tensor.shape = Shape(std::move(dims));
    if (!tensor.shape.checkedElements())
      return refuse(DiagId::BadShape, "output '", value.name, "' has the impossible shape ",
                    tensor.shape.str());
    value.tensor = builder_.graph().addTensor(std::move(tensor));
    op.outputs.push_back(value.tensor);
  }
  return builder_.addOp(std::move(op));
}

} // namespace tigris
