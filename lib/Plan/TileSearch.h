// Chooses how finely a tiled stage is cut.
#pragma once

#include "tigris/Plan/Objective.h"
#include "tigris/Plan/TileModel.h"

namespace tigris {

/// The cut that fits `budget` bytes and costs least, counting all it copies as slow bytes; with equal costs the one with the fewest
/// kernel calls. nullopt when nothing fits.
///
/// A chain is cut along one axis only (rows; indices of the outermost axis one at a time), with the
/// fewest parts that fit, found by binary search: more parts mean smaller buffers and more halo.
/// A single op may be cut along every axis: for each choice of columns and channels the same search is made
/// over the rows.
std::optional<TileCost> searchTiles(TileModel& model, uint64_t budget, uint64_t align,
                                    const CostWeights& weights = {});

} // namespace tigris
