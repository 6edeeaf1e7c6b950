// Frame of tigris-plan; the work is in lib/Plan.
#include "tigris/Driver/Tools/PlanTool.h"

#include "tigris/Driver/Tools/GraphInput.h"
#include "tigris/Driver/Tools/ParetoReport.h"
#include "tigris/Driver/Tools/PlanFlags.h"
#include "tigris/Driver/Tools/RemarkFlags.h"
#include "tigris/Driver/Tools/WeightsOption.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Transforms/Passes.h"

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

/// A plan that fits its flash only when it is compressed is good enough.
Status checkFlash(ToolContext& context, const Graph& graph) {
  EmitOptions options;
  options.producer = strCat("tigris-emit ", tigrisVersion()); // the name counts, too
  Expected<std::string> file = emitPlan(graph, options);
  if (file || file.error().id() != DiagId::OverBudget)
    return file ? Status() : file.takeError();
  options.compress = Compression::Lz4;
  if (!emitPlan(graph, options))
    return file.takeError();
  context.log(strCat("the plan fits its flash budget only with tigris-emit --compress=lz4: ",
                     file.error().message(), "\n"));
  return {};
}

Status plan(ToolContext& context, PlanToolFlags& flags) {
  const Expected<PlanOptions> options = planOptions(flags.plan);
  if (!options)
    return options.error();
  if (!flags.format.empty() && !flags.pareto)
    return makeError(DiagId::Usage, "--format needs --pareto; tigris-dump prints plans");
  PassRegistry registry;
  if (Status status = registerTransforms(registry); !status)
    return status;
  if (Status status = loadPlugins(context, flags.passes, registry); !status)
    return status;
  Expected<Graph> graph = readGraphInput(context);
  if (!graph)
    return graph.takeError();
  if (graph->stage() == GraphStage::Imported)
    return makeError(DiagId::BadGraph, "the graph is not normalized; run tigris-norm first");

  if (flags.pareto) {
    if (flags.plan.reserve || flags.plan.minFast)
      return makeError(DiagId::Usage, "--pareto cannot be combined with --reserve or --min-fast");
    insertPortCopies(*graph);
    const Expected<std::vector<ParetoPoint>> front = paretoFront(*graph, *options);
    if (!front)
      return front.error();
    context.output(flags.format == "json" ? paretoJson(*front) : paretoText(*front));
    return {};
  }
  const Expected<bool> planned = planInto(context, flags.plan, flags.passes, registry, *graph);
  if (!planned)
    return planned.error();
  // Errors of plugins have been reported.
  if (!*planned)
    return {};
  // Only the emitted file tells how much flash it takes.
  if (flags.plan.flash) {
    if (Status status = checkFlash(context, *graph); !status)
      return status;
  }

  if (flags.verbose)
    context.log(describePlan(*graph) + "\n" + stageTable(*graph) + "\nother budgets\n" +
                sizingText(sizingTable(*graph, *options)));
  graph->addHistory(context.historyEntry());
  return outputStream(context, *graph, flags.write);
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
      "Sizes are in bytes, or written as 256K, 256KiB or 1.5M. With one -m nothing is spilled,\n"
      "and model inputs and outputs stay in the caller's buffers. Exit code 3 means that the\n"
      "model does not fit.\n";
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
