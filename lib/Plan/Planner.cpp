// One stage if the model fits, otherwise the cuts of the planner that was asked for.
#include "tigris/Plan/Planner.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/Bounds/RowBound.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/CutSearch.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Plan/Search/TemporalPartition.h"
#include "tigris/Plan/Sweep/LeastMemory.h"
#include "tigris/Plan/Sweep/LeastTraffic.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"
#include "tigris/Target/KernelScratch.h"

#include <algorithm>

namespace tigris {

namespace {

Error overBudget(uint64_t needed, const std::string& memory, uint64_t budget) {
  return makeError(DiagId::OverBudget, "needs ", formatExactBytes(needed), " of ", memory,
                   ", budget is ", formatExactBytes(budget));
}

Status checkOptions(const Graph& graph, const PlanOptions& options) {
  if (options.planner != "greedy" && options.planner != "optimal")
    return makeError(DiagId::Usage, "unknown planner '", options.planner,
                     "'; known are greedy and optimal");
  const std::vector<std::string> objectives = {"traffic", "latency", "memory"};
  if (std::find(objectives.begin(), objectives.end(), options.optimize) == objectives.end())
    return makeError(DiagId::Usage, "unknown objective '", options.optimize, "'; known are ",
                     join(objectives, ", "));
  if (options.budget.fast == 0)
    return makeError(DiagId::Usage, "the fast memory budget is 0; specify -m with a size above 0");
  if (options.io == IoMode::Arena)
    for (const Port& port : graph.outputs())
      if (!port.state.empty())
        return makeError(DiagId::Usage, "the state '", port.state,
                         "' cannot stay in the fast arena, whose bytes are reused: use --io=slow "
                         "or --io=caller");
  if (options.io == IoMode::Slow && !options.budget.slow)
    return makeError(DiagId::Usage, "model inputs and outputs cannot be in slow memory, as there "
                                    "is none; specify a second -m, --io=caller or --io=arena");
  if (options.recompute && options.budget.slow && options.optimize != "traffic")
    return makeError(DiagId::Usage, "with slow memory, --recompute requires --optimize=traffic; "
                                    "omit the second -m, --recompute or --optimize");
  if (options.inputRows || options.outputRows) {
    if (options.planner != "optimal")
      return makeError(DiagId::Usage, "only the optimal planner moves inputs or outputs by rows");
    if (options.budget.slow || options.io.value_or(IoMode::Caller) != IoMode::Caller)
      return makeError(DiagId::Usage, "inputs and outputs move by rows only between fast memory "
                                      "and the caller; omit the second -m and --io");
  }
  return {};
}

/// Inputs and outputs that have to be moved by rows.
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
    if (options.outputRows && port.state.empty())
      result.push_back(port.tensor);
  return result;
}

/// Model inputs, then outputs, one after another: an input may be filled while outputs are read.
uint64_t placeInterface(const Graph& graph, Plan& plan) {
  uint64_t end = 0;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports) {
      plan.slow.push_back({port.tensor, alignUp(end, plan.align)});
      end = plan.slow.back().offset + graph.tensor(port.tensor).bytes();
    }
  return end;
}

/// The whole model in one stage.
StageDraft draftOf(const Graph& graph, const Schedule& schedule, IoMode io) {
  StageDraft stage;
  stage.ops = schedule.order;
  stage.buffers = schedule.buffers;
  stage.layout = schedule.layout;
  stage.height = schedule.layout.height;
  for (const OpId id : schedule.order)
    stage.stats.kernelCalls += schedule.aliases.isView(graph.op(id)) ? 0 : 1;
  if (io != IoMode::Slow)
    return stage;
  for (const Port& port : graph.inputs())
    if (!graph.users(port.tensor).empty()) {
      stage.loads.push_back(port.tensor);
      stage.stats.slowReadBytes += graph.tensor(port.tensor).bytes();
    }
  for (const Port& port : graph.outputs()) {
    stage.spills.push_back(port.tensor);
    stage.stats.slowWriteBytes += graph.tensor(port.tensor).bytes();
  }
  return stage;
}

