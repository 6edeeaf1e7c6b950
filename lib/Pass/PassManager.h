// Runs a pipeline over a graph and lets instrumentations watch. Verifying, printing, timing and stopping are
// instrumentations (Pass/Instrumentation.h), not code of the manager or of passes.
#pragma once

#include "tigris/Pass/Pipeline.h"

namespace tigris {

/// One execution of one pass; `index` counts executions from 1.
struct PassRun {
  std::string_view name;
  unsigned index = 0;
  /// The element as a pipeline spells it: the name with its options.
  std::string_view spelling = {};
};

class PassInstrumentation {
public:
  virtual ~PassInstrumentation();
  /// False skips this pass. Asked before any beforePass of the same run.
  virtual bool shouldRun(const PassRun&) { return true; }
  virtual void beforePass(const PassRun&, const Graph&) {}
  /// A failure ends the pipeline with that error. Not called when the pass failed.
  virtual Status afterPass(const PassRun&, const Graph&, PassStatus) { return {}; }
  /// Once, when the pipeline has ended, also after a failure.
  virtual void finished() {}
};

class PassManager {
public:
  explicit PassManager(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  /// They nest: before a pass called in the order of addition, after it in the opposite order, so the
  /// last one added sees the pass alone.
  void addInstrumentation(std::unique_ptr<PassInstrumentation> instrumentation);

  /// Receives what passes print (PassContext::print).
  void setLog(TextSink log) { log_ = std::move(log); }

  /// Failed means that errors were reported to `diagnostics` and the graph is to be thrown away.
  /// A fixpoint that still changes after FixpointLimit rounds fails.
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
