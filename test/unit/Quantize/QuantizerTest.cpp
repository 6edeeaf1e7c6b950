// The quantizer's edits of small graphs, and their results after the folding passes.
#include "tigris/Quantize/Quantizer.h"

#include "PassTesting.h"
#include "tigris/Quantize/Prepare.h"
#include "tigris/Quantize/WeightQuant.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace tigris;

namespace {

/// Observations as if every tensor had had the values of one list, scaled by its position in the
/// order.
Observations observe(const Graph& graph, const std::vector<float>& values) {
  Observations result;
  for (const ObservedTensor& observed : observedTensors(graph)) {
    TensorStatistics& statistics = result[observed.tensor];
    statistics.add(values);
    for (size_t c = 0; observed.channelAxis >= 0 && c < 2; ++c)
      statistics.addChannel(c, 4.0, 2);
  }
  return result;
}

QuantizeSummary quantize(Graph& graph, const QuantizeOptions& options = {}) {
  const Expected<QuantizeSummary> summary =
      quantizeGraph(graph, observe(graph, {-1.0F, 0.5F, 4.1F}), options);
  REQUIRE_MESSAGE(summary, (summary ? std::string() : summary.error().message()));
  return *summary;
}

std::vector<std::string> kinds(const Graph& graph) {
  std::vector<std::string> result;
  for (const OpId id : graph.order())
    result.emplace_back(graph.op(id).kindName());
  return result;
}

const Tensor& tensorNamed(const Graph& graph, std::string_view name) {
  const auto id = graph.findTensor(name);
  REQUIRE(id.has_value());
  return graph.tensor(*id);
}

constexpr const char* ConvReluPool = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: w, type: float32, shape: [2, 2, 1, 1], const: true}
  - {name: b, type: float32, shape: [2], const: true}
  - {name: c, type: float32, shape: [1, 2, 4, 4]}
  - {name: r, type: float32, shape: [1, 2, 4, 4]}
  - {name: p, type: float32, shape: [1, 2, 2, 2]}
  - {name: "y", type: float32, shape: [1, 2, 2, 2]}
ops:
  - {op: Conv, name: conv, in: [x, w, b], out: [c]}
  - {op: Relu, name: relu, in: [c], out: [r]}
  - {op: MaxPool, name: pool, in: [r], out: [p], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
  - {op: Exp, name: exp, in: [p], out: ["y"]}
blobs:
  - {name: w, values: [1.27, -0.635, 0.3, 12.7]}
  - {name: b, values: [0.5, -0.5]}
)";

} // namespace

TEST_CASE("clamps join the operator before them, pools share its scale, the rest stays float") {
  Graph graph = parseGraph(ConvReluPool);
  QuantizeOptions options;
  options.biasCorrection = false;
  const QuantizeSummary summary = quantize(graph, options);
  CHECK(summary.integerOps == 1);
  CHECK(summary.floatOps == std::vector<std::string>{"exp (Exp)"});
  CHECK_FALSE(graph.findTensor("c_q"));
  CHECK(tensorNamed(graph, "r_q").quant == tensorNamed(graph, "p_q").quant);
  CHECK(tensorNamed(graph, "w_q").quant->axis == 0);

  const PassOutcome folded = runPasses("qdq-move,qdq-fold,quant-interface,activation-fuse", graph);
  CHECK(kinds(folded.graph) ==
        std::vector<std::string>{"Conv", "MaxPool", "DequantizeLinear", "Exp"});
}

TEST_CASE("bias correction compensates the mean rounding error") {
  Graph plain = parseGraph(ConvReluPool);
  const Tensor weights = tensorNamed(plain, "w");
  Graph corrected = plain;
  QuantizeOptions options;
  options.biasCorrection = false;
  quantize(plain, options);
  options.biasCorrection = true;
  quantize(corrected, options);
  const std::vector<float> error = quantizationError(tensorNamed(corrected, "w_q"), weights);
  const std::vector<float> bias = tensorNamed(corrected, "b_corrected").data->values<float>();
  // Every channel of x has the mean 2.
  CHECK(bias[0] == doctest::Approx(0.5 - 2 * (error[0] + error[1])));
  CHECK(bias[1] == doctest::Approx(-0.5 - 2 * (error[2] + error[3])));
}

