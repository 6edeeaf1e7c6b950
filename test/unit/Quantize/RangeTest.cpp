// Statistics, ranges and rounded weights against numbers computed by hand.
#include "tigris/Quantize/Range.h"
#include "tigris/Quantize/WeightQuant.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace tigris;

namespace {

TensorStatistics statisticsOf(const std::vector<float>& values) {
  TensorStatistics statistics;
  statistics.add(values);
  return statistics;
}

uint64_t total(const TensorStatistics& statistics) {
  uint64_t sum = 0;
  for (const HistogramBin& bin : statistics.histogram())
    sum += bin.count;
  return sum;
}

/// Triangular values in (-1, 1) and a few outliers.
std::vector<float> withOutliers() {
  std::vector<float> values;
  for (int i = 0; i < 400; ++i)
    for (int j = 0; j < 400; ++j)
      values.push_back(static_cast<float>(i + j - 399) / 400.0F);
  for (int i = 0; i < 5; ++i)
    values.push_back(20.0F + static_cast<float>(i));
  return values;
}

Tensor constant(Shape shape, const std::vector<float>& values) {
  Tensor tensor;
  tensor.name = "w";
  tensor.type = DType::Float32;
  tensor.shape = std::move(shape);
  tensor.data = makeBlobOf(values);
  return tensor;
}

} // namespace

TEST_CASE("statistics: extremes, zeros and what is no number") {
  const float inf = std::numeric_limits<float>::infinity();
  const TensorStatistics statistics =
      statisticsOf({0.0F, -3.0F, 2.0F, 0.0F, inf, std::nanf(""), -0.0F});
  CHECK(statistics.count() == 5);
  CHECK(statistics.zeros() == 3);
  CHECK(statistics.notFinite() == 2);
  CHECK(statistics.min() == -3.0F);
  CHECK(statistics.max() == 2.0F);
  CHECK(total(statistics) == 2);
  CHECK(TensorStatistics().min() == 0.0F);
}

TEST_CASE("statistics: the order of samples does not matter, nor how they are divided") {
  const std::vector<float> values = {0.001F, -4.0F, 1000.0F, 1e-6F, -0.5F, 3.0F, 8.0F};
  const TensorStatistics whole = statisticsOf(values);
  TensorStatistics parts;
  for (auto at = values.rbegin(); at != values.rend(); ++at)
    parts.add(std::vector<float>{*at});
  TensorStatistics merged = statisticsOf({0.001F, -4.0F});
  merged.merge(statisticsOf({1000.0F, 1e-6F, -0.5F}));
  merged.merge(TensorStatistics());
  merged.merge(statisticsOf({3.0F, 8.0F}));
  for (const TensorStatistics* other : {&parts, &merged}) {
    const auto a = whole.histogram();
    const auto b = other->histogram();
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].low == b[i].low);
      CHECK(a[i].high == b[i].high);
      CHECK(a[i].count == b[i].count);
    }
    CHECK(other->min() == -4.0F);
    CHECK(other->max() == 1000.0F);
  }
}

TEST_CASE("statistics: means per channel") {
  TensorStatistics statistics;
  CHECK(statistics.channelMeans().empty());
  statistics.addChannel(1, 6.0, 2);
  statistics.addChannel(1, 2.0, 2);
  CHECK(statistics.channelMeans() == std::vector<double>{0.0, 2.0});
}

TEST_CASE("minmax: all values and zero") {
  const ValueRange positive = chooseRange(statisticsOf({1.0F, 5.0F}), {});
  CHECK(positive.low == 0);
  CHECK(positive.high == 5);
  const ValueRange both = chooseRange(statisticsOf({-1.0F, 5.0F}), {});
  CHECK(both.low == -1);
  CHECK(both.high == 5);
}

TEST_CASE("percentile: the cut is half the rest at each end") {
  std::vector<float> values;
  for (int i = 1; i <= 1000; ++i)
    values.push_back(static_cast<float>(i));
  RangeOptions options;
  options.method = RangeMethod::Percentile;
  options.percentile = 98;
  const ValueRange range = chooseRange(statisticsOf(values), options);
  CHECK(range.low == 0);
  CHECK(range.high == doctest::Approx(990).epsilon(0.001));
  options.percentile = 100;
  CHECK(chooseRange(statisticsOf(values), options).high == 1000);
  // Zeros are values, too: here they are the majority.
  values.assign(1000, 0.0F);
  values.push_back(7.0F);
  options.percentile = 98;
  CHECK(chooseRange(statisticsOf(values), options).high == 0);
}

