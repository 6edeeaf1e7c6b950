// Creates variants one by one, in the order of rising cost.
#include "tigris/Plan/Stage/StreamCandidate.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <cmath>

namespace tigris {

std::optional<StreamCandidate> StreamCandidate::make(const OrderView& view, RowTable& table,
                                                     std::vector<TensorId> callers,
                                                     StageDraft stage) {
  auto model = StreamModel::make(table, stage.ops, stage.loads, stage.spills);
  if (!model)
    return std::nullopt;
  return StreamCandidate(view, std::move(callers), std::move(stage), std::move(*model));
}

StreamCandidate::StreamCandidate(const OrderView& view, std::vector<TensorId> callers,
                                 StageDraft stage, StreamModel model)
    : view_(view), callers_(std::move(callers)), stage_(std::move(stage)), model_(std::move(model)),
      counts_(model_.stripeCounts()), trials_(counts_.size()) {}

const StreamCandidate::Variant* StreamCandidate::variant(size_t index) {
  Trial& trial = trials_.at(index);
  if (!trial.isMade) {
    trial.isMade = true;
    const std::optional<StreamCost> cost = model_.cost(model_.mostSteps(), counts_[index]);
    if (!cost)
      return nullptr;
    Variant variant;
    variant.stripes = counts_[index];
    variant.stats.kernelCalls = cost->kernelCalls;
    variant.stats.recomputeMacs = cost->recomputeMacs;
    for (const TensorId id : stage_.loads) {
      const auto isIt = [&](TensorId other) { return other == id; };
      variant.loadedBytes.push_back(view_.isSlow(id) ? model_.loadBytes(*cost, isIt) : 0);
      variant.stats.slowReadBytes += variant.loadedBytes.back();
    }
    for (const TensorId id : stage_.spills)
      variant.stats.slowWriteBytes += view_.isSlow(id) ? view_.bytes(id) : 0;
    if (variant.stripes > 1)
      needs_.emplace(std::pair(index, std::vector<bool>()), needOf(*cost));
    trial.variant = std::move(variant);
  }
  return trial.variant ? &*trial.variant : nullptr;
}

uint64_t StreamCandidate::leastBytes(size_t index) {
  std::optional<uint64_t>& least = trials_.at(index).leastBytes;
  if (!least)
    least = model_.leastBytes(counts_[index]);
  return *least;
}

uint64_t StreamCandidate::leastBytesInStripes() {
  if (!leastBytesInStripes_)
    leastBytesInStripes_ = model_.leastBytes({});
  return *leastBytesInStripes_;
}

/// Empty for stripes, which work on copies.
std::vector<bool> StreamCandidate::inPlace(int64_t stripes,
                                           const StreamResidents& residents) const {
  std::vector<bool> result;
  if (stripes == 1 && residents.inPlace)
    for (const auto* moved : {&stage_.loads, &stage_.spills})
      for (const TensorId id : *moved)
        result.push_back(residents.tensors.count(id) != 0);
  return result;
}

std::set<TensorId> StreamCandidate::wholeTensors(const StreamResidents& residents) const {
  std::set<TensorId> whole(callers_.begin(), callers_.end());
  if (residents.inPlace)
    whole.insert(residents.tensors.begin(), residents.tensors.end());
  return whole;
}

StreamCost StreamCandidate::cost(size_t index, const StreamResidents& residents) const {
  return *model_.cost(model_.mostSteps(), counts_[index], wholeTensors(residents));
}

std::vector<Overlap> StreamCandidate::overlapsOf(const StreamCost& cost) const {
  std::vector<Overlap> result;
  for (const Displacement& pair : cost.displacements)
    result.push_back({pair.load, pair.store, alignUp(pair.bytes, view_.align())});
  return result;
}

StreamCandidate::Need StreamCandidate::needOf(const StreamCost& cost) const {
  return {overlapsOf(cost), model_.lowerBound(cost), {}};
}

const StreamCandidate::Need& StreamCandidate::need(size_t index, const StreamResidents& residents) {
  const auto [entry, isNew] = needs_.try_emplace({index, inPlace(counts_.at(index), residents)});
  if (isNew)
    entry->second = needOf(cost(index, residents));
  return entry->second;
}

std::optional<uint64_t> StreamCandidate::heightWithin(uint64_t available, size_t index,
                                                      const StreamResidents& residents) {
  Need& known = needs_[{index, inPlace(counts_.at(index), residents)}];
  if (known.lowerBound > available)
    return std::nullopt;
  if (!residents.lowest)
    return model_.heightWithin(cost(index, residents), view_.align(), available);
  if (!known.height)
    known.height = model_.height(cost(index, residents), view_.align());
  return *known.height <= available ? known.height : std::nullopt;
}

StageCut StreamCandidate::finestCut(int64_t stripes) const {
  return {StageMode::Streamed, {1, model_.mostSteps(), stripes, 1}};
}

int64_t StreamCandidate::stepsForScratch(int64_t stripes, const StreamResidents& residents) const {
  if (residents.costs == nullptr || !residents.costs->kernels().isLimited())
    return 1;
  StageCut cut = finestCut(stripes);
  const auto lacking = [&](int64_t steps) {
    cut.counts[1] = steps;
    return residents.costs->kernels().lacking(view_.graph(), stage_.ops, cut);
  };
  int64_t low = 1;
  int64_t high = model_.mostSteps();
  for (const uint64_t least = lacking(high); low < high;) {
    const int64_t middle = low + (high - low) / 2;
    if (lacking(middle) <= least)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

const StreamCandidate::StepsNeed& StreamCandidate::needOf(int64_t steps, int64_t stripes,
                                                          const StreamResidents& residents) const {
  const auto [entry, isNew] =
      stepsNeeds_.try_emplace({stripes, inPlace(stripes, residents), steps});
  if (isNew) {
    const StreamCost cost = *model_.cost(steps, stripes, wholeTensors(residents));
    entry->second = {overlapsOf(cost), model_.lowerBound(cost), cost.kernelCalls};
  }
  return entry->second;
}

int64_t StreamCandidate::leastSteps(int64_t stripes, const StreamCapacity& capacity,
                                    const StreamResidents& residents) const {
  int64_t low = stepsForScratch(stripes, residents);
  int64_t high = model_.mostSteps();
  // Bytes above the capacity. The need of s steps is about a + b / s, so the point where it meets
  // the capacity is estimated from the last two. Every second guess halves the range instead.
  const auto excess = [&](int64_t steps) {
    const StepsNeed& need = needOf(steps, stripes, residents);
    return static_cast<double>(need.lowerBound) - static_cast<double>(capacity(need.overlaps));
  };
  struct Point {
    double perStep = 0; // 1 / steps
    double excess = 0;
  };
  std::optional<Point> above;
  Point below = {1.0 / static_cast<double>(high), excess(high)};
  if (below.excess > 0)
    return high;
  for (bool halve = true; low < high; halve = !halve) {
    int64_t guess = low + (high - low) / 2;
    if (!halve && above && above->excess > below.excess) {
      const double share = -below.excess / (above->excess - below.excess);
      const double perStep = below.perStep + share * (above->perStep - below.perStep);
      guess = std::clamp(static_cast<int64_t>(std::ceil(1 / perStep)), low, high - 1);
    }
    const Point point = {1.0 / static_cast<double>(guess), excess(guess)};
    if (point.excess <= 0) {
      high = guess;
      below = point;
    } else {
      low = guess + 1;
      above = point;
    }
  }
  return high;
}

uint64_t StreamCandidate::leastCalls(int64_t stripes, const StreamCapacity& capacity,
                                     const StreamResidents& residents) const {
  return needOf(leastSteps(stripes, capacity, residents), stripes, residents).calls;
}

std::optional<StreamCost> StreamCandidate::search(int64_t stripes, const StreamCapacity& capacity,
                                                  const StreamResidents& residents) const {
  const std::set<TensorId> whole = wholeTensors(residents);
  if (!capacity)
    return model_.cost(model_.mostSteps(), stripes, whole);
  return model_.search([&](const StreamCost& cut) { return capacity(overlapsOf(cut)); },
                       view_.align(), stripes, whole, residents.lowest,
                       stepsForScratch(stripes, residents),
                       leastSteps(stripes, capacity, residents));
}

std::optional<StageDraft> StreamCandidate::draft(int64_t stripes, const StreamCapacity& capacity,
                                                 const StreamResidents& residents) const {
  const std::optional<StreamCost> cost = search(stripes, capacity, residents);
  if (!cost)
    return std::nullopt;
  const ArenaLayout layout = model_.layOut(*cost, view_.align());
  StageDraft stage = stage_;
  stage.execution = StreamedDraft{model_.stage(*cost, layout), overlapsOf(*cost), {}};
  stage.height = layout.height;
  stage.stats.kernelCalls = cost->kernelCalls;
  stage.stats.recomputeMacs = cost->recomputeMacs;
  const LoadedBytes loaded = addPartTraffic(view_, stage, [&](TensorId id) {
    return model_.loadBytes(*cost, [&](TensorId other) { return other == id; });
  });
  makeResident(view_, loaded, residents.tensors, stage);
  return stage;
}

std::optional<uint64_t> StreamCandidate::kernelCalls(int64_t stripes,
                                                     const StreamCapacity& capacity,
                                                     const StreamResidents& residents) const {
  const std::optional<StreamCost> cost = search(stripes, capacity, residents);
  return cost ? std::optional(cost->kernelCalls) : std::nullopt;
}

} // namespace tigris
