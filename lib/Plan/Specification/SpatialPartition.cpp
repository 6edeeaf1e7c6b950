// Chooses heights by the formulas and has the tile model lay the strips out.
#include "tigris/Plan/Specification/SpatialPartition.h"

#include "tigris/Plan/Specification/Tileability.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

std::span<const OpId> opsOf(const OrderView& view, size_t begin, size_t end) {
  return view.order().subspan(begin, end - begin);
}

const Tensor& resultOf(const OrderView& view, size_t end) {
  return view.graph().tensor(view.op(end - 1).output());
}

/// Chains process the indices of the outermost axis one by one.
int64_t outerOf(const Tensor& tensor) { return tensor.shape.rank() < 3 ? 1 : tensor.shape[0]; }

} // namespace

TileFigures tileFigures(const OrderView& view, size_t step, uint64_t budget) {
  TileFigures figures;
  std::vector<TensorId> touched = view.touched(step);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const TensorId id : touched)
    figures.peak += view.bytes(id);
  figures.height = tensorHeight(resultOf(view, step + 1));
  figures.receptiveField =
      receptiveField(spatialWindows(view.graph(), opsOf(view, step, step + 1)));
  figures.halo = figures.receptiveField - 1;
  const int64_t height = tileHeight(budget, figures.height, figures.peak, figures.halo);
  figures.tileHeight = std::clamp<int64_t>(height, 1, figures.height);
  return figures;
}

std::optional<StageDraft> tileInStrips(const StageDrafter& drafter, size_t step, uint64_t budget) {
  const TileFigures figures = tileFigures(drafter.view(), step, budget);
  for (int64_t height = figures.tileHeight; height > 0;) {
    const int64_t tiles = tileCount(figures.height, height);
    std::optional<StageDraft> stage = drafter.cut(step, step + 1, {1, tiles, 1, 1});
    if (stage && stage->height <= budget)
      return stage;
    height = (figures.height - 1) / tiles; // the largest height with more tiles
  }
  return std::nullopt;
}

uint64_t chainBytes(const OrderView& view, size_t begin, size_t end, int64_t height) {
  const int64_t outer = outerOf(resultOf(view, end));
  uint64_t sum = 0;
  for (const auto& [id, rows] : tileHeights(view.graph(), opsOf(view, begin, end), height)) {
    const Tensor& tensor = view.graph().tensor(id);
    const auto whole = static_cast<uint64_t>(tensorHeight(tensor));
    const auto maps = static_cast<uint64_t>(outerOf(tensor) == outer ? outer : 1);
    sum += alignUp(tensor.bytes() / maps / whole * static_cast<uint64_t>(rows), view.align());
  }
  return sum;
}

std::optional<StageDraft> chainOfHeight(const StageDrafter& drafter, size_t begin, size_t end,
                                        int64_t height, uint64_t budget) {
  if (chainBytes(drafter.view(), begin, end, height) > budget)
    return std::nullopt;
  const Tensor& result = resultOf(drafter.view(), end);
  std::optional<StageDraft> stage =
      drafter.cut(begin, end, {outerOf(result), tileCount(tensorHeight(result), height), 1, 1});
  return stage && stage->height <= budget ? stage : std::nullopt;
}

std::optional<StageDraft> chainInStrips(const StageDrafter& drafter, size_t begin, size_t end,
                                        uint64_t budget) {
  const int64_t whole = tensorHeight(resultOf(drafter.view(), end));
  std::optional<StageDraft> highest = chainOfHeight(drafter, begin, end, 1, budget);
  int64_t fits = 1;
  for (int64_t beyond = whole + 1; highest && beyond - fits > 1;) {
    const int64_t middle = fits + (beyond - fits) / 2;
    if (std::optional<StageDraft> stage = chainOfHeight(drafter, begin, end, middle, budget)) {
      highest = std::move(stage);
      fits = middle;
    } else {
      beyond = middle;
    }
  }
  return highest;
}

bool isChainLink(const OrderView& view, size_t begin, size_t middle, size_t end) {
  const StageDraft from = draftInterface(view, begin, middle);
  const StageDraft to = draftInterface(view, middle, end);
  if (from.spills.size() != 1 || to.loads != from.spills)
    return false;
  const TensorId between = from.spills[0];
  return view.lastReadAt(between) < end && tensorHeight(view.graph().tensor(between)) > 1;
}

} // namespace tigris
