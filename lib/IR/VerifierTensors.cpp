// Verifier: tensors and the model's interface.
#include "tigris/IR/VerifierRules.h"

#include "tigris/IR/FormatLimits.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tigris::verify {

namespace {

void checkQuant(const Tensor& tensor, DiagnosticEngine& diagnostics) {
  const QuantParam& quant = *tensor.quant;
  const auto fail = [&](DiagId id, const auto&... text) {
    diagnostics.error(id, "tensor '", tensor.name, "': ", text...);
  };
  if (!isInteger(tensor.type) || tensor.type == DType::Bool)
    return fail(DiagId::BadType, "is ", dtypeName(tensor.type),
                ", but only integers are quantized");
  if (quant.scale.size() != quant.zeroPoint.size())
    return fail(DiagId::BadValue, "has ", quant.scale.size(), " scales and ",
                quant.zeroPoint.size(), " zero points");
  if (quant.axis < -1 ||
      (quant.axis >= 0 && static_cast<size_t>(quant.axis) >= tensor.shape.rank()))
    return fail(DiagId::BadValue, "is quantized along axis ", quant.axis,
                ", outside a tensor of rank ", tensor.shape.rank());
  const int64_t expected =
      quant.perChannel() ? tensor.shape[static_cast<size_t>(quant.axis)] : int64_t{1};
  if (static_cast<int64_t>(quant.scale.size()) != expected)
    return fail(DiagId::BadValue, "has ", quant.scale.size(), " scales, expected ", expected);
  for (const float scale : quant.scale)
    if (!std::isfinite(scale) || !(scale > 0))
      return fail(DiagId::BadValue, "has a scale of ", formatFloat(scale),
                  ", expected a positive number");
  for (const int32_t zeroPoint : quant.zeroPoint)
    if (zeroPoint < dtypeMin(tensor.type) || zeroPoint > dtypeMax(tensor.type))
      return fail(DiagId::BadValue, "has the zero point ", zeroPoint, ", outside ",
                  dtypeName(tensor.type));
}

void checkTensor(const Graph& graph, TensorId id, DiagnosticEngine& diagnostics) {
  const Tensor& tensor = graph.tensor(id);
  const auto fail = [&](DiagId diagId, const auto&... text) {
    diagnostics.error(diagId, "tensor '", tensor.name, "': ", text...);
  };
  if (tensor.name.empty())
    fail(DiagId::BadGraph, "has no name");
  if (!tensor.hasShape) {
    if (tensor.isConstant() || graph.form() != GraphForm::Imported)
      fail(DiagId::DynamicShape, "has no shape");
    return;
  }
  if (tensor.type == DType::Undefined)
    fail(DiagId::BadType, "has no element type");
  if (!tensor.shape.checkedElements())
    return fail(DiagId::BadShape, "shape ", tensor.shape.str(), " is impossible; at most ",
                Shape::MaxElements, " elements are");
  if (graph.form() != GraphForm::Imported && static_cast<uint64_t>(tensor.bytes()) > MaxTensorBytes)
    return fail(DiagId::UnsupportedOp, "has ", tensor.bytes(), " bytes, a plan supports at most ",
                MaxTensorBytes);
  if (tensor.isConstant()) {
    if (tensor.data->size() != tensor.bytes())
      fail(DiagId::BadWeights, "has ", tensor.data->size(), " bytes of data, expected ",
           tensor.bytes(), " for ", dtypeName(tensor.type), " ", tensor.shape.str());
    if (graph.producer(id))
      fail(DiagId::BadGraph, "is a constant, but op '", graph.op(graph.producer(id)).name,
           "' writes it");
  }
  if (tensor.quant)
    checkQuant(tensor, diagnostics);
  else if ((tensor.type == DType::Int8 || tensor.type == DType::Int16) && !tensor.isConstant() &&
           graph.form() != GraphForm::Imported)
    fail(DiagId::BadType, "is ", dtypeName(tensor.type), ", but has no scale and zero point");
}

bool isPermutation(std::vector<int64_t> perm) {
  std::sort(perm.begin(), perm.end());
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

/// Whether a port of this type may represent the stored tensor (see Port).
bool typesAgree(DType port, const Tensor& tensor) {
  if (port == tensor.type || (port == DType::Float16 && tensor.type == DType::Float32))
    return true;
  if (!tensor.quant || (tensor.type != DType::Int8 && tensor.type != DType::Int16))
    return false;
  return port == DType::Float32 || port == DType::Float16 ||
         port == (tensor.type == DType::Int8 ? DType::UInt8 : DType::UInt16);
}

class PortChecker {
public:
  PortChecker(const Graph& graph, DiagnosticEngine& diagnostics)
      : graph_(graph), diagnostics_(diagnostics) {}

  void check(const Port& port, const char* direction) {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const auto fail = [&](DiagId id, const auto&... text) {
      diagnostics_.error(id, "model ", direction, " '", port.name, "': ", text...);
    };
    if (port.name.empty())
      fail(DiagId::BadGraph, "has no name");
    if (!typesAgree(port.type, tensor))
      fail(DiagId::BadType, "is ", dtypeName(port.type), ", but tensor '", tensor.name, "' is ",
           dtypeName(tensor.type), tensor.quant ? " (quantized)" : "");
    if (!tensor.hasShape)
      return;
    if (port.perm.empty()) {
      if (port.shape != tensor.shape)
        fail(DiagId::BadShape, "has shape ", port.shape.str(), ", but tensor '", tensor.name,
             "' has ", tensor.shape.str());
      return;
    }
    if (port.perm.size() != port.shape.rank() || !isPermutation(port.perm))
      fail(DiagId::BadShape, "'perm' is [", join(port.perm, ", "),
           "], expected an order of the axes of ", port.shape.str());
    else if (permute(port.shape, port.perm) != tensor.shape)
      fail(DiagId::BadShape, "has shape ", port.shape.str(), " and perm [", join(port.perm, ", "),
           "], but tensor '", tensor.name, "' has ", tensor.shape.str());
  }

  void checkStates() {
    std::set<std::string_view> bound;
    for (const Port& port : graph_.inputs())
      if (!port.state.empty())
        diagnostics_.error(DiagId::BadGraph, "model input '", port.name,
                           "': only outputs have a state");
    for (const Port& port : graph_.outputs()) {
      if (port.state.empty())
        continue;
      const auto found = std::find_if(graph_.inputs().begin(), graph_.inputs().end(),
                                      [&](const Port& input) { return input.name == port.state; });
      const auto fail = [&](const auto&... text) {
        diagnostics_.error(DiagId::BadGraph, "model output '", port.name, "': its state '",
                           port.state, "' ", text...);
      };
      if (found == graph_.inputs().end()) {
        fail("is not a model input");
        continue;
      }
      if (!bound.insert(port.state).second)
        fail("is already used by another output");
      if (found->type != port.type || found->shape != port.shape)
        fail("is ", dtypeName(found->type), " ", found->shape.str(), ", it is ",
             dtypeName(port.type), " ", port.shape.str());
    }
  }

  void checkAll(const std::vector<Port>& ports, const char* direction) {
    std::set<std::string_view> names;
    for (const Port& port : ports) {
      if (!names.insert(port.name).second)
        diagnostics_.error(DiagId::DuplicateName, "two model ", direction, "s are named '",
                           port.name, "'");
      check(port, direction);
    }
  }

private:
  const Graph& graph_;
  DiagnosticEngine& diagnostics_;
};

} // namespace

void checkTensors(const Graph& graph, DiagnosticEngine& diagnostics) {
  const std::vector<TensorId> tensors = graph.tensors();
  if (graph.form() != GraphForm::Imported && tensors.size() > MaxPlanTensors)
    diagnostics.error(DiagId::UnsupportedOp, "the model has ", tensors.size(),
                      " tensors, a plan supports at most ", MaxPlanTensors);
  for (const TensorId id : tensors)
    checkTensor(graph, id, diagnostics);
}

void checkSources(const Graph& graph, DiagnosticEngine& diagnostics) {
  for (const TensorId id : graph.tensors())
    if (!graph.producer(id))
      checkTensor(graph, id, diagnostics);
}

void checkPorts(const Graph& graph, DiagnosticEngine& diagnostics) {
  PortChecker checker(graph, diagnostics);
  checker.checkAll(graph.inputs(), "input");
  checker.checkAll(graph.outputs(), "output");
  checker.checkStates();
  std::set<TensorId> seen;
  for (const Port& port : graph.inputs()) {
    const Tensor& tensor = graph.tensor(port.tensor);
    if (tensor.isConstant())
      diagnostics.error(DiagId::BadGraph, "model input '", port.name, "': tensor '", tensor.name,
                        "' is a constant");
    if (const OpId producer = graph.producer(port.tensor))
      diagnostics.error(DiagId::BadGraph, "model input '", port.name, "': op '",
                        graph.op(producer).name, "' writes tensor '", tensor.name, "'");
    if (!seen.insert(port.tensor).second)
      diagnostics.error(DiagId::BadGraph, "model input '", port.name, "': tensor '", tensor.name,
                        "' is another input already");
  }
}

} // namespace tigris::verify
