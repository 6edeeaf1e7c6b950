// Binds dimensions in two rounds, first those given by the user, so that a named dimension applies
// to every input.
#include "tigris/Import/Onnx/ModelInterface.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"
#include "tigris/IR/FormatLimits.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

/// A model input without an initializer.
struct FreeInput {
  const onnx::ValueInfoProto* info = nullptr;
  DType type = DType::Undefined;
  const onnx::TensorShapeProto* declared = nullptr;
  const Shape* given = nullptr;
};

/// The name that equal dimensions share; empty if there is none. Some exporters write "?" for
/// "unknown".
std::string nameOf(const Dimension& dim) { return dim.dim_param() == "?" ? "" : dim.dim_param(); }

std::string dimText(const Dimension& dim) {
  if (dim.has_dim_value())
    return strCat(dim.dim_value());
  return nameOf(dim).empty() ? "?" : nameOf(dim);
}

std::string shapeText(const onnx::TensorShapeProto& shape) {
  std::vector<std::string> dims;
  for (const Dimension& dim : shape.dim())
    dims.push_back(dimText(dim));
  return strCat("[", join(dims, ", "), "]");
}

bool isFree(const Dimension& dim) { return !dim.has_dim_value() || dim.dim_value() < 0; }

/// The interface type of a port whose values the model computes in `type`.
DType interfaceType(int32_t declared, DType type) {
  return declared == onnx::TensorProto::FLOAT16 && type == DType::Float32 ? DType::Float16 : type;
}

Expected<FreeInput> describeInput(const onnx::ValueInfoProto& info, const ImportOptions& options,
                                  GraphBuilder& builder) {
  FreeInput input;
  input.info = &info;
  if (!info.type().has_tensor_type())
    return makeError(DiagId::UnsupportedType, "input '", info.name(),
                     "' is not a tensor; sequences, maps and optional inputs are not supported");
  const auto& tensor = info.type().tensor_type();
  const std::optional<DType> type = importedType(tensor.elem_type());
  if (!type)
    return makeError(DiagId::UnsupportedType, "input '", info.name(), "' has elements of type ",
                     onnxTypeName(tensor.elem_type()), ", which no kernel computes in");
  noteFloatType(builder, tensor.elem_type());
  input.type = *type;
  if (tensor.has_shape())
    input.declared = &tensor.shape();
  const auto given = options.inputShapes.find(info.name());
  if (given != options.inputShapes.end())
    input.given = &given->second;
  return input;
}

Status checkGiven(const FreeInput& input) {
  const std::string& name = input.info->name();
  for (const int64_t size : *input.given)
    if (size < 0)
      return makeError(DiagId::Usage, "--input-shape ", name, ": the dimension ", size,
                       " is negative");
  if (input.declared == nullptr)
    return {};
  const std::string declared = shapeText(*input.declared);
  if (input.given->rank() != static_cast<size_t>(input.declared->dim_size()))
    return makeError(DiagId::Usage, "--input-shape ", name, ": ", input.given->str(), " has ",
                     input.given->rank(), " dimensions, the model's ", declared, " has ",
                     input.declared->dim_size());
  for (size_t i = 0; i < input.given->rank(); ++i) {
    const Dimension& dim = input.declared->dim(static_cast<int>(i));
    if (!isFree(dim) && dim.dim_value() != (*input.given)[i])
      return makeError(DiagId::Usage, "--input-shape ", name, ": dimension ", i, " is ",
                       (*input.given)[i], ", the model's ", declared, " fixes it to ",
                       dim.dim_value());
  }
  return {};
}

/// Binds the named dimensions of the given shape; inputs must agree on them.
Status bindNames(const FreeInput& input, SourceGraph& source) {
  if (input.given == nullptr || input.declared == nullptr)
    return {};
  for (size_t i = 0; i < input.given->rank(); ++i) {
    const Dimension& dim = input.declared->dim(static_cast<int>(i));
    if (!isFree(dim) || nameOf(dim).empty())
      continue;
    const int64_t size = (*input.given)[i];
    const std::optional<int64_t> bound = source.boundDimension(nameOf(dim));
    if (bound && *bound != size)
      return makeError(DiagId::Usage, "--input-shape ", input.info->name(), ": dimension ", i,
                       " ('", nameOf(dim), "') is ", size, ", another input binds it to ", *bound);
    source.bindDimension(nameOf(dim), size);
  }
  return {};
}

