// Measures the weights of each op as they are emitted, and tries some reserves.
#include "tigris/Compile/WeightMemory.h"

#include "tigris/Emit/WeightPacking.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/Remarks.h"

#include <algorithm>

namespace tigris {

namespace {

class WeightPlanner {
public:
  WeightPlanner(const Graph& graph, const PlanningOptions& options, PlanDrafts& drafts,
                const PlanMaker& make)
      : graph_(graph), options_(options), drafts_(drafts), make_(make) {}

  Expected<Plan> run() {
    if (!copies() && !options_.findReserve)
      return make_(options_);
    PlanningOptions free = options_;
    free.reserve = 0;
    free.minFast = options_.minFast && !copies();
    Expected<Plan> first = make_(free);
    if (!first)
      return first;
    Expected<std::map<OpId, uint64_t>> bytes = opWeightBytes(planned(*first));
    if (!bytes)
      return bytes.takeError();
    bytes_ = std::move(*bytes);
    align_ = first->align;
    for (const OpId id : graph_.order())
      if (const uint64_t size = bytesOf(id); size > most_) {
        most_ = size;
        largest_ = id;
      }
    if (most_ == 0)
      return copies() ? make_(options_) : std::move(first);
    return copies() ? copy(std::move(*first)) : compress(std::move(*first));
  }

private:
  bool copies() const { return options_.weights == WeightMemory::Copy; }

  uint64_t bytesOf(OpId id) const {
    const auto found = bytes_.find(id);
    return found == bytes_.end() ? 0 : found->second;
  }

  Graph planned(const Plan& plan) const {
    Graph copy = graph_;
    applyPlan(copy, plan);
    return copy;
  }

  /// The op with the largest weights, for messages.
  std::string largestText() const {
    const Op& op = graph_.op(largest_);
    return strCat("op '", op.name, "' (", op.kindName(), ")");
  }

  /// The reserve for `bytes` bytes of weights, with what LZ4 needs to unpack them in place.
  uint64_t reserveFor(uint64_t bytes) const {
    if (copies() && options_.compress == Compression::Lz4)
      bytes = withUnpackingMargin(bytes, align_);
    return alignUp(bytes, align_);
  }

  PlanningOptions withReserve(uint64_t reserve) const {
    PlanningOptions options = options_;
    options.reserve = reserve;
    if (copies())
      options.partWeights = PartWeights{bytes_, reserve};
    return options;
  }

  /// The reserve with which the plan's weights can be copied.
  uint64_t needOf(const Plan& plan) const {
    uint64_t need = most_;
    for (const Stage& stage : plan.stages) {
      uint64_t sum = 0;
      for (const OpId id : stage.ops)
        sum += bytesOf(id);
      need = std::max(need, stage.parts() != nullptr ? sum : 0);
    }
    return reserveFor(need);
  }

  /// The reserves to try for copying, ascending, all less than the budget.
  std::vector<uint64_t> copyReserves(const Plan& first) const {
    if (!options_.findReserve)
      return {options_.reserve};
    const uint64_t least = reserveFor(most_);
    std::vector<uint64_t> reserves = {least};
    const uint64_t need = needOf(first);
    while (!options_.minFast && reserves.back() < need)
      reserves.push_back(std::min(need, reserves.back() * 2));
    std::erase_if(reserves, [&](uint64_t reserve) { return reserve >= options_.budget.fast; });
    return reserves;
  }

  Expected<Plan> copy(Plan first) {
    if (options_.findReserve && !options_.minFast && needOf(first) <= first.freeFastBytes())
      return first;
    const uint64_t granted = options_.findReserve ? options_.budget.fast : options_.reserve + 1;
    if (most_ >= granted)
      return makeError(DiagId::OverBudget, largestText(), " has ", formatExactBytes(most_),
                       " of weights, which --weight-memory=copy keeps in fast memory while it "
                       "runs; ",
                       options_.findReserve ? "the fast budget is " : "--reserve is ",
                       formatExactBytes(granted - (options_.findReserve ? 0 : 1)));
    std::optional<Plan> best;
    std::optional<Error> refusal;
    const auto consider = [&](uint64_t reserve) {
      Expected<Plan> plan = make_(withReserve(reserve));
      if (!plan)
        refusal = plan.takeError();
      else if (!best || costOf(*plan) < costOf(*best))
        best = std::move(*plan);
    };
    for (const uint64_t reserve : copyReserves(first))
      consider(reserve);
    // Without space to unpack in place, the largest weights are stored as they are.
    if (!best && options_.findReserve && most_ != reserveFor(most_))
      consider(most_);
    if (best)
      return std::move(*best);
    return refused(std::move(*refusal));
  }

