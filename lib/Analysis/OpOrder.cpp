// The only file that shows the operators to Boost.Graph: as a graph with edges to producers.
#include "tigris/Analysis/OpOrder.h"

#include "tigris/Support/Check.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include <map>

namespace tigris {

namespace {

using Dependencies = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = boost::graph_traits<Dependencies>::vertex_descriptor;

/// Collects vertices in the order in which the search finishes them: producers before their users.
class PostOrder : public boost::default_dfs_visitor {
public:
  explicit PostOrder(std::vector<Vertex>& finished) : finished_(&finished) {}
  void finish_vertex(Vertex vertex, const Dependencies&) { finished_->push_back(vertex); }

private:
  std::vector<Vertex>* finished_;
};

std::map<OpId, size_t> positions(std::span<const OpId> order) {
  std::map<OpId, size_t> result;
  for (size_t i = 0; i < order.size(); ++i)
    result.emplace(order[i], i);
  return result;
}

} // namespace

bool isExecutionOrder(const Graph& graph, std::span<const OpId> order) {
  const auto position = positions(order);
  if (order.size() != graph.order().size() || position.size() != order.size())
    return false;
  for (size_t i = 0; i < order.size(); ++i) {
    if (!graph.contains(order[i]))
      return false;
    for (const TensorId input : graph.op(order[i]).inputs) {
      if (!input || !graph.producer(input))
        continue;
      const auto producer = position.find(graph.producer(input));
      if (producer == position.end() || producer->second >= i)
        return false;
    }
  }
  return true;
}

std::vector<OpId> depthFirstOrder(const Graph& graph) {
  const std::vector<OpId>& order = graph.order();
  const auto position = positions(order);
  Dependencies dependencies(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<TensorId>& inputs = graph.op(order[i]).inputs;
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input)
      if (*input && graph.producer(*input))
        boost::add_edge(i, position.at(graph.producer(*input)), dependencies);
  }

  std::vector<Vertex> finished;
  std::vector<boost::default_color_type> color(order.size(), boost::white_color);
  const auto colorMap = boost::make_iterator_property_map(
      color.begin(), boost::get(boost::vertex_index, dependencies));
  const auto visit = [&](size_t root) {
    if (color[root] == boost::white_color)
      boost::depth_first_visit(dependencies, root, PostOrder(finished), colorMap);
  };
  for (const Port& port : graph.outputs())
    if (graph.producer(port.tensor))
      visit(position.at(graph.producer(port.tensor)));
  for (size_t i = 0; i < order.size(); ++i)
    visit(i);

  std::vector<OpId> result;
  result.reserve(finished.size());
  for (const Vertex vertex : finished)
    result.push_back(order[vertex]);
  TIGRIS_CHECK(isExecutionOrder(graph, result));
  return result;
}

} // namespace tigris
