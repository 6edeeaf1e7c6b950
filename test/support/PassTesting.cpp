// The oracle evaluates operators with the rules of constant folding, which share no code with the
// passes.
#include "PassTesting.h"

#include "Check.h"

#include "tigris/IR/Interpreter.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Transforms/Passes.h"

#include <doctest/doctest.h>
#include <stdexcept>

namespace tigris {

Graph parseGraph(std::string_view yaml) {
  std::string text(yaml);
  if (text.find("tigris: graph/") == std::string::npos)
    text.insert(0, "tigris: graph/1\n");
  if (text.find("\nform:") == std::string::npos)
    text.insert(text.find('\n') + 1, "form: imported\n");
  const size_t blobs = text.find("\nblobs:");
  if (blobs != std::string::npos && text.find("tigris: weights/") == std::string::npos)
    text.insert(blobs + 1, "---\ntigris: weights/1\n");
  Expected<Graph> graph = readModule(std::make_shared<const std::string>(text), "test.yaml");
  if (!graph)
    throw std::runtime_error(formatDiagnostic(graph.error().diagnostic(), "test.yaml"));
  return std::move(*graph);
}

std::string printGraph(const Graph& graph) {
  Expected<std::string> text = writeModule(graph);
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

std::map<std::string, std::vector<float>> evaluateGraph(const Graph& graph) {
  const Expected<PortValues> values = interpretGraph(graph, randomInputs(graph, 12345));
  std::map<std::string, std::vector<float>> outputs;
  if (values)
    for (size_t i = 0; i < values->size(); ++i)
      outputs[graph.outputs()[i].name].assign((*values)[i].begin(), (*values)[i].end());
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
