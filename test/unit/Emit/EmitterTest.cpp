// Whole files: contents read back by the runtime, errors, determinism, flags and names.
#include "EmitTesting.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/IR/Verifier.h"

using namespace tigris;
using namespace tigris::test;

namespace {

/// A small classifier: convolution, view, dense layer.
const char* const Classifier = R"(model: {name: tiny, opset: 17}
inputs:
  - {name: image, tensor: x, shape: [1, 2, 4, 4], perm: [0, 2, 3, 1]}
outputs:
  - {name: scores, tensor: y}
tensors:
  - {name: x, type: float32, shape: [1, 4, 4, 2]}
  - {name: w, type: float32, shape: [3, 2, 3, 3], const: true}
  - {name: b, type: float32, shape: [3], const: true}
  - {name: c, type: float32, shape: [1, 2, 2, 3]}
  - {name: f, type: float32, shape: [1, 12]}
  - {name: g, type: float32, shape: [5, 12], const: true}
  - {name: y, type: float32, shape: [1, 5]}
ops:
  - {op: Conv, name: conv, in: [x, w, b], out: [c], attrs: {kernel_shape: [3, 3]}, act: Relu, origin: [n0, n1]}
  - {op: Reshape, name: flat, in: [c], out: [f], attrs: {shape: [1, 12]}}
  - {op: Gemm, name: dense, in: [f, g], out: [y], attrs: {transB: 1}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: b, values: [0.1, 0.2, -0.3]}
  - {name: g, fill: {seed: 3, amplitude: 1.0}}
)";

std::vector<float> ramp(size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i % 7) - 3.0F);
  return values;
}

void checkRefused(Graph graph, DiagId id, const std::string& text) {
  const Expected<std::string> file = emitPlan(planned(std::move(graph), ample()));
  REQUIRE_FALSE(bool(file));
  CHECK(file.error().id() == id);
  CHECK_MESSAGE(file.error().message().find(text) != std::string::npos, file.error().message());
}

} // namespace

TEST_CASE("the file says what the plan says") {
  PlanOptions options = ample(IoMode::Slow);
  options.budget.flash = 1 << 20;
  options.target = "cortex-m";
  const Graph graph = planned(normalized(Classifier), options);
  EmitOptions emit;
  emit.producer = "test 1.2.3";
  const std::string file = emitted(graph, emit);
  Aligned image(file.size());
  std::memcpy(image.data(), file.data(), file.size());
  tigris_plan plan;
  REQUIRE(tigris_plan_open(&plan, image.data(), file.size()) == TIGRIS_OK);
  const tigris_summary& s = *plan.summary;
  REQUIRE(figuresOf(plan) != nullptr);
  const tigris_figures& f = *figuresOf(plan);
  const PlanStats& stats = graph.plan()->stats;
  CHECK(s.fast_bytes == stats.fastPeakBytes);
  CHECK(f.fast_peak == stats.fastPeakBytes);
  CHECK(s.slow_bytes == 128 + 20);
  CHECK(f.slow_read == 128);
  CHECK(f.slow_write == 20);
  CHECK(f.io_bytes == 148);
  CHECK(f.kernel_calls == 2);
  CHECK(f.macs == 2 * 2 * 3 * 18 + 60);
  CHECK(s.align == 4);
  CHECK(f.budget_flash == 1 << 20);
  CHECK(f.weight_bytes == (54 + 3 + 60) * 4);
  const auto text = [&](uint32_t reference) {
    return std::string(tigris_plan_string(&plan, reference));
  };
  CHECK(text(s.model) == "tiny");
  CHECK(text(s.target) == "cortex-m");
  CHECK(text(f.planner) == "optimal");
  CHECK(text(f.optimize) == "traffic");
  CHECK(text(f.producer) == "test 1.2.3");
  CHECK(text(f.bound_class) == "single-stage, any order");
  CHECK(text(plan.ports[0].name) == "image");
  CHECK(plan.ints[plan.ports[0].perm + 1] == 2);
  CHECK(plan.op_count == 2);
  CHECK(plan.transfer_count == 2);
}

TEST_CASE("every interface mode gives the same outputs") {
  const Graph graph = normalized(Classifier);
  const std::vector<Bytes> input = {bytesOf(ramp(32))};
  const std::vector<Bytes> caller = runGraph(graph, input, IoMode::Caller);
  CHECK(runGraph(graph, input, IoMode::Slow) == caller);
  CHECK(runGraph(graph, input, IoMode::Arena) == caller);
}

TEST_CASE("equal graphs give equal bytes, what only tools read can be left out, xip is a flag") {
  const Graph graph = planned(normalized(Classifier), ample());
  const std::string file = emitted(graph);
  CHECK(emitted(graph) == file);
  CHECK(emitted(planned(normalized(Classifier), ample())) == file);
  EmitOptions options;
  options.strip = true;
  const std::string stripped = emitted(graph, options);
  CHECK(stripped.size() < file.size());
  CHECK(stripped.find("conv") == std::string::npos);
  CHECK(stripped.find("image") != std::string::npos);
  CHECK(runFile(stripped, {bytesOf(ramp(32))}) == runFile(file, {bytesOf(ramp(32))}));
  options = {};
  options.xip = true;
  const std::string xip = emitted(graph, options);
  CHECK(xip.size() == file.size());
  CHECK(xip != file);
}

