// Inputs and outputs by rows, from the planner's option to the runtime's callbacks.
#include "PassTesting.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Plan/Planner.h"

#include "tigris_backend.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tigris;

namespace {

/// Two poolings over 12 rows of 16 bytes; the second halves the rows.
const char* const Pools = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 12, 8, 2], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 12, 8, 2], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 6, 4, 2], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: first, in: [x], out: [a], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: second, in: [a], out: [y], attrs: {kernel_shape: [2, 2], strides: [2, 2], pads: [0, 0, 0, 0]}}
)";

constexpr uint32_t Rows = 12;
constexpr uint32_t RowBytes = 16;
constexpr uint32_t OutRowBytes = 8;

struct alignas(16) AlignedBytes {
  uint8_t bytes[4096] = {};
};

/// An emitted plan, opened, with a context.
struct Model {
  AlignedBytes file;
  AlignedBytes fast;
  AlignedBytes slow;
  tigris_plan plan = {};
  tigris_context ctx = {};

  explicit Model(const PlanOptions& options) {
    Graph graph = parseGraph(Pools);
    Expected<Plan> planned = planGraph(graph, options);
    REQUIRE_MESSAGE(planned, (planned ? "" : planned.error().message()));
    applyPlan(graph, std::move(*planned));
    const Expected<std::string> text = emitPlan(graph);
    REQUIRE_MESSAGE(text, (text ? "" : text.error().message()));
    REQUIRE(text->size() <= sizeof file.bytes);
    std::memcpy(file.bytes, text->data(), text->size());
    REQUIRE(tigris_plan_open(&plan, file.bytes, text->size()) == TIGRIS_OK);
    const tigris_memory memory = {fast.bytes, sizeof fast.bytes, slow.bytes, sizeof slow.bytes};
    REQUIRE(tigris_init(&ctx, &plan, &tigris_backend_reference, &memory) == TIGRIS_OK);
  }
};

PlanOptions withMemory(uint64_t fast, std::optional<uint64_t> slow = {}) {
  PlanOptions options;
  options.budget = {fast, slow, {}};
  return options;
}

PlanOptions byRows(uint64_t fast) {
  PlanOptions options = withMemory(fast);
  options.inputRows = options.outputRows = true;
  return options;
}

struct Image {
  uint8_t bytes[Rows * RowBytes];
  uint32_t next = 0;
  uint32_t failAt = Rows;
};

int bring(void* user, uint32_t first, uint32_t count, void* rows) {
  auto& image = *static_cast<Image*>(user);
  if (first != image.next || first + count > image.failAt)
    return 1;
  std::memcpy(rows, image.bytes + first * RowBytes, count * RowBytes);
  image.next += count;
  return 0;
}

int take(void* user, uint32_t first, uint32_t count, void* rows) {
  std::memcpy(static_cast<uint8_t*>(user) + first * OutRowBytes, rows, count * OutRowBytes);
  return 0;
}

} // namespace

TEST_CASE("rows: callbacks bring each row once and get the same result as buffers") {
  Image image;
  for (uint32_t i = 0; i < sizeof image.bytes; ++i)
    image.bytes[i] = static_cast<uint8_t>(i * 37);
  AlignedBytes input;
  AlignedBytes expected;
  std::memcpy(input.bytes, image.bytes, sizeof image.bytes);
  Model whole(withMemory(4096));
  REQUIRE(tigris_set_input(&whole.ctx, 0, input.bytes) == TIGRIS_OK);
  REQUIRE(tigris_set_output(&whole.ctx, 0, expected.bytes) == TIGRIS_OK);
  REQUIRE(tigris_run(&whole.ctx) == TIGRIS_OK);

  Model model(byRows(300));
  CHECK(model.plan.summary->fast_bytes <= 300);
  CHECK(tigris_run(&model.ctx) == TIGRIS_E_STATE);
  uint8_t result[48] = {};
  REQUIRE(tigris_set_input_rows(&model.ctx, 0, bring, &image) == TIGRIS_OK);
  REQUIRE(tigris_set_output_rows(&model.ctx, 0, take, result) == TIGRIS_OK);
  CHECK(tigris_input(&model.ctx, 0) == nullptr);
  CHECK(tigris_output(&model.ctx, 0) == nullptr);
  REQUIRE(tigris_run(&model.ctx) == TIGRIS_OK);
  CHECK(image.next == Rows);
  CHECK(std::memcmp(result, expected.bytes, sizeof result) == 0);

  // A callback that fails stops the run; the next one may succeed.
  image.next = 0;
  image.failAt = 7;
  CHECK(tigris_run(&model.ctx) == TIGRIS_E_CALLBACK);
  CHECK(model.ctx.error_op == 0);
  image.next = 0;
  image.failAt = Rows;
  CHECK(tigris_run(&model.ctx) == TIGRIS_OK);

  // A buffer replaces the callback.
  REQUIRE(tigris_set_input(&model.ctx, 0, input.bytes) == TIGRIS_OK);
  CHECK(tigris_input(&model.ctx, 0) == input.bytes);
  image.next = 0;
  REQUIRE(tigris_run(&model.ctx) == TIGRIS_OK);
  CHECK(image.next == 0);
}

