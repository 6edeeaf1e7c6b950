// The arithmetic of the specification's tiling rules, which know nothing but heights and sizes.
//
// Example: a 3x3 convolution with stride 1 on a map of 32 rows, whose operand and result take
// 65,536 bytes together, in 16 KiB. The receptive field is 3 and the halo 2. A tile has floor(16384
// * 32 / 65536) - 2 = 6 rows, and there are ceil(32 / 6) = 6 tiles.
#pragma once

#include <cstdint>
#include <span>

namespace tigris {

/// A sliding window along the height.
struct HeightWindow {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
};

/// The rows that one row of the last result needs of the first operand, by the specification's walk
/// over the windows in reverse order. The windows are in execution order.
int64_t receptiveField(std::span<const HeightWindow> windows);

/// The rows that two neighboring tiles share: receptive field - 1.
int64_t haloRows(std::span<const HeightWindow> windows);

/// floor(budget * height / peak) - halo, for a stage that takes `peak` bytes, not 0, at its full
/// height. Not positive if the halo alone exceeds the budget.
int64_t tileHeight(uint64_t budget, int64_t height, uint64_t peak, int64_t halo);

/// ceil(height / tileHeight), with a positive tile height.
int64_t tileCount(int64_t height, int64_t tileHeight);

/// peak * (tileHeight + halo) / height, rounded up.
uint64_t tiledPeak(uint64_t peak, int64_t tileHeight, int64_t halo, int64_t height);

/// Bytes loaded again for the halo: halo rows of `rowBytes` at each of the tiles - 1 boundaries.
uint64_t overheadBytes(int64_t halo, uint64_t rowBytes, int64_t tiles);

/// The rows of its operand that a window needs for `outputHeight` rows of its result: outputHeight
/// * stride + (kernel - 1) * dilation.
int64_t inputTileHeight(int64_t outputHeight, const HeightWindow& window);

} // namespace tigris
