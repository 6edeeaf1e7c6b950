// Repeats the calculations of the strategy, which are cheap.
#include "tigris/Plan/Specification/SpecificationRemarks.h"

#include "tigris/Plan/Specification/SpatialPartition.h"
#include "tigris/Plan/Specification/SpecifiedTimeline.h"
#include "tigris/Plan/Specification/Tileability.h"
#include "tigris/Support/Remarks.h"

namespace tigris {

namespace {

void onTile(const StageDrafter& drafter, size_t step, const TiledStage& stage, uint64_t budget) {
  const Graph& graph = drafter.view().graph();
  const TileFigures figures = tileFigures(drafter.view(), step, budget);
  const int64_t tiles = stage.tiles[RowAxis];
  const int64_t rows = (figures.height + tiles - 1) / tiles;
  const Tensor& operand = graph.tensor(drafter.op(step).input(0));
  const uint64_t rowBytes = operand.bytes() / static_cast<uint64_t>(tensorHeight(operand));
  remarkOn(drafter.op(step), "tile-height", "receptive field ", figures.receptiveField, ", halo ",
           figures.halo, ", peak ", figures.peak, " bytes at ", figures.height,
           " rows: the formula gives tiles of ", figures.tileHeight, " rows; ", tiles,
           " tiles of up to ", rows, " rows have a peak of about ",
           tiledPeak(figures.peak, rows, figures.halo, figures.height), " bytes and load ",
           overheadBytes(figures.halo, rowBytes, tiles), " bytes twice");
}

void onChain(const StageDrafter& drafter, size_t begin, size_t end, const TiledStage& stage) {
  const int64_t height = tensorHeight(drafter.view().graph().tensor(drafter.op(end - 1).output()));
  const int64_t tiles = stage.tiles[RowAxis];
  const int64_t rows = (height + tiles - 1) / tiles;
  remarkOn(drafter.op(begin), "chain-height", "it begins a chain of ", end - begin,
           " operators in ", tiles, " tiles of up to ", rows, " rows, which take ",
           chainBytes(drafter.view(), begin, end, rows), " bytes together");
}

} // namespace

void remarkOnSpecification(const StageDrafter& drafter, const Plan& plan, uint64_t budget) {
  size_t begin = 0;
  for (const Stage& stage : plan.stages) {
    const size_t end = begin + stage.ops.size();
    if (stage.tiled() != nullptr && end - begin == 1)
      onTile(drafter, begin, *stage.tiled(), budget);
    else if (stage.tiled() != nullptr)
      onChain(drafter, begin, end, *stage.tiled());
    else if (stage.mode() == StageMode::Whole && end < drafter.order().size())
      if (const uint64_t peak = specifiedPeak(drafter.view(), begin, end + 1); peak <= budget)
        remarkOn(drafter.op(end), "cut-again",
                 "the stage before it would have a specified peak of ", peak, " bytes with it, ",
                 budget, " are available, but operands and results do not fit together");
    begin = end;
  }
}

} // namespace tigris
