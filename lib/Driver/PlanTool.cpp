// Options of tigris-plan, and the summary of -v.
#include "tigris/Driver/PlanTool.h"

#include "tigris/Driver/GraphInput.h"
#include "tigris/Driver/PassFlags.h"
#include "tigris/Driver/WeightsOption.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Object/Dump.h"
#include "tigris/Object/TextTable.h"
#include "tigris/Plan/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Sizing.h"
#include "tigris/Target/Target.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

struct PlanFlags {
  std::vector<uint64_t> memory;
  std::optional<uint64_t> flash;
  std::optional<uint64_t> reserve;
  std::string planner = "greedy";
  std::string optimize = "memory";
  std::string target = "generic";
  std::string io;
  bool verbose = false;
  PassFlags passes;
  WriteOptions write;
};

void declare(OptionTable& table, PlanFlags& flags) {
  table
      .sizes("memory,m", flags.memory, "SIZE",
             "fast memory for activations; given a second time: slow memory")
      .record();
  table.size("flash,f", flags.flash, "SIZE", "flash for the whole .tgrs file").record();
  table
      .size("reserve", flags.reserve, "SIZE",
            "keep so much of the fast memory free, for tigris-emit --compress=lz4 to unpack "
            "weights in")
      .record();
  std::vector<std::string> targets;
  for (const Target& target : allTargets())
    targets.emplace_back(target.name);
  table
      .choice("target", flags.target, targets,
              "processor family, decides the alignment (default: generic)")
      .record();
  table
      .choice("io", flags.io, {"slow", "caller", "arena"},
              "where model inputs and outputs live (default: caller; slow with two -m)")
      .record();
  table.choice("planner", flags.planner, {"greedy", "optimal"}, "how to search (default: greedy)")
      .record();
  table
      .choice("optimize", flags.optimize, {"memory", "traffic", "latency"},
              "what to make small first (default: memory)")
      .record();
  table.flag("verbose,v", flags.verbose,
             "print what the plan takes, stage by stage, and what other budgets would give");
  declarePlugins(table, flags.passes);
  addWeightsOption(table, flags.write);
}

/// Plans as if `reserve` bytes of the fast memory were not there; the plan's budget is what was given.
Expected<Plan> planWithReserve(const Graph& graph, PlanOptions options, uint64_t reserve) {
  const uint64_t fast = options.budget.fast;
  if (reserve >= fast && reserve != 0)
    return makeError(DiagId::Usage, "--reserve=", reserve, " leaves nothing of the ", fast,
                     " bytes of fast memory");
  options.budget.fast -= reserve;
  Expected<Plan> plan = planGraph(graph, options);
  if (plan)
    plan->budget.fast = fast;
  else if (plan.error().id() == DiagId::OverBudget && reserve != 0)
    return plan.takeError().note(strCat("the budget is what --reserve leaves of ", fast, " bytes"));
  return plan;
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
  context.log(strCat("the plan fits into its flash only with tigris-emit --compress=lz4: ",
                     file.error().message(), "\n"));
  return {};
}

Expected<PlanOptions> planOptions(const PlanFlags& flags) {
  if (flags.memory.empty())
    return makeError(DiagId::Usage, "how much fast memory is there? give -m SIZE, as in -m 256K");
  if (flags.memory.size() > 2)
    return makeError(DiagId::Usage, "option '-m' is given ", flags.memory.size(),
                     " times, expected fast and slow memory");
  PlanOptions options;
  options.budget.fast = flags.memory[0];
  if (flags.memory.size() > 1)
    options.budget.slow = flags.memory[1];
  options.budget.flash = flags.flash;
  if (!flags.io.empty())
    options.io = parseIoMode(flags.io);
  options.planner = flags.planner;
  options.optimize = flags.optimize;
  options.target = flags.target;
  return options;
}

/// One digit behind the point.
std::string fixed(double value) {
  const auto tenths = static_cast<int64_t>(value * 10 + 0.5);
  return strCat(tenths / 10, ".", tenths % 10);
}

std::string describe(const Graph& graph) {
  const Plan& plan = *graph.plan();
  const PlanStats& stats = plan.stats;
  std::string text =
      strCat("fast peak ", formatBytes(stats.fastPeakBytes), " of ", formatBytes(plan.budget.fast),
             ", at least ", formatBytes(plan.bounds.fastPeakBytes), " for ", plan.bounds.planClass,
             plan.provenOptimal ? " (proven optimal)" : "", "\n");
  text += strCat("unscheduled peak ", formatBytes(stats.unscheduledPeakBytes));
  if (stats.peakOp)
    text += strCat(" at op '", graph.op(stats.peakOp).name, "' (",
                   graph.op(stats.peakOp).kindName(), ")");
  text += strCat("\nslow peak ", formatBytes(stats.slowPeakBytes), ", read ",
                 formatBytes(stats.slowReadBytes), ", written ", formatBytes(stats.slowWriteBytes),
                 "\ninterface ", formatBytes(stats.ioBytes), " (", ioModeName(plan.io), "), ",
                 stats.kernelCalls, " kernel calls, ", stats.macs, " MACs, ", stats.recomputeMacs,
                 " recomputed, ", plan.stages.size(),
                 plan.stages.size() == 1 ? " stage\n" : " stages\n");
  return text;
}

