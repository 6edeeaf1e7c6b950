// Units of work by operator, and total costs of calls.
#include "tigris/Target/Target.h"

#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

const char* const Network = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 8, 8, 3], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 8, 8, 4], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 8, 8, 4], quant: {scale: 1.0}}
  - {name: c, type: int8, shape: [1, 4, 4, 4], quant: {scale: 1.0}}
  - {name: s, type: int8, shape: [1, 4, 4, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 1, 1, 4], quant: {scale: 1.0}}
  - {name: w, type: int8, shape: [4, 3, 3, 3], const: true, quant: {scale: 1.0}}
  - {name: d, type: int8, shape: [4, 1, 5, 5], const: true, quant: {scale: 1.0}}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [a], attrs: {pads: [1, 1, 1, 1]}}
  - {op: Conv, name: depthwise, in: [a, d], out: [b], attrs: {group: 4, pads: [2, 2, 2, 2]}}
  - {op: MaxPool, name: max, in: [b], out: [c], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
  - {op: Add, name: add, in: [c, c], out: [s]}
  - {op: GlobalAveragePool, name: pool, in: [s], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: d, fill: {seed: 2, amplitude: 1.0}}
)";

} // namespace

TEST_CASE("work of operators") {
  const Graph graph = parseGraph(Network);
  const std::vector<OpId> ops = graph.order();
  const auto check = [&](size_t index, WorkClass work, double units) {
    CHECK(workClass(graph, graph.op(ops[index])) == work);
    CHECK(workPerElement(graph, graph.op(ops[index])) == units);
  };
  check(0, WorkClass::Conv, 27);
  check(1, WorkClass::Depthwise, 25);
  check(2, WorkClass::Pool, 4);
  check(3, WorkClass::Elements, 1);
  check(4, WorkClass::Pool, 16);
}

TEST_CASE("more calls for the same work cost more") {
  const Graph graph = parseGraph(Network);
  const Op& conv = graph.op(graph.order().front());
  for (const Target& target : allTargets()) {
    CAPTURE(target.name);
    const double once = kernelCost(target.costs, graph, conv, 1, 256, true);
    CHECK(once > 256 * 27 * target.costs.of(WorkClass::Conv).unit);
    CHECK(kernelCost(target.costs, graph, conv, 1, 256, false) > once);
    CHECK(kernelCost(target.costs, graph, conv, 8, 256, true) > once);
    CHECK(target.costs.slowByte > 0);
  }
  KernelCosts costs;
  costs.work[static_cast<size_t>(WorkClass::Conv)] = {100, 2};
  costs.wholeCall = 10;
  costs.partCall = 50;
  CHECK(kernelCost(costs, graph, conv, 1, 256, true) == 100 + 10 + 2 * 256 * 27);
  CHECK(kernelCost(costs, graph, conv, 3, 256, false) == 3 * 150 + 2 * 256 * 27);
}
