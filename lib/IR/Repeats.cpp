// Compares a repeat with its original, operand by operand.
#include "tigris/IR/Repeats.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

bool hasRepeats(const Graph& graph) {
  const std::vector<OpId>& order = graph.order();
  return std::any_of(order.begin(), order.end(), [&](OpId id) { return isRepeat(graph.op(id)); });
}

OpId originalOf(const Graph& graph, const Op& repeat) {
  return graph.findOp(repeat.attrs.getString(RepeatKey)).value_or(OpId());
}

TensorId originalOf(const Graph& graph, TensorId tensor) {
  const OpId maker = tensor ? graph.producer(tensor) : OpId();
  if (!maker || !isRepeat(graph.op(maker)))
    return tensor;
  const OpId original = originalOf(graph, graph.op(maker));
  const std::vector<TensorId>& results = graph.op(maker).outputs;
  const auto index = std::find(results.begin(), results.end(), tensor) - results.begin();
  return original ? graph.op(original).output(static_cast<size_t>(index)) : tensor;
}

std::string repeatFault(const Graph& graph, const Op& repeat) {
  const OpId id = originalOf(graph, repeat);
  const std::string name = repeat.attrs.getString(RepeatKey);
  if (!id)
    return strCat("repeats op '", name, "', which does not exist");
  const Op& original = graph.op(id);
  if (isRepeat(original))
    return strCat("repeats op '", name, "', which is a repeat itself");
  const auto haveSameValue = [&](TensorId a, TensorId b) {
    return originalOf(graph, a) == originalOf(graph, b);
  };
  const auto haveSameForm = [&](TensorId a, TensorId b) {
    if (!a || !b)
      return a == b;
    const Tensor& first = graph.tensor(a);
    const Tensor& second = graph.tensor(b);
    return first.type == second.type && first.shape == second.shape && first.quant == second.quant;
  };
  AttrMap attrs = repeat.attrs;
  attrs.erase(RepeatKey);
  const bool isSame = repeat.kind == original.kind && repeat.act == original.act &&
                      attrs == original.attrs &&
                      std::equal(repeat.inputs.begin(), repeat.inputs.end(),
                                 original.inputs.begin(), original.inputs.end(), haveSameValue) &&
                      std::equal(repeat.outputs.begin(), repeat.outputs.end(),
                                 original.outputs.begin(), original.outputs.end(), haveSameForm);
  return isSame ? std::string() : strCat("repeats op '", name, "', which computes something else");
}

} // namespace tigris
