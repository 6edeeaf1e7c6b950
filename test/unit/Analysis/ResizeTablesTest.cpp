// Coordinate rules of Resize against positions worked out by hand and by the ONNX reference.
#include "tigris/Analysis/ResizeTables.h"

#include <doctest/doctest.h>

#include <bit>
#include <numeric>
#include <utility>

using namespace tigris;

namespace {

using Indices = std::vector<int32_t>;

ResizeRule nearest(const char* coordinates, const char* rounding) {
  ResizeRule rule;
  rule.coordinates = coordinates;
  rule.nearest = rounding;
  return rule;
}

ResizeRule weighted(ResizeMode mode, const char* coordinates) {
  ResizeRule rule;
  rule.mode = mode;
  rule.coordinates = coordinates;
  return rule;
}

/// The source positions of every output position, in the axis.
Indices positions(const AxisTable& table, int64_t in) {
  Indices result;
  for (const int32_t first : table.first)
    for (uint32_t tap = 0; tap < table.taps; ++tap)
      result.push_back(insideAxis(int64_t{first} + tap, in));
  return result;
}

Indices indices(const ResizeRule& rule, int64_t in, int64_t out) {
  return positions(resizeAxis(rule, in, out, static_cast<float>(out) / static_cast<float>(in)), in);
}

void checkWeights(const AxisTable& table, const std::vector<float>& expected) {
  REQUIRE(table.weights.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(table.weights[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

} // namespace

TEST_CASE("nearest: coordinate modes") {
  CHECK(indices(nearest("asymmetric", "floor"), 2, 4) == Indices{0, 0, 1, 1});
  CHECK(indices(nearest("half_pixel", "round_prefer_floor"), 2, 4) == Indices{0, 0, 1, 1});
  CHECK(indices(nearest("half_pixel", "round_prefer_floor"), 4, 2) == Indices{0, 2});
  CHECK(indices(nearest("half_pixel", "round_prefer_ceil"), 4, 2) == Indices{1, 3});
  CHECK(indices(nearest("half_pixel", "ceil"), 2, 4) == Indices{0, 1, 1, 1});
  CHECK(indices(nearest("align_corners", "round_prefer_floor"), 3, 5) == Indices{0, 0, 1, 1, 2});
  CHECK(indices(nearest("align_corners", "floor"), 4, 1) == Indices{0});
  CHECK(indices(nearest("pytorch_half_pixel", "floor"), 4, 1) == Indices{0});
  CHECK(indices(nearest("asymmetric", "ceil"), 3, 6) == Indices{0, 1, 1, 2, 2, 2});
}

TEST_CASE("nearest: the scale the model gives, not the one sizes amount to") {
  // 3 * 1.7 = 5.1, so 5 positions, but distances follow 1.7
  const AxisTable table = resizeAxis(nearest("asymmetric", "floor"), 3, 5, 1.7F);
  CHECK(positions(table, 3) == Indices{0, 0, 1, 1, 2});
  CHECK(table.taps == 1);
  CHECK(table.weights.empty());
}

TEST_CASE("linear: half pixel repeats the border") {
  const AxisTable table = resizeAxis(weighted(ResizeMode::Linear, "half_pixel"), 2, 4, 2);
  CHECK(table.taps == 2);
  CHECK(table.first == Indices{-1, 0, 0, 1});
  CHECK(positions(table, 2) == Indices{0, 0, 0, 1, 0, 1, 1, 1});
  checkWeights(table, {0.25F, 0.75F, 0.75F, 0.25F, 0.25F, 0.75F, 0.75F, 0.25F});
  CHECK(integerWeights(table) == std::vector<int32_t>{256, 768, 768, 256, 256, 768, 768, 256});
}

TEST_CASE("linear: align corners and half pixel symmetric") {
  checkWeights(resizeAxis(weighted(ResizeMode::Linear, "align_corners"), 2, 3, 1.5F),
               {1, 0, 0.5F, 0.5F, 1, 0});
  // 3 -> 4 with scale 1.4: 0.2 of a position is lost, half on each side
  const AxisTable table =
      resizeAxis(weighted(ResizeMode::Linear, "half_pixel_symmetric"), 3, 4, 1.4F);
  CHECK(positions(table, 3) == Indices{0, 0, 0, 1, 1, 2, 2, 2});
}

TEST_CASE("cubic: a ramp of four, worked out by hand") {
  const AxisTable table = resizeAxis(weighted(ResizeMode::Cubic, "half_pixel"), 4, 8, 2);
  CHECK(table.taps == 4);
  const std::vector<float> ramp = {1, 2, 3, 4};
  const Indices read = positions(table, 4);
  std::vector<float> row;
  for (size_t i = 0; i < 8; ++i) {
    float sum = 0;
    for (size_t tap = 0; tap < 4; ++tap)
      sum += table.weights[i * 4 + tap] * ramp[static_cast<size_t>(read[i * 4 + tap])];
    row.push_back(sum);
  }
  // weights at a quarter: -27/256, 225/256, 67/256, -9/256
  CHECK(row[0] == doctest::Approx(0.89453125));
  CHECK(row[1] == doctest::Approx(1.19140625));
  CHECK(row[3] == doctest::Approx(2.296875));
  CHECK(row[0] + row[7] == doctest::Approx(5));
}

TEST_CASE("cubic: taps outside can lose their weight to the others") {
  ResizeRule rule = weighted(ResizeMode::Cubic, "half_pixel");
  rule.excludeOutside = true;
  const AxisTable table = resizeAxis(rule, 4, 8, 2);
  for (size_t i = 0; i < 8; ++i)
    CHECK(std::accumulate(table.weights.begin() + static_cast<int>(i) * 4,
                          table.weights.begin() + static_cast<int>(i) * 4 + 4,
                          0.0F) == doctest::Approx(1));
  CHECK(table.weights[0] == 0);
}

TEST_CASE("integer weights add up to 1024") {
  for (const int64_t out : {5, 7, 9, 13}) {
    const AxisTable table =
        resizeAxis(weighted(ResizeMode::Cubic, "half_pixel"), 6, out, static_cast<float>(out) / 6);
    const std::vector<int32_t> weights = integerWeights(table);
    for (size_t i = 0; i < weights.size(); i += table.taps)
      CHECK(std::accumulate(weights.begin() + static_cast<int>(i),
                            weights.begin() + static_cast<int>(i + table.taps), 0) == 1024);
  }
}

TEST_CASE("an axis that keeps its size is copied whatever the rule") {
  const AxisTable table = resizeAxis(weighted(ResizeMode::Linear, "align_corners"), 3, 3, 1);
  CHECK(table.taps == 1);
  CHECK(table.first == Indices{0, 1, 2});
}

TEST_CASE("what the kernels cannot do is refused") {
  const auto refused = [](const char* name, AttrValue value) {
    Op op;
    op.kind = OpKind::Resize;
    op.attrs.set(name, std::move(value));
    return !resizeRule(op);
  };
  CHECK(refused("coordinate_transformation_mode", std::string("tf_crop_and_resize")));
  CHECK(refused("mode", std::string("lanczos")));
  CHECK(refused("nearest_mode", std::string("simple")));
  CHECK(refused("antialias", int64_t{1}));
  CHECK_FALSE(refused("antialias", int64_t{0}));
}

TEST_CASE("tables of whole factors repeat") {
  const auto periodOfFloats = [](const AxisTable& table) {
    std::vector<int32_t> bits;
    for (const float weight : table.weights)
      bits.push_back(std::bit_cast<int32_t>(weight));
    const AxisPeriod period = periodOf(table, bits);
    return std::pair(period.outputs, period.advance);
  };
  const ResizeRule linear = weighted(ResizeMode::Linear, "half_pixel");
  CHECK(periodOfFloats(resizeAxis(linear, 32, 64, 2)) == std::pair(2U, 1U));
  CHECK(periodOfFloats(resizeAxis(linear, 32, 16, 0.5F)) == std::pair(1U, 2U));
  CHECK(periodOfFloats(resizeAxis(weighted(ResizeMode::Cubic, "half_pixel"), 8, 32, 4)) ==
        std::pair(4U, 1U));
  CHECK(periodOfFloats(resizeAxis(nearest("asymmetric", "floor"), 8, 24, 3)) == std::pair(3U, 1U));
  CHECK(periodOfFloats(resizeAxis(linear, 7, 7, 1)) == std::pair(1U, 1U));
  // 3 to 5 positions: a whole factor between the corners
  CHECK(periodOfFloats(resizeAxis(weighted(ResizeMode::Linear, "align_corners"), 3, 5, 5.0F / 3)) ==
        std::pair(2U, 1U));
}
