// The coordinate rules of ONNX Resize.
#include "tigris/Analysis/ResizeTables.h"

#include "tigris/IR/ShapeInference.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tigris {

namespace {

constexpr int32_t WeightOne = 1024; // Q10

float sourceCoordinate(const ResizeRule& rule, float x, int64_t in, int64_t out, float scale) {
  const auto length = static_cast<float>(in);
  const auto resized = static_cast<float>(out);
  if (rule.coordinates == "asymmetric")
    return x / scale;
  if (rule.coordinates == "align_corners")
    return out == 1 ? 0.0F : x * (length - 1) / (resized - 1);
  if (rule.coordinates == "pytorch_half_pixel")
    return out > 1 ? (x + 0.5F) / scale - 0.5F : 0.0F;
  if (rule.coordinates == "half_pixel_symmetric") {
    const float adjustment = resized / (scale * length);
    const float center = length / 2;
    return center * (1 - adjustment) + (x + 0.5F) / scale - 0.5F;
  }
  return (x + 0.5F) / scale - 0.5F; // half_pixel
}

int64_t nearestIndex(const ResizeRule& rule, float x) {
  if (rule.nearest == "floor")
    return static_cast<int64_t>(std::floor(x));
  if (rule.nearest == "ceil")
    return static_cast<int64_t>(std::ceil(x));
  const float below = std::floor(x);
  const float rest = x - below;
  const bool up = rule.nearest == "round_prefer_ceil" ? rest >= 0.5F : rest > 0.5F;
  return static_cast<int64_t>(below) + (up ? 1 : 0);
}

/// Coordinates are a few positions outside the axis at most; the limits guard against overflow.
void addFirst(AxisTable& table, int64_t first, int64_t in) {
  table.first.push_back(static_cast<int32_t>(std::clamp(first, -in - 4, 2 * in)));
}

void addLinear(AxisTable& table, float x, int64_t in) {
  const float below = std::floor(x);
  const float rest = x - below;
  addFirst(table, static_cast<int64_t>(below), in);
  table.weights.push_back(1 - rest);
  table.weights.push_back(rest);
}

/// TensorFlow Lite's integer coordinates, with 10 bits behind the point and a rounded step.
void addFixedPoint(AxisTable& table, const ResizeRule& rule, int64_t at, int64_t in, int64_t out) {
  const bool corners = rule.coordinates == "align_corners_q10" && out > 1;
  const int64_t length = corners ? in - 1 : in;
  const int64_t resized = corners ? out - 1 : out;
  const int64_t step = (WeightOne * length + resized / 2) / resized;
  const int64_t shift = rule.coordinates == "half_pixel_q10" ? step / 2 - WeightOne / 2 : 0;
  const int64_t x = std::clamp<int64_t>(at * step + shift, 0, (in - 1) * WeightOne);
  const auto rest = static_cast<float>(x % WeightOne) / WeightOne;
  addFirst(table, x / WeightOne, in);
  table.weights.push_back(1 - rest);
  table.weights.push_back(rest);
}

/// Keys' cubic convolution with parameter a, at distances 1 + r, r, 1 - r, 2 - r.
void addCubic(AxisTable& table, float x, int64_t in, const ResizeRule& rule) {
  const double below = std::floor(x);
  const double r = x - below;
  const double a = rule.cubicA;
  const auto outer = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  const auto inner = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  std::array<double, 4> weights = {outer(1 + r), inner(r), inner(1 - r), outer(2 - r)};
  const auto first = static_cast<int64_t>(below) - 1;
  if (rule.excludeOutside) {
    double sum = 0;
    for (size_t tap = 0; tap < weights.size(); ++tap) {
      const int64_t index = first + static_cast<int64_t>(tap);
      if (index < 0 || index >= in)
        weights[tap] = 0;
      sum += weights[tap];
    }
    for (double& weight : weights)
      weight /= sum;
  }
  addFirst(table, first, in);
  for (const double weight : weights)
    table.weights.push_back(static_cast<float>(weight));
}

/// The factor per axis: as given, or derived from the given sizes.
Expected<std::vector<float>> resizeScales(const Op& op, const Shape& in, const Shape& out) {
  const std::vector<double> given = op.attrs.getFloats("scales");
  const std::vector<int64_t> sizes = op.attrs.getInts("sizes");
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  std::vector<float> scales(in.rank(), 1.0F);
  for (size_t i = 0; i < given.size(); ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, in.rank());
    if (!axis)
      return axis.error();
    scales[*axis] = static_cast<float>(given[i]);
  }
  if (!given.empty())
    return scales;
  const std::string policy = op.attrs.getString("keep_aspect_ratio_policy", "stretch");
  std::vector<size_t> resized;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, in.rank());
    if (!axis)
      return axis.error();
    resized.push_back(*axis);
    const int64_t size = policy == "stretch" ? out[*axis] : sizes[i];
    scales[*axis] = static_cast<float>(size) / static_cast<float>(in[*axis]);
  }
  if (policy != "stretch" && !resized.empty()) {
    float common = scales[resized[0]];
    for (const size_t axis : resized)
      common =
          policy == "not_larger" ? std::min(common, scales[axis]) : std::max(common, scales[axis]);
    for (const size_t axis : resized)
      scales[axis] = common;
  }
  return scales;
}

} // namespace

