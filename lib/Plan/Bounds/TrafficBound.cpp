// Counts, axis by axis, the indices of a model input that a reader's results need.
#include "tigris/Plan/Bounds/TrafficBound.h"

#include "tigris/Analysis/BoxAccess.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

/// Indices of one axis that are in any of the ranges.
int64_t covered(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  int64_t count = 0;
  int64_t end = 0;
  for (const Range& range : ranges) {
    count += std::max<int64_t>(0, range.end - std::max(end, range.begin));
    end = std::max(end, range.end);
  }
  return count;
}

/// Elements of operand `input` that the whole result needs. Ranges of an operand's axis follow from
/// at most one axis of the result, so for each the results are taken index by index along every
/// axis, and the fewest count.
uint64_t neededElements(const Graph& graph, const Op& op, size_t input) {
  const std::optional<BoxAccess> access = BoxAccess::make(graph, op);
  if (!access)
    return static_cast<uint64_t>(graph.tensor(op.inputs[input]).elements());
  const Box whole = wholeBox(graph.tensor(op.output()).shape);
  uint64_t elements = 1;
  for (size_t axis = 0; axis < Box::MaxRank; ++axis) {
    int64_t least = access->need(input, whole).axes[axis].size();
    for (size_t along = 0; along < Box::MaxRank; ++along) {
      std::vector<Range> ranges;
      for (int64_t index = 0; index < whole.axes[along].end; ++index) {
        Box part = whole;
        part.axes[along] = {index, index + 1};
        ranges.push_back(access->need(input, part).axes[axis]);
      }
      least = std::min(least, covered(std::move(ranges)));
    }
    elements *= static_cast<uint64_t>(least);
  }
  return elements;
}

/// Elements of a tensor that the model outputs need; a lower bound where only a part is.
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
    for (const OpId user : graph_.users(id)) {
      // What a chain needs of which only a part is needed may be less than its ops need one by one.
      const Op& op = graph_.op(user);
      if (std::none_of(op.outputs.begin(), op.outputs.end(),
                       [&](TensorId result) { return isWhole(result); }))
        continue;
      for (size_t input = 0; input < op.inputs.size(); ++input)
        if (op.inputs[input] == id)
          most = std::max(most, neededElements(graph_, op, input));
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
    bytes += graph.tensor(port.tensor).bytes();
  for (const Port& port : graph.inputs()) {
    const Tensor& tensor = graph.tensor(port.tensor);
    const auto all = static_cast<uint64_t>(tensor.elements());
    bytes += all == 0 ? 0 : tensor.bytes() / all * needs.elementsOf(port.tensor);
  }
  return bytes;
}

} // namespace tigris
