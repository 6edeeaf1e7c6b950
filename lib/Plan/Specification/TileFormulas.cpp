// Products of bytes and rows are computed with 128 bits.
#include "tigris/Plan/Specification/TileFormulas.h"

namespace tigris {

namespace {

__extension__ using WideBytes = unsigned __int128;

WideBytes wideBytes(uint64_t bytes, int64_t rows) {
  return static_cast<WideBytes>(bytes) * static_cast<uint64_t>(rows);
}

} // namespace

int64_t receptiveField(std::span<const HeightWindow> windows) {
  int64_t field = 1;
  int64_t cumulativeStride = 1;
  for (size_t i = windows.size(); i-- > 0;) {
    const HeightWindow& window = windows[i];
    const int64_t effective = window.kernel + (window.kernel - 1) * (window.dilation - 1);
    field += (effective - 1) * cumulativeStride;
    cumulativeStride *= window.stride;
  }
  return field;
}

int64_t haloRows(std::span<const HeightWindow> windows) { return receptiveField(windows) - 1; }

int64_t tileHeight(uint64_t budget, int64_t height, uint64_t peak, int64_t halo) {
  return static_cast<int64_t>(wideBytes(budget, height) / peak) - halo;
}

int64_t tileCount(int64_t height, int64_t tileHeight) {
  return (height + tileHeight - 1) / tileHeight;
}

uint64_t tiledPeak(uint64_t peak, int64_t tileHeight, int64_t halo, int64_t height) {
  const auto rows = static_cast<uint64_t>(height);
  return static_cast<uint64_t>((wideBytes(peak, tileHeight + halo) + rows - 1) / rows);
}

uint64_t overheadBytes(int64_t halo, uint64_t rowBytes, int64_t tiles) {
  return rowBytes * static_cast<uint64_t>(halo) * static_cast<uint64_t>(tiles - 1);
}

int64_t inputTileHeight(int64_t outputHeight, const HeightWindow& window) {
  return outputHeight * window.stride + (window.kernel - 1) * window.dilation;
}

} // namespace tigris
