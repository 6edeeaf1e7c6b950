// Plans a graph for several budgets, and runs every plan.
#include "PlanSubject.h"

#include "PlanDamage.h"
#include "PlanRun.h"
#include "RandomModel.h"
#include "StageFeatures.h"

#include "tigris/Analysis/Lifetime.h"
#include "tigris/Analysis/Overflow.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Driver/Host/RuntimeBackends.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/IR/Repeats.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/Bounds/RowBound.h"
#include "tigris/Plan/OperandViews.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Remat/ChannelSplit.h"
#include "tigris/Plan/Remat/RepeatSearch.h"
#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"
#include "tigris/Target/Target.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>

namespace tigris::property {

namespace {

constexpr uint64_t Ample = uint64_t{1} << 26;
/// Slow memory for everything that overflows a smaller fast arena, and for the table.
constexpr uint32_t Overflow = 1U << 18;

/// One graph and all tests on it.
class Subject {
public:
  Subject(uint64_t seed, const Options& options, Totals& totals)
      : seed_(seed), options_(options), totals_(totals), random_(seed * 7919 + 1),
        repeats_(seed * 7919 + 2), constants_(seed * 7919 + 3) {
    const int64_t io = random_.below(100);
    plan_.io = io < 40 ? IoMode::Slow : io < 75 ? IoMode::Caller : IoMode::Arena;
    const std::span<const Target> targets = allTargets();
    if (random_.percent(50))
      plan_.target =
          targets[static_cast<size_t>(random_.below(static_cast<int64_t>(targets.size())))].name;
    plan_.budget = {Ample, Ample, {}};
    plan_.planner = random_.percent(15)   ? Strategy::Greedy
                    : random_.percent(15) ? Strategy::Specification
                                          : Strategy::Optimal;
    if (random_.percent(40))
      plan_.optimize = random_.percent(70) ? Objective::Latency : Objective::Memory;
    if (plan_.io != IoMode::Slow && plan_.planner == Strategy::Optimal && random_.percent(50))
      plan_.budget.slow.reset();
    if (random_.percent(20))
      plan_.macsPerSlowByte = static_cast<uint64_t>(random_.below(3) * 40);
    if (plan_.planner == Strategy::Optimal && random_.percent(25) &&
        (!plan_.budget.slow || plan_.optimize == Objective::Traffic))
      plan_.recompute = static_cast<uint64_t>(random_.below(4) * 5);
  }

  /// The failure; empty if there is none.
  std::string check(unsigned ops) {
    graph_ = randomModel(seed_, ops);
    if (constants_.percent(20))
      addConstantOutput(graph_, constants_);
    insertPortCopies(graph_, constants_.percent(20));
    if (constants_.percent(50))
      keepConstantOutputs(graph_);
    insertOperandViews(graph_);
    DiagnosticEngine diagnostics;
    if (!verifyGraph(graph_, diagnostics))
      return strCat("the generator made a bad graph: ", diagnostics.all().front().message);
    inputs_ = randomInputs(graph_, seed_);
    if (options_.print)
      if (const auto text = writeModule(graph_))
        std::printf("%s", text->c_str());
    const Expected<std::string> file = planned(Ample);
    if (!file && file.error().id() == DiagId::UnsupportedOp) {
      ++totals_.unsupported;
      if (options_.verbose)
        std::printf("seed %llu: %s\n", number(seed_), file.error().message().c_str());
      return {};
    }
    if (!file)
      return strCat("untiled: ", file.error().message());
    const Expected<std::string> plain = untiledApart();
    if (!plain)
      return strCat("untiled, apart: ", plain.error().message());
    reference_ = runPlan(*plain, inputs_, {100, 0, fill(0x11), kernels()});
    if (!reference_.error.empty())
      return strCat("untiled: ", reference_.error);
    if (plan_.planner == Strategy::Optimal && !plan_.budget.slow && repeats_.percent(70))
      if (const std::string problem = repeat(); !problem.empty())
        return strCat("with repeats: ", problem);
    if (!plan_.budget.slow && plan_.io == IoMode::Caller && random_.percent(60))
      tryRows();
    if (std::string problem = compare(runPlan(*file, inputs_, {100, 0, fill(0x11), kernels()}));
        !problem.empty())
      return strCat("untiled: ", problem);
    const uint64_t enough = fastNeed();
    const Expected<BudgetNeeds> needs = budgetNeeds(graph_, plan_);
    if (!needs)
      return strCat("needs: ", needs.error().message());
    if (plan_.budget.slow && plan_.io != IoMode::Arena && !plan_.recompute) {
      const uint64_t smallest = std::max<uint64_t>(needs->smallest, 1);
      const std::string problem = checkBudgets(smallest, std::max(enough, smallest));
      return problem.empty() ? checkOverflow(smallest) : problem;
    }
    if (!plan_.inputRows && !plan_.outputRows && plan_.optimize != Objective::Memory) {
      // Below what all ops need in fast memory, overflow makes every budget feasible.
      const uint64_t low = plan_.budget.slow ? std::max<uint64_t>(needs->smallest, 1) : 1;
      const uint64_t smallest = smallestBudget(low, enough);
      if (!plan_.recompute && smallest > std::max<uint64_t>(needs->smallest, 1))
        return strCat("plans in ", smallest, " bytes, promised are ", needs->smallest);
      return checkBudgets(smallest, enough);
    }
    // Several stages may need some bytes more than they finally use; the planner says how many
    // suffice. Recomputation is not limited; 0 is not a budget.
    const uint64_t smallest = plan_.recompute
                                  ? smallestBudget(std::max<uint64_t>(needs->smallest, 1), Ample)
                                  : std::max<uint64_t>(needs->smallest, 1);
    return checkBudgets(smallest, std::max(enough, smallest));
  }

private:
  static unsigned long long number(uint64_t value) { return value; }

