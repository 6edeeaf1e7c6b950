// With slow memory, the op that needs the most memory determines the budget. Without slow memory, a
// bisection finds the smallest budget in which searchCuts() succeeds.
#include "tigris/Plan/BudgetSearch.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Plan/Sweep/LeastTraffic.h"

#include <algorithm>

namespace tigris {

namespace {

/// Whether the cuts recompute no more than the request allows.
bool isAllowed(const PlanRequest& request, const Cuts& cuts) {
  PlanStats stats;
  stats.macs = modelMacs(request.graph());
  for (const StageDraft& stage : cuts.drafts)
    stats.recomputeMacs += stage.stats.recomputeMacs + repeatedMacs(request.graph(), stage.ops);
  return static_cast<bool>(checkRecompute(stats, request.options()));
}

/// Whether the order can be cut into stages that fit `bytes` bytes of fast memory.
bool fits(const PlanRequest& request, const Schedule& schedule, SegmentOptions rules,
          uint64_t bytes) {
  rules.budget = bytes;
  const std::optional<Cuts> cuts =
      searchCuts(request.graph(), request.drafter(schedule), rules, true);
  return cuts && isAllowed(request, *cuts);
}

/// The smallest number of bytes, at most `most`, in which a search without slow memory succeeds. It
/// is known to succeed in `most` bytes.
uint64_t smallestStay(const PlanRequest& request, const Schedule& schedule, uint64_t most) {
  const uint64_t align = request.align();
  const SegmentOptions rules = request.rules();
  if (most <= align || !fits(request, schedule, rules, (most - 1) / align * align))
    return most;
  for (uint64_t low = 1, high = alignUp(most, align) / align; low < high;) {
    const uint64_t middle = low + (high - low) / 2;
    if (fits(request, schedule, rules, middle * align)) {
      most = std::min(most, middle * align);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return most;
}

/// Fast memory in which one of the orders can run with tensors moved by rows. Starts with `first`
/// bytes and doubles.
std::optional<uint64_t> enoughForRows(const PlanRequest& request, uint64_t first) {
  const SegmentOptions rules = request.rules();
  constexpr uint64_t Most = uint64_t{1} << 31;
  for (uint64_t bytes = std::max<uint64_t>(alignUp(first, request.align()), 1024); bytes <= Most;
       bytes *= 2)
    for (const Schedule& schedule : request.schedules().all())
      if (fits(request, schedule, rules, bytes))
        return bytes;
  return std::nullopt;
}

} // namespace

bool fitsWithoutSlow(const PlanRequest& request, const Schedule& schedule, uint64_t bytes,
                     bool parts) {
  SegmentOptions rules = request.rules();
  rules.recompute = rules.recompute && parts;
  if (rules.rows.empty() && schedule.layout.height <= bytes)
    return true;
  return request.strategy().withoutSlow && fits(request, schedule, rules, bytes);
}

std::optional<uint64_t> smallestBudget(const PlanRequest& request, const StageNeed& need) {
  const Schedules& orders = request.schedules();
  std::optional<uint64_t> smallest = orders.best().layout.height;
  if (request.options().movesRows() && !request.rules().rows.empty())
    smallest = enoughForRows(request, *smallest);
  if (!smallest)
    return std::nullopt;
  if (request.maySpill())
    smallest = std::min(*smallest, need.bytes);
  else if (request.strategy().withoutSlow)
    for (const Schedule& schedule : orders.all())
      smallest = smallestStay(request, schedule, *smallest);
  return request.budgetFor(*smallest);
}

} // namespace tigris