TEST_CASE("a named operator stays in float, and an unknown name is refused") {
  Graph graph = parseGraph(ConvReluPool);
  QuantizeOptions options;
  options.keepFloat = {"nothing"};
  const auto unknown = quantizeGraph(graph, observe(graph, {1.0F}), options);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().id() == DiagId::Usage);
  options.keepFloat = {"Conv"};
  const auto nothing = quantizeGraph(graph, observe(graph, {1.0F}), options);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().id() == DiagId::UnsupportedOp);
}

TEST_CASE("a quantized model is refused") {
  Graph graph = parseGraph(ConvReluPool);
  quantize(graph);
  const auto again = quantizeGraph(graph, observe(graph, {1.0F}), {});
  REQUIRE_FALSE(again);
  CHECK(again.error().message().find("already quantized") != std::string::npos);
}

TEST_CASE("values that are never finite are refused, some are warned about") {
  Graph graph = parseGraph(ConvReluPool);
  const auto never = quantizeGraph(graph, observe(graph, {std::nanf("")}), {});
  REQUIRE_FALSE(never);
  CHECK(never.error().id() == DiagId::BadValue);
  const auto some = quantizeGraph(graph, observe(graph, {std::nanf(""), 1.0F}), {});
  REQUIRE(some);
  CHECK_FALSE(some->warnings.empty());
}

TEST_CASE("Concat: operands with one reader share its scale, others are requantized") {
  Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: s}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: w, type: float32, shape: [2, 2, 1, 1], const: true}
  - {name: a, type: float32, shape: [1, 2, 4, 4]}
  - {name: b, type: float32, shape: [1, 2, 4, 4]}
  - {name: s, type: float32, shape: [1, 2, 4, 4]}
  - {name: "y", type: float32, shape: [1, 6, 4, 4]}
ops:
  - {op: Conv, name: conv1, in: [x, w], out: [a]}
  - {op: Conv, name: conv2, in: [a, w], out: [b]}
  - {op: Softmax, name: softmax, in: [b], out: [s]}
  - {op: Concat, name: concat, in: [a, b, s], out: ["y"], attrs: {axis: 1}}
blobs:
  - {name: w, values: [1.27, -0.635, 0.3, 12.7]}
)");
  quantize(graph);
  CHECK(tensorNamed(graph, "s_q").quant == QuantParam{{1.0F / 256}, {-128}, -1});
  const PassOutcome folded = runPasses("qdq-move,qdq-fold,quant-interface", graph);
  const std::vector<std::string> result = kinds(folded.graph);
  CHECK(std::count(result.begin(), result.end(), "Concat") == 1);
  CHECK(std::count(result.begin(), result.end(), "DequantizeLinear") == 0);
  CHECK(std::count(result.begin(), result.end(), "QuantizeLinear") == 0);
  CHECK(std::count(result.begin(), result.end(), "Requantize") >= 1);
}

TEST_CASE("a softmax of small probabilities stays in float") {
  Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2]}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: a, type: float32, shape: [1, 2]}
  - {name: "y", type: float32, shape: [1, 2]}
ops:
  - {op: Gemm, name: fc, in: [x, w], out: [a], attrs: {transB: 1}}
  - {op: Softmax, name: softmax, in: [a], out: ["y"]}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0]}
)");
  Graph large = graph;
  CHECK(quantizeGraph(large, observe(large, {0.01F, 0.6F}), {})->integerOps == 2);
  const auto summary = quantizeGraph(graph, observe(graph, {0.01F, 0.4F}), {});
  REQUIRE(summary);
  CHECK(summary->floatOps == std::vector<std::string>{"softmax (Softmax)"});
}

TEST_CASE("weights near zero do not make biases overflow") {
  Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2]}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: b, type: float32, shape: [2], const: true}
  - {name: "y", type: float32, shape: [1, 2]}
ops:
  - {op: Gemm, name: fc, in: [x, w, b], out: ["y"], attrs: {transB: 1}}
blobs:
  - {name: w, values: [1.0e-20, 1.0e-20, 1.0, 1.0]}
  - {name: b, values: [3.5, 0.5]}
)");
  CHECK(quantize(graph).integerOps == 1);
}

TEST_CASE("what prepares a graph ends before the layout changes") {
  const Expected<Pipeline> pipeline = preparePipeline(builtinPasses());
  REQUIRE(pipeline);
  const std::string text = printPipeline(*pipeline);
  CHECK(text.find("batch-norm-fold") != std::string::npos);
  CHECK(text.find("layout-assign") == std::string::npos);
  CHECK(text.find("qdq-fold") == std::string::npos);
}
