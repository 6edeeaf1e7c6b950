// The instrumentations behind the developer options of tools that run passes.
//
// They print nothing themselves: graphs and texts go to callbacks of the tool, which sends them to
// stderr.
#pragma once

#include "tigris/Pass/PassManager.h"

#include <cstddef>

namespace tigris {

/// Callback with a banner ("after qdq-fold (7)", without line break) and the graph to print.
using GraphPrinter = std::function<void(std::string_view banner, const Graph&)>;

/// --verify-each: runs the verifier after a pass that reports a change; after a pass that reports
/// none, compares structural hashes. A failure is PassFailed; it names the pass, lists the
/// verifier's errors as notes, and says how to investigate.
std::unique_ptr<PassInstrumentation> makeVerifyEach();

struct PrintGraphOptions {
  /// Pass names.
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool afterAll = false;
  /// Only if the pass changed the graph.
  bool changed = false;
};
/// --print-before, --print-after, --print-after-all, --print-changed.
std::unique_ptr<PassInstrumentation> makePrintGraph(PrintGraphOptions options, GraphPrinter print);

/// --time-passes: at the end of the pipeline, one line per pass with its share of the total,
/// slowest first.
std::unique_ptr<PassInstrumentation> makeTimePasses(TextSink print);

/// --stop-after: ends the pipeline after the first execution of the pass.
std::unique_ptr<PassInstrumentation> makeStopAfter(std::string passName);

/// --pass-limit: runs only the first `limit` executions, to bisect a miscompilation.
std::unique_ptr<PassInstrumentation> makePassLimit(unsigned limit);

/// --verify-numerics: runs the graph on seeded random inputs before the first pass and after every
/// pass that changed it (IR/Interpreter.h). Fails after the first pass that changed an output by
/// more than `tolerance` times the largest magnitude of that output. The default is 0.001, or 0.02
/// for graphs with int8 tensors, where a single different rounding can move an output by several
/// steps. A graph that the interpreter cannot run is logged once per reason and not compared.
std::unique_ptr<PassInstrumentation> makeVerifyNumerics(std::optional<double> tolerance,
                                                        TextSink log);

/// --reproducer: passes the graph to `save` before every pass, so that after a crash the last saved
/// graph is the input of the pass that crashed. `save` returns an error if it cannot save; the
/// pipeline then ends with that error.
using GraphSaver = std::function<Status(const PassRun&, const Graph&)>;
std::unique_ptr<PassInstrumentation> makeReproducer(GraphSaver save);

} // namespace tigris
