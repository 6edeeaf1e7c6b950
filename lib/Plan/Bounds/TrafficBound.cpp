// Counts, axis by axis, the indices of a model input that a reader's results need.
#include "tigris/Plan/Bounds/TrafficBound.h"

#include "tigris/Analysis/BoxAccess.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tigris {

namespace {

/// Elements of a tensor that the whole result of one of its readers needs.
uint64_t neededElements(const Graph& graph, const Op& op, TensorId id) {
  const auto all = static_cast<uint64_t>(graph.tensor(id).elements());
  const std::optional<BoxAccess> access = BoxAccess::make(graph, op);
  if (!access)
    return all;
  uint64_t most = 0;
  for (size_t input = 0; input < op.inputs.size() && most < all; ++input)
    if (op.inputs[input] == id)
      most = std::max(most, access->neededElements(input, access->space()));
  return most;
}

/// Elements of a tensor that the model outputs need. If they need only a part, this is a lower
/// bound.
class Needs {
public:
  explicit Needs(const Graph& graph) : graph_(graph) {
    const std::vector<OpId>& order = graph.order();
    for (auto op = order.rbegin(); op != order.rend(); ++op)
      for (const TensorId output : graph.op(*op).outputs)
        if (output && elementsOf(output) == all(output))
          whole_.insert(output);
  }

  bool isWhole(TensorId id) const { return whole_.count(id) != 0; }

  uint64_t elementsOf(TensorId id) const {
    if (graph_.isGraphOutput(id))
      return all(id);
    uint64_t most = 0;
    OpId last;
    for (const OpId user : graph_.users(id)) {
      if (std::exchange(last, user) == user || most >= all(id))
        continue; // the operand slots of one op are usually adjacent
      // If only a part of a result is needed, a chain may need less than its ops need one by one.
      const Op& op = graph_.op(user);
      if (std::none_of(op.outputs.begin(), op.outputs.end(),
                       [&](TensorId result) { return isWhole(result); }))
        continue;
      most = std::max(most, neededElements(graph_, op, id));
    }
    return std::min(all(id), most);
  }

private:
  uint64_t all(TensorId id) const { return static_cast<uint64_t>(graph_.tensor(id).elements()); }

  const Graph& graph_;
  std::set<TensorId> whole_;
};

} // namespace

bool isNeededWhole(const Graph& graph, TensorId id) { return Needs(graph).isWhole(id); }

uint64_t leastTraffic(const Graph& graph) {
  const Needs needs(graph);
  uint64_t bytes = 0;
  for (const Port& port : graph.outputs())
    if (!graph.tensor(port.tensor).isConstant())
      bytes += graph.tensor(port.tensor).bytes();
  for (const Port& port : graph.inputs()) {
    const Tensor& tensor = graph.tensor(port.tensor);
    const auto all = static_cast<uint64_t>(tensor.elements());
    bytes += all == 0 ? 0 : tensor.bytes() / all * needs.elementsOf(port.tensor);
  }
  return bytes;
}

} // namespace tigris
