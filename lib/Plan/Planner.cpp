// Plans one stage if the model fits, otherwise the cheapest cuts that the strategy finds in any
// order.
#include "tigris/Plan/Planner.h"

#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/BudgetSearch.h"
#include "tigris/Plan/PlanAssembly.h"
#include "tigris/Plan/Sweep/BestScratch.h"
#include "tigris/Plan/Sweep/LeastFast.h"
#include "tigris/Plan/Sweep/LeastMemory.h"
#include "tigris/Plan/Sweep/LeastTraffic.h"
#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

/// The cheapest cuts of all orders in `fast` bytes, with the lowest addresses found; nullopt if
/// nothing fits.
std::optional<CutOrder> cheapestCuts(const PlanRequest& request, uint64_t fast) {
  const Graph& graph = request.graph();
  const Schedules& orders = request.schedules();
  const StrategyInfo& strategy = request.strategy();
  SegmentOptions rules = request.rules();
  rules.budget = fast;
  if (rules.stay && !strategy.withoutSlow)
    return std::nullopt;
  std::optional<CutOrder> best;
  for (const Schedule& schedule : orders.all()) {
    if (!strategy.allOrders && &schedule != &orders.best())
      continue;
    const StageDrafter drafter = request.drafter(schedule);
    if (best)
      rules.limit = limitOf(request.drafter(*best->schedule), best->cuts.drafts);
    std::optional<Cuts> cuts = strategy.cut(graph, drafter, rules);
    if (cuts && (!best || totalCost(drafter, cuts->drafts) < totalCost(drafter, best->cuts.drafts)))
      best = {std::move(*cuts), &schedule};
  }
  if (best)
    best->cuts.residents = lowerResidents(request.drafter(*best->schedule).view(),
                                          best->cuts.drafts, std::move(best->cuts.residents));
  return best;
}

/// The same for any number of bytes. The search rounds all sizes up, but the buffer on top need not
/// end at a multiple of the alignment. The first search may therefore use `fast` rounded up. If its
/// layout is higher than `fast`, a second search uses `fast` itself.
std::optional<CutOrder> cutsWithin(const PlanRequest& request, uint64_t fast) {
  const uint64_t rounded = alignUp(fast, request.align());
  if (rounded != fast) {
    std::optional<CutOrder> choice = cheapestCuts(request, rounded);
    if (choice && heightOf(request.graph(), choice->cuts.drafts, choice->cuts.residents) <= fast)
      return choice;
  }
  return cheapestCuts(request, fast);
}

Error noRows(const PlanRequest& request) {
  const Graph& graph = request.graph();
  const std::vector<TensorId> rows = request.rules().rows;
  std::vector<std::string> names;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports)
      if (std::find(rows.begin(), rows.end(), port.tensor) != rows.end())
        names.push_back("'" + port.name + "'");
  return makeError(DiagId::UnsupportedOp, "no streamed stage can move ", join(names, ", "),
                   " row by row: ops that use them need all rows at once, are too far apart or "
                   "need the rows again; provide whole tensors instead");
}

Error overBudget(uint64_t needed, const std::string& memory, uint64_t budget) {
  return makeError(DiagId::OverBudget, "needs ", formatExactBytes(needed), " of ", memory,
                   ", budget is ", formatExactBytes(budget));
}

/// Text for the note of an over-budget error of a request without slow memory. `stages`: the budget
/// in which every op fits alone.
std::string smallestThatFits(const PlanRequest& request, uint64_t smallest, uint64_t stages) {
  const std::string_view io = ioModeName(request.io());
  std::string text = strCat("the smallest fast budget that fits is ", smallest,
                            " bytes with --io=", io, " and --target=", request.options().target);
  if (request.io() == IoMode::Arena || stages >= smallest)
    return text;
  return strCat(text, "; with slow memory every budget fits, and from ", stages,
                " bytes on all operators run in fast memory");
}

/// The error for a request that does not fit the fast budget; names the op that needs the most
/// memory.
Error fastOverBudget(const PlanRequest& request, const StageNeed& need, uint64_t smallest) {
  const Schedule& best = request.schedules().best();
  const Op& op = request.graph().op(best.order[best.timeline.boundStep]);
  return makeError(DiagId::OverBudget, "needs ", formatExactBytes(smallest),
                   " of fast memory at op '", op.name, "' (", op.kindName(), "), budget is ",
                   formatExactBytes(request.fast().forPlan()))
      .note(smallestThatFits(request, smallest, request.budgetFor(need.bytes)));
}

/// The one stage, or cheaper cuts of the order in which kernels do not lack scratch.
CutOrder oneStageOrCuts(const PlanRequest& request, CutOrder one, uint64_t fast) {
  const StageDrafter drafter = request.drafter(*one.schedule);
  if (drafter.lackingCost(one.cuts.drafts.front()) == 0)
    return one;
  std::optional<CutOrder> cuts = cutsWithin(request, fast);
  const auto cost = [&](const CutOrder& order) {
    return totalCost(request.drafter(*order.schedule), order.cuts.drafts);
  };
  return cuts && cost(*cuts) < cost(one) ? std::move(*cuts) : std::move(one);
}

/// One stage, or the cheapest cuts; nullopt if neither fits. Sets `need` unless one stage fits.
std::optional<CutOrder> choose(const PlanRequest& request, StageNeed& need) {
  const Schedule& best = request.schedules().best();
  const uint64_t fast = request.fastForStages();
  if (request.rules().rows.empty() && best.layout.height <= fast) {
    CutOrder choice =
        oneStageOrCuts(request, oneStageOf(request.graph(), best, request.io(), fast), fast);
    if (choice.cuts.drafts.size() > 1)
      need = request.stageNeed(best);
    return choice;
  }
  need = request.stageNeed(best);
  return cutsWithin(request, fast);
}

