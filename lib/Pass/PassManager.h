// Runs a pipeline over a graph and calls instrumentations around each pass. Verifying, printing,
// timing and stopping are instrumentations (Pass/Instrumentation.h), not code of the manager or of
// passes.
#pragma once

#include "tigris/Pass/Pipeline.h"

namespace tigris {

/// One execution of a pass; `index` counts executions from 1.
struct PassRun {
  std::string_view name;
  unsigned index = 0;
  /// The element as spelled in a pipeline: the name with its options.
  std::string_view spelling = {};
};

class PassInstrumentation {
public:
  virtual ~PassInstrumentation();
  /// Returns false to skip this pass. Called before any beforePass of the same run.
  virtual bool shouldRun(const PassRun&) { return true; }
  virtual void beforePass(const PassRun&, const Graph&) {}
  /// An error ends the pipeline with that error. Not called if the pass failed.
  virtual Status afterPass(const PassRun&, const Graph&, PassStatus) { return {}; }
  /// Called once at the end of the pipeline, also after a failure.
  virtual void finished() {}
};

class PassManager {
public:
  explicit PassManager(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  /// Instrumentations nest: they are called in the order of addition before a pass and in reverse
  /// order after it, so the last one added is the closest to the pass.
  void addInstrumentation(std::unique_ptr<PassInstrumentation> instrumentation);

  /// Receives what passes print (PassContext::log).
  void setLog(TextSink log) { log_ = std::move(log); }

  /// Failed means that errors were reported to `diagnostics` and the graph must be discarded. A
  /// fixpoint that still changes the graph after FixpointLimit rounds fails.
  [[nodiscard]] PassStatus run(Graph& graph, DiagnosticEngine& diagnostics);

  static constexpr unsigned FixpointLimit = 64;

private:
  PassStatus runAll(const Pipeline& pipeline, Graph& graph, PassContext& context);
  PassStatus runElement(const PipelineElement& element, Graph& graph, PassContext& context);
  PassStatus runPass(const PipelineElement& element, Graph& graph, PassContext& context);

  Pipeline pipeline_;
  std::vector<std::unique_ptr<PassInstrumentation>> instrumentations_;
  TextSink log_;
  unsigned executed_ = 0;
};

} // namespace tigris
