// The options of a compilation, by step. They are plain values, which tools set from their command
// lines.
#pragma once

#include "tigris/Emit/Emitter.h"
#include "tigris/Import/ImporterRegistry.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Plan/Planner.h"

namespace tigris {

/// Which passes normalize.
struct NormOptions {
  /// The text of a pipeline (Pass/Pipeline.h). A normalized graph is guaranteed only if it contains
  /// `default`.
  std::string pipeline = "default";
  /// Passes to leave out.
  std::vector<std::string> skip;
};

/// How passes run, in normalization and at the extension points of planning.
struct PassRunOptions {
  /// Paths or names (Pass/PluginLoader.h).
  std::vector<std::string> plugins;
  bool verifyEach = true;
  /// The following options observe or shorten the normalization; see Pass/Instrumentation.h.
  PrintGraphOptions print;
  bool timePasses = false;
  bool verifyNumerics = false;
  std::optional<double> numericTolerance;
  std::optional<std::string> stopAfter;
  std::optional<unsigned> passLimit;
  /// A file for the graph before the running pass, removed if all passes succeed; empty: none.
  std::string reproducer;
};

/// The options of the planner and of its caller.
struct PlanningOptions : PlanOptions {
  /// Lowers the fast budget to the smallest feasible one, plus `reserve`. Slow memory that is not
  /// in the budget is not used, whatever slowAsNeeded.
  bool minFast = false;
  /// With minFast, without slow memory and without `recompute`: recomputes nothing if that fits the
  /// budget. If false, a plan without slow memory may execute ops twice, too
  /// (Plan/Remat/RepeatSearch.h).
  bool avoidRecompute = true;
  /// More effort for the certificate of the plan, as with minFast (Plan/Bounds/Bounds.h).
  bool certificates = false;
  /// Whether the plan leaves fast memory free for copies of weights, or for weights that are
  /// unpacked (Compile/WeightMemory.h).
  WeightMemory weights = WeightMemory::Map;
  Compression compress = Compression::None;
  /// Whether to find the reserve for them; otherwise `reserve` is used.
  bool findReserve = true;
};

struct CompileOptions {
  /// The formats that can be imported; empty: modules only.
  ImporterRegistry importers;
  /// The path of the input; "-" is standard input. It names the input in messages, and side files
  /// are looked up in its folder. Overrides import.modelPath and import.onFileRead.
  std::string inputPath = "-";
  ImportOptions import;
  NormOptions norm;
  PassRunOptions passes;
  PlanningOptions plan;
  /// The producer is always tigris-emit, so that equal plans give equal bytes.
  EmitOptions emit;
  /// Called with each further file that was read, and with its kind: "external data". May be empty.
  std::function<void(const std::string& path, const std::string& what)> onFileRead;
  /// Receives what passes and their instrumentations print, and how much slow memory a plan adds;
  /// may be empty.
  TextSink log;
};

} // namespace tigris
