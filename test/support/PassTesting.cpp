// The oracle evaluates operators with the rules of constant folding, which share no code with the passes.
#include "PassTesting.h"

#include "Check.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Serialize/Stream.h"
#include "tigris/Transforms/Passes.h"

#include <doctest/doctest.h>
#include <cmath>
#include <stdexcept>

namespace tigris {

Graph parseGraph(std::string_view yaml) {
  std::string text(yaml);
  if (text.find("tigris: graph/") == std::string::npos)
    text.insert(0, "tigris: graph/1\n");
  if (text.find("\nstage:") == std::string::npos)
    text.insert(text.find('\n') + 1, "stage: imported\n");
  const size_t blobs = text.find("\nblobs:");
  if (blobs != std::string::npos && text.find("tigris: weights/") == std::string::npos)
    text.insert(blobs + 1, "---\ntigris: weights/1\n");
  Expected<Graph> graph = readStream(std::make_shared<const std::string>(text), "test.yaml");
  if (!graph)
    throw std::runtime_error(formatDiagnostic(graph.error().diagnostic(), "test.yaml"));
  return std::move(*graph);
}

std::string printGraph(const Graph& graph) {
  Expected<std::string> text = writeStream(graph);
  if (!text)
    throw std::runtime_error(text.error().message());
  return std::move(*text);
}

const PassRegistry& builtinPasses() {
  static const PassRegistry* registry = [] {
    auto* fresh = new PassRegistry;
    const Status status = registerTransforms(*fresh);
    if (!status)
      throw std::runtime_error(status.error().message());
    return fresh;
  }();
  return *registry;
}

PassOutcome runPasses(std::string_view pipeline, const Graph& graph) {
  Expected<Pipeline> parsed = parsePipeline(pipeline, builtinPasses());
  if (!parsed)
    throw std::runtime_error(parsed.error().message());
  PassOutcome outcome;
  outcome.graph = graph;
  PassManager manager(std::move(*parsed));
  manager.addInstrumentation(makeVerifyEach());
  DiagnosticEngine diagnostics;
  outcome.status = manager.run(outcome.graph, diagnostics);
  outcome.diagnostics = diagnostics.all();
  return outcome;
}

namespace {

std::string describe(const PassOutcome& outcome) {
  std::string text;
  for (const Diagnostic& diagnostic : outcome.diagnostics)
    text += formatDiagnostic(diagnostic, "test");
  return text;
}

} // namespace

Graph checkPass(std::string_view pipeline, std::string_view yaml) {
  INFO(pipeline);
  const PassOutcome first = runPasses(pipeline, parseGraph(yaml));
  REQUIRE_MESSAGE(first.status != PassStatus::Failed, describe(first));
  CHECK(first.status == PassStatus::Changed);
  const auto failure = checkText(printGraph(first.graph), yaml);
  CHECK_MESSAGE(!failure, failure.value_or(""));
  const PassOutcome second = runPasses(pipeline, first.graph);
  CHECK_MESSAGE(second.status == PassStatus::Unchanged, "not idempotent:\n", describe(second),
                printGraph(second.graph));
  return first.graph;
}

void checkUnchanged(std::string_view pipeline, std::string_view yaml) {
  INFO(pipeline);
  const PassOutcome outcome = runPasses(pipeline, parseGraph(yaml));
  CHECK_MESSAGE(outcome.status == PassStatus::Unchanged, describe(outcome),
                printGraph(outcome.graph));
}

void checkFails(std::string_view pipeline, std::string_view yaml, DiagId id,
                std::string_view text) {
  INFO(pipeline);
  const PassOutcome outcome = runPasses(pipeline, parseGraph(yaml));
  CHECK(outcome.status == PassStatus::Failed);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  CHECK(diagSpelling(outcome.diagnostics[0].id) == diagSpelling(id));
  CHECK_MESSAGE(outcome.diagnostics[0].message.find(text) != std::string::npos,
                outcome.diagnostics[0].message);
}

namespace {

/// Where element `index` of a port's own order lies in the stored tensor.
class PortOrder {
public:
  explicit PortOrder(const Port& port) : shape_(port.shape), strides_(port.shape.rank()) {
    std::vector<int64_t> perm = port.perm;
    for (size_t i = perm.size(); i < port.shape.rank(); ++i)
      perm.push_back(static_cast<int64_t>(i));
    const std::vector<int64_t> stored = rowMajorStrides(permute(port.shape, perm));
    for (size_t i = 0; i < perm.size(); ++i)
      strides_[static_cast<size_t>(perm[i])] = stored[i];
  }

  size_t operator()(size_t index) const {
    int64_t at = 0;
    auto rest = static_cast<int64_t>(index);
    for (size_t axis = shape_.rank(); axis-- > 0; rest /= shape_[axis])
      at += rest % shape_[axis] * strides_[axis];
    return static_cast<size_t>(at);
  }

private:
  Shape shape_;
  std::vector<int64_t> strides_;
};

} // namespace

std::map<std::string, std::vector<float>> evaluateGraph(const Graph& graph) {
  KnownValues values(graph);
  uint32_t state = 12345;
  for (const Port& port : graph.inputs()) {
    const PortOrder order(port);
    std::vector<float> data(static_cast<size_t>(port.shape.elements()));
    for (size_t i = 0; i < data.size(); ++i) {
      state = state * 1664525 + 1013904223;
      data[order(i)] = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1.0F;
    }
    values.set(port.tensor, makeBlobOf(data));
  }
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    std::vector<ResultType> types;
    for (const TensorId output : op.outputs)
      types.push_back({graph.tensor(output).type, graph.tensor(output).shape});
    const auto results = evaluateOp(op, values, types);
    if (!results)
      return {};
    for (size_t i = 0; i < op.outputs.size(); ++i)
      values.set(op.outputs[i], (*results)[i]);
  }
  std::map<std::string, std::vector<float>> outputs;
  for (const Port& port : graph.outputs()) {
    const PortOrder order(port);
    const std::vector<float> stored = values.find(port.tensor)->values<float>();
    std::vector<float>& own = outputs[port.name];
    for (size_t i = 0; i < stored.size(); ++i)
      own.push_back(stored[order(i)]);
  }
  return outputs;
}

void checkSameValues(const Graph& before, const Graph& after, double tolerance) {
  const auto expected = evaluateGraph(before);
  const auto actual = evaluateGraph(after);
  REQUIRE_FALSE(expected.empty());
  REQUIRE(actual.size() == expected.size());
  for (const auto& [name, values] : expected) {
    REQUIRE(actual.count(name) == 1);
    const std::vector<float>& other = actual.at(name);
    REQUIRE(other.size() == values.size());
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(other[i] == doctest::Approx(values[i]).epsilon(tolerance));
  }
}

} // namespace tigris
