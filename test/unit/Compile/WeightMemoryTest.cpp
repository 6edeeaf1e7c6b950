// Fast memory for weights that are copied or compressed: which reserve the compiler finds.
#include "PassTesting.h"
#include "tigris/Compile/Compiler.h"
#include "tigris/Support/Remarks.h"
#include "tigris/Support/StringUtils.h"

#include "tigris.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tigris;

namespace {

/// Convolutions of 3x3 on 16x16 maps with 9,216, 18,432 and 36,864 bytes of weights; `noise`: such
/// that do not compress.
std::string convolutions(bool noise) {
  const std::string fill =
      noise ? "fill: {seed: 1, amplitude: 1.0}}\n" : "fill: {seed: 1, amplitude: 0.0}}\n";
  return R"(tigris: graph/1
form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 16, 16, 16]}
  - {name: wa, type: float32, shape: [16, 16, 3, 3], const: true}
  - {name: a, type: float32, shape: [1, 16, 16, 16]}
  - {name: wb, type: float32, shape: [32, 16, 3, 3], const: true}
  - {name: b, type: float32, shape: [1, 8, 8, 32]}
  - {name: wc, type: float32, shape: [32, 32, 3, 3], const: true}
  - {name: y, type: float32, shape: [1, 8, 8, 32]}
ops:
  - {op: Conv, name: first, in: [x, wa], out: [a], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Conv, name: second, in: [a, wb], out: [b], attrs: {kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1]}}
  - {op: Conv, name: third, in: [b, wc], out: [y], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
---
tigris: weights/1
blobs:
  - {name: wa, bytes: 9216, )" +
         fill + "  - {name: wb, bytes: 18432, " + fill + "  - {name: wc, bytes: 36864, " + fill;
}

constexpr uint64_t Most = 36864;

struct Result {
  std::optional<Plan> plan;
  std::string file;
  std::string message;
};

Result planned(const PlanningOptions& planning, bool noise = true) {
  CompileOptions options;
  options.plan = planning;
  DiagnosticEngine diagnostics;
  Compiler compiler(options, diagnostics);
  Expected<Graph> graph = compiler.read(convolutions(noise));
  REQUIRE_MESSAGE(bool(graph), (graph ? "" : graph.error().message()));
  Result result;
  const Expected<bool> done = compiler.planInto(*graph);
  if (!done) {
    CHECK(done.error().id() == DiagId::OverBudget);
    result.message = done.error().message();
    for (const std::string& note : done.error().diagnostic().notes)
      result.message += "; " + note;
    return result;
  }
  result.plan = *graph->plan();
  const Expected<std::string> file = compiler.emit(*graph);
  REQUIRE_MESSAGE(bool(file), (file ? "" : file.error().message()));
  result.file = *file;
  return result;
}

PlanningOptions within(uint64_t fast, std::optional<uint64_t> slow = {}) {
  PlanningOptions options;
  options.budget = {fast, slow, {}};
  return options;
}

PlanningOptions copying(uint64_t fast, std::optional<uint64_t> slow = {}) {
  PlanningOptions options = within(fast, slow);
  options.weights = WeightMemory::Copy;
  return options;
}

PlanningOptions compressing(uint64_t fast, std::optional<uint64_t> slow = {}) {
  PlanningOptions options = within(fast, slow);
  options.compress = Compression::Lz4;
  return options;
}

uint64_t traffic(const Result& result) { return result.plan->stats.trafficBytes(); }

} // namespace

TEST_CASE("copying keeps the plan that leaves enough fast memory") {
  const Result plain = planned(within(1 << 20));
  const Result copied = planned(copying(1 << 20));
  REQUIRE(copied.plan);
  CHECK(copied.plan->weights == WeightMemory::Copy);
  CHECK(copied.plan->stats.fastPeakBytes == plain.plan->stats.fastPeakBytes);
}

TEST_CASE("copying divides a budget that is too small for both") {
  for (const uint64_t fast : {64U << 10, 56U << 10, 48U << 10, 40U << 10}) {
    CAPTURE(fast);
    const Result copied = planned(copying(fast, 1 << 20));
    REQUIRE_MESSAGE(copied.plan, copied.message);
    CHECK(copied.plan->freeFastBytes() >= Most);
    CHECK(traffic(copied) >= traffic(planned(within(fast, 1 << 20))));
  }
  const Result alone = planned(copying(56 << 10));
  REQUIRE_MESSAGE(alone.plan, alone.message);
  CHECK(alone.plan->freeFastBytes() >= Most);
}

TEST_CASE("more fast memory never costs more traffic when weights are copied") {
  uint64_t before = UINT64_MAX;
  for (uint64_t fast = 40 << 10; fast <= 120 << 10; fast += 16 << 10) {
    const Result copied = planned(copying(fast, 1 << 20));
    REQUIRE_MESSAGE(copied.plan, copied.message);
    CHECK(traffic(copied) <= before);
    before = traffic(copied);
  }
}

TEST_CASE("copying refuses a budget with the op and the least that would do") {
  const Result tiny = planned(copying(32 << 10, 1 << 20));
  CHECK_FALSE(tiny.plan);
  CHECK(tiny.message.find("op 'third' (Conv) has 36 KiB (36864 bytes) of weights") !=
        std::string::npos);
  const Result small = planned(copying(Most + 64));
  CHECK_FALSE(small.plan);
  CHECK_MESSAGE(small.message.find("for the weights of op 'third' (Conv)") != std::string::npos,
                small.message);
  const size_t at = small.message.find('(');
  REQUIRE(at != std::string::npos);
  const uint64_t least = std::stoull(small.message.substr(at + 1));
  CHECK(planned(copying(least)).plan);
  CHECK_FALSE(planned(copying(least - 16)).plan);
}

TEST_CASE("a reserve given is the one used") {
  PlanningOptions options = copying(120 << 10, 1 << 20);
  options.findReserve = false;
  options.reserve = Most;
  CHECK(planned(options).plan);
  options.reserve = Most - 1;
  CHECK(planned(options).message.find("--reserve is") != std::string::npos);
}

TEST_CASE("the smallest fast memory includes the copies") {
  PlanningOptions options = copying(1 << 20, 1 << 20);
  options.minFast = true;
  const Result least = planned(options);
  REQUIRE_MESSAGE(least.plan, least.message);
  CHECK(least.plan->budget.fast < (64 << 10));
  CHECK(least.plan->freeFastBytes() >= Most);
}

TEST_CASE("compression finds a reserve where the plan leaves none") {
  const uint64_t fast = 48 << 10;
  const Result plain = planned(within(fast, 1 << 20), false);
  const Result packed = planned(compressing(fast, 1 << 20), false);
  REQUIRE(plain.plan->freeFastBytes() < Most);
  CHECK(packed.plan->freeFastBytes() > plain.plan->freeFastBytes());
  CHECK(packed.file.size() < plain.file.size() / 2);
  const Result roomy = planned(compressing(1 << 20), false);
  CHECK(roomy.plan->stats.fastPeakBytes ==
        planned(within(1 << 20), false).plan->stats.fastPeakBytes);
}

TEST_CASE("weights that do not compress get no reserve, and a remark") {
  const uint64_t fast = 48 << 10;
  const RemarkCollector remarks("weights.*");
  const Result packed = planned(compressing(fast, 1 << 20));
  CHECK(traffic(packed) == traffic(planned(within(fast, 1 << 20))));
  REQUIRE(remarks.all().size() == 1);
  CHECK(remarks.all()[0].op == "third");
  CHECK(remarks.all()[0].name == "not-compressed");
}
