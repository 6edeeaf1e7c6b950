// From a model to the bytes of a .tgrs file: the only place that knows which steps that takes, and
// in which order.
//
//   CompileOptions options;
//   options.importers = builtinImporters();
//   options.plan.budget.fast = 256 << 10;
//   Compiler compiler(options, diagnostics);
//   Expected<std::optional<std::string>> file = compiler.compile(bytes);
//
// Tools call single steps on graphs they read and write between them:
//
//   read ─► normalize ─► preparePlanning ─► plan ─► adoptPlan ─► emit
//           passes       PlanStart hooks,           check, PlanEnd hooks,
//                        copies for ports           check again
//
// Steps that run passes return Expected<bool>: false when errors were reported to the diagnostics;
// the graph is then to be thrown away. All other failures are returned.
#pragma once

#include "tigris/Compile/CompileOptions.h"
#include "tigris/Pass/Pipeline.h"
#include "tigris/Pass/PluginLoader.h"
#include "tigris/Plan/Sweep/Pareto.h"
#include "tigris/Plan/Sweep/Sizing.h"

namespace tigris {

class Compiler {
public:
  Compiler(CompileOptions options, DiagnosticEngine& diagnostics)
      : options_(std::move(options)), diagnostics_(diagnostics) {}

  const CompileOptions& options() const { return options_; }

  /// The whole sequence. The input may be a model of a known format or a module of any form; a
  /// normalized module is not normalized again, a planned one is planned again. nullopt: errors
  /// were reported.
  Expected<std::optional<std::string>> compile(std::string input);
  /// The same from a graph, which is the planned one afterward.
  Expected<std::optional<std::string>> compile(Graph& graph);

  /// Registers the built-in passes and those of the plugins. Every step that needs passes does so,
  /// once; tools that want to know the plugins or list the passes do so first.
  Status loadPlugins();
  const PassRegistry& passes() const { return passes_; }
  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }

  /// importModel or readGraph, told apart by the content: a module is text.
  Expected<Graph> read(std::string input);
  Expected<Graph> importModel(std::string_view bytes);
  /// Parses a module and names the side files that hold its weights to onFileRead.
  Expected<Graph> readGraph(std::string text);

  /// The pipeline of normalization. BadPipeline for names that are not in the registry.
  Expected<Pipeline> normPipeline();
  /// Runs it on a graph that is not planned. One that runs `default` to its end leaves a normalized
  /// graph or fails.
  Expected<bool> normalize(Graph& graph);

  /// Makes a normalized graph ready for the planner: PlanStart hooks, and a tensor for every
  /// output.
  Expected<bool> preparePlanning(Graph& graph);
  /// Plans a prepared graph, which stays as it is. DiagId::OverBudget when it does not fit.
  Expected<Plan> plan(const Graph& graph) const;
  /// Makes the plan the graph's, checks it by replay, runs the PlanEnd hooks, and checks what they
  /// left.
  Expected<bool> adoptPlan(Graph& graph, Plan plan);
  /// preparePlanning, plan and adoptPlan.
  Expected<bool> planInto(Graph& graph);

  /// The plans of other budgets for a prepared graph (Plan/Sweep), each with the
  /// PlanEnd hooks.
  Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph);
  Expected<std::vector<SizingRow>> sizingTable(const Graph& graph);

  /// The bytes of the .tgrs file of a planned graph, which the runtime's own validator has
  /// accepted.
  Expected<std::string> emit(const Graph& graph) const { return emit(graph, options_.emit); }
  static Expected<std::string> emit(const Graph& graph, EmitOptions options);
  /// Whether the file fits the plan's flash budget: nullopt when it does or there is none, a remark
  /// when it only does compressed, else DiagId::OverBudget.
  static Expected<std::optional<std::string>> checkFlash(const Graph& graph);

private:
  Expected<bool> runPipeline(const Pipeline& pipeline, Graph& graph, DiagnosticEngine& diagnostics);
  Expected<bool> runExtensions(ExtensionPoint point, Graph& graph, DiagnosticEngine& diagnostics);
  Expected<bool> adoptPlan(Graph& graph, Plan plan, DiagnosticEngine& diagnostics);
  /// What adoptPlan makes of plans for the graph; empty where no hook could change them.
  PlanFinisher finisher(const Graph& graph);

  CompileOptions options_;
  DiagnosticEngine& diagnostics_;
  PassRegistry passes_;
  std::vector<LoadedPlugin> plugins_;
  bool loaded_ = false;
};

} // namespace tigris
