// The depth-first order is the order in which a search along the operands finishes the ops.
#include "tigris/Analysis/OpOrder.h"

#include "tigris/Analysis/OpGraph.h"
#include "tigris/Support/Check.h"

#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <algorithm>

namespace tigris {

namespace {

/// Collects ops in the order in which the search finishes them: producers before their users.
class PostOrder : public boost::default_dfs_visitor {
public:
  PostOrder(const OpGraph& ops, std::vector<OpId>& finished) : ops_(&ops), finished_(&finished) {}
  void finish_vertex(size_t vertex, const auto& /*producers*/) {
    finished_->push_back(ops_->op(vertex));
  }

private:
  const OpGraph* ops_;
  std::vector<OpId>* finished_;
};

} // namespace

bool isExecutionOrder(const Graph& graph, std::span<const OpId> order) {
  if (order.size() != graph.order().size() ||
      !std::all_of(order.begin(), order.end(), [&](OpId id) { return graph.contains(id); }))
    return false;
  const OpGraph ops(graph, order);
  for (size_t i = 0; i < order.size(); ++i)
    if (ops.vertex(order[i]) != i) // twice in the order
      return false;
  return std::all_of(ops.edges().begin(), ops.edges().end(),
                     [](const OpGraph::Edge& edge) { return edge.source < edge.target; });
}

std::vector<OpId> depthFirstOrder(const Graph& graph) {
  const OpGraph ops(graph);
  const auto producers = boost::make_reverse_graph(ops);
  std::vector<OpId> result;
  result.reserve(num_vertices(ops));
  std::vector<boost::default_color_type> color(num_vertices(ops), boost::white_color);
  const auto visit = [&](size_t root) {
    if (color[root] == boost::white_color)
      boost::depth_first_visit(
          producers, root, PostOrder(ops, result),
          boost::make_iterator_property_map(color.begin(), get(boost::vertex_index, ops)));
  };
  for (const Port& port : graph.outputs())
    if (const OpId producer = graph.producer(port.tensor))
      visit(*ops.vertex(producer));
  for (size_t vertex = 0; vertex < num_vertices(ops); ++vertex)
    visit(vertex);
  TIGRIS_CHECK(isExecutionOrder(graph, result));
  return result;
}

std::vector<OpId> outputViewsLast(const Graph& graph, std::vector<OpId> order) {
  std::stable_partition(order.begin(), order.end(), [&](OpId id) {
    const Op& op = graph.op(id);
    return op.kind != OpKind::Reshape || !graph.isGraphOutput(op.output()) ||
           !graph.users(op.output()).empty();
  });
  return order;
}

} // namespace tigris
