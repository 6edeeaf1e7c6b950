// Runs inference over the operators, and completes the ports before and after them.
#include "tigris/IR/ShapeCompletion.h"

#include "tigris/IR/ShapeInference.h"

namespace tigris {

namespace {

bool completeInput(Graph& graph, const Port& port, DiagnosticEngine& diagnostics) {
  if (graph.tensor(port.tensor).hasShape)
    return true;
  if (port.shape.rank() == 0 || port.type == DType::Undefined || !port.perm.empty()) {
    diagnostics.error(DiagId::DynamicShape, "model input '", port.name,
                      "' has no shape; write one, or 'shape: []' for a scalar, to its tensor '",
                      graph.tensor(port.tensor).name, "'");
    return false;
  }
  Tensor& tensor = graph.editTensor(port.tensor);
  tensor.shape = port.shape;
  tensor.hasShape = true;
  if (tensor.type == DType::Undefined)
    tensor.type = port.type;
  return true;
}

/// The interface shape of a tensor of shape `stored`; that of the tensor if `perm` does not fit.
Shape interfaceShape(const Shape& stored, const std::vector<int64_t>& perm) {
  if (perm.size() != stored.rank())
    return stored;
  Shape shape = stored;
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] >= 0 && static_cast<size_t>(perm[i]) < perm.size())
      shape[static_cast<size_t>(perm[i])] = stored[i];
  return shape;
}

void completeOutput(Graph& graph, size_t index, const Tensor& before,
                    DiagnosticEngine& diagnostics) {
  const Port& port = graph.outputs()[index];
  const Tensor& tensor = graph.tensor(port.tensor);
  const bool typed = port.type != DType::Undefined;
  const DType type = port.type == before.type || !typed ? tensor.type : port.type;
  const Shape shape = interfaceShape(tensor.shape, port.perm);
  const bool stated = before.hasShape || port.shape.rank() > 0;
  if (stated && (shape != port.shape || (typed && type != port.type)))
    diagnostics.warn(DiagId::BadShape, "model output '", port.name, "' is stated as ",
                     typed ? strCat(dtypeName(port.type), " ") : "", port.shape.str(),
                     ", but shape inference derives ", dtypeName(type), " ", shape.str());
  if (type == port.type && shape == port.shape)
    return;
  Port& edited = graph.editOutput(index);
  edited.type = type;
  edited.shape = shape;
}

} // namespace

bool completeShapes(Graph& graph, DiagnosticEngine& diagnostics) {
  std::vector<Tensor> before;
  for (const Port& port : graph.outputs())
    before.push_back(graph.tensor(port.tensor));
  bool complete = true;
  for (const Port& port : graph.inputs())
    complete &= completeInput(graph, port, diagnostics);
  complete &= inferShapes(graph, diagnostics);
  for (size_t i = 0; i < before.size(); ++i)
    if (graph.tensor(graph.outputs()[i].tensor).hasShape)
      completeOutput(graph, i, before[i], diagnostics);
  return complete;
}

} // namespace tigris
