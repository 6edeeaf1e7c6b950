// Walks the pipeline tree and calls the instrumentations, which do all reporting and checking.
#include "tigris/Pass/PassManager.h"

#include "tigris/Support/Progress.h"
#include "tigris/Support/Remarks.h"

#include <algorithm>

namespace tigris {

PassInstrumentation::~PassInstrumentation() = default;

void PassManager::addInstrumentation(std::unique_ptr<PassInstrumentation> instrumentation) {
  instrumentations_.push_back(std::move(instrumentation));
}

PassStatus PassManager::run(Graph& graph, DiagnosticEngine& diagnostics) {
  PassContext context{diagnostics, log_};
  executed_ = 0;
  const PassStatus status = runAll(pipeline_, graph, context);
  for (const auto& instrumentation : instrumentations_)
    instrumentation->finished();
  return status;
}

PassStatus PassManager::runAll(const Pipeline& pipeline, Graph& graph, PassContext& context) {
  bool changed = false;
  for (const PipelineElement& element : pipeline) {
    const PassStatus status = runElement(element, graph, context);
    if (status == PassStatus::Failed)
      return status;
    changed |= status == PassStatus::Changed;
  }
  return changedIf(changed);
}

PassStatus PassManager::runElement(const PipelineElement& element, Graph& graph,
                                   PassContext& context) {
  if (element.kind == PipelineElement::Kind::Pass)
    return runPass(element, graph, context);
  const bool fixpoint = element.kind == PipelineElement::Kind::Fixpoint;
  const int64_t rounds = fixpoint ? FixpointLimit : element.count;
  bool changed = false;
  for (int64_t round = 0; round < rounds; ++round) {
    const PassStatus status = runAll(element.body, graph, context);
    if (status == PassStatus::Failed)
      return status;
    if (fixpoint && status == PassStatus::Unchanged)
      return changedIf(changed);
    changed |= status == PassStatus::Changed;
  }
  if (fixpoint)
    return context.fail(
        DiagId::PassFailed, "fixpoint(", printPipeline(element.body),
        ") still changes the graph after ", FixpointLimit,
        " rounds; two of its passes may undo each other; fix them or use repeat{n=N}");
  return changedIf(changed);
}

PassStatus PassManager::runPass(const PipelineElement& element, Graph& graph,
                                PassContext& context) {
  const std::string spelling = printPipeline({element});
  const PassRun run{element.info->name, executed_ + 1, spelling};
  if (!std::all_of(instrumentations_.begin(), instrumentations_.end(),
                   [&](const auto& i) { return i->shouldRun(run); }))
    return PassStatus::Unchanged;
  ++executed_;
  const Progress progress(strCat("pass ", executed_, " (", run.name, ")"));
  for (const auto& instrumentation : instrumentations_)
    instrumentation->beforePass(run, graph);
  const RemarkOrigin origin(run.name);
  const unsigned errors = context.diagnostics.errorCount();
  const PassStatus status = element.info->create(element.options)->run(graph, context);
  const bool reported = context.diagnostics.errorCount() > errors;
  if (status == PassStatus::Failed && !reported)
    return context.fail(DiagId::PassFailed, "pass '", run.name,
                        "' failed without reporting an error");
  if (status == PassStatus::Failed || reported)
    return PassStatus::Failed;
  for (auto at = instrumentations_.rbegin(); at != instrumentations_.rend(); ++at)
    if (const Status watched = (*at)->afterPass(run, graph, status); !watched)
      return context.fail(watched.error());
  return status;
}

} // namespace tigris
