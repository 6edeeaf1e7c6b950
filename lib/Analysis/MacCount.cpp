// One formula per operator with multiply-accumulates.
#include "tigris/Analysis/MacCount.h"

namespace tigris {

uint64_t macCount(const Graph& graph, const Op& op) {
  const auto count = [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  };
  switch (op.kind) {
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D: // weights [O, I/g, K...]: each output value takes one filter
    return count(graph.tensor(op.output()).elements(),
                 graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpKind::ConvTranspose: // weights [I, O/g, K...]: each input value feeds one filter
    return count(graph.tensor(op.input(0)).elements(),
                 graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpKind::Gemm: {
    const Shape& a = graph.tensor(op.input(0)).shape;
    return count(graph.tensor(op.output()).elements(), a[op.attrs.getInt("transA") != 0 ? 0 : 1]);
  }
  case OpKind::MatMul:
    return count(graph.tensor(op.output()).elements(), graph.tensor(op.input(0)).shape.fromBack(0));
  case OpKind::LSTM:
  case OpKind::GRU:
  case OpKind::RNN: { // weights [D, gates * H, I] and [D, gates * H, H] for each step and sequence
    const Shape& x = graph.tensor(op.input(0)).shape;
    return count(x[0] * x[1],
                 graph.tensor(op.input(1)).elements() + graph.tensor(op.input(2)).elements());
  }
  default:
    return 0;
  }
}

} // namespace tigris
