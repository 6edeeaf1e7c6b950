// What a user decides about a compilation, step by step. Plain values: tools fill them from their
// command lines.
#pragma once

#include "tigris/Emit/Emitter.h"
#include "tigris/Import/ImporterRegistry.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Plan/Planner.h"

namespace tigris {

/// Which passes normalize.
struct NormOptions {
  /// A pipeline text (Pass/Pipeline.h). Only one that holds `default` promises a normalized graph.
  std::string pipeline = "default";
  /// Passes to leave out.
  std::vector<std::string> skip;
};

/// How passes run, in normalization and at the extension points of planning.
struct PassRunOptions {
  /// Paths or names (Pass/PluginLoader.h).
  std::vector<std::string> plugins;
  bool verifyEach = true;
  /// What follows watches or cuts short the normalization; Pass/Instrumentation.h explains it.
  PrintGraphOptions print;
  bool timePasses = false;
  bool verifyNumerics = false;
  std::optional<double> numericTolerance;
  std::optional<std::string> stopAfter;
  std::optional<unsigned> passLimit;
  /// A file that holds the graph before the running pass, and is gone when all went well; empty:
  /// none.
  std::string reproducer;
};

/// What is asked of the planner, and what is decided around it.
struct PlanningOptions : PlanOptions {
  /// Lowers the fast budget to the smallest feasible one, plus `reserve`.
  bool minFast = false;
  /// With minFast, without slow memory and without `recompute`: recomputes nothing if that fits the
  /// budget.
  bool avoidRecompute = true;
};

struct CompileOptions {
  /// The formats that can be imported; empty: modules only.
  ImporterRegistry importers;
  /// Where the input came from, "-" is standard input: names it in messages, and side files lie
  /// beside it. Replaces import.modelPath and import.onFileRead.
  std::string inputPath = "-";
  ImportOptions import;
  NormOptions norm;
  PassRunOptions passes;
  PlanningOptions plan;
  /// The producer is always tigris-emit, so that equal plans give equal bytes.
  EmitOptions emit;
  /// Called with each further file that was read, and what it is: "external data". May be empty.
  std::function<void(const std::string& path, const std::string& what)> onFileRead;
  /// Receives what passes and their instrumentations print; may be empty.
  TextSink log;
};

} // namespace tigris