Stage makeStage(const Graph& graph, const StageDraft& draft, uint64_t base,
                const std::map<TensorId, uint64_t>& residents) {
  Stage stage;
  stage.mode = draft.mode;
  stage.ops = draft.ops;
  stage.loads = draft.loads;
  stage.spills = draft.spills;
  stage.tiling = draft.tiling;
  stage.peak = draft.height == 0 ? 0 : base + draft.height;
  const auto place = [&](TensorId tensor, uint64_t offset) {
    stage.fast.push_back({tensor, offset});
    stage.peak = std::max(stage.peak, offset + graph.tensor(tensor).bytes());
  };
  if (stage.tiling) {
    stage.tiling->state += base;
    for (TileBuffer& buffer : stage.tiling->buffers) {
      const auto resident = residents.find(buffer.tensor);
      if (!buffer.inPlace)
        buffer.offset += base;
      else if (resident != residents.end())
        buffer.offset = resident->second;
      else
        buffer.offset = buffer.bytes = 0; // the caller's
    }
    for (const TensorId tensor : draft.residents)
      place(tensor, residents.at(tensor));
  } else {
    for (size_t i = 0; i < draft.buffers.size(); ++i)
      for (const TensorId tensor : draft.buffers[i].tensors)
        place(tensor, base + draft.layout.offsets[i]);
    for (const LiveBuffer& buffer : draft.pinned) {
      const auto resident = std::find_if(buffer.tensors.begin(), buffer.tensors.end(),
                                         [&](TensorId id) { return residents.count(id) != 0; });
      for (const TensorId tensor : buffer.tensors)
        place(tensor, residents.at(*resident));
    }
  }
  stage.stats = draft.stats;
  return stage;
}

void addStages(const Graph& graph, std::span<const StageDraft> drafts,
               const ResidentLayout& residents, Plan& plan) {
  PlanStats& stats = plan.stats;
  for (size_t i = 0; i < drafts.size(); ++i) {
    plan.stages.push_back(makeStage(graph, drafts[i], residents.bases[i], residents.offsets));
    const Stage& stage = plan.stages.back();
    stats.fastPeakBytes = std::max(stats.fastPeakBytes, stage.peak);
    stats.slowReadBytes += stage.stats.slowReadBytes;
    stats.slowWriteBytes += stage.stats.slowWriteBytes;
    stats.kernelCalls += stage.stats.kernelCalls;
    stats.recomputeMacs += stage.stats.recomputeMacs;
  }
}

StageDrafter& drafterOf(PlanDrafts& drafts, const Schedule& schedule, const Plan& plan,
                        const PlanOptions& options = {}) {
  const Objective objective =
      plan.optimize == "latency"
          ? Objective::latency(options.costs ? *options.costs : findTarget(plan.target)->costs)
          : Objective::traffic(options.macsPerSlowByte);
  return drafts.drafter(schedule, objective, movedByRows(drafts.graph(), options));
}

bool maySpill(const Plan& plan) { return plan.budget.slow && plan.io != IoMode::Arena; }

/// What a search may do in any budget.
SegmentOptions searchRules(const Graph& graph, const PlanOptions& options, const Plan& plan) {
  SegmentOptions rules;
  rules.stay = !maySpill(plan);
  rules.rows = movedByRows(graph, options);
  rules.recompute = options.recompute != 0;
  return rules;
}

/// In `fast` bytes, which are enough for every op alone if there is slow memory. nullopt when nothing fits.
std::optional<Cuts> cutOrder(const Graph& graph, StageDrafter& drafter, const Plan& plan,
                             SegmentOptions rules, uint64_t fast) {
  const bool isOptimal = plan.planner == "optimal";
  rules.budget = fast;
  if (rules.stay)
    return isOptimal ? searchCuts(graph, drafter, rules) : std::nullopt;
  Cuts greedy;
  greedy.drafts = partitionOrder(drafter, fast);
  greedy.residents.bases.resize(greedy.drafts.size());
  if (isOptimal)
    if (auto searched = searchCuts(graph, drafter, rules);
        searched && totalCost(drafter, searched->drafts) <= totalCost(drafter, greedy.drafts))
      return searched;
  return greedy;
}