Expected<ResizeRule> resizeRule(const Op& op) {
  const auto refuse = [&](const std::string& what) {
    return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (Resize): ", what,
                     " is not supported");
  };
  ResizeRule rule;
  const std::string mode = op.attrs.getString("mode", "nearest");
  if (mode == "linear")
    rule.mode = ResizeMode::Linear;
  else if (mode == "cubic")
    rule.mode = ResizeMode::Cubic;
  else if (mode != "nearest")
    return refuse(strCat("mode '", mode, "'"));
  rule.coordinates = op.attrs.getString("coordinate_transformation_mode", "half_pixel");
  const std::array<std::string_view, 8> coordinates = {
      "half_pixel",           "pytorch_half_pixel", "align_corners",     "asymmetric",
      "half_pixel_symmetric", "half_pixel_q10",     "align_corners_q10", "asymmetric_q10"};
  if (std::find(coordinates.begin(), coordinates.end(), rule.coordinates) == coordinates.end())
    return refuse(strCat("coordinate transformation '", rule.coordinates, "'"));
  rule.nearest = op.attrs.getString("nearest_mode", "round_prefer_floor");
  const std::array<std::string_view, 4> roundings = {"round_prefer_floor", "round_prefer_ceil",
                                                     "floor", "ceil"};
  if (std::find(roundings.begin(), roundings.end(), rule.nearest) == roundings.end())
    return refuse(strCat("nearest mode '", rule.nearest, "'"));
  if (op.attrs.getInt("antialias") != 0)
    return refuse("antialias");
  rule.cubicA = op.attrs.getFloat("cubic_coeff_a", -0.75);
  rule.excludeOutside = op.attrs.getInt("exclude_outside") != 0;
  return rule;
}

int32_t insideAxis(int64_t position, int64_t in) {
  return static_cast<int32_t>(std::clamp<int64_t>(position, 0, in - 1));
}

AxisTable resizeAxis(const ResizeRule& rule, int64_t in, int64_t out, float scale) {
  AxisTable table;
  if (in == out && scale == 1.0F) { // every rule maps such an axis to itself
    for (int64_t i = 0; i < out; ++i)
      table.first.push_back(static_cast<int32_t>(i));
    return table;
  }
  table.taps = rule.mode == ResizeMode::Nearest ? 1 : rule.mode == ResizeMode::Linear ? 2 : 4;
  for (int64_t i = 0; i < out; ++i) {
    const float x = sourceCoordinate(rule, static_cast<float>(i), in, out, scale);
    switch (rule.mode) {
    case ResizeMode::Nearest:
      addFirst(table, nearestIndex(rule, x), in);
      break;
    case ResizeMode::Linear:
      if (rule.coordinates.ends_with("_q10"))
        addFixedPoint(table, rule, i, in, out);
      else
        addLinear(table, x, in);
      break;
    case ResizeMode::Cubic:
      addCubic(table, x, in, rule);
      break;
    }
  }
  return table;
}

