// Frame of tigris-plan.
#include "tigris/Driver/Tools/PlanTool.h"

#include "tigris/Driver/Tools/ParetoReport.h"
#include "tigris/Driver/Tools/PassFlags.h"
#include "tigris/Driver/Tools/PlanFlags.h"
#include "tigris/Driver/Tools/PlanReport.h"
#include "tigris/Driver/Tools/RemarkFlags.h"
#include "tigris/Driver/Tools/ToolCompiler.h"
#include "tigris/Driver/Tools/WeightsOption.h"
#include "tigris/Inspect/Figures.h"

namespace tigris {

namespace {

struct PlanToolFlags {
  PlanFlags plan;
  bool verbose = false;
  bool pareto = false;
  std::string format;
  PassFlags passes;
  RemarkFlags remarks;
  WriteOptions write;
};

void declare(OptionTable& table, PlanToolFlags& flags) {
  declarePlanning(table, flags.plan);
  table.flag("verbose,v", flags.verbose,
             "print the plan's memory use, its stages, and the results of other budgets");
  table.flag("pareto", flags.pareto,
             "print the Pareto-optimal plans within -m instead of planning");
  table.choice("format", flags.format, {"text", "json"},
               "output format of --pareto (default: text)");
  declarePlugins(table, flags.passes);
  declareRemarks(table, flags.remarks);
  addWeightsOption(table, flags.write);
}

Expected<CompileOptions> compileOptions(ToolContext& context, const PlanToolFlags& flags) {
  if (!flags.format.empty() && !flags.pareto)
    return makeError(DiagId::Usage, "--format needs --pareto; tigris-dump prints plans");
  if (flags.pareto && (flags.plan.reserve || flags.plan.minFast))
    return makeError(DiagId::Usage, "--pareto cannot be combined with --reserve or --min-fast");
  if (flags.pareto && (flags.plan.weightMemory != "map" || flags.plan.compress != "none"))
    return makeError(DiagId::Usage,
                     "--pareto cannot be combined with --weight-memory=copy or --compress=lz4");
  return planCompileOptions(context, flags.plan, flags.passes);
}

Status printPareto(ToolContext& context, Compiler& compiler, Graph& graph, bool asJson) {
  const Expected<bool> prepared = compiler.preparePlanning(graph);
  // Errors of plugins have been reported.
  if (!prepared || !*prepared)
    return prepared ? Status() : Status(prepared.error());
  const Expected<std::vector<ParetoPoint>> front = compiler.paretoFront(graph);
  if (!front)
    return front.error();
  context.output(asJson ? paretoJson(*front) : paretoText(*front));
  return {};
}

Status printSizing(ToolContext& context, Compiler& compiler, const Graph& graph) {
  const Expected<std::vector<SizingRow>> rows = compiler.sizingTable(graph);
  if (!rows)
    return rows.error();
  const Report report = reportOf(graph);
  context.log(figureText(report) + "\n" + stageTable(report).text() + "\nother budgets\n" +
              sizingText(*rows));
  return {};
}

Status plan(ToolContext& context, const PlanToolFlags& flags) {
  Expected<CompileOptions> options = compileOptions(context, flags);
  if (!options)
    return options.takeError();
  Compiler compiler(std::move(*options), context.diagnostics());
  if (Status status = loadPlugins(context, compiler); !status)
    return status;
  Expected<Graph> graph = readGraphInput(context, compiler);
  if (!graph)
    return graph.takeError();
  if (flags.pareto)
    return printPareto(context, compiler, *graph, flags.format == "json");
  const Expected<bool> planned = compiler.planInto(*graph);
  if (!planned || !*planned)
    return planned ? Status() : Status(planned.error());
  // The flash size is known only after the file has been emitted.
  const Expected<std::optional<std::string>> remark = Compiler::checkFlash(*graph);
  if (!remark)
    return remark.error();
  if (*remark)
    context.log(**remark + "\n");
  if (flags.verbose)
    if (Status status = printSizing(context, compiler, *graph); !status)
      return status;
  graph->addHistory(context.historyEntry());
  return outputModule(context, *graph, flags.write);
}

} // namespace

int planMain(int argc, const char* const* argv) {
  PlanToolFlags flags;
  ToolSpec spec;
  spec.name = "tigris-plan";
  spec.summary =
      "Chooses the execution order of a normalized module and the address of every tensor.";
  spec.input = "IN";
  spec.output = true;
  spec.options = [&](OptionTable& table) { declare(table, flags); };
  spec.details =
      "Sizes are in bytes, or written as 256K, 256KiB or 1.5M. With one -m the plan\n"
      "uses no slow memory if such a plan exists, otherwise as much as it needs, which is "
      "printed.\n"
      "Model inputs and outputs stay in the caller's buffers. -m SIZE -m 0 allows no slow memory.\n"
      "Exit code 3 means that the model does not fit.\n";
  spec.examples = "tigris-plan -m 256K normalized.yaml -o planned.yaml\n"
                  "tigris-plan -m 256K -m 8M -f 4M --target=esp32s3 norm.yaml -o planned.yaml\n"
                  "tigris-import model.onnx | tigris-norm | tigris-plan -m 64K -v | tigris-emit -o "
                  "model.tgrs\n"
                  "tigris-plan -m 512K -m 8M --pareto normalized.yaml\n";
  spec.run = [&](ToolContext& context) {
    return withRemarks(context, flags.remarks, [&] { return plan(context, flags); });
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