void addStats(const Graph& graph, const Schedule& given, Plan& plan) {
  PlanStats& stats = plan.stats;
  const auto bytes = [&](TensorId tensor) { return graph.tensor(tensor).bytes(); };
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports) {
      stats.ioBytes += bytes(port.tensor);
      if (!graph.isGraphInput(port.tensor) || !graph.users(port.tensor).empty())
        stats.compulsoryBytes += bytes(port.tensor);
    }
  for (const OpId id : given.order)
    stats.macs += macCount(graph, graph.op(id));
  stats.unscheduledPeakBytes = given.timeline.peak;
  if (!given.order.empty())
    stats.peakOp = given.order[given.timeline.peakStep];
}

/// A plan of no stages, with everything the options say.
Expected<Plan> emptyPlan(const Graph& graph, const PlanOptions& options) {
  TIGRIS_CHECK_MSG(hasOwnOutputTensors(graph), "insertPortCopies was not called");
  if (Status status = checkOptions(graph, options); !status)
    return status.takeError();
  const Expected<Target> target = findTarget(options.target);
  if (!target)
    return target.error();
  Plan plan;
  plan.budget = options.budget;
  plan.target = target->name;
  plan.planner = options.planner;
  plan.optimize = options.optimize;
  plan.io = options.io.value_or(options.budget.slow ? IoMode::Slow : IoMode::Caller);
  plan.align = target->align;
  plan.scratch = kernelScratch(graph, target->kernels);
  return plan;
}

/// What the scratch leaves of the fast budget.
uint64_t fastForStages(const Plan& plan) {
  const uint64_t left = plan.budget.fast - std::min(plan.budget.fast, plan.scratch);
  return plan.scratch == 0 ? left : left / plan.align * plan.align;
}

/// The fast budget with which stages may take `bytes`.
uint64_t withScratch(const Plan& plan, uint64_t bytes) {
  return plan.scratch == 0 ? bytes : alignUp(bytes, plan.align) + plan.scratch;
}

const Schedules& schedulesOf(PlanDrafts& drafts, const Plan& plan) {
  return drafts.orders(plan.io, plan.align, plan.planner == "optimal");
}

/// Of any order: it is about ops alone.
StageNeed stageNeed(PlanDrafts& drafts, const Schedule& schedule, const Plan& plan) {
  return largestStageNeed(drafterOf(drafts, schedule, plan));
}

