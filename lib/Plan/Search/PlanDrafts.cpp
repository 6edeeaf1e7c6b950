// Finds orders and drafters by linear search, because there are few.
#include "tigris/Plan/Search/PlanDrafts.h"

#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

const Schedules& PlanDrafts::orders(IoMode io, uint64_t align, bool search) {
  for (const Orders& known : orders_)
    if (known.io == io && known.align == align && known.search == search)
      return known.schedules;
  orders_.push_back({io, align, search, Schedules(graph_, io, align, search)});
  return orders_.back().schedules;
}

StageDrafter PlanDrafts::drafter(const Schedule& schedule, const CostModel& costs,
                                 const std::vector<TensorId>& rows) {
  for (const Drafter& known : drafters_)
    if (known.schedule == &schedule && known.rows == rows)
      return known.drafter.withCosts(costs);
  const auto isOf = [&](const Orders& orders) {
    return std::any_of(orders.schedules.all().begin(), orders.schedules.all().end(),
                       [&](const Schedule& known) { return &known == &schedule; });
  };
  const auto orders = std::find_if(orders_.begin(), orders_.end(), isOf);
  TIGRIS_CHECK_MSG(orders != orders_.end(), "a schedule of another graph");
  const auto similar = std::find_if(drafters_.begin(), drafters_.end(), [&](const Drafter& known) {
    const OrderView& view = known.drafter.view();
    return view.io() == orders->io && view.align() == orders->align && known.rows == rows;
  });
  drafters_.push_back({&schedule, rows,
                       similar != drafters_.end()
                           ? StageDrafter(similar->drafter, schedule.order, schedule.aliases, costs)
                           : StageDrafter(graph_, schedule.order, schedule.aliases, orders->io,
                                          orders->align, costs, rows)});
  return drafters_.back().drafter;
}

} // namespace tigris
