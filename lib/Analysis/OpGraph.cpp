// Collects the edges by target and lists them by source.
#include "tigris/Analysis/OpGraph.h"

#include <numeric>

namespace tigris {

OpGraph::OpGraph(const Graph& graph, std::span<const OpId> order)
    : order_(order.begin(), order.end()), firstIn_(order.size() + 1), firstOut_(order.size() + 1) {
  const auto count = static_cast<uint32_t>(order.size());
  for (uint32_t vertex = 0; vertex < count; ++vertex) {
    const size_t index = order[vertex].index();
    if (index >= vertexOf_.size())
      vertexOf_.resize(index + 1, count);
    vertexOf_[index] = vertex;
  }
  for (uint32_t reader = 0; reader < count; ++reader) {
    const std::vector<TensorId>& inputs = graph.op(order[reader]).inputs;
    for (size_t slot = inputs.size(); slot-- > 0;) {
      const OpId producer = inputs[slot] ? graph.producer(inputs[slot]) : OpId();
      const std::optional<Vertex> from = producer ? vertex(producer) : std::nullopt;
      if (!from)
        continue;
      edges_.push_back(
          {static_cast<uint32_t>(*from), reader, inputs[slot], static_cast<uint32_t>(slot)});
      ++firstOut_[*from + 1];
    }
    firstIn_[reader + 1] = static_cast<uint32_t>(edges_.size());
  }
  std::partial_sum(firstOut_.begin(), firstOut_.end(), firstOut_.begin());
  out_.resize(edges_.size());
  std::vector<uint32_t> next = firstOut_;
  for (uint32_t edge = 0; edge < edges_.size(); ++edge)
    out_[next[edges_[edge].source]++] = edge;
}

std::optional<OpGraph::Vertex> OpGraph::vertex(OpId op) const {
  if (op.index() >= vertexOf_.size() || vertexOf_[op.index()] == order_.size())
    return std::nullopt;
  return vertexOf_[op.index()];
}

} // namespace tigris
