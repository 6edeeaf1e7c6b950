// Windows that slide over pictures: strides, and the padding that SAME and VALID mean.
#pragma once

#include "tigris/Import/Tflite/OpContext.h"

#include <array>

namespace tigris {

/// Height and width.
using Extent = std::array<int64_t, 2>;

struct SlidingWindow {
  Extent kernel = {1, 1};
  Extent strides = {1, 1};
  Extent dilations = {1, 1};
  tflite::Padding padding = tflite::Padding::VALID;
};

/// Top, left, bottom, right. SAME: as many as let ceil(input / stride) windows fit, the odd one at
/// the end.
std::vector<int64_t> windowPads(const SlidingWindow& window, const Extent& input);

/// Attributes of a convolution or pool over an input of this size; reports an error if a number is
/// not positive.
AttrMap windowAttrs(OpContext& op, const SlidingWindow& window, const Extent& input);

} // namespace tigris
