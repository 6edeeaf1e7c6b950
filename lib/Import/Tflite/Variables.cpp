// Follows the assignments in the order of the operators.
#include "tigris/Import/Tflite/Variables.h"

#include "tigris/IR/Elements.h"
#include "tigris/Import/Tflite/GraphScope.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// Whether all elements of a known value are real zeros.
bool isZero(const GraphBuilder& builder, TensorId id) {
  const BlobRef value = builder.values().find(id);
  const Tensor& tensor = builder.tensor(id);
  if (value == nullptr)
    return false;
  const std::vector<double> elements = loadElements<double>(*value, tensor.type);
  const double zero = tensor.quant && !tensor.quant->zeroPoint.empty()
                          ? static_cast<double>(tensor.quant->zeroPoint[0])
                          : 0;
  return std::all_of(elements.begin(), elements.end(),
                     [&](double element) { return element == zero; });
}

} // namespace

std::string Variables::nameOf(const tflite::Operator& handle) {
  const auto* options = handle.builtin_options_as<tflite::VarHandleOptions>();
  if (options == nullptr)
    return "variable";
  const std::string container = textOf(options->container());
  const std::string name = textOf(options->shared_name());
  return container.empty() ? name : strCat(container, "/", name);
}

Variables::Variables(const FlatModel& model) {
  std::set<int32_t> initializers;
  for (const FlatGraph& graph : model.graphs())
    for (const tflite::Operator* op : graph.operators)
      if (const auto* once = op->builtin_options_as<tflite::CallOnceOptions>())
        initializers.insert(once->init_subgraph_index());
  for (size_t i = 0; i < model.graphs().size(); ++i) {
    if (initializers.count(static_cast<int32_t>(i)) != 0)
      continue;
    const GraphScope scope(model, i);
    for (size_t k = 0; k < model.graphs()[i].tensors.size(); ++k)
      if (model.graphs()[i].tensors[k]->is_variable()) {
        assigned_.insert(scope.nameOf(static_cast<int32_t>(k)));
        tensors_.insert(scope.nameOf(static_cast<int32_t>(k)));
      }
    std::map<int32_t, std::string> handles;
    for (const tflite::Operator* op : model.graphs()[i].operators) {
      const std::vector<int32_t> inputs = elementsOf(op->inputs());
      const std::vector<int32_t> outputs = elementsOf(op->outputs());
      const tflite::BuiltinOperator code = model.codeOf(*op).builtin;
      if (code == tflite::BuiltinOperator::VAR_HANDLE && !outputs.empty())
        handles[outputs[0]] = nameOf(*op);
      if (code == tflite::BuiltinOperator::ASSIGN_VARIABLE && !inputs.empty())
        assigned_.insert(handles[inputs[0]]);
    }
  }
}

Expected<TensorId> Variables::read(GraphBuilder& builder, const std::string& name,
                                   const TensorFacts& facts) {
  Variable& variable = variables_[name];
  if (variable.current)
    return variable.current;
  if (assigned_.count(name) == 0) {
    if (!variable.initial)
      return makeError(DiagId::UnsupportedOp, "variable '", name, "' has no value");
    return variable.initial;
  }
  Graph& graph = builder.graph();
  const TensorId input = builder.addTensor(graph.uniqueName(name), facts.type, facts.shape);
  graph.editTensor(input).quant = facts.quant;
  graph.addInput({graph.tensor(input).name, input, facts.portType, facts.shape, {}});
  variable.input = variable.current = input;
  if (tensors_.count(name) != 0)
    return input;
  const bool isLowered =
      facts.quant && !facts.quant->zeroPoint.empty() && facts.quant->zeroPoint[0] != 0;
  if (variable.initial ? isZero(builder, variable.initial) : !isLowered)
    return input;
  if (!variable.initial)
    return makeError(DiagId::UnsupportedOp, "variable '", name,
                     "' is quantized and has no initial value");
  Op select;
  select.kind = OpKind::Where;
  select.name = graph.uniqueName(strCat(name, "_begin"));
  select.inputs = {wasInvoked(builder), input, variable.initial};
  const TensorId value = builder.addResult(graph.uniqueName(strCat(name, "_value")));
  graph.editTensor(value).type = facts.type;
  graph.editTensor(value).quant = facts.quant;
  select.outputs = {value};
  if (Status status = builder.addOp(std::move(select)); !status)
    return status.takeError();
  variable.current = value;
  return value;
}

TensorId Variables::wasInvoked(GraphBuilder& builder) {
  if (wasInvoked_)
    return wasInvoked_;
  Graph& graph = builder.graph();
  wasInvoked_ = builder.addTensor(graph.uniqueName("was_invoked"), DType::Bool, Shape{1});
  graph.addInput({graph.tensor(wasInvoked_).name, wasInvoked_, DType::Bool, Shape{1}, {}});
  return wasInvoked_;
}

Status Variables::assign(GraphBuilder& builder, const std::string& name, TensorId value) {
  Variable& variable = variables_[name];
  if (!isInitializing) {
    variable.current = value;
    return {};
  }
  if (builder.values().find(value) == nullptr)
    return makeError(DiagId::UnsupportedOp, "the initial value of variable '", name,
                     "' is computed at run time");
  variable.initial = value;
  return {};
}

Status Variables::addStates(GraphBuilder& builder) const {
  Graph& graph = builder.graph();
  if (wasInvoked_) {
    const std::string name = graph.tensor(wasInvoked_).name;
    const TensorId value =
        builder.addConstant(graph.uniqueName(name + "_true"),
                            {DType::Bool, Shape{1}, makeBlobOf(std::vector<uint8_t>{1})});
    graph.addOutput({name + "_next", value, DType::Bool, Shape{1}, {}, name});
  }
  for (const auto& [name, variable] : variables_) {
    if (!variable.input)
      continue;
    const Tensor& before = graph.tensor(variable.input);
    const Tensor& after = graph.tensor(variable.current);
    if (before.type != after.type || before.shape != after.shape || before.quant != after.quant)
      return makeError(DiagId::UnsupportedOp, "variable '", name, "' is read as ",
                       dtypeName(before.type), " ", before.shape.str(), " and assigned as ",
                       dtypeName(after.type), " ", after.shape.str(),
                       ", or with another quantization");
    const auto& inputs = graph.inputs();
    const TensorId tensor = variable.input; // clang 14 does not capture structured bindings
    const auto port = std::find_if(inputs.begin(), inputs.end(),
                                   [&](const Port& input) { return input.tensor == tensor; });
    graph.addOutput(
        {strCat(port->name, "_next"), variable.current, port->type, port->shape, {}, port->name});
  }
  return {};
}

} // namespace tigris
