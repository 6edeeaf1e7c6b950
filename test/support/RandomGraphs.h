// Random graphs of additions, concatenations and views, for properties of all plans.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/StringUtils.h"

#include <random>

namespace tigris::test {

/// `ops` operators on vectors of 1..64 channels. Every op reads earlier tensors (often old ones, so
/// that lifetimes overlap); the last results and a few others are model outputs.
inline Graph randomGraph(uint32_t seed, unsigned ops) {
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  Graph graph;
  graph.setForm(GraphForm::Normalized);
  graph.setLayout(Layout::ChannelsLast);
  std::vector<TensorId> known;
  const auto tensor = [&](Shape shape) {
    Tensor t;
    t.name = graph.uniqueName("t");
    t.type = DType::Int8;
    t.quant = QuantParam{{0.5F}, {0}, -1};
    t.shape = std::move(shape);
    known.push_back(graph.addTensor(std::move(t)));
    return known.back();
  };
  const auto port = [&](TensorId id) {
    const Tensor& t = graph.tensor(id);
    return Port{t.name, id, t.type, t.shape, {}};
  };
  for (unsigned i = 0; i <= below(3); ++i)
    graph.addInput(port(tensor({1, static_cast<int64_t>(below(64) + 1)})));
  for (unsigned i = 0; i < ops; ++i) {
    const TensorId a = known[known.size() - 1 - below(std::min<size_t>(known.size(), 6))];
    const TensorId b = known[below(known.size())];
    Op op;
    op.name = strCat("op", i);
    const Shape& shape = graph.tensor(a).shape;
    switch (below(3)) {
    case 0:
      op.kind = OpKind::Add;
      op.inputs = {a, a};
      op.outputs = {tensor(shape)};
      break;
    case 1: {
      op.kind = OpKind::Reshape;
      const Shape flat = shape.rank() == 2 ? Shape{shape.elements()} : Shape{1, shape.elements()};
      op.attrs.set("shape", flat.dims());
      op.inputs = {a};
      op.outputs = {tensor(flat)};
      break;
    }
    default:
      op.kind = OpKind::Concat;
      op.attrs.set("axis", int64_t{-1});
      op.inputs = {a, graph.tensor(b).shape.rank() == shape.rank() ? b : a};
      Shape joined = shape;
      joined[joined.rank() - 1] = shape.fromBack(0) + graph.tensor(op.inputs[1]).shape.fromBack(0);
      if (joined.elements() > 4096)
        joined = shape, op.kind = OpKind::Add, op.attrs = {}, op.inputs = {a, a};
      op.outputs = {tensor(joined)};
    }
    graph.addOp(std::move(op));
  }
  graph.addOutput(port(known.back()));
  for (unsigned i = 0; i < below(3); ++i)
    graph.addOutput(port(known[below(known.size())]));
  return graph;
}

} // namespace tigris::test
