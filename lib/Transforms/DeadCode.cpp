// dead-code: removes operators that no model output depends on.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* DeadCodeDoc =
    R"(Folding leaves unused operators and constants behind: shape arithmetic, copied weights,
masks. They would cost flash and kernel calls. Unused optional results (the indices of a MaxPool,
the mask of a Dropout) are dropped from operators that stay.

    i, y = ..., MaxPool(x)     # i unread
    s = Shape(y)               # unread        ->   y = MaxPool(x))";

bool isRead(const Graph& graph, TensorId id) {
  return id && (!graph.users(id).empty() || graph.isGraphOutput(id));
}

PassStatus deadCode(Graph& graph, PassContext&) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Op& op = graph.op(*at);
    if (std::none_of(op.outputs.begin(), op.outputs.end(),
                     [&](TensorId id) { return isRead(graph, id); })) {
      graph.eraseOp(*at);
      changed = true;
      continue;
    }
    const OpInfo& info = opInfo(op.kind);
    std::vector<TensorId> outputs = op.outputs;
    for (size_t i = 0; i < outputs.size() && i < info.results.size(); ++i)
      if (info.results[i].optional && outputs[i] && !isRead(graph, outputs[i])) {
        outputs[i] = TensorId();
        changed = true;
      }
    if (outputs != op.outputs)
      graph.setOutputs(*at, std::move(outputs));
  }
  changed |= graph.eraseUnusedTensors() > 0;
  return changedIf(changed);
}

} // namespace

PassInfo deadCodePass() {
  return functionPass("dead-code", "unused operators, results and constants are removed",
                      DeadCodeDoc, deadCode);
}

} // namespace tigris
