// The observers that the developer options of pass-running tools stand for.
//
// Nothing here prints by itself: graphs and texts go to callbacks of the tool, which sends them to stderr.
#pragma once

#include "tigris/Pass/PassManager.h"

#include <cstddef>

namespace tigris {

/// Called with a banner ("after qdq-fold (7)", no line break) and the graph to print.
using GraphPrinter = std::function<void(std::string_view banner, const Graph&)>;
using TextSink = std::function<void(std::string_view)>;

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

} // namespace tigris
