// Which source positions, with which weights, make each position of a resized axis.
#pragma once

#include "tigris/IR/Op.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace tigris {

enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };

/// How a Resize maps coordinates; the fields are ONNX's attributes.
struct ResizeRule {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubicA = -0.75;
  bool excludeOutside = false;
};

/// The rule of a Resize op. DiagId::UnsupportedOp for tf_crop_and_resize, antialias and unknown words.
Expected<ResizeRule> resizeRule(const Op& op);

/// Row-major [output][taps].
struct AxisTable {
  uint32_t taps = 1; // 1 nearest, 2 linear, 4 cubic
  std::vector<int32_t> indices;
  /// Empty with one tap.
  std::vector<float> weights;
};

/// Coordinates are computed in float32, as onnxruntime computes them, so that ties fall alike. `scale` is the
/// factor the model gives, or out / in. Positions outside the axis repeat its border, or, with
/// excludeOutside, lose their weight to the others.
AxisTable resizeAxis(const ResizeRule& rule, int64_t in, int64_t out, float scale);

/// Gives a one-tap axis weights of 1: the kernel wants weights on both axes or on none.
void addUnitWeights(AxisTable& table);

/// Q10 integers that add up to 1024 for every output position; the rounding rest goes to the largest weight.
std::vector<int32_t> integerWeights(const AxisTable& table);

/// Integers in proportion to weights >= 0, with one sum for all positions: the smallest that makes all of them integers, as
/// far as float32 can tell, or 2^14 where none of 2^12 and less does.
std::vector<int32_t> fractionWeights(const AxisTable& table);

/// Both axes of a Resize of [N, H, W, C] or [N, L, C]; the width of the latter is one position.
struct ResizeTables {
  AxisTable height;
  AxisTable width;
};
Expected<ResizeTables> resizeTables(const Op& op, const Shape& in, const Shape& out);

} // namespace tigris
