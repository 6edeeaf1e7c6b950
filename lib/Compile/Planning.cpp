// Runs the planner, and the hooks of plugins before and after it.
#include "tigris/Check/PlanChecker.h"
#include "tigris/Compile/Compiler.h"
#include "tigris/Compile/WeightMemory.h"
#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/OperandViews.h"
#include "tigris/Plan/PlanRemarks.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Remat/RepeatChain.h"
#include "tigris/Plan/Remat/RepeatSearch.h"
#include "tigris/Plan/Search/PlanDrafts.h"

#include <algorithm>

namespace tigris {

namespace {

/// Lowers the fast budget to the smallest feasible one, without adding slow memory.
Status takeLeastFast(const Graph& graph, PlanDrafts& drafts, PlanningOptions& options) {
  options.slowAsNeeded = false;
  const bool mayRelax = options.avoidRecompute && !options.recompute && !options.budget.slow;
  if (mayRelax)
    options.recompute = 0;
  Expected<BudgetNeeds> needs = budgetNeeds(graph, options, drafts);
  if (mayRelax && (!needs || needs->smallest + options.reserve > options.budget.fast)) {
    options.recompute.reset();
    needs = budgetNeeds(graph, options, drafts);
  }
  if (!needs)
    return needs.takeError();
  options.budget.fast =
      std::min(options.budget.fast, std::max<uint64_t>(needs->smallest, 1) + options.reserve);
  return {};
}

} // namespace

/// Runs the passes that plugins have added at this extension point.
Expected<bool> Compiler::runExtensions(ExtensionPoint point, Graph& graph,
                                       DiagnosticEngine& diagnostics) {
  if (Status status = loadPlugins(); !status)
    return status.takeError();
  const Expected<Pipeline> pipeline = parsePipeline(extensionPointName(point), passes_);
  if (!pipeline)
    return pipeline.error();
  return pipeline->empty() ? Expected<bool>(true) : runPipeline(*pipeline, graph, diagnostics);
}

Expected<bool> Compiler::preparePlanning(Graph& graph) {
  if (graph.form() == GraphForm::Imported)
    return makeError(DiagId::BadGraph, "the graph is not normalized; run tigris-norm first");
  if (removeRepeats(graph) != 0) {
    graph.setPlan(std::nullopt);
    graph.setForm(GraphForm::Normalized);
  }
  Expected<bool> started = runExtensions(ExtensionPoint::PlanStart, graph, diagnostics_);
  if (started && *started) {
    const bool copiesConstants = options_.plan.weights == WeightMemory::Copy;
    insertPortCopies(graph, copiesConstants);
    if (!copiesConstants)
      keepConstantOutputs(graph);
    insertOperandViews(graph);
  }
  return started;
}

Expected<Plan> Compiler::plan(const Graph& graph) const {
  PlanDrafts drafts(graph);
  PlanningOptions last = options_.plan;
  const auto make = [&](PlanningOptions options) -> Expected<Plan> {
    if (options.minFast)
      if (Status status = takeLeastFast(graph, drafts, options); !status)
        return status.takeError();
    last = options;
    return planGraph(graph, options, drafts);
  };
  Expected<Plan> plan = bringsWeights(options_.plan)
                            ? planForWeights(graph, options_.plan, drafts, make)
                            : make(options_.plan);
  remarkOnPlan(graph, last, drafts, plan ? &*plan : nullptr);
  if (plan) {
    const bool isThorough = options_.plan.minFast || options_.plan.certificates;
    if (isThorough || plan->stages.size() > 1)
      addCertificate(graph, isThorough ? ThoroughCertificateFlows : CertificateFlows, *plan);
    plan->weights = options_.plan.weights;
    plan->compress = options_.plan.compress;
  }
  return plan;
}

Expected<bool> Compiler::adoptPlan(Graph& graph, Plan plan) {
  return adoptPlan(graph, std::move(plan), diagnostics_);
}

Expected<bool> Compiler::adoptPlan(Graph& graph, Plan plan, DiagnosticEngine& diagnostics) {
  applyPlan(graph, std::move(plan));
  if (Status status = checkPlan(graph); !status)
    TIGRIS_UNREACHABLE(status.error().message());
  Expected<bool> ended = runExtensions(ExtensionPoint::PlanEnd, graph, diagnostics);
  if (!ended || !*ended)
    return ended;
  // A plugin may have invalidated the plan. That is not a bug of the compiler, but the plan must be
  // rejected.
  if (!passes_.extensions(ExtensionPoint::PlanEnd).empty())
    if (Status status = checkPlan(graph); !status)
      return status.takeError().note("a plugin changed the plan");
  return true;
}

Expected<bool> Compiler::planInto(Graph& graph) {
  Expected<bool> prepared = preparePlanning(graph);
  if (!prepared || !*prepared)
    return prepared;
  const PlanningOptions& options = options_.plan;
  if (!options.avoidRecompute && options.recompute != 0 && !options.budget.slow)
    insertRepeatsFor(graph, options, options.minFast);
  Expected<Plan> result = plan(graph);
  if (!result)
    return result.takeError();
  if (result->budget.slow && !options_.plan.budget.slow && options_.log)
    options_.log(strCat("needs ", formatBytes(*result->budget.slow), " of slow memory (PSRAM)\n"));
  return adoptPlan(graph, std::move(*result));
}

PlanFinisher Compiler::finisher(const Graph& graph) {
  if (passes_.extensions(ExtensionPoint::PlanEnd).empty())
    return {};
  return [this, &graph](Plan plan) -> Expected<Plan> {
    Graph copy = graph;
    DiagnosticEngine found;
    const Expected<bool> good = adoptPlan(copy, std::move(plan), found);
    if (!good)
      return good.error();
    for (const Diagnostic& diagnostic : found.all())
      if (diagnostic.severity == Severity::Error)
        return Error(diagnostic);
    return *copy.plan();
  };
}

Expected<std::vector<ParetoPoint>> Compiler::paretoFront(const Graph& graph) {
  if (Status status = loadPlugins(); !status)
    return status.takeError();
  return tigris::paretoFront(graph, options_.plan, finisher(graph));
}

Expected<std::vector<SizingRow>> Compiler::sizingTable(const Graph& graph) {
  if (Status status = loadPlugins(); !status)
    return status.takeError();
  return tigris::sizingTable(graph, options_.plan, finisher(graph));
}

} // namespace tigris