  /// Every other model runs on the host backend, whose bytes must not depend on the budget either.
  const tigris_backend* kernels() const {
    return runtimeBackend(seed_ % 2 != 0 ? "host" : "reference");
  }

  std::optional<uint8_t> fill(uint8_t value) const {
    return options_.unfilled ? std::nullopt : std::optional(value);
  }

  /// Fast memory of the current plan, with the scratch of its target's kernels aligned above the
  /// rest.
  uint64_t fastNeed() const {
    const Plan& plan = *current_.plan();
    const uint64_t peak = plan.stats.fastPeakBytes;
    return plan.scratch == 0 ? peak : alignUp(peak, plan.align) + plan.scratch;
  }

  /// From here on some ops run twice: those that the least memory requires, or random ones.
  std::string repeat() {
    if (plan_.recompute || repeats_.percent(50)) {
      insertRepeatsFor(graph_, plan_, true);
    } else {
      for (RepeatChain& chain : repeatChains(graph_, *plan_.io, UINT64_MAX)) {
        if (repeats_.percent(50))
          continue;
        if (const int64_t channels = splittableChannels(graph_, chain);
            channels > 1 && !hasRepeats(graph_) && repeats_.percent(50)) {
          chain.channels = 1 + repeats_.below(channels - 1);
          insertRepeats(graph_, chain);
          break; // further chains may have ops that are gone
        }
        insertRepeats(graph_, chain);
      }
    }
    totals_.repeating += hasRepeats(graph_) ? 1 : 0;
    const Expected<std::string> file = planned(Ample);
    return file ? "" : file.error().message();
  }

  /// From here on inputs or outputs move by rows, if the graph allows it.
  void tryRows() {
    plan_.inputRows = random_.percent(80);
    plan_.outputRows = !plan_.inputRows || random_.percent(30);
    if (planned(Ample))
      ++totals_.byRows;
    else
      plan_.inputRows = plan_.outputRows = false;
  }

  /// Plans, checks and emits; `current_` is the planned graph.
  Expected<std::string> planned(uint64_t budget) {
    plan_.budget.fast = budget;
    Expected<Plan> plan = planGraph(graph_, plan_);
    if (!plan)
      return plan.error();
    current_ = graph_;
    addCertificate(graph_, CertificateFlows, *plan);
    applyPlan(current_, std::move(*plan));
    if (Status status = checkPlan(current_); !status)
      return status.takeError();
    return emitPlan(current_);
  }

