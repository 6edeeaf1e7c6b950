// Finds the requested candidate, or creates it.
#include "tigris/Plan/Stage/StageDrafter.h"

#include <algorithm>
#include <utility>

namespace tigris {

StageDrafter::StageDrafter(const Graph& graph, std::span<const OpId> order,
                           const AliasSets& aliases, IoMode io, uint64_t align, CostModel costs,
                           const std::vector<TensorId>& rows)
    : candidates_(new Candidates{OrderView(graph, order, aliases, io, align),
                                 std::make_shared<StreamTable>(graph, rows),
                                 {},
                                 {},
                                 {},
                                 {}}),
      costs_(std::move(costs)) {}

StageDrafter::StageDrafter(const StageDrafter& other, std::span<const OpId> order,
                           const AliasSets& aliases, CostModel costs)
    : candidates_(new Candidates{
          OrderView(other.view().graph(), order, aliases, other.view().io(), other.align()),
          other.candidates_->streams,
          {},
          {},
          {},
          {}}),
      costs_(std::move(costs)) {}

StageDrafter StageDrafter::withCosts(const CostModel& costs) const {
  StageDrafter result = *this;
  result.costs_ = costs;
  return result;
}

StageDrafter StageDrafter::onCopies() const {
  StageDrafter result = *this;
  result.inPlace_ = false;
  return result;
}

StageDrafter StageDrafter::atLowest() const {
  StageDrafter result = *this;
  result.lowest_ = true;
  return result;
}

StageDrafter StageDrafter::withWeights(const std::map<OpId, uint64_t>& bytes, uint64_t most) const {
  StageDrafter result = *this;
  result.weights_ = {0};
  for (const OpId id : order()) {
    const auto found = bytes.find(id);
    result.weights_.push_back(result.weights_.back() + (found == bytes.end() ? 0 : found->second));
  }
  result.mostWeights_ = most;
  return result;
}

CostWeights StageDrafter::weights(const StageDraft& stage) const {
  return costs_.weights(view().graph(), stage.ops, !worksOnParts(stage.mode()));
}

uint64_t StageDrafter::lackingCost(const StageDraft& stage) const {
  return costs_.kernels().isLimited() ? costs_.lackingCost(view().graph(), stage.ops, cutOf(stage))
                                      : 0;
}

uint64_t StageDrafter::cost(const StageDraft& stage) const {
  const StageStats& stats = stage.stats;
  return weights(stage).of(stats.trafficBytes(), stats.recomputeMacs, stats.kernelCalls) +
         lackingCost(stage);
}

StageDraft StageDrafter::whole(size_t begin, size_t end, const Residents& residents) const {
  StageDraft stage = draftWhole(view(), begin, end, residents);
  layOutWhole(view(), stage);
  return stage;
}

WholeCandidate& StageDrafter::wholeCandidate(size_t begin, size_t end) const {
  return candidates_->whole.find(begin, end, [&] { return WholeCandidate(view(), begin, end); });
}

std::optional<StageDraft> StageDrafter::tiled(size_t begin, size_t end, uint64_t budget,
                                              const Residents& residents) const {
  if (!weightsFit(begin, end))
    return std::nullopt;
  return tiledCandidate(begin, end).draft(budget, costs_, residents);
}

std::optional<StageDraft> StageDrafter::cut(size_t begin, size_t end,
                                            const TileCounts& tiles) const {
  return weightsFit(begin, end) ? tiledCandidate(begin, end).cut(tiles) : std::nullopt;
}

TiledCandidate& StageDrafter::tiledCandidate(size_t begin, size_t end) const {
  return candidates_->tiled.find(begin, end, [&] {
    return TiledCandidate(view(), candidates_->streams->access(), begin, end);
  });
}

std::optional<uint64_t> StageDrafter::finestNeed(size_t step) const {
  const StageDraft stage = draftInterface(view(), step, step + 1);
  auto model =
      TileModel::make(candidates_->streams->access(), stage.ops, stage.loads, stage.spills);
  if (!model || stage.spills.empty())
    return std::nullopt;
  const std::optional<TileCost> cost = model->cost(model->finest());
  if (!cost)
    return std::nullopt;
  return model->layOut(*cost, align()).height;
}

const StageDraft& StageDrafter::interface(size_t begin, size_t end) const {
  return candidates_->interfaces.find(begin, end, [&] {
    StageDraft stage = draftInterface(view(), begin, end);
    stage.execution = StreamedDraft();
    return stage;
  });
}

StreamCandidate* StageDrafter::streamCandidate(size_t begin, size_t end) const {
  if (!weightsFit(begin, end))
    return nullptr;
  return candidates_->streamed.find(
      begin, end, [&] { return candidates_->streams->find(view(), interface(begin, end)); });
}

StageDraft StageDrafter::refit(const StageDraft& streamed, const StreamCapacity& capacity) const {
  const StreamedDraft& old = *streamed.streamed();
  const auto begin = static_cast<size_t>(
      std::find(order().begin(), order().end(), streamed.ops[0]) - order().begin());
  const Residents residents(streamed.residents.begin(), streamed.residents.end());
  const StreamCandidate* candidate = streamCandidate(begin, begin + streamed.ops.size());
  std::optional<StageDraft> stage =
      candidate->draft(old.stage.stripes, capacity, streamResidents(residents));
  if (!stage)
    return streamed;
  auto& result = std::get<StreamedDraft>(stage->execution);
  if (old.overlap)
    for (const Overlap& overlap : result.overlaps)
      if (overlap.from == old.overlap->from && overlap.to == old.overlap->to)
        result.overlap = overlap;
  return std::move(*stage);
}

} // namespace tigris
