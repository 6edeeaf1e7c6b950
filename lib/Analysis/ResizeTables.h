// Index and weight tables of a resized axis: the source positions of each output position.
#pragma once

#include "tigris/IR/Op.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tigris {

enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };

/// The coordinate mapping of a Resize; the fields are ONNX's attributes. half_pixel_q10,
/// align_corners_q10 and asymmetric_q10 are TensorFlow Lite's integer forms of these mappings, for
/// mode linear.
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

/// Each output position reads `taps` adjacent source positions. One outside the axis stands for the
/// nearest one inside.
struct AxisTable {
  uint32_t taps = 1; // 1 nearest, 2 linear, 4 cubic
  /// The first source position of each output position; ascending.
  std::vector<int32_t> first;
  /// Row-major [output][taps]. Empty with one tap.
  std::vector<float> weights;
};

/// The source position that `position` stands for, on an axis of `in` positions.
int32_t insideAxis(int64_t position, int64_t in);

/// Computes coordinates in float32, as onnxruntime does, so that ties are resolved alike. `scale`
/// is the factor given by the model, or out / in. With excludeOutside the weight of positions
/// outside the axis goes to the other taps.
AxisTable resizeAxis(const ResizeRule& rule, int64_t in, int64_t out, float scale);

/// Sets the weights of a one-tap axis to 1: the kernel requires weights on both axes or on neither.
void addUnitWeights(AxisTable& table);

/// Q10 integers with the sum 1024 for every output position; the rounding error goes to the largest
/// weight.
std::vector<int32_t> integerWeights(const AxisTable& table);

/// Integers in proportion to weights >= 0, with the same sum for all positions: the smallest sum up
/// to 2^12 that makes all weights integers, within float32 precision, otherwise 2^14.
std::vector<int32_t> fractionWeights(const AxisTable& table);

/// After how many output positions a table repeats, and how many source positions further on.
struct AxisPeriod {
  uint32_t outputs = 0;
  uint32_t advance = 0;
};

/// The shortest period up to 64 output positions of a table with these weights ([output][taps], or
/// none), otherwise that of the whole table.
AxisPeriod periodOf(const AxisTable& table, std::span<const int32_t> weights);

/// Both axes of a Resize of [N, H, W, C] or [N, L, C]; the width of the latter is 1.
struct ResizeTables {
  AxisTable height;
  AxisTable width;
};
Expected<ResizeTables> resizeTables(const Op& op, const Shape& in, const Shape& out);

} // namespace tigris