TEST_CASE("rows: plans that do not move the tensor by rows are refused") {
  Image image;
  Model whole(withMemory(4096)); // one stage on whole tensors
  CHECK(tigris_set_input_rows(&whole.ctx, 0, bring, &image) == TIGRIS_E_ROWS);
  CHECK(tigris_set_output_rows(&whole.ctx, 0, take, &image) == TIGRIS_E_ROWS);
  Model slow(withMemory(4096, 4096)); // not in the caller's buffers
  CHECK(tigris_set_input_rows(&slow.ctx, 0, bring, &image) == TIGRIS_E_ARGUMENT);
  Model model(byRows(300));
  CHECK(tigris_set_input_rows(&model.ctx, 1, bring, &image) == TIGRIS_E_ARGUMENT);
  CHECK(tigris_set_input_rows(&model.ctx, 0, nullptr, &image) == TIGRIS_E_ARGUMENT);
}

TEST_CASE("rows: without callbacks, streams work on the caller's buffers in place") {
  AlignedBytes input;
  AlignedBytes expected;
  AlignedBytes result;
  for (uint32_t i = 0; i < Rows * RowBytes; ++i)
    input.bytes[i] = static_cast<uint8_t>(i * 37);
  Model whole(withMemory(4096));
  Model streamed(withMemory(96)); // three rows of a, and the executor's bookkeeping
  CHECK(streamed.plan.stages[0].mode == TIGRIS_STAGE_STREAMED);
  REQUIRE(tigris_set_input(&whole.ctx, 0, input.bytes) == TIGRIS_OK);
  REQUIRE(tigris_set_output(&whole.ctx, 0, expected.bytes) == TIGRIS_OK);
  REQUIRE(tigris_run(&whole.ctx) == TIGRIS_OK);
  REQUIRE(tigris_set_input(&streamed.ctx, 0, input.bytes) == TIGRIS_OK);
  REQUIRE(tigris_set_output(&streamed.ctx, 0, result.bytes) == TIGRIS_OK);
  REQUIRE(tigris_run(&streamed.ctx) == TIGRIS_OK);
  CHECK(std::memcmp(result.bytes, expected.bytes, sizeof result.bytes) == 0);
  // Only the bytes that it holds itself are counted.
  CHECK(streamed.ctx.statistics.fast_peak <= 96);
  CHECK(streamed.ctx.statistics.slow_read == 0);
  Image image;
  CHECK(tigris_set_input_rows(&streamed.ctx, 0, bring, &image) == TIGRIS_E_ROWS);
  CHECK(tigris_set_output_rows(&streamed.ctx, 0, take, &image) == TIGRIS_E_ROWS);
}

TEST_CASE("rows: what the planner asks of its options") {
  const Graph graph = parseGraph(Pools);
  const auto refused = [&](const PlanOptions& options) {
    const Expected<Plan> plan = planGraph(graph, options);
    REQUIRE_FALSE(bool(plan));
    return plan.error().id();
  };
  PlanOptions options = byRows(4096);
  options.planner = Strategy::Greedy;
  CHECK(refused(options) == DiagId::Usage);
  options = byRows(4096);
  options.budget.slow = 4096;
  CHECK(refused(options) == DiagId::Usage);
  options = byRows(4096);
  options.io = IoMode::Arena;
  CHECK(refused(options) == DiagId::Usage);
  CHECK(refused(byRows(16)) == DiagId::OverBudget);

  // A second pass over the rows: the global pool needs all of them before the first one is scaled.
  const Graph gate = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 12, 8, 2], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 1, 1, 2], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 12, 8, 2], quant: {scale: 1.0}}
ops:
  - {op: GlobalAveragePool, name: pool, in: [x], out: [a]}
  - {op: Mul, name: gate, in: [x, a], out: [y]}
)");
  options = byRows(4096);
  options.outputRows = false;
  const Expected<Plan> plan = planGraph(gate, options);
  if (plan) { // only if all rows are kept until the last one arrives
    CHECK(plan->stats.fastPeakBytes >= 192);
  } else {
    CHECK(plan.error().id() == DiagId::UnsupportedOp);
    CHECK(plan.error().message().find("'x'") != std::string::npos);
  }
}