  /// The current plan, of one stage, with bytes for every tensor that no other tensor ever has,
  /// except for views. The file of the current plan if it has several stages.
  Expected<std::string> untiledApart() const {
    Plan plan = *current_.plan();
    auto* whole = std::get_if<WholeStage>(&plan.stages.front().execution);
    if (plan.stages.size() != 1 || whole == nullptr)
      return emitPlan(current_);
    const AliasSets aliases(current_, current_.order());
    std::map<TensorId, uint64_t> offsets;
    uint64_t end = 0;
    for (Placement& placement : whole->placements) {
      const auto [entry, isNew] = offsets.emplace(aliases.root(placement.tensor), end);
      if (isNew)
        end += alignUp(current_.tensor(placement.tensor).bytes(), plan.align);
      placement.offset = entry->second;
    }
    plan.stats.fastPeakBytes = 0; // not stated
    Graph apart = current_;
    apart.setPlan(std::move(plan));
    DiagnosticEngine corrections;
    if (Status status = recountPlan(apart, corrections); !status)
      return status.takeError();
    return emitPlan(apart);
  }

  /// By bisection: if a budget is feasible, so is every larger one.
  uint64_t smallestBudget(uint64_t low, uint64_t high) {
    while (low < high) {
      plan_.budget.fast = low + (high - low) / 2;
      if (planGraph(graph_, plan_))
        high = plan_.budget.fast;
      else
        low = plan_.budget.fast + 1;
    }
    return high;
  }

  std::string checkBudgets(uint64_t smallest, uint64_t oneStage) {
    smallest_ = smallest;
    std::set<uint64_t> budgets;
    if (options_.budget != 0) {
      budgets = {options_.budget};
    } else if (oneStage > 0) {
      budgets = {smallest, oneStage};
      // Prefers small budgets: repeatedly halves the distance.
      for (unsigned tries = 0; budgets.size() < options_.budgets && tries < 30; ++tries) {
        auto span = static_cast<int64_t>(oneStage - smallest + 1);
        for (int64_t halves = random_.below(5); halves > 0; --halves)
          span = (span + 1) / 2;
        budgets.insert(smallest + static_cast<uint64_t>(random_.below(span)));
      }
    }
    for (const uint64_t budget : budgets)
      if (const std::string problem = checkBudget(budget); !problem.empty())
        return strCat("budget ", budget, " (smallest ", smallest, ", one stage ", oneStage,
                      "): ", problem);
    return {};
  }

  /// With slow memory, every budget with room for the scratch of kernels is feasible.
  std::string checkOverflow(uint64_t smallest) {
    const uint64_t least = std::max<uint64_t>(current_.plan()->scratch, 1);
    if (least >= smallest)
      return {};
    const uint64_t budget =
        least + static_cast<uint64_t>(random_.below(static_cast<int64_t>(smallest - least)));
    if (const std::string problem = checkBudget(budget); !problem.empty())
      return strCat("budget ", budget, " (without overflow ", smallest, "): ", problem);
    totals_.overflowing += hasOverflow(current_, *current_.plan()) ? 1 : 0;
    return {};
  }

