// Compiles a model to the bytes of a .tgrs file. Only this class defines the steps and their order.
//
//   CompileOptions options;
//   options.importers = builtinImporters();
//   options.plan.budget.fast = 256 << 10;
//   Compiler compiler(options, diagnostics);
//   Expected<std::optional<std::string>> file = compiler.compile(bytes);
//
// Tools call single steps, and read and write graphs between them:
//
//   read ─► normalize ─► preparePlanning ─► plan ─► adoptPlan ─► emit
//           passes       PlanStart hooks,           check, PlanEnd hooks,
//                        copies for ports           check again
//
// Steps that run passes return Expected<bool>. False means that errors were reported to the
// diagnostics; the graph is then invalid and must be discarded. All other failures are returned.
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
  /// The same for a graph. Afterward, `graph` is the planned graph.
  Expected<std::optional<std::string>> compile(Graph& graph);

  /// Registers the built-in passes and those of the plugins, once. Every step that requires passes
  /// calls this. Tools that list the plugins or passes call it first.
  Status loadPlugins();
  const PassRegistry& passes() const { return passes_; }
  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }

  /// Calls importModel or readGraph, depending on the content: a module is text.
  Expected<Graph> read(std::string input);
  Expected<Graph> importModel(std::string_view bytes);
  /// Parses a module, recounts its plan if it has one (recountPlan), and reports the side files
  /// with its weights to onFileRead.
  Expected<Graph> readGraph(std::string text);

  /// The pipeline of normalization. BadPipeline if it contains names that are not in the registry.
  Expected<Pipeline> normPipeline();
  /// Runs the pipeline on a graph that is not planned. If the pipeline contains `default` and is
  /// not cut short, it produces a normalized graph or fails.
  Expected<bool> normalize(Graph& graph);

  /// Prepares a normalized graph for the planner: runs the PlanStart hooks, and inserts copies so
  /// that every output has its own tensor.
  Expected<bool> preparePlanning(Graph& graph);
  /// Plans a prepared graph without changing it. DiagId::OverBudget if it does not fit.
  Expected<Plan> plan(const Graph& graph) const;
  /// Applies the plan to the graph, checks it by replay, runs the PlanEnd hooks, and checks the
  /// result again.
  Expected<bool> adoptPlan(Graph& graph, Plan plan);
  /// preparePlanning, plan and adoptPlan. Logs a line if the plan needs slow memory that is not in
  /// the budget (PlanOptions::slowAsNeeded).
  Expected<bool> planInto(Graph& graph);

  /// Plans for other budgets for a prepared graph (Plan/Sweep), each after the PlanEnd hooks.
  Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph);
  Expected<std::vector<SizingRow>> sizingTable(const Graph& graph);

  /// The bytes of the .tgrs file of a planned graph. The runtime's validator has accepted them.
  Expected<std::string> emit(const Graph& graph) const { return emit(graph, options_.emit); }
  static Expected<std::string> emit(const Graph& graph, EmitOptions options);
  /// Checks whether the file fits the plan's flash budget: nullopt if it fits or there is no
  /// budget, a remark if it fits only when compressed or with a weights file, otherwise
  /// DiagId::OverBudget.
  static Expected<std::optional<std::string>> checkFlash(const Graph& graph);

private:
  Expected<bool> runPipeline(const Pipeline& pipeline, Graph& graph, DiagnosticEngine& diagnostics);
  Expected<bool> runExtensions(ExtensionPoint point, Graph& graph, DiagnosticEngine& diagnostics);
  Expected<bool> adoptPlan(Graph& graph, Plan plan, DiagnosticEngine& diagnostics);
  /// Applies adoptPlan to plans for the graph; empty if there is no hook that could change them.
  PlanFinisher finisher(const Graph& graph);

  CompileOptions options_;
  DiagnosticEngine& diagnostics_;
  PassRegistry passes_;
  std::vector<LoadedPlugin> plugins_;
  bool loaded_ = false;
};

} // namespace tigris