TEST_CASE("a file larger than the flash budget is refused") {
  PlanOptions options = ample();
  options.budget.flash = 1000;
  const Expected<std::string> file = emitPlan(planned(normalized(Classifier), options));
  REQUIRE_FALSE(bool(file));
  CHECK(file.error().id() == DiagId::OverBudget);
  CHECK(file.error().message().find("of flash, budget is 1000 bytes") != std::string::npos);
}

TEST_CASE("only checked plans are emitted") {
  const Expected<std::string> none = emitPlan(normalized(Classifier));
  REQUIRE_FALSE(bool(none));
  CHECK(none.error().id() == DiagId::BadPlan);
  Graph graph = planned(normalized(Classifier), ample());
  Plan plan = *graph.plan();
  plan.stats.kernelCalls = 3;
  graph.setPlan(plan);
  const Expected<std::string> wrong = emitPlan(graph);
  REQUIRE_FALSE(bool(wrong));
  CHECK(wrong.error().id() == DiagId::BadPlan);
}

TEST_CASE("equal constants are stored once") {
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: k1, type: float32, shape: [4], const: true}
  - {name: k2, type: float32, shape: [1, 4], const: true}
  - {name: t, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 4]}
ops:
  - {op: Add, name: a, in: [x, k1], out: [t]}
  - {op: Mul, name: m, in: [t, k2], out: [y]}
blobs:
  - {name: k1, values: [1.0, 2.0, 3.0, 4.0]}
  - {name: k2, values: [1.0, 2.0, 3.0, 4.0]}
)");
  const std::string file = emitted(planned(graph, ample()));
  Aligned image(file.size());
  std::memcpy(image.data(), file.data(), file.size());
  tigris_plan plan;
  REQUIRE(tigris_plan_open(&plan, image.data(), file.size()) == TIGRIS_OK);
  CHECK(figuresOf(plan)->weight_bytes == 16);
  CHECK(runFloats(graph, {1, 1, 1, 1}) == std::vector<float>{2, 6, 12, 20});
}

TEST_CASE("outputs that are inputs, constants or shared arrive") {
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: same}
  - {name: again, tensor: same}
  - {name: through, tensor: x}
  - {name: fixed, tensor: k}
  - {name: viewed}
tensors:
  - {name: x, type: float32, shape: [1, 2]}
  - {name: same, type: float32, shape: [1, 2]}
  - {name: viewed, type: float32, shape: [2]}
  - {name: k, type: float32, shape: [2], const: true}
ops:
  - {op: Relu, name: relu, in: [x], out: [same]}
  - {op: Reshape, name: view, in: [x], out: [viewed], attrs: {shape: [2]}}
blobs:
  - {name: k, values: [7.0, 8.0]}
)");
  const std::vector<float> x = {-1, 2};
  for (const IoMode io : {IoMode::Slow, IoMode::Caller, IoMode::Arena}) {
    const std::vector<Bytes> outputs = runGraph(graph, {bytesOf(x)}, io);
    REQUIRE(outputs.size() == 5);
    CHECK(valuesOf<float>(outputs[0]) == std::vector<float>{0, 2});
    CHECK(outputs[1] == outputs[0]);
    CHECK(valuesOf<float>(outputs[2]) == x);
    CHECK(valuesOf<float>(outputs[3]) == std::vector<float>{7, 8});
    CHECK(valuesOf<float>(outputs[4]) == x);
  }
}

TEST_CASE("what the runtime cannot execute is refused by name") {
  const auto graphOf = [](const std::string& op, const std::string& yType = "float32",
                          const std::string& yShape = "[1, 4]") {
    return normalized("inputs:\n  - {name: x}\noutputs:\n  - {name: \"y\"}\ntensors:\n"
                      "  - {name: x, type: float32, shape: [1, 4]}\n"
                      "  - {name: \"y\", type: " +
                      yType + ", shape: " + yShape +
                      "}\n"
                      "ops:\n  - " +
                      op + "\n");
  };
  checkRefused(graphOf("{op: Tile, name: tile, in: [x], out: [\"y\"], attrs: {repeats: [1, 2]}, "
                       "origin: [node_7]}",
                       "float32", "[1, 8]"),
               DiagId::UnsupportedOp,
               "op 'tile' (Tile): the runtime has no kernel for this operator");
  checkRefused(graphOf("{op: Max, name: m, in: [x, x, x], out: [\"y\"]}"), DiagId::UnsupportedOp,
               "has 3 operands, the kernel takes 2");
}

TEST_CASE("every operator outside compile time has a lowering, or is known to need one") {
  // These are rewritten by tigris-norm, or refused with the message above.
  const std::vector<OpKind> without = {OpKind::Split, OpKind::Expand, OpKind::Tile,
                                       OpKind::DepthToSpace, OpKind::SpaceToDepth};
  for (const OpKind kind : allOpKinds()) {
    if (opInfo(kind).category == OpCategory::Compile)
      continue;
    const bool listed = std::find(without.begin(), without.end(), kind) != without.end();
    CHECK_MESSAGE(hasLowering(kind) != listed, opInfo(kind).name);
    // Each type that the row lists has an opcode, and no other has one.
    for (const DType type :
         {DType::Float32, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Bool})
      CHECK_MESSAGE((loweredOpcode(kind, type) != 0) == (!listed && opInfo(kind).computesIn(type)),
                    opInfo(kind).name, " of ", dtypeName(type));
  }
}
