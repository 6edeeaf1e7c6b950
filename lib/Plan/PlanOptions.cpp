// Names of strategies and objectives, and checks for options that contradict each other.
#include "tigris/Plan/PlanOptions.h"

#include "tigris/IR/FormatLimits.h"
#include "tigris/Plan/Search/StrategyTable.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <bit>

namespace tigris {

namespace {

constexpr std::string_view ObjectiveNames[] = {
#define TIGRIS_OBJECTIVE(id, name) name,
#include "tigris/Plan/Objectives.def"
};

Status checkInterface(const Graph& graph, const PlanOptions& options) {
  if (options.io == IoMode::Arena)
    for (const Port& port : graph.outputs())
      if (!port.state.empty())
        return makeError(DiagId::Usage, "the state '", port.state,
                         "' cannot stay in the fast arena, whose bytes are reused: use --io=slow "
                         "or --io=caller");
  if (options.io == IoMode::Slow && !options.budget.slow)
    return makeError(DiagId::Usage,
                     "model inputs and outputs cannot be in slow memory, as there "
                     "is none; grant some with -m, or specify --io=caller or --io=arena");
  return {};
}

Status checkAlign(const PlanOptions& options) {
  const uint64_t align = options.align.value_or(MinPlanAlign);
  if (std::has_single_bit(align) && align >= MinPlanAlign && align <= MaxPlanAlign)
    return {};
  return makeError(DiagId::Usage, "option '--align': ", align, " is not a power of two from ",
                   MinPlanAlign, " to ", MaxPlanAlign);
}

Status checkRows(const PlanOptions& options) {
  if (!options.movesRows())
    return {};
  if (const StrategyInfo& strategy = strategyInfo(options.planner); !strategy.withoutSlow)
    return makeError(DiagId::Usage, "only the optimal planner moves inputs or outputs by rows");
  if (options.budget.slow || options.io.value_or(IoMode::Caller) != IoMode::Caller)
    return makeError(DiagId::Usage, "inputs and outputs move by rows only between fast memory "
                                    "and the caller; omit the second -m and --io");
  return {};
}

} // namespace

std::string_view strategyName(Strategy strategy) { return strategyInfo(strategy).name; }

std::optional<Strategy> parseStrategy(std::string_view name) {
  for (const StrategyInfo& info : allStrategies())
    if (info.name == name)
      return info.id;
  return std::nullopt;
}

std::vector<std::string> strategyNames() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : allStrategies())
    names.emplace_back(info.name);
  return names;
}

std::string_view objectiveName(Objective objective) {
  return ObjectiveNames[static_cast<size_t>(objective)];
}

std::optional<Objective> parseObjective(std::string_view name) {
  const auto* const found = std::find(std::begin(ObjectiveNames), std::end(ObjectiveNames), name);
  if (found == std::end(ObjectiveNames))
    return std::nullopt;
  return static_cast<Objective>(found - std::begin(ObjectiveNames));
}

std::vector<std::string> objectiveNames() {
  return {std::begin(ObjectiveNames), std::end(ObjectiveNames)};
}

Status checkOptions(const Graph& graph, const PlanOptions& options) {
  if (options.budget.fast == 0)
    return makeError(DiagId::Usage, "the fast memory budget is 0; specify -m with a size above 0");
  if (options.reserve >= options.budget.fast)
    return makeError(DiagId::Usage, "--reserve=", options.reserve, " uses up all ",
                     options.budget.fast, " bytes of fast memory");
  if (options.scratch && *options.scratch > options.budget.fast - options.reserve)
    return makeError(DiagId::Usage, "--scratch=", *options.scratch, " is more than the ",
                     options.budget.fast - options.reserve, " bytes of fast memory",
                     options.reserve == 0 ? "" : " that --reserve leaves");
  if (Status status = checkAlign(options); !status)
    return status;
  if (Status status = checkInterface(graph, options); !status)
    return status;
  if (options.recompute && options.budget.slow && options.optimize != Objective::Traffic)
    return makeError(DiagId::Usage, "with slow memory, --recompute requires --optimize=traffic; "
                                    "omit the second -m, --recompute or --optimize");
  return checkRows(options);
}

bool mayAddSlow(const PlanOptions& options) {
  const bool cannotRecompute = options.recompute && options.optimize != Objective::Traffic;
  return options.slowAsNeeded && !options.budget.slow && options.io != IoMode::Arena &&
         !options.movesRows() && !cannotRecompute;
}

PlanOptions withSlowAsNeeded(PlanOptions options) {
  constexpr uint64_t Most = UINT32_MAX; // more than any plan file can address
  if (!options.io && !options.budget.slow)
    options.io = IoMode::Caller;
  options.budget.slow = Most;
  options.slowAsNeeded = false;
  return options;
}

PlanOptions withoutSlow(PlanOptions options) {
  if (options.io == IoMode::Slow)
    options.io = IoMode::Caller;
  options.budget.slow.reset();
  options.slowAsNeeded = false;
  return options;
}

Error withReserveNote(Error error, const PlanOptions& options) {
  if (options.reserve == 0 || error.id() != DiagId::OverBudget)
    return error;
  return std::move(error).note(
      strCat("--reserve leaves this budget of ", options.budget.fast, " bytes"));
}

std::vector<TensorId> movedByRows(const Graph& graph, const PlanOptions& options) {
  std::vector<TensorId> result;
  const auto isState = [&](const Port& input) {
    return std::any_of(graph.outputs().begin(), graph.outputs().end(),
                       [&](const Port& output) { return output.state == input.name; });
  };
  for (const Port& port : graph.inputs())
    if (options.inputRows && !graph.users(port.tensor).empty() && !isState(port))
      result.push_back(port.tensor);
  for (const Port& port : graph.outputs())
    if (options.outputRows && port.state.empty() && !graph.tensor(port.tensor).isConstant())
      result.push_back(port.tensor);
  return result;
}

} // namespace tigris
