// Strong components show which vertices are on a cycle; breadth-first search finds the shortest
// one.
#include "tigris/Analysis/Cycles.h"

#include "tigris/Analysis/OpGraph.h"
#include "tigris/Support/StringUtils.h"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>

namespace tigris {

std::vector<size_t> firstCycle(size_t vertices,
                               const std::vector<std::pair<size_t, size_t>>& edges) {
  const boost::compressed_sparse_row_graph<boost::directedS> graph(
      boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), vertices);
  const auto mapOf = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, graph));
  };
  std::vector<size_t> component(vertices);
  std::vector<boost::default_color_type> color(vertices);
  boost::strong_components(graph, mapOf(component), boost::color_map(mapOf(color)));
  // An edge inside a component is on a cycle.
  size_t start = vertices;
  for (const auto& [from, to] : edges)
    if (component[from] == component[to])
      start = std::min({start, from, to});
  if (start == vertices)
    return {};

  std::vector<size_t> distance(vertices, vertices);
  std::vector<size_t> predecessor(vertices);
  distance[start] = 0;
  std::fill(color.begin(), color.end(), boost::white_color);
  boost::queue<size_t> queue;
  boost::breadth_first_visit(
      graph, start, queue,
      boost::make_bfs_visitor(
          std::pair(boost::record_distances(mapOf(distance), boost::on_tree_edge()),
                    boost::record_predecessors(mapOf(predecessor), boost::on_tree_edge()))),
      mapOf(color));
  size_t last = vertices;
  for (const auto& [from, to] : edges)
    if (to == start && (last == vertices || distance[from] < distance[last]))
      last = from;
  std::vector<size_t> cycle = {last};
  while (cycle.back() != start)
    cycle.push_back(predecessor[cycle.back()]);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<OpId> firstCycle(const Graph& graph) {
  const OpGraph ops(graph);
  std::vector<std::pair<size_t, size_t>> uses;
  for (const OpGraph::Edge& edge : ops.edges())
    uses.emplace_back(edge.source, edge.target);
  std::vector<OpId> result;
  for (const size_t vertex : firstCycle(num_vertices(ops), uses))
    result.push_back(ops.op(vertex));
  return result;
}

std::string cycleMessage(const std::vector<std::string>& names) {
  constexpr size_t MostNames = 12;
  const size_t shown = std::min(names.size(), MostNames);
  std::string text = strCat(names.front(), " depends on itself: ");
  for (size_t i = 0; i < shown; ++i)
    text += strCat(names[i], " -> ");
  return strCat(text, shown < names.size() ? "... -> " : "", names.front(),
                shown < names.size() ? strCat(" (", names.size(), " in all)") : "");
}

} // namespace tigris