Expected<Shape> resolveShape(const FreeInput& input, SourceGraph& source,
                             DiagnosticEngine& diagnostics) {
  const std::string& name = input.info->name();
  if (input.given != nullptr)
    return *input.given;
  if (input.declared == nullptr)
    return makeError(DiagId::DynamicShape, "input '", name,
                     "' has no shape; give it one: --input-shape ", name, ":1x3x96x96");
  std::vector<int64_t> dims;
  std::vector<std::string> freed;
  for (int i = 0; i < input.declared->dim_size(); ++i) {
    const Dimension& dim = input.declared->dim(i);
    if (!isFree(dim)) {
      dims.push_back(dim.dim_value());
      continue;
    }
    const std::optional<int64_t> bound =
        nameOf(dim).empty() ? std::nullopt : source.boundDimension(nameOf(dim));
    dims.push_back(bound.value_or(1));
    if (bound)
      continue;
    freed.push_back(nameOf(dim).empty() ? strCat(i) : strCat(i, " ('", nameOf(dim), "')"));
    if (!nameOf(dim).empty())
      source.bindDimension(nameOf(dim), 1);
  }
  Shape shape(dims);
  if (!shape.checkedElements())
    return makeError(DiagId::BadShape, "input '", name, "' has the impossible shape ", shape.str());
  if (!freed.empty())
    diagnostics.warn(DiagId::FreeDimension, "input '", name, "': free dimension",
                     freed.size() == 1 ? " " : "s ", join(freed, ", "),
                     " bound to 1; bind with --input-shape ", name, ":", join(dims, "x"));
  return shape;
}

/// A constant in place of an input, with the same number in every element.
Expected<ConstantData> constantInput(const std::string& name, double number, DType type,
                                     const Shape& shape) {
  if (static_cast<uint64_t>(shape.elements()) * dtypeSize(type) > MaxMadeBytes)
    return makeError(DiagId::Usage, "--input-value ", name, ": a constant of shape ", shape.str(),
                     " and type ", dtypeName(type), " is too large, at most ",
                     formatBytes(MaxMadeBytes), " are made");
  const std::vector<double> values(static_cast<size_t>(shape.elements()), number);
  ConstantData data = {type, shape, storeElements(values, type)};
  if (isInteger(type) && loadElements<double>(*data.data, type) != values)
    return makeError(DiagId::Usage, "--input-value ", name, ": ", number,
                     " is not a number of type ", dtypeName(type));
  return data;
}

Status checkNamesInput(const std::string& name, std::string_view option,
                       const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end())
    return {};
  const std::optional<std::string> near = nearestSpelling(name, names);
  return makeError(DiagId::Usage, option, ": the model has no input '", name, "'",
                   near ? strCat("; did you mean '", *near, "'?")
                        : strCat("; it has ", names.empty() ? "none" : join(names, ", ")));
}

void warnOfOtherShape(const ModelOutput& output, const Shape& actual,
                      DiagnosticEngine& diagnostics) {
  if (output.type == nullptr || !output.type->has_tensor_type() ||
      !output.type->tensor_type().has_shape())
    return;
  const onnx::TensorShapeProto& declared = output.type->tensor_type().shape();
  bool same = static_cast<size_t>(declared.dim_size()) == actual.rank();
  for (size_t i = 0; same && i < actual.rank(); ++i) {
    const Dimension& dim = declared.dim(static_cast<int>(i));
    same = isFree(dim) || dim.dim_value() == actual[i];
  }
  if (!same)
    diagnostics.warn(DiagId::BadShape, "output '", output.name, "' is declared as ",
                     shapeText(declared), ", the model computes ", actual.str());
}

/// The tensor that an output port may expose: one that no other port does.
Expected<TensorId> exposableTensor(const ModelOutput& output, SourceGraph& source,
                                   GraphBuilder& builder, std::set<TensorId>& exposed) {
  TensorId tensor = source.value(source.resolve(output.value)).tensor;
  if (exposed.insert(tensor).second && !builder.tensor(tensor).isConstant())
    return tensor;
  Op copy;
  copy.kind = OpKind::Identity;
  copy.name = source.freshNodeName(strCat(output.name, "_copy"));
  copy.inputs = {tensor};
  tensor = builder.addResult(source.freshValueName(strCat(output.name, "_copy")));
  copy.outputs = {tensor};
  if (Status status = builder.addOp(std::move(copy)); !status)
    return status.takeError();
  exposed.insert(tensor);
  return tensor;
}

} // namespace

