// Execution orders.
#include "tigris/Analysis/OpOrder.h"
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Two branches that join; the right one comes first in the graph.
const char* const Branches = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 8]}
  - {name: r1, type: float32, shape: [1, 8]}
  - {name: l1, type: float32, shape: [1, 8]}
  - {name: r2, type: float32, shape: [1, 8]}
  - {name: l2, type: float32, shape: [1, 8]}
  - {name: y, type: float32, shape: [1, 8]}
ops:
  - {op: Relu, name: right1, in: [x], out: [r1]}
  - {op: Relu, name: left1, in: [x], out: [l1]}
  - {op: Relu, name: right2, in: [r1], out: [r2]}
  - {op: Relu, name: left2, in: [l1], out: [l2]}
  - {op: Add, name: join, in: [l2, r2], out: [y]}
)";

std::vector<std::string> names(const Graph& graph, const std::vector<OpId>& order) {
  std::vector<std::string> result;
  for (const OpId id : order)
    result.push_back(graph.op(id).name);
  return result;
}

} // namespace

TEST_CASE("the depth-first order finishes a branch before its sibling, last operand first") {
  const Graph graph = parseGraph(Branches);
  const std::vector<OpId> order = depthFirstOrder(graph);
  CHECK(names(graph, order) ==
        std::vector<std::string>{"right1", "right2", "left1", "left2", "join"});
  CHECK(isExecutionOrder(graph, order));
}

TEST_CASE("an execution order holds every op once, after its producers") {
  const Graph graph = parseGraph(Branches);
  std::vector<OpId> order = graph.order();
  CHECK(isExecutionOrder(graph, order));
  std::swap(order[0], order[1]);
  CHECK(isExecutionOrder(graph, order));
  std::swap(order[3], order[4]);
  CHECK_FALSE(isExecutionOrder(graph, order));
  order.pop_back();
  CHECK_FALSE(isExecutionOrder(graph, order));
  order.push_back(order[0]);
  CHECK_FALSE(isExecutionOrder(graph, order));
}

TEST_CASE("ops that no output needs come last") {
  Graph graph = parseGraph(Branches);
  graph.setOutputTensor(0, *graph.findTensor("l1"));
  const std::vector<OpId> order = depthFirstOrder(graph);
  CHECK(names(graph, order) ==
        std::vector<std::string>{"left1", "right1", "right2", "left2", "join"});
}

TEST_CASE("views that are outputs come last, unless ops read them") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: flat}
  - {name: read}
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 8]}
  - {name: a, type: float32, shape: [1, 8]}
  - {name: flat, type: float32, shape: [8]}
  - {name: read, type: float32, shape: [2, 4]}
  - {name: y, type: float32, shape: [2, 4]}
ops:
  - {op: Relu, name: first, in: [x], out: [a]}
  - {op: Reshape, name: view, in: [a], out: [flat], attrs: {shape: [8]}}
  - {op: Reshape, name: copy, in: [x], out: [read], attrs: {shape: [2, 4]}}
  - {op: Relu, name: last, in: [read], out: [y]}
)");
  const std::vector<OpId> order = outputViewsLast(graph, graph.order());
  CHECK(names(graph, order) == std::vector<std::string>{"first", "copy", "last", "view"});
  CHECK(isExecutionOrder(graph, order));
}
