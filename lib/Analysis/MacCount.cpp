// Counts multiply-accumulates, with one formula per class of operators that have them.
#include "tigris/Analysis/MacCount.h"

#include "tigris/IR/Repeats.h"

namespace tigris {

uint64_t macCount(const Graph& graph, const Op& op) {
  const auto count = [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  };
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution:
    return count(graph.tensor(op.output()).elements(),
                 graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpClass::TransposedConvolution:
    return count(graph.tensor(op.input(0)).elements(),
                 graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpClass::Product: // Gemm may transpose its first operand
    return count(graph.tensor(op.output()).elements(),
                 graph.tensor(op.input(0)).shape.fromBack(op.attrs.getInt("transA") != 0 ? 1 : 0));
  case OpClass::Recurrent: { // weights [D, gates * H, I] and [D, gates * H, H] for each step and
                             // sequence
    const Shape& x = graph.tensor(op.input(0)).shape;
    return count(x[0] * x[1],
                 graph.tensor(op.input(1)).elements() + graph.tensor(op.input(2)).elements());
  }
  default:
    if (op.kind == OpKind::SVDF)
      return count(graph.tensor(op.input(0)).shape[0],
                   graph.tensor(op.input(1)).elements() + graph.tensor(op.input(2)).elements());
    return 0;
  }
}

uint64_t modelMacs(const Graph& graph) {
  uint64_t sum = 0;
  for (const OpId id : graph.order())
    sum += isRepeat(graph.op(id)) ? 0 : macCount(graph, graph.op(id));
  return sum;
}

uint64_t repeatedMacs(const Graph& graph, std::span<const OpId> ops) {
  uint64_t sum = 0;
  for (const OpId id : ops)
    sum += isRepeat(graph.op(id)) ? macCount(graph, graph.op(id)) : 0;
  return sum;
}

} // namespace tigris