  std::string checkBudget(uint64_t budget) {
    const Expected<std::string> file = planned(budget);
    if (!file)
      return file.error().message();
    const Plan& plan = *current_.plan();
    ++totals_.plans;
    for (const Stage& stage : plan.stages) {
      ++totals_.stages;
      totals_.tiled += stage.tiled() != nullptr ? 1 : 0;
      totals_.chains += stage.tiled() != nullptr && stage.ops.size() > 1 ? 1 : 0;
      totals_.streamed += stage.streamed() != nullptr ? 1 : 0;
      totals_.overlapping += hasOverlap(current_, stage) ? 1 : 0;
      totals_.inPlace += worksInPlace(stage) ? 1 : 0;
      totals_.striped += isStriped(stage) ? 1 : 0;
      totals_.sinks += hasSink(stage) ? 1 : 0;
      totals_.stripedSinks += hasSink(stage) && isStriped(stage) ? 1 : 0;
      totals_.overOperands += opsOverOperands(current_, stage);
      totals_.direct += stage.mode() == StageMode::Direct ? 1 : 0;
    }
    totals_.inArena += plan.io == IoMode::Arena && plan.stages.size() > 1 ? 1 : 0;
    totals_.bounded +=
        plan.bounds.planClass == RowClass || plan.bounds.planClass == PortRowClass ? 1 : 0;
    if (budget >= smallest_ && hasOverflow(current_, plan))
      return "has overflow";
    if (fastNeed() > budget)
      return strCat("has a fast peak of ", plan.stats.fastPeakBytes, " and scratch of ",
                    plan.scratch);
    if (plan_.recompute && plan.stats.recomputeMacs * 100 > plan.stats.macs * *plan_.recompute)
      return strCat("does ", plan.stats.recomputeMacs, " of ", plan.stats.macs,
                    " multiply-accumulates twice, ", *plan_.recompute, " percent are allowed");
    if (plan.bounds.fastPeakBytes > plan.stats.fastPeakBytes ||
        plan.bounds.slowTrafficBytes > plan.stats.trafficBytes())
      return strCat("beats the bounds: ", plan.bounds.fastPeakBytes, " bytes of fast memory, ",
                    plan.bounds.slowTrafficBytes, " of traffic for ", plan.bounds.planClass);
    if (std::string problem = checkStream(*file); !problem.empty())
      return problem;
    if (plan_.planner == Strategy::Optimal && plan_.budget.slow && random_.percent(30))
      for (const Strategy other : {Strategy::Greedy, Strategy::Specification})
        if (std::string problem = compareWith(other, plan); !problem.empty())
          return problem;
    // Overflow may cost less than the tiles of a larger budget, because reads by kernels do not
    // count.
    if (budget >= smallest_ && random_.percent(30))
      if (std::string problem = planInNeed(plan); !problem.empty())
        return problem;
    const RunResult run =
        runPlan(*file, inputs_, {100, 0, fill(0xEE), kernels(), plan_.inputRows, plan_.outputRows});
    if (std::string problem = compare(run); !problem.empty())
      return problem;
    const tigris_statistics& counted = run.statistics;
    for (const auto& [what, predicted, actual] :
         {std::tuple("fast peak", plan.stats.fastPeakBytes, uint64_t{counted.fast_peak}),
          std::tuple("slow peak", plan.stats.slowPeakBytes, uint64_t{counted.slow_peak}),
          std::tuple("slow reads", plan.stats.slowReadBytes, counted.slow_read),
          std::tuple("slow writes", plan.stats.slowWriteBytes, counted.slow_write),
          std::tuple("kernel calls", plan.stats.kernelCalls, uint64_t{counted.kernel_calls})})
      if (predicted != actual)
        return strCat(what, ": predicted ", predicted, ", counted ", actual);
    for (const uint32_t percent : {75, 40})
      if (std::string problem = compare(runPlan(
              *file, inputs_,
              {percent, Overflow, fill(0x77), kernels(), plan_.inputRows, plan_.outputRows}));
          !problem.empty())
        return strCat(percent, " % of the fast arena: ", problem);
    if (random_.percent(20))
      if (std::string problem = checkPacked(budget); !problem.empty())
        return strCat("with packed weights: ", problem);
    if (random_.percent(20) && !hasConstantOutputs(graph_))
      if (std::string problem = checkCopied(); !problem.empty())
        return strCat("with copied weights: ", problem);
    return options_.damage == 0 ? "" : runDamaged(*file);
  }

  /// Unpacks weights to the memory that the plan leaves of its budget.
  std::string checkPacked(uint64_t budget) {
    EmitOptions emission;
    emission.compress = Compression::Lz4;
    const Expected<std::string> file = emitPlan(current_, emission);
    if (!file)
      return file.error().message();
    ++totals_.packed;
    const RunResult run =
        runPlan(*file, inputs_, {100, 0, fill(0xDD), kernels(), plan_.inputRows, plan_.outputRows});
    if (run.statistics.fast_peak > budget)
      return strCat("counted a fast peak of ", run.statistics.fast_peak);
    return compare(run);
  }

  /// Copies all weights to fast memory beyond the budget.
  std::string checkCopied() {
    Graph copying = current_;
    Plan plan = *copying.plan();
    plan.weights = WeightMemory::Copy;
    plan.compress = random_.percent(50) ? Compression::Lz4 : Compression::None;
    plan.budget.fast += 1 << 28;
    copying.setPlan(std::move(plan));
    const Expected<std::string> file = emitPlan(copying);
    if (!file)
      return file.error().message();
    return compare(runPlan(*file, inputs_,
                           {100, 0, fill(0xDD), kernels(), plan_.inputRows, plan_.outputRows}));
  }

