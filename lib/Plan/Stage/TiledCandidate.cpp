// Searches once per budget. All searches share the cuts.
#include "tigris/Plan/Stage/TiledCandidate.h"

namespace tigris {

namespace {

/// Cuts of longer chains are not kept. Only the greedy search drafts such chains, in few budgets,
/// and the memory of all chains of a large graph grows with the square of its size.
constexpr size_t MaxKeptOps = 40;

} // namespace

TiledCandidate::TiledCandidate(const OrderView& view, AccessTable& access, size_t begin, size_t end)
    : view_(view), interface_(draftInterface(view, begin, end)) {
  if (interface_.spills.empty())
    return;
  if (auto model = TileModel::make(access, interface_.ops, interface_.loads, interface_.spills))
    search_.emplace(std::move(*model), view.align());
}

std::optional<StageDraft> TiledCandidate::draft(uint64_t budget, const CostModel& costs,
                                                const Residents& residents) {
  if (!search_)
    return std::nullopt;
  const CostWeights weights = costs.weights(view_.graph(), interface_.ops, false);
  const std::tuple key(weights, costs.kernels().scratch(), budget);
  auto known = found_.find(key);
  if (known == found_.end())
    known = found_.emplace(key, search(budget, weights, costs)).first;
  if (!known->second)
    return std::nullopt;
  StageDraft stage = known->second->stage;
  makeResident(view_, known->second->loaded, residents, stage);
  return stage;
}

std::optional<TiledCandidate::Found>
TiledCandidate::search(uint64_t budget, const CostWeights& weights, const CostModel& costs) {
  TileModel& model = search_->model();
  TileLacking lacking;
  if (costs.kernels().isLimited())
    lacking = {[&](const TileCost& cut) {
                 return costs.kernels().lacking(view_.graph(), interface_.ops,
                                                {StageMode::Tiled, cut.tiles, [&](TensorId id) {
                                                   return model.bytesOf(cut, id);
                                                 }});
               },
               costs.countsCalls()};
  const std::optional<TileCost> cost = search_->search(budget, weights, lacking);
  std::optional<Found> result;
  if (cost)
    result = found(*cost);
  if (interface_.ops.size() > MaxKeptOps)
    search_->forget();
  return result;
}

std::optional<StageDraft> TiledCandidate::cut(const TileCounts& tiles) {
  for (size_t axis = 0; axis < tiles.size(); ++axis)
    if (!search_ || tiles.at(axis) > search_->model().extent(axis))
      return std::nullopt;
  const std::optional<TileCost> cost = search_->model().cost(tiles);
  return cost ? std::optional(found(*cost).stage) : std::nullopt;
}

TiledCandidate::Found TiledCandidate::found(const TileCost& cost) {
  TileModel& model = search_->model();
  const ArenaLayout layout = model.layOut(cost, view_.align());
  Found found = {interface_, {}};
  StageDraft& stage = found.stage;
  stage.execution = TiledDraft{model.stage(cost, layout)};
  stage.height = layout.height;
  stage.stats.kernelCalls = cost.kernelCalls;
  stage.stats.recomputeMacs = cost.recomputeMacs;
  stage.stats.haloRows = model.haloRows(cost);
  found.loaded = addPartTraffic(view_, stage, [&](TensorId id) {
    return model.loadBytes(cost, [&](TensorId other) { return other == id; });
  });
  return found;
}

} // namespace tigris
