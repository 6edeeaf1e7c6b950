// OpGraph models the concepts of the Boost Graph Library and shows the uses of tensors.
#include "tigris/Analysis/OpGraph.h"

#include "PassTesting.h"

#include <boost/concept/assert.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace tigris;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<OpGraph, size_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<boost::reverse_graph<OpGraph>>));

namespace {

/// x -> first -> left -> last (Concat of left, first, left) -> y, and first -> right, which nothing
/// reads.
const char* const BranchingOps = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: a, type: float32, shape: [1, 4]}
  - {name: b, type: float32, shape: [1, 4]}
  - {name: c, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 12]}
ops:
  - {op: Relu, name: first, in: [x], out: [a]}
  - {op: Sigmoid, name: right, in: [a], out: [c]}
  - {op: Tanh, name: left, in: [a], out: [b]}
  - {op: Concat, name: last, in: [b, a, b], out: [y], attrs: {axis: 1}}
)";

constexpr size_t First = 0;
constexpr size_t Right = 1;
constexpr size_t Left = 2;
constexpr size_t Last = 3;

template <typename Edges> std::vector<size_t> sources(const Edges& edges, const OpGraph& graph) {
  std::vector<size_t> result;
  for (auto edge = edges.first; edge != edges.second; ++edge)
    result.push_back(source(*edge, graph));
  return result;
}
template <typename Edges> std::vector<size_t> targets(const Edges& edges, const OpGraph& graph) {
  std::vector<size_t> result;
  for (auto edge = edges.first; edge != edges.second; ++edge)
    result.push_back(target(*edge, graph));
  return result;
}

using Vertices = std::vector<size_t>;

} // namespace

TEST_CASE("op graph: one edge per operand slot with a producer") {
  const Graph graph = parseGraph(BranchingOps);
  const OpGraph ops(graph);
  CHECK(num_vertices(ops) == 4);
  CHECK(num_edges(ops) == 5);
  CHECK(in_degree(First, ops) == 0);
  CHECK(sources(in_edges(Last, ops), ops) == Vertices{Left, First, Left});
  CHECK(targets(out_edges(First, ops), ops) == Vertices{Right, Left, Last});
  CHECK(targets(out_edges(Left, ops), ops) == Vertices{Last, Last});
  CHECK(out_degree(Right, ops) == 0);
  CHECK(degree(Last, ops) == 3);
  CHECK(ops.inEdges(Last).front().slot == 2);
  CHECK(graph.tensor(ops.inEdges(Last)[1].tensor).name == "a");
  CHECK(ops.inEdges(Last)[0] != ops.inEdges(Last)[2]);
}

TEST_CASE("op graph: vertices are positions in the order") {
  const Graph graph = parseGraph(BranchingOps);
  const std::vector<OpId>& order = graph.order();
  const std::vector<OpId> part = {order[Last], order[Left]};
  const OpGraph ops(graph, part);
  CHECK(ops.op(0) == order[Last]);
  CHECK(ops.vertex(order[Left]) == 1);
  CHECK(!ops.vertex(order[First]));
  // Producers outside the order have no edge; this order is no execution order.
  CHECK(sources(edges(ops), ops) == Vertices{1, 1});
}

TEST_CASE("op graph: the library's algorithms take it") {
  const Graph graph = parseGraph(BranchingOps);
  const OpGraph ops(graph);
  Vertices reversed;
  boost::topological_sort(ops, std::back_inserter(reversed));
  const auto step = [&](size_t vertex) {
    return std::find(reversed.rbegin(), reversed.rend(), vertex) - reversed.rbegin();
  };
  CHECK(reversed.size() == 4);
  for (const OpGraph::Edge& edge : ops.edges())
    CHECK(step(edge.source) < step(edge.target));

  Vertices component(num_vertices(ops));
  const auto count = boost::strong_components(
      ops, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, ops)));
  CHECK(count == 4);

  const auto producers = boost::make_reverse_graph(ops);
  std::vector<boost::default_color_type> color(num_vertices(ops));
  boost::depth_first_visit(
      producers, Left, boost::default_dfs_visitor(),
      boost::make_iterator_property_map(color.begin(), get(boost::vertex_index, ops)));
  CHECK(color[First] == boost::black_color);
  CHECK(color[Right] == boost::white_color);
}

TEST_CASE("op graph: a graph without ops") {
  const Graph graph;
  const OpGraph ops(graph);
  CHECK(num_vertices(ops) == 0);
  CHECK(num_edges(ops) == 0);
  Vertices order;
  boost::topological_sort(ops, std::back_inserter(order));
  CHECK(order.empty());
}