  /// Files that are not plans do no harm.
  std::string runDamaged(const std::string& file) {
    const PlanDamage damage(file);
    for (uint64_t i = 0; i < options_.damage; ++i) {
      const bool isSmall = random_.percent(25);
      RunOptions run = {isSmall ? 60U : 100U, isSmall ? 4096U : 0U, fill(0x55)};
      run.backend = runtimeBackend(backends_[i % backends_.size()]);
      run.inputRows = plan_.inputRows;
      run.outputRows = plan_.outputRows;
      run.isDamaged = true;
      const RunResult result = runPlan(damage.next(random_), inputs_, run);
      ++totals_.damaged;
      totals_.damagedRuns += result.error.empty() ? 1 : 0;
      if (result.escaped)
        return strCat("damaged plan ", i, ": ", result.error);
    }
    return {};
  }

  /// With exactly the fast memory that the plan says it needs, or the smallest feasible budget, the
  /// model can be planned too.
  std::string planInNeed(const Plan& plan) const {
    PlanOptions options = plan_;
    options.budget.fast = std::max(fastNeed(), smallest_);
    const Expected<Plan> again = planGraph(graph_, options);
    if (!again)
      return strCat("needs ", options.budget.fast,
                    " bytes, with which there is no plan: ", again.error().message());
    // The specified tile heights follow from the budget, not from what fits. In graphs with random
    // repeats, the search may miss a cheaper plan.
    return plan_.planner == Strategy::Specification || hasRepeats(graph_) ||
                   costOf(*again) <= costOf(plan)
               ? ""
               : strCat("needs ", options.budget.fast, " bytes, with which it costs ",
                        costOf(*again), " in place of ", costOf(plan));
  }

  /// The optimal plan must not cost more than that of another strategy, in terms of the
  /// optimization objective.
  std::string compareWith(Strategy strategy, const Plan& plan) const {
    PlanOptions options = plan_;
    options.planner = strategy;
    const Expected<Plan> other = planGraph(graph_, options);
    if (!other || hasOverflow(graph_, *other))
      return {};
    const uint64_t ours = costOf(plan);
    const uint64_t theirs = costOf(*other);
    return ours <= theirs ? "" : strCat("costs ", ours, ", ", strategyName(strategy), " ", theirs);
  }

  uint64_t costOf(const Plan& plan) const {
    if (plan.optimize == "memory")
      return plan.stats.fastPeakBytes + plan.stats.slowPeakBytes;
    const CostModel costs = plan.optimize == "latency"
                                ? CostModel::latency(findTarget(plan.target)->costs)
                                : CostModel();
    uint64_t cost = 0;
    for (const Stage& stage : plan.stages) {
      const StageStats& stats = stage.stats;
      cost += costs.weights(graph_, stage.ops, stage.parts() == nullptr)
                  .of(stats.trafficBytes(), stats.recomputeMacs, stats.kernelCalls);
    }
    return cost;
  }

  /// The plan survives the module: the file emitted after reading it back is the same.
  std::string checkStream(const std::string& file) const {
    const Expected<std::string> text = writeModule(current_);
    if (!text)
      return text.error().message();
    const Expected<Graph> read = readModule(std::make_shared<const std::string>(*text), "-");
    if (!read)
      return strCat("stream: ", read.error().message());
    const Expected<std::string> again = emitPlan(*read);
    if (!again)
      return strCat("stream: ", again.error().message());
    return *again == file ? "" : "the plan read back from the stream is another one";
  }

  std::string compare(const RunResult& run) const {
    if (!run.error.empty())
      return run.error;
    for (size_t i = 0; i < run.outputs.size(); ++i)
      for (size_t k = 0; k < run.outputs[i].size(); ++k)
        if (run.outputs[i][k] != reference_.outputs[i][k])
          return strCat("output ", i, " differs from the untiled plan's at byte ", k);
    return {};
  }

  uint64_t seed_;
  const Options& options_;
  Totals& totals_;
  Random random_;
  /// For repeats alone, so that graphs without them are tested as ever.
  Random repeats_;
  Random constants_;
  std::vector<std::string> backends_ = runtimeBackendNames();
  PlanOptions plan_;
  Graph graph_;
  Graph current_;
  /// The smallest feasible fast budget.
  uint64_t smallest_ = 0;
  std::vector<std::vector<uint8_t>> inputs_;
  RunResult reference_;
};

} // namespace

std::string checkSeed(uint64_t seed, unsigned ops, const Options& options, Totals& totals) {
  try {
    return Subject(seed, options, totals).check(ops);
  } catch (const std::exception& error) {
    return strCat("exception: ", error.what());
  }
}

} // namespace tigris::property
