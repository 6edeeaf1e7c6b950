// What pictures of streams and of plan files have in common: spans of steps, texts, and the sweep over the steps.
#pragma once

#include "tigris/Inspect/PlanPicture.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tigris {

/// The steps from the first to the last that touch something.
struct StepSpan {
  size_t first = 0;
  size_t last = 0;

  void touch(size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

/// A buffer of a tiled or streamed stage, in bytes of the fast memory.
struct TileBytes {
  uint64_t offset;
  uint64_t bytes;
};

constexpr const char* StreamedMode = "streamed";

/// "int8 [1, 8, 8, 16]".
std::string typeText(DType type, const std::vector<int64_t>& dims);

/// "1x7x1x1".
std::string tilesText(const std::array<int64_t, Tiling::MaxRank>& tiles);

/// "0.0039215689", or the range of a tensor that has a scale per channel.
std::string scaleText(const QuantParam& quant);
std::string zeroPointText(const QuantParam& quant);

/// Loaded parts that are not loaded again in every tile have their bytes for the whole stage.
bool isKept(uint32_t reloadAxes);

/// A streamed stage's buffer that shares no bytes may keep rows from step to step. One that shares some is drawn
/// from its first to its last operator of a step only.
bool mayRoll(const std::vector<TileBytes>& buffers, size_t index);

/// Fills in what follows from stages and blocks: the bytes in use at each step, the peak and its parts. Names
/// become printable.
PlanPicture finishPicture(PlanPicture picture);

} // namespace tigris
