// Scratch that depends on the call: what the kernels of the ESP32-S3 need, and how the planner
// divides fast memory between tensors and scratch.
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Stage/KernelChoice.h"
#include "tigris/Target/Target.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Two 3x3 convolutions of 16 channels on 32 x 32, and a depthwise one.
const char* const ThreeConvolutions = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 32, 32, 16], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 32, 32, 16], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 32, 32, 16], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 16, 16, 16], quant: {scale: 1.0}}
  - {name: w, type: int8, shape: [16, 16, 3, 3], const: true, quant: {scale: 1.0}}
  - {name: d, type: int8, shape: [16, 1, 3, 3], const: true, quant: {scale: 1.0}}
ops:
  - {op: Conv, name: first, in: [x, w], out: [a], attrs: {pads: [1, 1, 1, 1]}}
  - {op: Conv, name: second, in: [a, w], out: [b], attrs: {pads: [1, 1, 1, 1]}}
  - {op: Conv, name: third, in: [b, d], out: [y], attrs: {group: 16, pads: [1, 1, 1, 1], strides: [2, 2]}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: d, fill: {seed: 2, amplitude: 1.0}}
)";

PlanOptions s3Options(uint64_t fast, Objective optimize, std::optional<uint64_t> scratch = {}) {
  PlanOptions result;
  result.target = "esp32s3";
  result.budget = {fast, 1 << 20, {}};
  result.optimize = optimize;
  result.scratch = scratch;
  return result;
}

Plan plannedOnS3(const Graph& graph, const PlanOptions& request) {
  Expected<Plan> plan = planGraph(graph, request);
  REQUIRE(plan);
  Graph copy = graph;
  applyPlan(copy, *plan);
  CHECK(bool(checkPlan(copy)));
  CHECK(plan->stats.fastPeakBytes + plan->scratch <= request.budget.fast);
  return *plan;
}

/// What the plan costs more because calls lack scratch.
uint64_t lackingOnS3(const Graph& graph, const Plan& plan) {
  const KernelChoice kernels(KernelLibrary::EspNnS3, plan.scratch, findTarget("esp32s3")->costs);
  uint64_t sum = 0;
  for (const Stage& stage : plan.stages)
    sum += kernels.lacking(graph, stage.ops, cutOf(stage));
  return sum;
}

} // namespace

TEST_CASE("scratch: parts of an op need less on the ESP32-S3") {
  const Graph graph = parseGraph(ThreeConvolutions);
  const auto need = [&](size_t index, const CallExtents& extents = {}) {
    return kernelScratch(graph, graph.op(graph.order()[index]), KernelLibrary::EspNnS3, extents);
  };
  // Requantization pairs, margin and sums; filters twice; the image padded on both sides, and again
  // for the windows at its end.
  CHECK(need(0) == 128 + 64 + 64 + 3 * 16 * (48 + 48) + 2 * 34 * 34 * 16);
  // One row of the result needs two of the image, and one of padding.
  CHECK(need(0, {1}) == 128 + 64 + 64 + 3 * 16 * (48 + 48) + 34 * 4 * 16 + 34 * 3 * 16);
  CHECK(need(2) == 128 + 9 * 16 + 16 + 34 * 34 * 16);
  CHECK(need(2, {CallExtents::Whole, CallExtents::Whole, 8}) == UINT64_MAX);
  CHECK(kernelScratch(graph, KernelLibrary::EspNnS3) == need(0));
}

TEST_CASE("scratch: for latency, the planner divides fast memory") {
  const Graph graph = parseGraph(ThreeConvolutions);
  for (const uint64_t fast : {24U << 10, 40U << 10, 64U << 10, 128U << 10}) {
    const Plan best = plannedOnS3(graph, s3Options(fast, Objective::Latency));
    const Plan none = plannedOnS3(graph, s3Options(fast, Objective::Latency, 0));
    CHECK(best.scratch > 0);
    CHECK(none.scratch == 0);
    CHECK(lackingOnS3(graph, best) == 0);
    CHECK(lackingOnS3(graph, none) > 0);
  }
}

TEST_CASE("scratch: cuts are fine enough for it") {
  const Graph graph = parseGraph(ThreeConvolutions);
  // Less than any of the convolutions needs whole, and enough for one row.
  const Plan plan = plannedOnS3(graph, s3Options(100 << 10, Objective::Latency, 9000));
  CHECK(plan.scratch == 9000);
  CHECK(lackingOnS3(graph, plan) == 0);
  for (const Stage& stage : plan.stages)
    CHECK(stage.parts() != nullptr);
}

TEST_CASE("scratch: for traffic it costs none") {
  const Graph graph = parseGraph(ThreeConvolutions);
  for (const uint64_t fast : {8U << 10, 24U << 10, 64U << 10}) {
    const Plan best = plannedOnS3(graph, s3Options(fast, Objective::Traffic));
    const Plan none = plannedOnS3(graph, s3Options(fast, Objective::Traffic, 0));
    CHECK(best.stats.trafficBytes() <= none.stats.trafficBytes());
    CHECK(lackingOnS3(graph, best) <= lackingOnS3(graph, none));
  }
  CHECK(plannedOnS3(graph, s3Options(64 << 10, Objective::Memory)).scratch == 0);
}

TEST_CASE("scratch: any size up to the budget, for any target") {
  const Graph graph = parseGraph(ThreeConvolutions);
  PlanOptions request = s3Options(40 << 10, Objective::Traffic, 40 << 10);
  // Nothing is left for tensors, which stay in slow memory.
  CHECK(plannedOnS3(graph, request).stats.fastPeakBytes == 0);
  request.scratch = (40 << 10) + 1;
  const Expected<Plan> more = planGraph(graph, request);
  REQUIRE_FALSE(more);
  CHECK(more.error().id() == DiagId::Usage);
  for (const char* target : {"generic", "cortex-m4"}) {
    request.target = target;
    for (const uint64_t scratch : {0U, 100U, 5000U}) {
      request.scratch = scratch;
      CHECK(plannedOnS3(graph, request).scratch == scratch);
    }
  }
}
