// Options of planning, hooks for plugins around it, and the report of -v.
#include "tigris/Driver/Tools/PlanFlags.h"

#include "tigris/Check/PlanChecker.h"
#include "tigris/Inspect/TextTable.h"
#include "tigris/Plan/PlanRemarks.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/Printable.h"
#include "tigris/Target/CostFile.h"
#include "tigris/Target/Target.h"

#include <charconv>
#include <cmath>

namespace tigris {

namespace {

/// Of --recompute: "none" is 0.
Expected<uint64_t> parsePercent(const std::string& text) {
  if (text == "none")
    return 0;
  uint64_t percent = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, percent);
  const bool isNumber = error == std::errc() && (last == end || std::string_view(last) == "%");
  if (!isNumber || percent > 1000)
    return makeError(DiagId::Usage, "option '--recompute': '", text,
                     "' is not one of none, any, or a percentage up to 1000");
  return percent;
}

/// Lowers the fast budget to the least that works.
Status takeLeastFast(const Graph& graph, const PlanFlags& flags, PlanDrafts& drafts,
                     PlanOptions& options) {
  if (flags.recompute.empty() && !options.budget.slow)
    options.recompute = 0;
  Expected<BudgetNeeds> needs = budgetNeeds(graph, options, drafts);
  const uint64_t reserve = options.reserve;
  if (options.recompute && flags.recompute.empty() &&
      (!needs || needs->smallest + reserve > options.budget.fast)) {
    options.recompute.reset();
    needs = budgetNeeds(graph, options, drafts);
  }
  if (!needs)
    return needs.takeError();
  options.budget.fast =
      std::min(options.budget.fast, std::max<uint64_t>(needs->smallest, 1) + reserve);
  return {};
}

/// What plugins have added at the point; false when it failed and the errors have been reported.
Expected<bool> runExtensions(ToolContext& context, const PassFlags& passes,
                             const PassRegistry& registry, ExtensionPoint point, Graph& graph) {
  const Expected<Pipeline> pipeline = parsePipeline(extensionPointName(point), registry);
  if (!pipeline)
    return pipeline.error();
  return pipeline->empty() ? Expected<bool>(true) : runPipeline(context, passes, *pipeline, graph);
}

} // namespace

void declarePlanning(OptionTable& table, PlanFlags& flags) {
  table
      .sizes("memory,m", flags.memory, "SIZE",
             "fast memory for activations; a second -m adds slow memory")
      .record();
  table
      .flag("min-fast", flags.minFast,
            "plan for the smallest feasible fast memory, at most that of -m")
      .record();
  table
      .text("recompute", flags.recompute, "PERCENT",
            "recompute at most PERCENT of the multiply-accumulates, 'none' or 'any'; with slow "
            "memory, minimize traffic within this limit (default: any that saves enough traffic; "
            "with --min-fast and no slow memory, only the recomputation required to fit)")
      .record();
  table.size("flash,f", flags.flash, "SIZE", "flash budget for the whole .tgrs file").record();
  table
      .size("reserve", flags.reserve, "SIZE",
            "fast memory to reserve for weights that tigris-emit --compress=lz4 compresses")
      .record();
  std::vector<std::string> targets;
  for (const Target& target : allTargets())
    targets.emplace_back(target.name);
  table
      .choice("target", flags.target, targets,
              "processor family; sets alignment and kernel scratch (default: generic)")
      .record();
  table
      .text("costs", flags.costs, "FILE",
            "kernel costs for --optimize=latency (default: those of the target)")
      .reads();
  table
      .choice("io", flags.io, {"slow", "caller", "arena"},
              "location of model inputs and outputs (default: caller; slow with two -m)")
      .record();
  table
      .flag("input-rows", flags.inputRows,
            "read inputs row by row, each row once and in order (tigris_set_input_rows)")
      .record();
  table
      .flag("output-rows", flags.outputRows,
            "write outputs row by row, each row once and in order (tigris_set_output_rows)")
      .record();
  table.choice("planner", flags.planner, strategyNames(), "planning algorithm (default: optimal)")
      .record();
  table
      .choice("optimize", flags.optimize, objectiveNames(),
              "optimization objective (default: traffic)")
      .record();
  table
      .integer(
          "macs-per-byte", flags.macsPerSlowByte, "N",
          "recompute at most N multiply-accumulates per byte of slow traffic saved (default: 16)",
          1, 1'000'000)
      .record();
  table
      .flag("certificates", flags.certificates,
            "compute lower bounds on the fast memory of plans that do not spill; takes extra time")
      .record();
}