/// Whether an error says what would fit, which takes a search for the smallest budget.
enum class Refusal : uint8_t { WithNeed, Brief };

/// The plan with the least slow traffic or time in the budget.
Expected<Plan> planInBudget(const PlanOptions& options, PlanDrafts& drafts,
                            Refusal refusal = Refusal::WithNeed) {
  const Expected<PlanRequest> request = PlanRequest::make(drafts, options);
  if (!request)
    return request.error();
  const FastBudget& budget = request->fast();
  StageNeed need;
  const std::optional<CutOrder> choice = choose(*request, need);
  if (!choice) {
    if (refusal == Refusal::Brief)
      return makeError(DiagId::OverBudget, "does not fit the fast budget");
    const std::optional<uint64_t> smallest = smallestBudget(*request, need);
    if (!smallest)
      return noRows(*request);
    if (*smallest >= budget.forPlan())
      return fastOverBudget(*request, need, *smallest);
    // No addresses are found in this budget, but they are in less.
    PlanOptions less = options;
    less.budget.fast = *smallest + budget.reserve;
    Expected<Plan> lower = planInBudget(less, drafts);
    if (lower)
      lower->budget = options.budget;
    return lower;
  }
  if (budget.scratch > budget.forPlan())
    return overBudget(budget.scratch,
                      strCat("fast memory for the kernels of '", request->options().target, "'"),
                      budget.forPlan());
  Plan plan = assemblePlan(*request, *choice);
  if (plan.budget.slow && plan.stats.slowPeakBytes > *plan.budget.slow)
    return overBudget(plan.stats.slowPeakBytes, "slow memory", *plan.budget.slow)
        .note(strCat("the smallest slow budget that fits is ", plan.stats.slowPeakBytes, " bytes",
                     plan.stages.size() == 1 ? "; --io=caller needs none" : ""));
  // The bounds hold for stages of every strategy.
  if (need.op && request->strategy().need != leastNeed)
    need = largestStageNeed(request->drafter(request->schedules().best()));
  addBounds(request->graph(), need, plan);
  return plan;
}

/// The plan for the slow memory of the budget.
Expected<Plan> planWithin(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts,
                          Refusal refusal = Refusal::WithNeed) {
  if (choosesScratch(options))
    return planBestScratch(graph, options, drafts);
  if (options.optimize == Objective::Memory)
    return planLeastMemory(graph, options, drafts);
  if (options.recompute && options.budget.slow && options.optimize == Objective::Traffic)
    return planLeastTraffic(graph, options, drafts);
  Expected<Plan> plan = planInBudget(options, drafts, refusal);
  if (plan)
    if (Status status = checkRecompute(plan->stats, options); !status)
      return status.takeError();
  if (!plan)
    return withReserveNote(plan.takeError(), options);
  if (mayLeaveFree(options))
    return planLeastFast(graph, options, std::move(*plan), drafts, [&](const PlanOptions& less) {
      return planInBudget(less, drafts, Refusal::Brief);
    });
  return plan;
}

/// Whether no plan can do without the slow memory that may be added.
bool requiresSlow(const PlanOptions& options) {
  return mayAddSlow(options) && options.io == IoMode::Slow;
}

/// The plan with as much slow memory as it needs.
Expected<Plan> planAddingSlow(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  Expected<Plan> plan = planWithin(graph, withSlowAsNeeded(options), drafts);
  if (plan) {
    const uint64_t used = plan->stats.slowPeakBytes;
    plan->budget.slow = used != 0 ? std::optional(used) : std::nullopt;
  }
  return plan;
}

} // namespace

Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options) {
  PlanDrafts drafts(graph);
  return planGraph(graph, options, drafts);
}

Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  if (!mayAddSlow(options))
    return planWithin(graph, options, drafts);
  if (requiresSlow(options))
    return planAddingSlow(graph, options, drafts);
  Expected<Plan> plan = planWithin(graph, withoutSlow(options), drafts, Refusal::Brief);
  if (plan || plan.error().id() != DiagId::OverBudget)
    return plan;
  return planAddingSlow(graph, options, drafts);
}

Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options) {
  PlanDrafts drafts(graph);
  return budgetNeeds(graph, options, drafts);
}

Expected<BudgetNeeds> budgetNeeds(const Graph& /*graph*/, const PlanOptions& options,
                                  PlanDrafts& drafts) {
  const Expected<PlanRequest> request =
      PlanRequest::make(drafts, requiresSlow(options) ? withSlowAsNeeded(options) : options);
  if (!request)
    return request.error();
  const Schedule& best = request->schedules().best();
  const std::optional<uint64_t> smallest = smallestBudget(*request, request->stageNeed(best));
  if (!smallest)
    return noRows(*request);
  const bool byRows = !request->rules().rows.empty(); // one whole stage cannot move rows
  return BudgetNeeds{byRows ? *smallest : request->budgetFor(best.layout.height), *smallest};
}

PlanOptions decideSlow(const PlanOptions& options, const BudgetNeeds& needs) {
  if (!mayAddSlow(options))
    return options;
  const bool fits = needs.smallest + options.reserve <= options.budget.fast;
  return fits && !requiresSlow(options) ? withoutSlow(options) : withSlowAsNeeded(options);
}

void applyPlan(Graph& graph, Plan plan) {
  std::vector<OpId> order;
  for (const Stage& stage : plan.stages)
    order.insert(order.end(), stage.ops.begin(), stage.ops.end());
  graph.setOrder(std::move(order));
  graph.setPlan(std::move(plan));
  graph.setForm(GraphForm::Planned);
}

} // namespace tigris
