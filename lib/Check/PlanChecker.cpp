// Compares the figures that a plan states with those that its replay counts.
#include "tigris/Check/PlanChecker.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Check/PlanReplay.h"
#include "tigris/IR/PlanStats.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// A plan without stated kernel calls may make this many.
constexpr uint64_t UnstatedCalls = uint64_t{1} << 18;

struct Difference {
  std::string figure;
  uint64_t stated;
  uint64_t counted;
};

class FigureComparison {
public:
  void add(const std::string& figure, uint64_t stated, uint64_t counted) {
    if (stated != counted)
      differences_.push_back({figure, stated, counted});
  }

  /// The fields of a table, without those of the model.
  template <typename Record, size_t N>
  void add(const std::string& prefix, const std::array<StatField<Record>, N>& fields,
           const Record& stated, const Record& counted) {
    for (const StatField<Record>& field : fields)
      if (!field.ofModel)
        add(strCat(prefix, field.key), stated.*field.member, counted.*field.member);
  }

  const std::vector<Difference>& differences() const { return differences_; }

private:
  std::vector<Difference> differences_;
};

FigureComparison compare(const Plan& plan, const PlanFigures& counted) {
  FigureComparison comparison;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const std::string where = strCat("stage ", i, ": ");
    comparison.add(where + "peak", plan.stages[i].peak, counted.stages[i].peak);
    comparison.add(where, StageStatFields, plan.stages[i].stats, counted.stages[i].stats);
  }
  comparison.add("", PlanStatFields, plan.stats, counted.stats);
  return comparison;
}

/// The figures of the model in its current order.
PlanStats modelStats(const Graph& graph, const Plan& plan) {
  PlanStats stats;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports) {
      if (graph.tensor(port.tensor).isConstant())
        continue; // in flash
      const uint64_t bytes = graph.tensor(port.tensor).bytes();
      stats.ioBytes += bytes;
      if (!graph.isGraphInput(port.tensor) || !graph.users(port.tensor).empty())
        stats.compulsoryBytes += bytes;
    }
  stats.macs = modelMacs(graph);
  const AliasSets aliases(graph, graph.order());
  const auto buffers = computeLifetimes(graph, graph.order(), aliases, plan.io);
  const MemoryTimeline timeline = computeTimeline(buffers, graph.order().size(), plan.align);
  stats.unscheduledPeakBytes = timeline.peak;
  if (!graph.order().empty())
    stats.peakOp = graph.order()[timeline.peakStep];
  return stats;
}

/// The model's peak before planning is that of another order, which only the planner knew. It stays
/// as stated unless other figures of the model are wrong.
void recountModel(const Graph& graph, Plan& plan, FigureComparison& comparison) {
  const PlanStats counted = modelStats(graph, plan);
  const size_t before = comparison.differences().size();
  for (const StatField<PlanStats>& field : PlanStatFields) {
    uint64_t& stated = plan.stats.*field.member;
    if (!field.ofModel || (field.member == &PlanStats::unscheduledPeakBytes && stated != 0 &&
                           comparison.differences().size() == before))
      continue;
    comparison.add(std::string(field.key), stated, counted.*field.member);
    stated = counted.*field.member;
    if (field.member == &PlanStats::unscheduledPeakBytes)
      plan.stats.peakOp = counted.peakOp;
  }
}

void adopt(Plan& plan, const PlanFigures& counted) {
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    plan.stages[i].peak = counted.stages[i].peak;
    plan.stages[i].stats = counted.stages[i].stats;
  }
  for (const StatField<PlanStats>& field : PlanStatFields)
    if (!field.ofModel)
      plan.stats.*field.member = counted.stats.*field.member;
}

/// Whether a plan with these figures contradicts the bounds.
bool isBelowBounds(const Plan& plan) {
  return plan.stats.fastPeakBytes < plan.bounds.fastPeakBytes ||
         plan.stats.trafficBytes() < plan.bounds.slowTrafficBytes;
}

void warnOf(const std::vector<Difference>& differences, DiagnosticEngine& warnings) {
  constexpr size_t MostNamed = 8;
  std::vector<std::string> named;
  for (const Difference& difference : differences)
    if (difference.stated != 0)
      named.push_back(strCat(difference.figure, " is stated as ", difference.stated,
                             ", the replay counts ", difference.counted));
  if (named.empty())
    return;
  const size_t more = named.size() - std::min(named.size(), MostNamed);
  named.resize(named.size() - more);
  warnings.warn(DiagId::BadPlan, "corrected figures of the plan: ", join(named, "; "),
                more != 0 ? strCat("; and ", more, " more") : std::string());
}

} // namespace

Status checkPlan(const Graph& graph) {
  if (!graph.plan())
    return makeError(DiagId::BadPlan, "the graph has no plan; run tigris-plan first");
  if (Status status = verifyPlan(graph); !status)
    return status;
  const Plan& plan = *graph.plan();
  const Expected<PlanFigures> counted = replayPlan(graph, plan, plan.stats.kernelCalls);
  if (!counted)
    return counted.error();
  const FigureComparison comparison = compare(plan, *counted);
  if (comparison.differences().empty())
    return {};
  const Difference& first = comparison.differences().front();
  return makeError(DiagId::BadPlan, "plan: ", first.figure, " is stated as ", first.stated,
                   ", the replay counts ", first.counted);
}

Status recountPlan(Graph& graph, DiagnosticEngine& warnings) {
  if (!graph.plan())
    return makeError(DiagId::BadPlan, "the graph has no plan; run tigris-plan first");
  if (Status status = verifyPlan(graph); !status)
    return status;
  Plan plan = *graph.plan();
  const uint64_t mostCalls = std::max(plan.stats.kernelCalls, UnstatedCalls);
  const Expected<PlanFigures> counted = replayPlan(graph, plan, mostCalls);
  if (!counted)
    return counted.error();
  FigureComparison comparison = compare(plan, *counted);
  adopt(plan, *counted);
  const size_t ofStages = comparison.differences().size();
  recountModel(graph, plan, comparison);
  const std::vector<Difference>& differences = comparison.differences();
  // Bounds hold for the model that was planned.
  if (differences.size() != ofStages || isBelowBounds(plan))
    plan.bounds = PlanBounds();
  if (!differences.empty() || plan.bounds.planClass.empty())
    plan.provenOptimal = false;
  if (differences.empty() && !isBelowBounds(*graph.plan()))
    return {};
  warnOf(differences, warnings);
  graph.setPlan(std::move(plan));
  return {};
}

} // namespace tigris
