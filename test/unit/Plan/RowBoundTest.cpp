// Lower bounds of plans by rows and of traffic, computed by hand on small graphs.
#include "tigris/Plan/Bounds/RowBound.h"
#include "PassTesting.h"
#include "tigris/Analysis/RowPorts.h"
#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/Bounds/TrafficBound.h"
#include "tigris/Plan/Planner.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Two poolings 3 rows high on 16 rows of 32 bytes.
const char* const PoolingChain = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: m, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: a, in: [x], out: [m], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: b, in: [m], out: [y], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
)";

std::optional<uint64_t> boundOf(const Graph& graph, IoMode io,
                                const std::set<TensorId>& byRows = {}) {
  return rowPeakBound(graph, io, byRows, ThoroughCertificateFlows);
}

} // namespace

TEST_CASE("row bound: the rows a window holds") {
  const Graph graph = parseGraph(PoolingChain);
  // Only m is in the arena: three of its rows while one row of y is computed.
  CHECK(boundOf(graph, IoMode::Caller) == 96);
  // x is loaded and y stored row by row. When the first row of y is computed, no other row has
  // been. When the last one is, two rows of m and three of x have been needed, two of these will be
  // needed again, and y itself takes one row.
  CHECK(boundOf(graph, IoMode::Slow) == 160);
  // Both are in the arena as a whole: halfway through, 512 bytes are present or have been computed.
  CHECK(*boundOf(graph, IoMode::Arena) >= 512);
  CHECK(rowPeakBound(graph, IoMode::Slow, {}, 0) == 0);
}

TEST_CASE("row bound: rows that go into an average are not kept") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: m, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 1, 1, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: a, in: [x], out: [m], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: GlobalAveragePool, name: b, in: [m], out: [y]}
)");
  CHECK(boundOf(graph, IoMode::Caller) == 32);
  // A row of m and the three rows of x from which it is computed.
  CHECK(boundOf(graph, IoMode::Slow) == 128);
}

TEST_CASE("row bound: ports by rows have no buffer of the caller") {
  const Graph graph = parseGraph(PoolingChain);
  const TensorId x = graph.inputs()[0].tensor;
  const TensorId y = graph.outputs()[0].tensor;
  // As in slow memory, where every row is copied once as well. The row of y takes no more than the
  // rows of x that are needed again.
  CHECK(boundOf(graph, IoMode::Caller, {x}) == 160);
  CHECK(boundOf(graph, IoMode::Caller, {x, y}) == 160);
  PlanOptions options;
  options.budget = {400, std::nullopt, {}};
  options.inputRows = options.outputRows = true;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  CHECK(portsByRows(graph, *plan) == std::set<TensorId>{x, y});
  addCertificate(graph, ThoroughCertificateFlows, *plan);
  CHECK(plan->bounds.planClass == PortRowClass);
  CHECK(plan->bounds.fastPeakBytes == 160);
}

TEST_CASE("row bound: the plan's, if it is of the class") {
  Graph graph = parseGraph(PoolingChain);
  PlanOptions options;
  options.budget = {400, 4096, {}};
  const Expected<Plan> plain = planGraph(graph, options);
  REQUIRE(plain);
  CHECK(isRowPlan(*plain));
  CHECK(plain->bounds.planClass != RowClass);
  CHECK(plain->bounds.slowTrafficBytes == 1024);
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  addCertificate(graph, CertificateFlows, *plan);
  CHECK(plan->bounds.planClass == RowClass);
  CHECK(plan->bounds.fastPeakBytes == 160);
  CHECK(plan->stats.fastPeakBytes > 160);
  CHECK_FALSE(plan->provenOptimal);
}

TEST_CASE("traffic bound: inputs count as far as they are needed") {
  CHECK(leastTraffic(parseGraph(PoolingChain)) == 1024);
  const Graph cut = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 6, 8, 4], quant: {scale: 1.0}}
ops:
  - {op: Slice, name: s, in: [x], out: [y], attrs: {starts: [5], ends: [11], axes: [1]}}
)");
  CHECK(leastTraffic(cut) == 2 * 6 * 32);
  const Graph sampled = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 4, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: p, in: [x], out: [y], attrs: {kernel_shape: [1, 1], strides: [2, 2]}}
)");
  CHECK(leastTraffic(sampled) == 2 * 8 * 4 * 4);
  // A chain may load only the rows sampled at its end.
  const Graph chain = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: r, type: int8, shape: [1, 16, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 8, 4], quant: {scale: 1.0}}
ops:
  - {op: Relu, name: r, in: [x], out: [r]}
  - {op: Slice, name: s, in: [r], out: [y], attrs: {starts: [0], ends: [16], axes: [1], steps: [2]}}
)");
  CHECK(leastTraffic(chain) == 8 * 32);
}

TEST_CASE("traffic bound: a tensor that one op reads 20,000 times counts once") {
  // Minutes where the rules of the op are made for each operand.
  std::string operands = "x";
  for (int i = 1; i < 20'000; ++i)
    operands += ", x";
  const Graph graph = parseGraph(
      strCat("form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
             "tensors:\n  - {name: x, type: float32, shape: [1, 4]}\n"
             "  - {name: y, type: float32, shape: [20000, 4]}\n"
             "ops:\n  - {op: Concat, name: many, in: [",
             operands, "], out: [y], attrs: {axis: 0}}\n"));
  CHECK(leastTraffic(graph) == 4 * 4 * 20'001);
}
