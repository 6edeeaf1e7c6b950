// Code shared by the pictures of modules and of plan files: spans of steps, texts, and the sweep
// over steps.
#pragma once

#include "tigris/Inspect/PlanPicture.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tigris {

/// The steps from the first to the last use.
struct StepSpan {
  size_t first = 0;
  size_t last = 0;

  void touch(size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

/// A buffer of a tiled or streamed stage as a range of fast memory.
struct TileBytes {
  uint64_t offset;
  uint64_t bytes;
};

constexpr const char* StreamedMode = "streamed";

/// "int8 [1, 8, 8, 16]".
std::string typeText(DType type, const std::vector<int64_t>& dims);

/// "0.0039215689", or the range of the scales of a tensor with one scale per channel.
std::string scaleText(const QuantParam& quant);
std::string zeroPointText(const QuantParam& quant);

/// Whether a loaded part keeps its bytes for the whole stage, because it is not loaded again in
/// every tile.
bool isKept(uint32_t reloadAxes);

/// Whether a streamed stage's buffer may keep rows from step to step: it shares no bytes with
/// another buffer. A buffer that shares bytes is drawn only from its first to its last operator of
/// a step.
bool mayRoll(const std::vector<TileBytes>& buffers, size_t index);

/// Adds a model input or output in the fast arena, which the caller writes before the first step or
/// reads after the last one. `whole`: its bytes for one step.
void addArenaPort(PlanPicture& picture, PictureBlock whole, bool isInput);

/// Computes everything that follows from stages and blocks: the bytes in use at each step, the peak
/// and its parts.
PlanPicture finishPicture(PlanPicture picture);

/// Makes all texts from the model printable.
PlanPicture withPrintableNames(PlanPicture picture);

} // namespace tigris
