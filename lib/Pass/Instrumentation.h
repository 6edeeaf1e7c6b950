// The observers that the developer options of pass-running tools stand for.
//
// Nothing here prints by itself: graphs and texts go to callbacks of the tool, which sends them to stderr.
#pragma once

#include "tigris/Pass/PassManager.h"

#include <cstddef>

namespace tigris {

/// Called with a banner ("after qdq-fold (7)", no line break) and the graph to print.
using GraphPrinter = std::function<void(std::string_view banner, const Graph&)>;

/// --verify-each: after a pass that changed the graph runs the verifier; after one that says it did not,
/// compares structural hashes. A failure is PassFailed, names the pass, lists what the verifier found as
/// notes, and says how to look at it.
std::unique_ptr<PassInstrumentation> makeVerifyEach();

struct PrintGraphOptions {
  /// Pass names.
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool afterAll = false;
  /// Only where the pass changed the graph.
  bool changed = false;
};
/// --print-before, --print-after, --print-after-all, --print-changed.
std::unique_ptr<PassInstrumentation> makePrintGraph(PrintGraphOptions options, GraphPrinter print);

/// --time-passes: one line per pass with its share of the total, slowest first, when the pipeline ends.
std::unique_ptr<PassInstrumentation> makeTimePasses(TextSink print);

/// --stop-after: the first execution of the pass is the last one of the pipeline.
std::unique_ptr<PassInstrumentation> makeStopAfter(std::string passName);

/// --pass-limit: only the first `limit` executions happen (to bisect a miscompilation).
std::unique_ptr<PassInstrumentation> makePassLimit(unsigned limit);

/// --verify-numerics: runs the graph on seeded random inputs before the first pass and after every pass that
/// changed it (IR/Interpreter.h), and fails after the first one that changed an output by more than
/// `tolerance` times the largest magnitude of that output (default: 0.001, or 0.02 for graphs with int8 tensors,
/// where one different rounding deep inside shows by some steps). A graph that the interpreter cannot run is
/// logged once per reason and not compared.
std::unique_ptr<PassInstrumentation> makeVerifyNumerics(std::optional<double> tolerance,
                                                        TextSink log);

/// --reproducer: hands over the graph before every pass, so that whatever ends the process finds the
/// state before the pass to blame. `save` returns the failure to save; the pipeline then ends with it.
using GraphSaver = std::function<Status(const PassRun&, const Graph&)>;
std::unique_ptr<PassInstrumentation> makeReproducer(GraphSaver save);

} // namespace tigris