TEST_CASE("mse and entropy clip what minmax keeps") {
  const TensorStatistics statistics = statisticsOf(withOutliers());
  CHECK(chooseRange(statistics, {}).high == 24);
  for (const RangeMethod method : {RangeMethod::MeanSquaredError, RangeMethod::Entropy}) {
    RangeOptions options;
    options.method = method;
    const ValueRange range = chooseRange(statistics, options);
    CAPTURE(rangeMethodName(method));
    CHECK(range.high < 24);
    CHECK(range.high >= 0.9);
    CHECK(range.low <= -0.9 * (method == RangeMethod::Entropy ? 0.05 : 1));
  }
}

TEST_CASE("int8 parameters: the step, the zero point, and degenerate ranges") {
  const QuantParam relu = int8Param({0, 25.5}, false);
  CHECK(relu.scale[0] == 0.1F);
  CHECK(relu.zeroPoint[0] == -128);
  const QuantParam both = int8Param({-1, 3}, false);
  CHECK(both.scale[0] == doctest::Approx(4.0 / 255));
  CHECK(both.zeroPoint[0] == -64);
  const QuantParam symmetric = int8Param({-1, 12.7}, true);
  CHECK(symmetric.scale[0] == 0.1F);
  CHECK(symmetric.zeroPoint[0] == 0);
  CHECK(int8Param({0, 0}, false).scale[0] == 1.0F);
  CHECK(int8Param({0, 1e-44}, false).scale[0] == 1.0F);
}

TEST_CASE("weights: one scale per channel of any axis") {
  const Tensor rows = quantizeWeights(constant({2, 2}, {1.27F, -0.5F, 0.0F, 12.7F}), 0, false, {});
  CHECK(rows.quant->scale[0] == doctest::Approx(0.01));
  CHECK(rows.quant->scale[1] == doctest::Approx(0.1));
  CHECK(rows.data->values<int8_t>() == std::vector<int8_t>{127, -50, 0, 127});
  const Tensor columns =
      quantizeWeights(constant({2, 2}, {1.27F, -0.5F, 0.0F, 12.7F}), 1, false, {});
  CHECK(columns.data->values<int8_t>() == std::vector<int8_t>{127, -5, 0, 127});
  const Tensor one = quantizeWeights(constant({2, 2}, {1.27F, -0.5F, 0.0F, 12.7F}), -1, false, {});
  CHECK(one.quant->scale.size() == 1);
  CHECK(one.data->values<int8_t>() == std::vector<int8_t>{13, -5, 0, 127});
}

TEST_CASE("weights: zeros, lower bounds and least error") {
  const Tensor zeros = quantizeWeights(constant({2}, {0.0F, 0.0F}), 0, false, {});
  CHECK(zeros.quant->scale == std::vector<float>{1.0F, 1.0F});
  const Tensor bounded = quantizeWeights(constant({2}, {1.0F, 1.0F}), 0, false, {0.5, 0.0});
  CHECK(bounded.data->values<int8_t>() == std::vector<int8_t>{2, 127});
  std::vector<float> values;
  for (int i = 0; i < 4000; ++i)
    values.push_back(static_cast<float>(i) / 40000.0F);
  values.push_back(0.1013F);
  const auto squared = [&](bool leastError) {
    double sum = 0;
    const Tensor tensor = constant({4001}, values);
    for (const float error : quantizationError(quantizeWeights(tensor, -1, leastError, {}), tensor))
      sum += static_cast<double>(error) * error;
    return sum;
  };
  CHECK(squared(true) < squared(false));
}

TEST_CASE("constants: their own range, with a zero point") {
  const Tensor result = quantizeConstant(constant({3}, {-1.0F, 0.0F, 1.55F}), false);
  CHECK(result.quant->scale[0] == doctest::Approx(0.01));
  CHECK(result.data->values<int8_t>() == std::vector<int8_t>{-128, -28, 127});
}
