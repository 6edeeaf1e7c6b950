// Index and weight tables of a resized axis: the source positions of each output position.
#pragma once

#include "tigris/IR/Op.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace tigris {

enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };

/// The coordinate mapping of a Resize; the fields are ONNX's attributes.
struct ResizeRule {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubicA = -0.75;
  bool excludeOutside = false;
};

/// The rule of a Resize op. DiagId::UnsupportedOp for tf_crop_and_resize, antialias and unknown
/// values.
Expected<ResizeRule> resizeRule(const Op& op);

/// Row-major [output][taps].
struct AxisTable {
  uint32_t taps = 1; // 1 nearest, 2 linear, 4 cubic
  std::vector<int32_t> indices;
  /// Empty with one tap.
  std::vector<float> weights;
};

/// Computes coordinates in float32, as onnxruntime does, so that ties are resolved alike. `scale`
/// is the factor given by the model, or out / in. Positions outside the axis repeat its border;
/// with excludeOutside their weight goes to the other taps.
AxisTable resizeAxis(const ResizeRule& rule, int64_t in, int64_t out, float scale);

/// Sets the weights of a one-tap axis to 1: the kernel requires weights on both axes or on neither.
void addUnitWeights(AxisTable& table);

/// Q10 integers with the sum 1024 for every output position; the rounding error goes to the largest
/// weight.
std::vector<int32_t> integerWeights(const AxisTable& table);

/// Integers in proportion to weights >= 0, with the same sum for all positions: the smallest sum up
/// to 2^12 that makes all weights integers, within float32 precision, otherwise 2^14.
std::vector<int32_t> fractionWeights(const AxisTable& table);

/// Both axes of a Resize of [N, H, W, C] or [N, L, C]; the width of the latter is 1.
struct ResizeTables {
  AxisTable height;
  AxisTable width;
};
Expected<ResizeTables> resizeTables(const Op& op, const Shape& in, const Shape& out);

} // namespace tigris