void addUnitWeights(AxisTable& table) {
  if (table.weights.empty())
    table.weights.assign(table.first.size(), 1.0F);
}

namespace {

/// The weights in units of 1 / one.
std::vector<int32_t> weightsOf(const AxisTable& table, int32_t one) {
  std::vector<int32_t> result;
  result.reserve(table.weights.size());
  for (size_t i = 0; i < table.weights.size(); i += table.taps) {
    int32_t rest = one;
    for (uint32_t tap = 0; tap < table.taps; ++tap) {
      result.push_back(
          static_cast<int32_t>(std::lround(table.weights[i + tap] * static_cast<float>(one))));
      rest -= result.back();
    }
    const auto first = result.end() - static_cast<std::ptrdiff_t>(table.taps);
    *std::max_element(first, result.end()) += rest;
  }
  return result;
}

} // namespace

std::vector<int32_t> integerWeights(const AxisTable& table) { return weightsOf(table, WeightOne); }

std::vector<int32_t> fractionWeights(const AxisTable& table) {
  constexpr int32_t MostTried = 1 << 12;
  constexpr int32_t Otherwise = 1 << 14;
  constexpr double MostNoise = 0.05;
  // A coordinate may be off by some units in the last place of a float as large as the axis.
  const double noise = std::ldexp(2.0 + std::max(table.first.back(), 0), -22);
  for (int32_t one = 1; one <= MostTried && noise * one <= MostNoise; ++one)
    if (std::all_of(table.weights.begin(), table.weights.end(), [&](float weight) {
          const double units = static_cast<double>(weight) * one;
          return std::abs(units - std::nearbyint(units)) <= noise * one;
        }))
      return weightsOf(table, one);
  return weightsOf(table, Otherwise);
}

namespace {

bool repeats(const AxisTable& table, std::span<const int32_t> weights, size_t outputs) {
  const int32_t advance = table.first[outputs] - table.first[0];
  for (size_t i = outputs; i < table.first.size(); ++i)
    if (table.first[i] != table.first[i - outputs] + advance)
      return false;
  const size_t shift = outputs * table.taps;
  return weights.empty() || std::equal(weights.begin() + static_cast<std::ptrdiff_t>(shift),
                                       weights.end(), weights.begin());
}

} // namespace

AxisPeriod periodOf(const AxisTable& table, std::span<const int32_t> weights) {
  constexpr size_t Longest = 64;
  const auto from = [&](size_t outputs, size_t last) {
    return AxisPeriod{static_cast<uint32_t>(outputs),
                      static_cast<uint32_t>(table.first[last] - table.first[0])};
  };
  for (size_t outputs = 1; outputs < std::min(table.first.size(), Longest + 1); ++outputs)
    if (repeats(table, weights, outputs))
      return from(outputs, outputs);
  return from(table.first.size(), table.first.size() - 1);
}

Expected<ResizeTables> resizeTables(const Op& op, const Shape& in, const Shape& out) {
  const Expected<ResizeRule> rule = resizeRule(op);
  if (!rule)
    return rule.error();
  const Expected<std::vector<float>> scales = resizeScales(op, in, out);
  if (!scales)
    return scales.error();
  ResizeTables tables;
  tables.height = resizeAxis(*rule, in[1], out[1], (*scales)[1]);
  if (in.rank() == 4)
    tables.width = resizeAxis(*rule, in[2], out[2], (*scales)[2]);
  else
    tables.width.first = {0};
  return tables;
}

} // namespace tigris