/// The least fast memory in which a search without slow memory succeeds, at most `most`, which does.
uint64_t smallestStay(const Graph& graph, StageDrafter& drafter, SegmentOptions rules,
                      uint64_t most) {
  const uint64_t align = drafter.align();
  const auto fits = [&](uint64_t bytes) {
    rules.budget = bytes;
    return searchCuts(graph, drafter, rules, true).has_value();
  };
  if (most <= align || !fits((most - 1) / align * align))
    return most;
  for (uint64_t low = 1, high = alignUp(most, align) / align; low < high;) {
    const uint64_t middle = low + (high - low) / 2;
    if (fits(middle * align)) {
      most = std::min(most, middle * align);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return most;
}

/// Fast memory in which one of the orders can be run with these tensors moved by rows: `first` bytes or more, by
/// doubling. UINT64_MAX when none can.
uint64_t enoughForRows(const Graph& graph, PlanDrafts& drafts, const Plan& plan,
                       const PlanOptions& options, uint64_t first) {
  SegmentOptions rules = searchRules(graph, options, plan);
  constexpr uint64_t Most = uint64_t{1} << 31;
  for (uint64_t bytes = std::max<uint64_t>(alignUp(first, plan.align), 1024); bytes <= Most;
       bytes *= 2)
    for (const Schedule& schedule : schedulesOf(drafts, plan).all()) {
      rules.budget = bytes;
      if (searchCuts(graph, drafterOf(drafts, schedule, plan, options), rules, true))
        return bytes;
    }
  return UINT64_MAX;
}

/// What planGraph needs, scratch included; `stages` (largestStageNeed) is without it. UINT64_MAX when tensors cannot
/// be moved by rows.
uint64_t smallestBudget(const Graph& graph, PlanDrafts& drafts, const Plan& plan,
                        const PlanOptions& options, uint64_t stages) {
  const SegmentOptions rules = searchRules(graph, options, plan);
  const Schedules& orders = schedulesOf(drafts, plan);
  uint64_t smallest = orders.best().layout.height;
  if (!rules.rows.empty())
    smallest = enoughForRows(graph, drafts, plan, options, smallest);
  if (smallest == UINT64_MAX)
    return smallest;
  if (maySpill(plan))
    smallest = std::min(smallest, stages);
  else if (plan.planner == "optimal" && plan.io != IoMode::Arena)
    for (const Schedule& schedule : orders.all())
      smallest = smallestStay(graph, drafterOf(drafts, schedule, plan, options), rules, smallest);
  return withScratch(plan, smallest);
}

/// For the note of an over-budget error.
std::string smallestThatFits(uint64_t smallest, uint64_t stages, const Plan& plan) {
  const std::string with =
      strCat(" with --io=", ioModeName(plan.io), " and --target=", plan.target);
  std::string text = strCat("the smallest fast budget that fits is ", smallest, " bytes", with);
  if (plan.budget.slow || plan.io == IoMode::Arena || stages >= smallest)
    return text;
  return strCat(text, "; with slow memory (a second -m) and --io=", ioModeName(plan.io), " it is ",
                stages, " bytes");
}

Error noRows(const Graph& graph, const std::vector<TensorId>& rows) {
  std::vector<std::string> names;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports)
      if (std::find(rows.begin(), rows.end(), port.tensor) != rows.end())
        names.push_back("'" + port.name + "'");
  return makeError(DiagId::UnsupportedOp, "no streamed stage can move ", join(names, ", "),
                   " row by row: ops that use them need all rows at once, are too far apart or "
                   "need the rows again; provide whole tensors instead");
}

/// Cuts of an order, and that order.
struct Choice {
  Cuts cuts;
  const Schedule* schedule;
};

/// The cheapest cuts of all orders in `fast` bytes, lying as low as they can; nullopt when nothing fits.
std::optional<Choice> cheapestCuts(const Graph& graph, PlanDrafts& drafts, const Plan& plan,
                                   const PlanOptions& options, uint64_t fast) {
  const Schedules& orders = schedulesOf(drafts, plan);
  const SegmentOptions rules = searchRules(graph, options, plan);
  std::optional<Choice> best;
  for (const Schedule& schedule : orders.all()) {
    if (plan.planner == "greedy" && &schedule != &orders.best())
      continue;
    StageDrafter& drafter = drafterOf(drafts, schedule, plan, options);
    std::optional<Cuts> cuts = cutOrder(graph, drafter, plan, rules, fast);
    if (cuts && (!best || totalCost(drafter, cuts->drafts) < totalCost(drafter, best->cuts.drafts)))
      best = {std::move(*cuts), &schedule};
  }
  if (best)
    best->cuts.residents =
        lowerResidents(graph, best->cuts.drafts, std::move(best->cuts.residents), plan.align);
  return best;
}

/// The same for any number of bytes. The search rounds all sizes up, but what lies on top need not end at a multiple of
/// the alignment: it is given the rest of the last one first, and none where that is used.
std::optional<Choice> cutsWithin(const Graph& graph, PlanDrafts& drafts, const Plan& plan,
                                 const PlanOptions& options, uint64_t fast) {
  const uint64_t rounded = alignUp(fast, plan.align);
  if (rounded != fast) {
    std::optional<Choice> choice = cheapestCuts(graph, drafts, plan, options, rounded);
    if (choice && heightOf(graph, choice->cuts.drafts, choice->cuts.residents) <= fast)
      return choice;
  }
  return cheapestCuts(graph, drafts, plan, options, fast);
}

/// The least slow traffic or time in the budget. `isLast`: it has been tried in this very budget before.
Expected<Plan> planInBudget(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts,
                            bool isLast = false) {
  const Expected<Plan> empty = emptyPlan(graph, options);
  if (!empty)
    return empty.error();
  Plan plan = *empty;
  const Schedules& orders = schedulesOf(drafts, plan);
  const uint64_t fast = fastForStages(plan);
  const Schedule& best = orders.best();
  const SegmentOptions rules = searchRules(graph, options, plan);
  const bool oneStage = rules.rows.empty() && best.layout.height <= fast;
  StageNeed need;
  std::optional<Choice> choice;
  if (oneStage) {
    choice = {{{draftOf(graph, best, plan.io)}, {{}, {0}, {fast}}}, &best};
  } else {
    need = stageNeed(drafts, best, plan);
    if (plan.io != IoMode::Arena && (need.bytes <= fast || !maySpill(plan)))
      choice = cutsWithin(graph, drafts, plan, options, fast);
  }
  if (!choice) {
    const OpId at = maySpill(plan) ? need.op : best.order[best.timeline.boundStep];
    const Op& op = graph.op(at);
    const uint64_t least = withScratch(plan, need.bytes);
    const uint64_t smallest = smallestBudget(graph, drafts, plan, options, need.bytes);
    if (smallest == UINT64_MAX)
      return noRows(graph, rules.rows);
    // No addresses are found in this budget, but they are in less; or in the same one, after the questions to that end
    // have led to lower layouts.
    if (smallest <= options.budget.fast && !isLast) {
      PlanOptions less = options;
      less.budget.fast = smallest;
      Expected<Plan> lower = planInBudget(graph, less, drafts, smallest == options.budget.fast);
      if (lower)
        lower->budget = options.budget;
      return lower;
    }
    return makeError(DiagId::OverBudget, "needs ", formatExactBytes(smallest),
                     " of fast memory at op '", op.name, "' (", op.kindName(), "), budget is ",
                     formatExactBytes(plan.budget.fast))
        .note(smallestThatFits(smallest, least, plan));
  }
  if (plan.scratch > plan.budget.fast)
    return overBudget(plan.scratch, strCat("fast memory for the kernels of '", plan.target, "'"),
                      plan.budget.fast);

  const Cuts& cuts = choice->cuts;
  if (plan.io == IoMode::Slow)
    plan.stats.slowPeakBytes = placeInterface(graph, plan);
  addStages(graph, cuts.drafts, cuts.residents, plan);
  if (!oneStage && plan.budget.slow)
    plan.stats.slowPeakBytes = placeSpills(graph, cuts.drafts, choice->schedule->aliases, plan.io,
                                           plan.align, plan.stats.slowPeakBytes, plan.slow);
  if (plan.budget.slow && plan.stats.slowPeakBytes > *plan.budget.slow)
    return overBudget(plan.stats.slowPeakBytes, "slow memory", *plan.budget.slow)
        .note(strCat("the smallest slow budget that fits is ", plan.stats.slowPeakBytes, " bytes",
                     plan.stages.size() == 1 ? "; --io=caller needs none" : ""));
  addStats(graph, orders.given(), plan);
  addBounds(graph, need, options.certificates, plan);
  return plan;
}

} // namespace

Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options) {
  PlanDrafts drafts(graph);
  return planGraph(graph, options, drafts);
}

Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  if (options.optimize == "memory")
    return planLeastMemory(graph, options, drafts);
  if (options.recompute && options.budget.slow && options.optimize == "traffic")
    return planLeastTraffic(graph, options, drafts);
  Expected<Plan> plan = planInBudget(graph, options, drafts);
  if (plan)
    if (Status status = checkRecompute(plan->stats, options); !status)
      return status.takeError();
  return plan;
}

Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options) {
  PlanDrafts drafts(graph);
  return budgetNeeds(graph, options, drafts);
}

Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options,
                                  PlanDrafts& drafts) {
  const Expected<Plan> plan = emptyPlan(graph, options);
  if (!plan)
    return plan.error();
  const Schedules& orders = schedulesOf(drafts, *plan);
  BudgetNeeds needs = {withScratch(*plan, orders.best().layout.height), 0};
  const SegmentOptions rules = searchRules(graph, options, *plan);
  needs.smallest =
      smallestBudget(graph, drafts, *plan, options, stageNeed(drafts, orders.best(), *plan).bytes);
  if (needs.smallest == UINT64_MAX)
    return noRows(graph, rules.rows);
  if (!rules.rows.empty())
    needs.oneStage = needs.smallest;
  return needs;
}

void applyPlan(Graph& graph, Plan plan) {
  std::vector<OpId> order;
  for (const Stage& stage : plan.stages)
    order.insert(order.end(), stage.ops.begin(), stage.ops.end());
  graph.setOrder(std::move(order));
  graph.setPlan(std::move(plan));
  graph.setStage(GraphStage::Planned);
}

} // namespace tigris
