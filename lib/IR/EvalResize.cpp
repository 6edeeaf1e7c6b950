// Resize in float32, one axis after the other. Formulas: the ONNX page of Resize. Coordinates are
// computed in float, as in the reference, because one different rounding of a coordinate selects
// another element.
#include "tigris/IR/EvalRules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tigris::eval {

namespace {

/// One resized axis.
struct Axis {
  int64_t input = 1;
  int64_t output = 1;
  float scale = 1;
};

/// The position of an output element in input coordinates.
float sourceCoordinate(const std::string& mode, const Axis& axis, int64_t position) {
  const auto x = static_cast<float>(position);
  const auto input = static_cast<float>(axis.input);
  const auto output = static_cast<float>(axis.output);
  const float halfPixel = (x + 0.5F) / axis.scale - 0.5F;
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "align_corners")
    return axis.output == 1 ? 0.0F : x * (input - 1) / (output - 1);
  if (mode == "pytorch_half_pixel")
    return axis.output > 1 ? halfPixel : 0.0F;
  if (mode == "half_pixel_symmetric")
    return input / 2 * (1 - output / (axis.scale * input)) + halfPixel;
  return halfPixel;
}

float roundCoordinate(const std::string& mode, float x) {
  if (mode == "floor")
    return std::floor(x);
  if (mode == "ceil")
    return std::ceil(x);
  const bool half = x - std::floor(x) == 0.5F;
  if (half)
    return mode == "round_prefer_ceil" ? std::ceil(x) : std::floor(x);
  return std::floor(x + 0.5F);
}

/// Up to four input elements and their weights.
struct Taps {
  std::array<int64_t, 4> index{};
  std::array<float, 4> weight{};
  size_t count = 0;

  void add(int64_t at, float value) {
    index[count] = at;
    weight[count++] = value;
  }
};

Taps cubicTaps(const Op& op, float x, int64_t last) {
  const auto a = static_cast<float>(op.attrs.getFloat("cubic_coeff_a", -0.75));
  const bool exclude = op.attrs.getInt("exclude_outside") != 0;
  const float base = std::floor(x);
  const float t = x - base;
  const std::array<float, 4> distance = {1 + t, t, 1 - t, 2 - t};
  Taps taps;
  float sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    const float d = distance[i];
    const float inner = ((a + 2) * d - (a + 3)) * d * d + 1;
    const float outer = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    const int64_t at = static_cast<int64_t>(base) - 1 + static_cast<int64_t>(i);
    const bool outside = at < 0 || at > last;
    const float weight = exclude && outside ? 0.0F : i == 1 || i == 2 ? inner : outer;
    taps.add(std::clamp<int64_t>(at, 0, last), weight);
    sum += weight;
  }
  if (exclude)
    for (float& weight : taps.weight)
      weight /= sum;
  return taps;
}

Taps tapsOf(const Op& op, const Axis& axis, int64_t position) {
  const std::string mode = op.attrs.getString("mode", "nearest");
  const int64_t last = axis.input - 1;
  const float x = sourceCoordinate(
      op.attrs.getString("coordinate_transformation_mode", "half_pixel"), axis, position);
  if (mode == "cubic")
    return cubicTaps(op, x, last);
  Taps taps;
  const float bounded = std::clamp(x, 0.0F, static_cast<float>(last));
  if (mode == "nearest") {
    const float whole =
        roundCoordinate(op.attrs.getString("nearest_mode", "round_prefer_floor"), x);
    taps.add(static_cast<int64_t>(std::clamp(whole, 0.0F, static_cast<float>(last))), 1.0F);
    return taps;
  }
  const auto low = static_cast<int64_t>(bounded);
  const float fraction = bounded - static_cast<float>(low);
  taps.add(low, 1 - fraction);
  taps.add(std::min(low + 1, last), fraction);
  return taps;
}

/// The scale of every axis: as given, or the ratio of the sizes.
std::optional<std::vector<Axis>> resizedAxes(const OpValues& op) {
  const Shape& x = op.shape(0);
  std::vector<Axis> axes;
  for (size_t i = 0; i < x.rank(); ++i) {
    const int64_t output = op.result().shape[i];
    axes.push_back({x[i], output, static_cast<float>(output) / static_cast<float>(x[i])});
  }
  const auto scales = floatArgument(op.op(), op.values(), "scales");
  const auto sizes = intArgument(op.op(), op.values(), "sizes");
  const auto given = intArgument(op.op(), op.values(), "axes");
  if (!scales || !sizes || !given || x.elements() == 0)
    return std::nullopt;
  std::vector<int64_t> chosen(x.rank());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (*given && !(*given)->empty())
    chosen = **given;
  const std::string policy = op.attrs().getString("keep_aspect_ratio_policy", "stretch");
  const bool haveSizes = *sizes && !(*sizes)->empty();
  if (haveSizes && policy == "stretch")
    return axes;
  float common = 0;
  for (size_t i = 0; haveSizes && i < chosen.size(); ++i) {
    const Axis& axis = axes[*normalizeAxis(chosen[i], x.rank())];
    const float own = static_cast<float>((**sizes)[i]) / static_cast<float>(axis.input);
    common = i == 0 ? own : policy == "not_larger" ? std::min(common, own) : std::max(common, own);
  }
  for (size_t i = 0; i < chosen.size(); ++i)
    axes[*normalizeAxis(chosen[i], x.rank())].scale =
        haveSizes ? common : static_cast<float>((**scales)[i]);
  return axes;
}

} // namespace

Outcome resize(const OpValues& op) {
  const auto axes = resizedAxes(op);
  const bool unsupported =
      op.attrs().getInt("antialias") != 0 ||
      op.attrs().getString("coordinate_transformation_mode") == "tf_crop_and_resize";
  if (!axes || unsupported || op.type(0) != DType::Float32)
    return std::nullopt;
  std::vector<float> values = op.load<float>(0);
  Shape shape = op.shape(0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const Axis& axis = (*axes)[i];
    if (axis.input == axis.output && axis.scale == 1.0F)
      continue;
    const auto inner = static_cast<size_t>(shape.elementsFrom(i + 1));
    const auto outer = static_cast<size_t>(shape.elementsBefore(i));
    shape[i] = axis.output;
    std::vector<float> next(static_cast<size_t>(shape.elements()), 0.0F);
    for (int64_t position = 0; position < axis.output; ++position) {
      const Taps taps = tapsOf(op.op(), axis, position);
      for (size_t o = 0; o < outer; ++o) {
        float* to = next.data() +
                    (o * static_cast<size_t>(axis.output) + static_cast<size_t>(position)) * inner;
        for (size_t t = 0; t < taps.count; ++t) {
          const float* from =
              values.data() +
              (o * static_cast<size_t>(axis.input) + static_cast<size_t>(taps.index[t])) * inner;
          for (size_t k = 0; k < inner; ++k)
            to[k] += from[k] * taps.weight[t];
        }
      }
    }
    values = std::move(next);
  }
  return one(values, DType::Float32);
}

} // namespace tigris::eval
