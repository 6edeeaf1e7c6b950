// Places the buffers of a stream: the minimum distance of two buffers over all steps, and layouts
// that keep these distances.
#include "tigris/Plan/Layout/SpacedLayout.h"
#include "tigris/Plan/Stage/StreamModel.h"

#include <algorithm>

namespace tigris {

/// The same in bytes. Before its first op in a step, a buffer contains the kept rows, then all
/// rows, and after its last op the rows that are not released. These move to its start when the
/// next step begins.
StreamModel::Extents::Held StreamModel::extent(const StreamCost::RowBytes& row,
                                               const Rows::Held& held) {
  const uint64_t all = held.all * row.most;
  return {held.kept * row.most, all, held.gone == held.all ? all : held.gone * row.least};
}

bool StreamModel::hasRows(const StreamCost& cost, size_t buffer) const {
  return buffer < buffers_.size() && cost.buffers[buffer].bytes != 0 && cost.rows[buffer].most != 0;
}

StreamModel::Extents StreamModel::extents(const StreamCost& cost, const Rows& rows,
                                          size_t buffer) const {
  Extents result;
  const uint64_t bytes = cost.buffers[buffer].bytes;
  const std::vector<std::vector<Rows::Held>>& steps = rows.steps;
  if (!hasRows(cost, buffer)) {
    result.steps.assign(bytes == 0 ? 0 : steps.size(), {bytes, bytes, 0});
    result.last = ops_.size() - 1;
    return result;
  }
  result.steps.reserve(steps.size());
  for (const std::vector<Rows::Held>& step : steps)
    result.steps.push_back(extent(cost.rows[buffer], step[buffer]));
  result.first = buffers_[buffer].firstOp;
  result.last = buffers_[buffer].lastOp;
  return result;
}

/// The minimum distance from the start of the lower buffer to the start of the upper one. Buffers
/// that are used at the same time do not overlap at all.
uint64_t StreamModel::clearance(const Extents& below, const Extents& above) {
  const bool areTogether = below.first <= above.last && above.first <= below.last;
  uint64_t least = 0;
  for (size_t k = 0; k < std::min(below.steps.size(), above.steps.size()); ++k) {
    const auto& [keptBelow, allBelow, goneBelow] = below.steps[k];
    const auto& [keptAbove, allAbove, goneAbove] = above.steps[k];
    if (areTogether) {
      least = std::max(least, allBelow);
    } else if (allBelow == 0 || allAbove == 0) {
      continue;
    } else if (above.last < below.first) {
      const uint64_t late = goneAbove < allAbove ? allBelow - std::min(allBelow, goneAbove) : 0;
      least = std::max({least, keptBelow, late});
    } else if (keptAbove > 0 || goneBelow < allBelow) {
      least = std::max(least, allBelow);
    }
  }
  return least;
}

uint64_t StreamModel::lowerBound(const StreamCost& cost) const {
  int64_t fixed = 0;
  std::vector<size_t> byRows;
  for (size_t i = 0; i < cost.buffers.size(); ++i)
    if (hasRows(cost, i))
      byRows.push_back(i);
    else
      fixed += static_cast<int64_t>(cost.buffers[i].bytes);
  int64_t bound = 0;
  std::vector<int64_t> changes; // per op: bytes added to those held before it
  const Rows& rows = this->rows(cost.steps);
  for (const size_t index : rows.tight) {
    const std::vector<Rows::Held>& step = rows.steps[index];
    changes.assign(ops_.size() + 1, 0);
    int64_t live = fixed;
    for (const size_t i : byRows) {
      const auto& [kept, all, gone] = extent(cost.rows[i], step[i]);
      live += static_cast<int64_t>(kept);
      changes[buffers_[i].firstOp] += static_cast<int64_t>(all - kept);
      changes[buffers_[i].lastOp + 1] -= static_cast<int64_t>(gone);
    }
    for (size_t op = 0; op < ops_.size(); ++op) {
      live += changes[op];
      bound = std::max(bound, live);
    }
  }
  return static_cast<uint64_t>(bound);
}

uint64_t StreamModel::leastBytes(std::optional<int64_t> stripes) const {
  const std::vector<int64_t> columns = leastColumns(stripes);
  const Rows& rows = this->rows(mostSteps_);
  StreamCost cost;
  cost.steps = mostSteps_;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    const uint64_t sums = hasSums(mostSteps_) ? buffer.sumBytes : 0;
    const bool mayBeInPlace = stripes == 1 && (buffer.load || buffer.store) && sums == 0;
    const uint64_t row =
        mayBeInPlace ? 0 : static_cast<uint64_t>(columns[i]) * buffer.columnBytes();
    LiveBuffer live;
    live.bytes = std::max(sums, static_cast<uint64_t>(rows.buffers[i].most) * row);
    cost.buffers.push_back(std::move(live));
    const bool byRows = !buffer.whole && sums == 0;
    cost.rows.push_back(byRows ? StreamCost::RowBytes{row, row} : StreamCost::RowBytes());
  }
  LiveBuffer records;
  records.bytes = StreamedStage::bookkeepingBytes(buffers_.size(), stripes.value_or(2));
  cost.buffers.push_back(std::move(records));
  return lowerBound(cost);
}

ArenaLayout StreamModel::layOut(const StreamCost& cost, uint64_t align) const {
  return layOut(cost, align, 0, false, nullptr);
}

ArenaLayout StreamModel::layOut(const StreamCost& cost, uint64_t align, uint64_t enough,
                                bool isQuick, std::vector<uint64_t>* heights) const {
  const size_t count = cost.buffers.size();
  const Rows rows = simulate(cost.steps);
  std::vector<Extents> extents;
  for (size_t i = 0; i < count; ++i)
    extents.push_back(this->extents(cost, rows, i));
  Clearances clearances(count);
  for (size_t below = 0; below < count; ++below)
    for (size_t above = 0; above < count; ++above)
      if (below != above)
        clearances.set(below, above, clearance(extents[below], extents[above]));
  return layOutSpaced(cost.buffers, clearances, align, lowerBound(cost), enough, isQuick, heights);
}

StreamModel::Heights& StreamModel::known(const StreamCost& cost, uint64_t align) const {
  return heights_[{align, cost.steps, cost.stripes, cost.inPlace}];
}

uint64_t StreamModel::height(const StreamCost& cost, uint64_t align) const {
  Heights& known = this->known(cost, align);
  if (!known.least)
    known.least = layOut(cost, align).height;
  return *known.least;
}

std::optional<uint64_t> StreamModel::heightWithin(const StreamCost& cost, uint64_t align,
                                                  uint64_t budget) const {
  if (lowerBound(cost) > budget)
    return std::nullopt;
  Heights& known = this->known(cost, align);
  const auto first = [&] {
    return std::find_if(known.descending.begin(), known.descending.end(),
                        [&](uint64_t height) { return height <= budget; });
  };
  if (first() == known.descending.end() && budget > known.refused) {
    known.descending.clear();
    const bool isQuick = cost.steps < mostSteps_;
    layOut(cost, align, budget, isQuick, &known.descending);
    if (first() == known.descending.end())
      known.refused = mostRefused(known.descending.back(), budget, isQuick);
  }
  const auto found = first();
  return found == known.descending.end() ? std::nullopt : std::optional(*found);
}

} // namespace tigris