Status addInputs(const onnx::GraphProto& onnxGraph, const ImportOptions& options,
                 SourceGraph& source, GraphBuilder& builder, DiagnosticEngine& diagnostics) {
  const int ports = onnxGraph.input_size() - onnxGraph.initializer_size() + onnxGraph.output_size();
  if (ports > static_cast<int>(MaxPlanTensors))
    return makeError(DiagId::UnsupportedOp, "the model has ", ports,
                     " inputs and outputs, a plan supports at most ", MaxPlanTensors, " tensors");
  std::vector<FreeInput> inputs;
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& info : onnxGraph.input()) {
    if (source.value(source.mainScope().values.at(info.name())).initializer != nullptr)
      continue;
    Expected<FreeInput> input = describeInput(info, options, builder);
    if (!input)
      return input.takeError();
    inputs.push_back(*input);
    names.push_back(info.name());
  }
  for (const auto& [name, shape] : options.inputShapes)
    if (Status status = checkNamesInput(name, "--input-shape", names); !status)
      return status;
  for (const auto& [name, number] : options.inputValues)
    if (Status status = checkNamesInput(name, "--input-value", names); !status)
      return status;
  for (const FreeInput& input : inputs) {
    if (input.given != nullptr)
      if (Status status = checkGiven(input); !status)
        return status;
    if (Status status = bindNames(input, source); !status)
      return status;
  }
  for (const FreeInput& input : inputs) {
    Expected<Shape> shape = resolveShape(input, source, diagnostics);
    if (!shape)
      return shape.takeError();
    const std::string& name = input.info->name();
    TensorId& tensor = source.value(source.mainScope().values.at(name)).tensor;
    if (shape->elements() == 0) {
      diagnostics.warn(DiagId::BadShape, "input '", name, "' of shape ", shape->str(),
                       " has no elements; the plan has no such input");
      tensor = builder.addConstant(name, {input.type, *shape, makeBlob({})});
      continue;
    }
    if (const auto fixed = options.inputValues.find(name); fixed != options.inputValues.end()) {
      Expected<ConstantData> data = constantInput(name, fixed->second, input.type, *shape);
      if (!data)
        return data.takeError();
      tensor = builder.addConstant(name, std::move(*data));
      continue;
    }
    tensor = builder.addTensor(name, input.type, *shape);
    const int32_t declared = input.info->type().tensor_type().elem_type();
    builder.graph().addInput({name, tensor, interfaceType(declared, input.type), *shape, {}});
  }
  return {};
}

Expected<std::vector<ModelOutput>> modelOutputs(const onnx::GraphProto& onnxGraph,
                                                const ImportOptions& options, SourceGraph& source) {
  std::vector<ModelOutput> outputs;
  if (options.outputs.empty())
    for (const onnx::ValueInfoProto& output : onnxGraph.output()) {
      Expected<ValueId> value = source.find(source.mainScope(), output.name(), "the model");
      if (!value)
        return value.takeError();
      outputs.push_back({output.name(), *value, &output.type()});
    }
  for (const std::string& name : options.outputs) {
    const std::optional<ValueId> value = source.findInMain(name);
    if (!value) {
      const std::optional<std::string> near = nearestSpelling(name, source.namesInMain());
      return makeError(DiagId::Usage, "--output-tensor: the model has no tensor '", name, "'",
                       near ? strCat("; did you mean '", *near, "'?") : "");
    }
    source.markUsed(name);
    outputs.push_back({name, *value, source.value(*value).declared});
  }
  return outputs;
}

Status addOutputs(const std::vector<ModelOutput>& outputs, SourceGraph& source,
                  GraphBuilder& builder, DiagnosticEngine& diagnostics) {
  Graph& graph = builder.graph();
  std::set<TensorId> exposed;
  std::set<std::string> portNames;
  for (const Port& port : graph.inputs())
    exposed.insert(port.tensor);
  for (const ModelOutput& output : outputs) {
    const Expected<TensorId> tensor = exposableTensor(output, source, builder, exposed);
    if (!tensor)
      return tensor.error();
    const Tensor& stored = graph.tensor(*tensor);
    if (stored.elements() == 0) {
      const Op& op = graph.op(graph.producer(*tensor));
      return makeError(DiagId::UnsupportedOp, "node '", op.name, "' (", op.kindName(),
                       "): the model's output '", output.name, "' of shape ", stored.shape.str(),
                       " has no elements; name the other outputs with --output-tensor");
    }
    warnOfOtherShape(output, stored.shape, diagnostics);
    const int32_t declared = output.type == nullptr ? 0 : output.type->tensor_type().elem_type();
    noteFloatType(builder, declared);
    const std::string name = portNames.count(output.name) == 0 ? output.name : stored.name;
    portNames.insert(name);
    graph.addOutput({name, *tensor, interfaceType(declared, stored.type), stored.shape, {}});
  }
  return {};
}

} // namespace tigris
