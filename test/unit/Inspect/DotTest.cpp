// The operator graph as Graphviz text: every use of a tensor, stages, and names that are escaped.
#include "tigris/Inspect/Dump.h"

#include "PassTesting.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

const char* const Diamond = R"(form: normalized
layout: channels-last
model: {name: diamond}
inputs: [{name: x}]
outputs: [{name: y}, {name: x}]
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: a, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 12]}
ops:
  - {op: Sigmoid, name: first, in: [x], out: [a]}
  - {op: Concat, name: last, in: [a, x, a], out: [y], attrs: {axis: 1}}
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("dot: operators, model inputs and outputs, and an edge per use") {
  CHECK(dotOf(parseGraph(Diamond)) == R"(digraph G {
label="diamond";
node [shape=box];
in0 [shape=ellipse label="x\nfloat32 [1, 4]"];
out0 [shape=ellipse label="y\nfloat32 [1, 12]"];
out1 [shape=ellipse label="x\nfloat32 [1, 4]"];
in0->0 [label="x\n16 bytes"];
in0->1 [label="x\n16 bytes"];
1->out0 [label="y\n48 bytes"];
in0->out1 [label="x\n16 bytes"];
0 [label="Sigmoid\nfirst\nfloat32 [1, 4]"];
1 [label="Concat\nlast\nfloat32 [1, 12]"];
0->1 [label="a\n16 bytes"];
0->1 [label="a\n16 bytes"];
}
)");
}

TEST_CASE("dot: the stages of a plan are clusters") {
  Graph graph = parseGraph(Diamond);
  insertPortCopies(graph);
  PlanOptions options;
  options.budget.fast = 1024;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  const std::string text = dotOf(graph);
  CHECK(has(text, "subgraph cluster_0 {\nlabel=\"stage 0, whole, peak "));
  CHECK(has(text, "\n0; 1; 2; \n}\n"));
}

TEST_CASE("dot: names cannot leave their string") {
  const auto labelOf = [&](const std::string& name) {
    Graph graph;
    Op op;
    op.kind = OpKind::Sigmoid;
    op.name = name;
    for (std::vector<TensorId>* operands : {&op.inputs, &op.outputs}) {
      Tensor tensor;
      tensor.name = operands == &op.inputs ? "x" : "y";
      tensor.type = DType::Float32;
      tensor.shape = Shape{1, 4};
      operands->push_back(graph.addTensor(std::move(tensor)));
    }
    graph.addOp(std::move(op));
    const std::string text = dotOf(graph);
    const std::string begin = "[label=\"Sigmoid\\n";
    const size_t at = text.find(begin);
    REQUIRE(at != std::string::npos);
    const size_t from = at + begin.size();
    return text.substr(from, text.find("\\nfloat32", from) - from);
  };
  CHECK(labelOf("\"]; forged [x=\"") == R"(\"]; forged [x=\")");
  CHECK(labelOf("ends in \\") == R"(ends in \\)");
  CHECK(labelOf("\\N \\G") == R"(\\N \\G)");
  CHECK(labelOf("a\nb\x1b") == R"(a\\nb\\x1b)");
  CHECK(labelOf("<b>&lt;") == "<b>&amp;lt;");
  CHECK(labelOf("\xff") == R"(\\xff)");
}
