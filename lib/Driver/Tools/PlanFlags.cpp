// Checks the options, and reads the file of --costs.
#include "tigris/Driver/Tools/PlanFlags.h"

#include "tigris/Driver/Tools/ToolCompiler.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Target/CostFile.h"
#include "tigris/Target/Target.h"

#include <charconv>

namespace tigris {

namespace {

/// Parses the value of --recompute: "none" is 0.
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

} // namespace

void declarePlanning(OptionTable& table, PlanFlags& flags) {
  table
      .sizes(
          "memory,m", flags.memory, "SIZE",
          "fast memory for activations; a second -m limits the slow memory (0: none; default: none "
          "if a plan exists without it, otherwise as much as the plan needs)")
      .record();
  table
      .flag("min-fast", flags.minFast,
            "plan for the smallest feasible fast memory, at most that of -m; with one -m without "
            "slow "
            "memory")
      .record();
  table
      .text("recompute", flags.recompute, "PERCENT",
            "recompute at most PERCENT of the multiply-accumulates, 'none' or 'any'; with slow "
            "memory, minimize traffic within this limit; without, execute cheap operators twice "
            "where the model does not fit otherwise (default: any that saves enough traffic; "
            "with --min-fast and no slow memory, only the recomputation required to fit)")
      .record();
  table.size("flash,f", flags.flash, "SIZE", "flash budget for the whole .tgrs file").record();
  table
      .choice("weight-memory", flags.weightMemory, {"map", "copy"},
              "where kernels read weights: in memory-mapped flash, or in fast memory, to which the "
              "runtime copies them stage by stage (default: map)")
      .record();
  table
      .choice("compress", flags.compress, {"none", "lz4"},
              "compress weights; the runtime unpacks them stage by stage into fast memory "
              "(default: none)")
      .record();
  table
      .size("reserve", flags.reserve, "SIZE",
            "fast memory to leave free for copied or compressed weights (default: found by the "
            "planner)")
      .record();
  table
      .size("scratch", flags.scratch, "SIZE",
            "fast memory for kernel scratch; calls that need more run on reference kernels "
            "(default: what the target's kernels need; esp32s3: the best balance)")
      .record();
  table
      .choice("target", flags.target, targetNames(),
              "processor family; sets alignment and kernel scratch (default: generic)")
      .record();
  table
      .size("align", flags.align, "N",
            "align every address to N bytes, a power of two from 4 to 4096 (default: of --target)")
      .record();
  table
      .text("costs", flags.costs, "FILE",
            "kernel costs for --optimize=latency (default: those of the target)")
      .reads();
  table
      .choice("io", flags.io, {"slow", "caller", "arena"},
              "location of model inputs and outputs (default: slow if a second -m grants slow "
              "memory, otherwise caller)")
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
      .integer("slowdown", flags.slowdown, "PERCENT",
               "with slow memory, leave fast memory free without which the plan moves as few bytes "
               "and takes at most PERCENT longer than one stage (default: 5)",
               0, 1000)
      .record();
  table
      .flag("certificates", flags.certificates,
            "take more time for the lower bound on the fast memory of plans that do not spill "
            "(always with --min-fast)")
      .record();
}

namespace {

/// Reads the file of --costs.
Expected<PlanningOptions> planningOptions(const PlanFlags& flags) {
  if (flags.memory.empty())
    return makeError(DiagId::Usage,
                     "no fast memory budget; specify one with -m SIZE, as in -m 256K");
  if (flags.memory.size() > 2)
    return makeError(DiagId::Usage, "option '-m' is given ", flags.memory.size(),
                     " times, expected fast and slow memory");
  PlanningOptions options;
  options.budget.fast = flags.memory[0];
  options.slowAsNeeded = flags.memory.size() == 1;
  if (flags.memory.size() > 1 && flags.memory[1] != 0)
    options.budget.slow = flags.memory[1];
  options.budget.flash = flags.flash;
  options.reserve = flags.reserve.value_or(0);
  options.scratch = flags.scratch;
  options.findReserve = !flags.reserve;
  options.weights = *parseWeightMemory(flags.weightMemory);
  options.compress = *parseCompression(flags.compress);
  if (!flags.io.empty())
    options.io = parseIoMode(flags.io);
  options.planner = *parseStrategy(flags.planner);
  options.optimize = *parseObjective(flags.optimize);
  options.macsPerSlowByte = static_cast<uint64_t>(flags.macsPerSlowByte);
  options.slowdown = static_cast<uint64_t>(flags.slowdown);
  if (!flags.recompute.empty() && flags.recompute != "any") {
    const Expected<uint64_t> percent = parsePercent(flags.recompute);
    if (!percent)
      return percent.error();
    options.recompute = *percent;
  }
  options.avoidRecompute = flags.recompute.empty();
  options.minFast = flags.minFast;
  options.target = flags.target;
  options.align = flags.align;
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

} // namespace

Expected<CompileOptions> planCompileOptions(ToolContext& context, const PlanFlags& flags,
                                            const PassFlags& passFlags) {
  const Expected<PlanningOptions> plan = planningOptions(flags);
  if (!plan)
    return plan.error();
  const Expected<PassRunOptions> passes = passRunOptions(passFlags);
  if (!passes)
    return passes.error();
  CompileOptions options = toolCompileOptions(context);
  options.passes = *passes;
  options.plan = *plan;
  return options;
}

} // namespace tigris
