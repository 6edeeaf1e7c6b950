// Runs passes on graphs written as text, for the unit tests of passes and pipelines.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Pass/PassManager.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Reads the graph in a YAML text; throws std::runtime_error with the message on errors. Shorter
/// than a module: `tigris: graph/1`, `form: imported` and, before a line `blobs:`, the head of the
/// weights document are added if missing.
Graph parseGraph(std::string_view yaml);
std::string printGraph(const Graph& graph);

/// A registry with the built-in passes.
const PassRegistry& builtinPasses();

struct PassOutcome {
  PassStatus status = PassStatus::Failed;
  Graph graph;
  std::vector<Diagnostic> diagnostics;
};
/// Runs a pipeline with --verify-each on a copy.
PassOutcome runPasses(std::string_view pipeline, const Graph& graph);

/// Runs the pipeline on the graph in `yaml` and tests, as doctest assertions of the current test
/// case, that it changes the graph, that the printed result satisfies the CHECK lines in `yaml`,
/// and that a second run changes nothing. Returns the result.
Graph checkPass(std::string_view pipeline, std::string_view yaml);
/// Tests that the pipeline does not change the graph.
void checkUnchanged(std::string_view pipeline, std::string_view yaml);
/// Tests that the pipeline fails and that the first error has this id and contains the text.
void checkFails(std::string_view pipeline, std::string_view yaml, DiagId id, std::string_view text);

/// Values of the model outputs for the same seeded inputs, by port name (IR/Interpreter.h). Empty
/// if an operator has no evaluation rule.
std::map<std::string, std::vector<float>> evaluateGraph(const Graph& graph);
/// Tests that both graphs compute the same outputs, up to the relative tolerance.
void checkSameValues(const Graph& before, const Graph& after, double tolerance = 1e-5);

} // namespace tigris
