// The specification's classes of ops: which ones can be tiled along the height, and what they need.
#pragma once

#include "tigris/Plan/Specification/TileFormulas.h"
#include "tigris/Plan/Stage/OrderView.h"

#include <map>
#include <vector>

namespace tigris {

/// The rows of an activation: axis 1 of maps and sequences, which have the channels last. 1 for
/// vectors, which have no height.
int64_t tensorHeight(const Tensor& tensor);

/// Whether ops [begin, end) are a tileable stage: every op is spatial, pointwise, channel-wise or
/// resampling (OpCategory), and at most one is spatial. The windows of a transposed convolution do
/// not have a receptive field as the specification computes it, and a concatenation along the rows
/// is not channel-wise: neither is tileable.
bool isTileable(const OrderView& view, size_t begin, size_t end);

/// The windows of the spatial ops among these, in execution order. That of a global pooling covers
/// all rows.
std::vector<HeightWindow> spatialWindows(const Graph& graph, std::span<const OpId> ops);

/// The heights of all activations that the ops use, for tiles of `height` rows of the last result:
/// spatial ops need inputTileHeight, resampling ops scale the height, and others pass it on. No
/// activation needs more rows than it has.
std::map<TensorId, int64_t> tileHeights(const Graph& graph, std::span<const OpId> ops,
                                        int64_t height);

} // namespace tigris
