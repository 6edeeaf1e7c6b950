// Padding arithmetic.
#include "tigris/Import/Tflite/Padding.h"

#include <algorithm>

namespace tigris {

std::vector<int64_t> windowPads(const SlidingWindow& window, const Extent& input) {
  std::vector<int64_t> pads(4, 0);
  if (window.padding == tflite::Padding::VALID)
    return pads;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t windows = (input[i] + window.strides[i] - 1) / window.strides[i];
    const int64_t total =
        std::max<int64_t>((windows - 1) * window.strides[i] + reach - input[i], 0);
    pads[i] = total / 2;
    pads[i + 2] = total - total / 2;
  }
  return pads;
}

AttrMap windowAttrs(OpContext& op, const SlidingWindow& window, const Extent& input) {
  constexpr int64_t Limit = 1 << 20;
  const auto good = [](const Extent& extent) {
    return extent[0] > 0 && extent[1] > 0 && extent[0] < Limit && extent[1] < Limit;
  };
  if (!good(window.kernel) || !good(window.strides) || !good(window.dilations)) {
    op.fail(DiagId::BadAttr, "its kernel ", window.kernel[0], "x", window.kernel[1], ", strides ",
            window.strides[0], "x", window.strides[1], " or dilations ", window.dilations[0], "x",
            window.dilations[1], " are not positive");
    return {};
  }
  const auto ints = [](const Extent& extent) {
    return std::vector<int64_t>(extent.begin(), extent.end());
  };
  return {{"kernel_shape", ints(window.kernel)},
          {"strides", ints(window.strides)},
          {"dilations", ints(window.dilations)},
          {"pads", windowPads(window, input)}};
}

} // namespace tigris