Expected<PlanOptions> planOptions(const PlanFlags& flags) {
  if (flags.memory.empty())
    return makeError(DiagId::Usage,
                     "no fast memory budget; specify one with -m SIZE, as in -m 256K");
  if (flags.memory.size() > 2)
    return makeError(DiagId::Usage, "option '-m' is given ", flags.memory.size(),
                     " times, expected fast and slow memory");
  PlanOptions options;
  options.budget.fast = flags.memory[0];
  if (flags.memory.size() > 1)
    options.budget.slow = flags.memory[1];
  options.budget.flash = flags.flash;
  options.reserve = flags.reserve.value_or(0);
  if (!flags.io.empty())
    options.io = parseIoMode(flags.io);
  options.planner = *parseStrategy(flags.planner);
  options.optimize = *parseObjective(flags.optimize);
  options.macsPerSlowByte = static_cast<uint64_t>(flags.macsPerSlowByte);
  if (!flags.recompute.empty() && flags.recompute != "any") {
    const Expected<uint64_t> percent = parsePercent(flags.recompute);
    if (!percent)
      return percent.error();
    options.recompute = *percent;
  }
  options.target = flags.target;
  options.certificates = flags.certificates;
  if (!flags.costs.empty()) {
    const Expected<std::string> text = readFile(flags.costs);
    if (!text)
      return text.error();
    const Expected<KernelCosts> costs = parseCosts(*text, flags.costs);
    if (!costs)
      return costs.error();
    options.costs = *costs;
  }
  options.inputRows = flags.inputRows;
  options.outputRows = flags.outputRows;
  return options;
}

Expected<bool> planInto(ToolContext& context, const PlanFlags& flags, const PassFlags& passes,
                        const PassRegistry& registry, Graph& graph) {
  const Expected<PlanOptions> options = planOptions(flags);
  if (!options)
    return options.error();
  Expected<bool> started =
      runExtensions(context, passes, registry, ExtensionPoint::PlanStart, graph);
  if (!started || !*started)
    return started;
  insertPortCopies(graph);
  PlanOptions chosen = *options;
  PlanDrafts drafts(graph);
  if (flags.minFast)
    if (Status status = takeLeastFast(graph, flags, drafts, chosen); !status)
      return status.takeError();
  Expected<Plan> result = planGraph(graph, chosen, drafts);
  remarkOnPlan(graph, chosen, drafts, result ? &*result : nullptr);
  if (!result)
    return result.takeError();
  applyPlan(graph, std::move(*result));
  if (Status status = checkPlan(graph); !status)
    TIGRIS_UNREACHABLE(status.error().message());
  Expected<bool> ended = runExtensions(context, passes, registry, ExtensionPoint::PlanEnd, graph);
  if (!ended || !*ended)
    return ended;
  // What a plugin made of the plan is no bug of ours, and must not pass for a plan either.
  if (!registry.extensions(ExtensionPoint::PlanEnd).empty())
    if (Status status = checkPlan(graph); !status)
      return status.takeError().note("a plugin changed the plan");
  return true;
}

std::string oneDigit(double value) {
  const auto tenths = std::llround(value * 10);
  return strCat(tenths / 10, ".", tenths % 10);
}

std::string describePlan(const Graph& graph) {
  const Plan& plan = *graph.plan();
  const PlanStats& stats = plan.stats;
  std::string text =
      strCat("fast peak ", formatBytes(stats.fastPeakBytes), " of ", formatBytes(plan.budget.fast),
             ", at least ", formatBytes(plan.bounds.fastPeakBytes), " for ", plan.bounds.planClass,
             plan.provenOptimal ? " (proven optimal in that class)" : "", "\n");
  text += strCat("unscheduled peak ", formatBytes(stats.unscheduledPeakBytes));
  if (stats.peakOp)
    text += strCat(" at op '", printableName(graph.op(stats.peakOp).name), "' (",
                   printableName(graph.op(stats.peakOp).kindName()), ")");
  if (plan.scratch != 0)
    text += strCat("\nkernel scratch ", formatBytes(plan.scratch), " beside the fast peak");
  text += strCat("\nslow peak ", formatBytes(stats.slowPeakBytes), ", read ",
                 formatBytes(stats.slowReadBytes), ", written ", formatBytes(stats.slowWriteBytes),
                 "\ninterface ", formatBytes(stats.ioBytes), " (", ioModeName(plan.io), "), ",
                 stats.kernelCalls, " kernel calls, ", stats.macs, " MACs, ", stats.recomputeMacs,
                 " recomputed, ", plan.stages.size(),
                 plan.stages.size() == 1 ? " stage\n" : " stages\n");
  return text;
}

std::string sizingText(const std::vector<SizingRow>& rows) {
  TextTable table({">fast budget", ">fast peak", ">slow peak", ">slow traffic", ">vs. compulsory",
                   ">recomputed", ">calls", ">stages", ">tiled", ">streamed", "remark"});
  for (const SizingRow& row : rows) {
    if (!row.stats) {
      table.addRow({formatBytes(row.fastBudget), "does not fit", "", "", "", "", "", "", "", "",
                    row.remark});
      continue;
    }
    const PlanStats& stats = *row.stats;
    const uint64_t traffic = stats.trafficBytes();
    const auto ratio = [](uint64_t part, uint64_t whole, double unit) {
      return whole == 0 ? 0.0 : unit * static_cast<double>(part) / static_cast<double>(whole);
    };
    table.addRow(
        {formatBytes(row.fastBudget), strCat(stats.fastPeakBytes), strCat(stats.slowPeakBytes),
         strCat(traffic),
         traffic != 0 ? strCat(oneDigit(ratio(traffic, stats.compulsoryBytes, 1)), "x") : "-",
         strCat(oneDigit(ratio(stats.recomputeMacs, stats.macs, 100)), " %"),
         strCat(stats.kernelCalls), strCat(row.stages), strCat(row.tiledStages),
         strCat(row.streamedStages), row.remark});
  }
  return table.text();
}

} // namespace tigris
