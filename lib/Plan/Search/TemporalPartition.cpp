// Greedy: every stage is the best one from where the last one ended.
#include "tigris/Plan/Search/TemporalPartition.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/Progress.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

/// A tiled stage may get worse before it gets better: expanding layers come before the ones that shrink.
constexpr size_t Patience = 4;

class Greedy {
public:
  Greedy(StageDrafter& drafter, uint64_t budget)
      : drafter_(drafter), budget_(budget), alone_(drafter.order().size()) {}

  std::vector<StageDraft> run() {
    std::vector<StageDraft> stages;
    Progress progress("stage");
    for (size_t begin = 0; begin < drafter_.order().size();) {
      progress.step();
      stages.push_back(next(begin));
      begin += stages.back().ops.size();
    }
    return stages;
  }

private:
  size_t count() const { return drafter_.order().size(); }

  StageDraft next(size_t begin) {
    std::optional<StageDraft> whole = longestWhole(begin);
    if (whole && begin + whole->ops.size() == count())
      return std::move(*whole);
    std::optional<StageDraft> tiled = bestTiled(begin);
    const int64_t wholeSaving = whole ? saving(begin, *whole) : 0;
    if (tiled && (!whole || saving(begin, *tiled) > wholeSaving))
      return std::move(*tiled);
    if (whole)
      return std::move(*whole);
    std::optional<StageDraft> direct = drafter_.direct(begin);
    TIGRIS_CHECK_MSG(direct, "an op fits in no way, although the budget allows all");
    return std::move(*direct);
  }

  std::optional<StageDraft> fittingWhole(size_t begin, size_t end) const {
    StageDraft stage = drafter_.whole(begin, end);
    if (drafter_.bound(stage) > budget_)
      return std::nullopt;
    drafter_.layOut(stage);
    return stage.height <= budget_ ? std::optional(std::move(stage)) : std::nullopt;
  }

  std::optional<StageDraft> longestWhole(size_t begin) const {
    size_t end = begin;
    while (end < count() && drafter_.bound(drafter_.whole(begin, end + 1)) <= budget_)
      ++end;
    // Gaps between buffers can push a layout over a budget that the live bytes alone would meet.
    for (; end > begin; --end)
      if (std::optional<StageDraft> stage = fittingWhole(begin, end))
        return stage;
    return std::nullopt;
  }

  /// The cheapest way to run one op in a stage of its own.
  uint64_t costAlone(size_t step) {
    std::optional<uint64_t>& cost = alone_[step];
    if (cost)
      return *cost;
    if (const auto whole = fittingWhole(step, step + 1))
      cost = drafter_.cost(*whole);
    else if (const auto direct = drafter_.direct(step))
      cost = drafter_.cost(*direct);
    else if (const auto tiled = drafter_.tiled(step, step + 1, budget_))
      cost = drafter_.cost(*tiled);
    TIGRIS_CHECK_MSG(cost, "an op fits in no way, although the budget allows all");
    return *cost;
  }

  int64_t saving(size_t begin, const StageDraft& stage) {
    int64_t sum = 0;
    for (size_t step = begin; step < begin + stage.ops.size(); ++step)
      sum += static_cast<int64_t>(costAlone(step));
    return sum - static_cast<int64_t>(drafter_.cost(stage));
  }

  std::optional<StageDraft> bestTiled(size_t begin) {
    std::optional<StageDraft> best;
    int64_t bestSaving = 0;
    size_t end = begin + 1;
    Progress progress("chain");
    for (size_t failures = 0; end <= count() && failures < Patience; ++end) {
      progress.step();
      std::optional<StageDraft> stage = drafter_.tiled(begin, end, budget_);
      if (!stage) {
        // A single op may need columns or channels cut, which a chain cannot; then nothing longer fits.
        ++failures;
        continue;
      }
      const int64_t saved = saving(begin, *stage);
      if (!best || saved > bestSaving) {
        best = std::move(stage);
        bestSaving = saved;
        failures = 0;
      } else {
        ++failures;
      }
    }
    return best;
  }

  StageDrafter& drafter_;
  uint64_t budget_;
  std::vector<std::optional<uint64_t>> alone_;
};

} // namespace

StageNeed largestStageNeed(StageDrafter& drafter) {
  StageNeed need;
  Progress progress("least memory of op", drafter.order().size());
  for (size_t step = 0; step < drafter.order().size(); ++step) {
    progress.step();
    StageDraft alone = drafter.whole(step, step + 1);
    drafter.layOut(alone);
    uint64_t bytes = alone.height;
    if (drafter.direct(step))
      bytes = 0;
    else if (const std::optional<uint64_t> finest = drafter.finestNeed(step))
      bytes = std::min(bytes, *finest);
    if (!need.op || bytes > need.bytes)
      need = {drafter.order()[step], bytes};
  }
  return need;
}

std::vector<StageDraft> partitionOrder(StageDrafter& drafter, uint64_t budget) {
  return Greedy(drafter, budget).run();
}

uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages,
                     const AliasSets& aliases, IoMode io, uint64_t align, uint64_t base,
                     std::vector<Placement>& slow) {
  std::map<TensorId, uint64_t> placed;
  for (const Placement& placement : slow)
    placed.emplace(placement.tensor, placement.offset);
  std::vector<LiveBuffer> crossing;
  std::map<TensorId, size_t> bufferOf;
  const auto read = [&](TensorId tensor, uint32_t stage) {
    const auto found = bufferOf.find(tensor);
    if (found != bufferOf.end())
      crossing[found->second].death = stage;
  };
  for (uint32_t stage = 0; stage < stages.size(); ++stage) {
    const StageDraft& draft = stages[stage];
    for (const TensorId tensor : draft.loads)
      read(tensor, stage);
    for (const TensorId tensor : draft.spills) {
      if (std::find(draft.residents.begin(), draft.residents.end(), tensor) !=
          draft.residents.end())
        continue;
      if (placed.count(tensor) != 0 || (io == IoMode::Caller && aliases.interfaceTensor(tensor)))
        continue;
      if (draft.mode == StageMode::Direct && draft.stats.kernelCalls == 0) {
        const TensorId source = graph.op(draft.ops[0]).input(0);
        if (const auto found = bufferOf.find(source); found != bufferOf.end()) {
          bufferOf.emplace(tensor, found->second);
          crossing[found->second].tensors.push_back(tensor);
          crossing[found->second].death = stage;
          continue;
        }
        if (const auto found = placed.find(source); found != placed.end()) {
          placed.emplace(tensor, found->second);
          slow.push_back({tensor, found->second});
          continue;
        }
      }
      bufferOf.emplace(tensor, crossing.size());
      crossing.push_back({{tensor}, graph.tensor(tensor).bytes(), stage, stage});
    }
  }
  if (crossing.empty())
    return base;
  const uint64_t start = alignUp(base, align);
  const uint64_t bound = computeTimeline(crossing, stages.size(), align).bound;
  const ArenaLayout layout = layoutArena(crossing, align, bound);
  for (size_t i = 0; i < crossing.size(); ++i)
    for (const TensorId tensor : crossing[i].tensors)
      slow.push_back({tensor, start + layout.offsets[i]});
  return start + layout.height;
}

} // namespace tigris