std::string sizing(const Graph& graph, const PlanOptions& options) {
  TextTable table({">fast budget", ">fast peak", ">slow peak", ">slow traffic", ">of the least",
                   ">recomputed", ">calls", ">stages", ">tiled", "remark"});
  for (const SizingRow& row : sizingTable(graph, options)) {
    if (!row.stats) {
      table.addRow(
          {formatBytes(row.fastBudget), "does not fit", "", "", "", "", "", "", "", row.remark});
      continue;
    }
    const PlanStats& stats = *row.stats;
    const uint64_t traffic = stats.slowReadBytes + stats.slowWriteBytes;
    const auto ratio = [](uint64_t part, uint64_t whole, double unit) {
      return whole == 0 ? 0.0 : unit * static_cast<double>(part) / static_cast<double>(whole);
    };
    table.addRow(
        {formatBytes(row.fastBudget), strCat(stats.fastPeakBytes), strCat(stats.slowPeakBytes),
         strCat(traffic),
         options.budget.slow ? strCat(fixed(ratio(traffic, stats.compulsoryBytes, 1)), "x") : "-",
         strCat(fixed(ratio(stats.recomputeMacs, stats.macs, 100)), " %"),
         strCat(stats.kernelCalls), strCat(row.stages), strCat(row.tiledStages), row.remark});
  }
  return "\nother budgets\n" + table.text();
}

/// What plugins have added at the point; false when it failed and the errors have been reported.
Expected<bool> runExtensions(ToolContext& context, const PlanFlags& flags,
                             const PassRegistry& registry, ExtensionPoint point, Graph& graph) {
  const Expected<Pipeline> pipeline = parsePipeline(extensionPointName(point), registry);
  if (!pipeline)
    return pipeline.error();
  return pipeline->empty() ? Expected<bool>(true)
                           : runPipeline(context, flags.passes, *pipeline, graph);
}

Status plan(ToolContext& context, PlanFlags& flags) {
  const Expected<PlanOptions> options = planOptions(flags);
  if (!options)
    return options.error();
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

  const Expected<bool> started =
      runExtensions(context, flags, registry, ExtensionPoint::PlanStart, *graph);
  if (!started || !*started)
    return started ? Status() : Status(started.error());
  insertPortCopies(*graph);
  Expected<Plan> result = planWithReserve(*graph, *options, flags.reserve.value_or(0));
  if (!result)
    return result.takeError();
  applyPlan(*graph, std::move(*result));
  if (Status status = checkPlan(*graph); !status)
    TIGRIS_UNREACHABLE(status.error().message());
  const Expected<bool> ended =
      runExtensions(context, flags, registry, ExtensionPoint::PlanEnd, *graph);
  if (!ended || !*ended)
    return ended ? Status() : Status(ended.error());
  // What a plugin made of the plan is no bug of ours, and must not pass for a plan either.
  if (!registry.extensions(ExtensionPoint::PlanEnd).empty())
    if (Status status = checkPlan(*graph); !status)
      return status.takeError().note("a plugin has changed the plan");
  // Only the emitted file tells how much flash it takes.
  if (flags.flash) {
    if (Status status = checkFlash(context, *graph); !status)
      return status;
  }

  if (flags.verbose)
    context.log(describe(*graph) + "\n" + stageTable(*graph) + sizing(*graph, *options));
  graph->addHistory(context.historyEntry());
  flags.write.streamFile = context.outputPath();
  Expected<std::string> stream = writeStream(*graph, flags.write);
  if (!stream)
    return stream.takeError();
  context.output(std::move(*stream));
  return {};
}

} // namespace

int planMain(int argc, const char* const* argv) {
  PlanFlags flags;
  ToolSpec spec;
  spec.name = "tigris-plan";
  spec.summary = "Decides the order of a normalized graph and the address of every tensor.";
  spec.input = "IN";
  spec.output = true;
  spec.options = [&](OptionTable& table) { declare(table, flags); };
  spec.details =
      "Sizes are bytes, or 256K, 256KiB, 1.5M. With one -m nothing is spilled and model inputs\n"
      "and outputs are the caller's own buffers. Exit code 3: the model does not fit.\n";
  spec.examples =
      "tigris-plan -m 256K normalized.yaml -o planned.yaml\n"
      "tigris-plan -m 256K -m 8M -f 4M --target=esp32s3 normalized.yaml -o planned.yaml\n"
      "tigris-import model.onnx | tigris-norm | tigris-plan -m 64K -v | tigris-emit -o "
      "model.tgrs\n";
  spec.run = [&](ToolContext& context) { return plan(context, flags); };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