  static std::pair<uint64_t, uint64_t> costOf(const Plan& plan) {
    return {plan.stats.trafficBytes(), plan.stats.recomputeMacs};
  }

  Error refused(Error error) {
    if (error.id() != DiagId::OverBudget || !options_.findReserve)
      return error;
    // With slow memory, only the prefix and the scratch must fit.
    const bool mayUseSlow = options_.budget.slow.value_or(0) != 0 || options_.slowAsNeeded;
    const Expected<BudgetNeeds> needs = budgetNeeds(graph_, withReserve(most_), drafts_);
    if (mayUseSlow || !needs || needs->smallest + most_ <= options_.budget.fast)
      return std::move(error).note(strCat("--weight-memory=copy takes ", formatExactBytes(most_),
                                          " of the fast budget for the weights of ",
                                          largestText()));
    return makeError(DiagId::OverBudget, "needs ", formatExactBytes(needs->smallest + most_),
                     " of fast memory with --weight-memory=copy, budget is ",
                     formatExactBytes(options_.budget.fast))
        .note(strCat(formatExactBytes(most_), " of it for the weights of ", largestText()));
  }

  /// The size of the file of a plan with this much free fast memory, in any flash budget; none if
  /// it cannot be emitted.
  std::optional<uint64_t> fileBytes(Plan plan, uint64_t free) const {
    plan.budget.fast = plan.stats.fastPeakBytes + plan.scratch + free;
    plan.budget.flash.reset();
    EmitOptions options;
    options.compress = Compression::Lz4;
    const Expected<std::string> file = emitPlan(planned(plan), options);
    return file ? std::optional<uint64_t>(file->size()) : std::nullopt;
  }

  Expected<Plan> compress(Plan first) {
    const uint64_t free = first.freeFastBytes();
    if (most_ <= free)
      return first;
    constexpr int Halvings = 3;
    std::vector<std::pair<uint64_t, uint64_t>> sizes; // reserve and file size, ascending
    for (int i = Halvings; i >= 0; --i)
      if (const uint64_t reserve = alignUp(most_ >> i, align_); reserve > free)
        if (const auto size = fileBytes(first, reserve))
          sizes.emplace_back(reserve, *size);
    const uint64_t now = fileBytes(first, free).value_or(0);
    const char* reason = "compressing more weights would not make the file smaller";
    if (!sizes.empty() && sizes.back().second < now) {
      constexpr uint64_t NearlyAll = 16; // 15/16 of what the largest reserve saves
      const uint64_t goal = sizes.back().second + (now - sizes.back().second) / NearlyAll;
      while (sizes.size() > 1 && sizes[sizes.size() - 2].second <= goal)
        sizes.pop_back();
      if (std::optional<Plan> smaller = firstSmaller(sizes, now))
        return std::move(*smaller);
      reason = "no plan leaves enough of it for a smaller file";
    }
    const RemarkOrigin origin("weights");
    remarkOn(graph_.op(largest_), "not-compressed", "unpacking its weights takes ", most_,
             " bytes of fast memory, ", free, " are free; ", reason);
    return first;
  }

  /// The plan for the largest of these reserves that can be planned with a smaller file than `now`.
  std::optional<Plan> firstSmaller(const std::vector<std::pair<uint64_t, uint64_t>>& sizes,
                                   uint64_t now) const {
    for (auto at = sizes.rbegin(); at != sizes.rend() && at->second < now; ++at) {
      if (at->first >= options_.budget.fast)
        continue;
      Expected<Plan> plan = make_(withReserve(at->first));
      if (plan && fileBytes(*plan, plan->freeFastBytes()).value_or(now) < now)
        return std::move(*plan);
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const PlanningOptions& options_;
  PlanDrafts& drafts_;
  const PlanMaker& make_;
  std::map<OpId, uint64_t> bytes_;
  uint64_t align_ = 1;
  /// The op with the most bytes of weights.
  OpId largest_;
  uint64_t most_ = 0;
};

} // namespace

Expected<Plan> planForWeights(const Graph& graph, const PlanningOptions& options,
                              PlanDrafts& drafts, const PlanMaker& make) {
  return WeightPlanner(graph, options, drafts, make).run();
}

} // namespace tigris
