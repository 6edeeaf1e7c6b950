// The operators of a graph as a graph of the Boost Graph Library: the one adaptor between the two.
//
// A vertex is an operator, numbered by its position in an execution order. An edge is the use of a
// tensor: it runs from the operator that produces the tensor to the operator that reads it, once
// per operand slot. Model inputs and constants have no producer and so no edges. In
//
//     a = Relu(x)
//     b = Conv(a, w)
//     y = Add(b, a)
//
// the vertices are 0 (Relu), 1 (Conv), 2 (Add), and the edges are 0->1, 0->2 (both for tensor a)
// and 1->2 (for b).
//
// OpGraph models BidirectionalGraph, VertexListGraph and EdgeListGraph, with contiguous vertex
// indices, so that the library's algorithms take it as it is:
//
//     boost::topological_sort(graph, std::back_inserter(reversed));
//
// It is a snapshot: later changes of the tigris::Graph do not show.
#pragma once

#include "tigris/IR/Graph.h"

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/permutation_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tigris {

class OpGraph {
public:
  using Vertex = size_t;

  /// The use of a tensor by operand `slot` of operator `target`.
  struct Edge {
    uint32_t source = 0;
    uint32_t target = 0;
    TensorId tensor;
    uint32_t slot = 0;

    bool operator==(const Edge& other) const {
      return target == other.target && slot == other.slot;
    }
  };

  /// Vertex k is graph.order()[k].
  explicit OpGraph(const Graph& graph) : OpGraph(graph, graph.order()) {}
  /// Vertex k is order[k]. The order may be any sequence of ops of the graph, each at most once;
  /// uses whose producer is not in it have no edge.
  OpGraph(const Graph& graph, std::span<const OpId> order);

  size_t vertices() const { return order_.size(); }
  OpId op(Vertex vertex) const { return order_[vertex]; }
  /// nullopt for an op outside the order.
  std::optional<Vertex> vertex(OpId op) const;

  /// By target, then from the last operand slot to the first.
  std::span<const Edge> edges() const { return edges_; }
  /// From the last operand slot to the first.
  std::span<const Edge> inEdges(Vertex vertex) const {
    return std::span(edges_).subspan(firstIn_[vertex], firstIn_[vertex + 1] - firstIn_[vertex]);
  }
  /// Indices into edges(), ascending.
  std::span<const uint32_t> outEdges(Vertex vertex) const {
    return std::span(out_).subspan(firstOut_[vertex], firstOut_[vertex + 1] - firstOut_[vertex]);
  }

private:
  std::vector<OpId> order_;
  /// By OpId::index(); vertices() for ops outside the order.
  std::vector<uint32_t> vertexOf_;
  std::vector<Edge> edges_;
  /// Per vertex the begin of its edges in edges_ and out_, and the end of the last.
  std::vector<uint32_t> firstIn_, firstOut_;
  std::vector<uint32_t> out_;
};

// What follows is the interface that the library asks for; see its documentation of the concepts.

inline auto vertices(const OpGraph& graph) {
  return std::pair(boost::counting_iterator<size_t>(0),
                   boost::counting_iterator<size_t>(graph.vertices()));
}
inline size_t num_vertices(const OpGraph& graph) { return graph.vertices(); }

inline auto edges(const OpGraph& graph) {
  const std::span<const OpGraph::Edge> all = graph.edges();
  return std::pair(all.data(), all.data() + all.size());
}
inline size_t num_edges(const OpGraph& graph) { return graph.edges().size(); }

inline size_t source(const OpGraph::Edge& edge, const OpGraph&) { return edge.source; }
inline size_t target(const OpGraph::Edge& edge, const OpGraph&) { return edge.target; }

inline auto out_edges(size_t vertex, const OpGraph& graph) {
  const std::span<const uint32_t> indices = graph.outEdges(vertex);
  const auto at = [&](const uint32_t* index) {
    return boost::make_permutation_iterator(graph.edges().data(), index);
  };
  return std::pair(at(indices.data()), at(indices.data() + indices.size()));
}
inline size_t out_degree(size_t vertex, const OpGraph& graph) {
  return graph.outEdges(vertex).size();
}

inline auto in_edges(size_t vertex, const OpGraph& graph) {
  const std::span<const OpGraph::Edge> in = graph.inEdges(vertex);
  return std::pair(in.data(), in.data() + in.size());
}
inline size_t in_degree(size_t vertex, const OpGraph& graph) {
  return graph.inEdges(vertex).size();
}
inline size_t degree(size_t vertex, const OpGraph& graph) {
  return in_degree(vertex, graph) + out_degree(vertex, graph);
}

inline boost::typed_identity_property_map<size_t> get(boost::vertex_index_t, const OpGraph&) {
  return {};
}
inline size_t get(boost::vertex_index_t, const OpGraph&, size_t vertex) { return vertex; }

} // namespace tigris

template <> struct boost::graph_traits<tigris::OpGraph> {
  using vertex_descriptor = size_t;
  using edge_descriptor = tigris::OpGraph::Edge;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : virtual boost::bidirectional_graph_tag,
                              virtual boost::vertex_list_graph_tag,
                              virtual boost::edge_list_graph_tag {};
  using vertices_size_type = size_t;
  using edges_size_type = size_t;
  using degree_size_type = size_t;
  using vertex_iterator = boost::counting_iterator<size_t>;
  using edge_iterator = const tigris::OpGraph::Edge*;
  using in_edge_iterator = const tigris::OpGraph::Edge*;
  using out_edge_iterator =
      boost::permutation_iterator<const tigris::OpGraph::Edge*, const uint32_t*>;
  using adjacency_iterator = void;

  static size_t null_vertex() { return static_cast<size_t>(-1); }
};

template <> struct boost::property_map<tigris::OpGraph, boost::vertex_index_t> {
  using type = boost::typed_identity_property_map<size_t>;
  using const_type = type;
};
