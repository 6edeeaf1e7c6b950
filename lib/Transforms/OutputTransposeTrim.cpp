// output-transpose-trim and input-transpose-trim: the host, not the firmware, converts the axis
// order of the interface.
//
//   ... -> Transpose([0,3,1,2]) -> output y     becomes   port y with perm [0,2,3,1], channels-last
//   input x -> Transpose([0,2,3,1]) -> ...      becomes   port x with perm [0,2,3,1], channels-last
//
// The firmware reads and writes tensors in the order of the kernels (cameras deliver channels last
// anyway). The port records how that order relates to the model's, and host tools convert. An input
// is trimmed only if all its readers use the same order. A Transpose that stays, but only moves
// dimensions of size 1, becomes a Reshape.
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"
#include "tigris/Transforms/TransposeCancel.h"

namespace tigris {

namespace {

constexpr const char* OutputDoc =
    R"(A Transpose that only produces a model output becomes a property of the output's port; its
tensor stays channels-last.

    Conv -> Transpose([0, 3, 1, 2]) -> output    ->   Conv -> output {perm: [0, 2, 3, 1]})";
constexpr const char* InputDoc =
    R"(A model input that is read only through Transposes with the same permutation is stored in
that order.

    input -> Transpose([0, 2, 3, 1]) -> Conv    ->   input {perm: [0, 2, 3, 1]} -> Conv)";

Perm portPerm(const Port& port) {
  if (!port.perm.empty())
    return port.perm;
  Perm identity(port.shape.rank());
  for (size_t i = 0; i < identity.size(); ++i)
    identity[i] = static_cast<int64_t>(i);
  return identity;
}

void setPortPerm(Port& port, Perm perm) {
  port.perm = isIdentityPerm(perm) ? Perm() : std::move(perm);
}

PassStatus trimOutputs(Graph& graph, PassContext&) {
  bool changed = false;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const TensorId result = graph.outputs()[i].tensor;
    const auto perm = transposePerm(graph, result);
    if (!perm)
      continue;
    const OpId transpose = graph.producer(result);
    const TensorId source = graph.op(transpose).input(0);
    if (graph.tensor(source).isConstant() || graph.isGraphInput(source))
      continue;
    // stored = Transpose(result, inverse(perm)), and result is interface dimension portPerm.
    const Perm stored = composePerm(portPerm(graph.outputs()[i]), inversePerm(*perm));
    graph.setOutputTensor(i, source);
    setPortPerm(graph.editOutput(i), stored);
    eraseIfDead(graph, transpose);
    changed = true;
  }
  if (changed)
    graph.eraseUnusedTensors();
  return changedIf(changed);
}

bool trimInput(Graph& graph, size_t index) {
  const TensorId stored = graph.inputs()[index].tensor;
  const std::vector<OpId> users = graph.users(stored);
  if (users.empty() || graph.isGraphOutput(stored))
    return false;
  std::optional<Perm> perm;
  for (const OpId user : users) {
    if (graph.op(user).kind != OpKind::Transpose)
      return false;
    const auto here = transposePerm(graph, graph.op(user).output());
    if ((perm && here != perm) || graph.isGraphOutput(graph.op(user).output()))
      return false;
    perm = here;
  }
  const TensorId first = graph.op(users.front()).output();
  for (const OpId user : users) {
    const TensorId result = graph.op(user).output();
    graph.eraseOp(user);
    graph.replaceAllUses(result, first);
  }
  graph.setInputTensor(index, first);
  setPortPerm(graph.editInput(index), composePerm(portPerm(graph.inputs()[index]), *perm));
  return true;
}

/// The Transposes that read an input which other operators read in its own order.
bool reshapeReaders(Graph& graph, TensorId input) {
  bool changed = false;
  for (const OpId user : std::vector<OpId>(graph.users(input)))
    if (graph.op(user).kind == OpKind::Transpose && !graph.isGraphOutput(graph.op(user).output()))
      changed |= reshapeInstead(graph, user);
  return changed;
}

PassStatus trimInputs(Graph& graph, PassContext&) {
  bool changed = false;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    changed |= trimInput(graph, i) || reshapeReaders(graph, graph.inputs()[i].tensor);
  if (changed) {
    graph.eraseUnusedTensors();
    nameStoredInputs(graph);
  }
  return changedIf(changed);
}

} // namespace

PassInfo outputTransposeTrimPass() {
  return functionPass("output-transpose-trim", "trailing transposes become part of the interface",
                      OutputDoc, trimOutputs);
}

PassInfo inputTransposeTrimPass() {
  return functionPass("input-transpose-trim", "leading transposes become part of the interface",
                      InputDoc, trimInputs);
}

} // namespace tigris
