// What samples add to observations, in the model's order of axes and in another one, and how the
// agreement of two results is measured.
#include "tigris/Quantize/Calibration.h"

#include "PassTesting.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tigris;

namespace {

constexpr const char* ConvOfTwoChannels = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 1, 3]}
  - {name: w, type: float32, shape: [1, 2, 1, 1], const: true}
  - {name: "y", type: float32, shape: [1, 1, 1, 3]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: ["y"]}
blobs:
  - {name: w, values: [1, 2]}
)";

size_t indexOf(const Calibration& calibration, const Graph& graph, std::string_view name) {
  for (size_t i = 0; i < calibration.tensors().size(); ++i)
    if (graph.tensor(calibration.tensors()[i]).name == name)
      return i;
  FAIL("the tensor is not observed");
  return 0;
}

} // namespace

TEST_CASE("calibration: samples accumulate per tensor") {
  const Graph graph = parseGraph(ConvOfTwoChannels);
  Calibration calibration(graph, false);
  const size_t x = indexOf(calibration, graph, "x");
  calibration.add(x, std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{1, 2, 1, 3}, {});
  calibration.add(x, std::vector<float>{0, 0, 0, 0, -7, 0}, Shape{1, 2, 1, 3}, {});
  const TensorStatistics& seen = calibration.observations().at(calibration.tensors()[x]);
  CHECK(seen.count() == 12);
  CHECK(seen.zeros() == 5);
  CHECK(seen.min() == -7);
  CHECK(seen.max() == 6);
  CHECK(seen.channelMeans().empty());
}

TEST_CASE("calibration: channel means do not depend on the order of the stored axes") {
  const Graph graph = parseGraph(ConvOfTwoChannels);
  Calibration calibration(graph, true);
  const size_t x = indexOf(calibration, graph, "x");
  const TensorId id = calibration.tensors()[x];
  calibration.add(x, std::vector<float>{1, 2, 3, 40, 50, 60}, Shape{1, 2, 1, 3}, {});
  CHECK(calibration.observations().at(id).channelMeans() == std::vector<double>{2, 50});
  // The same values stored channels last.
  calibration.add(x, std::vector<float>{1, 40, 2, 50, 3, 60}, Shape{1, 1, 3, 2}, {0, 2, 3, 1});
  CHECK(calibration.observations().at(id).channelMeans() == std::vector<double>{2, 50});
}

TEST_CASE("agreement: signal to noise, and whether the largest element is the same") {
  OutputAgreement agreement;
  agreement.add(std::vector<double>{3, 4}, std::vector<double>{3, 4});
  CHECK(agreement.isExact());
  CHECK(agreement.sameLargest() == 1);
  // Noise 0.25 against a signal of 25 + 25: 10 log10(200).
  agreement.add(std::vector<double>{3, 4}, std::vector<double>{3.5, 4});
  CHECK_FALSE(agreement.isExact());
  CHECK(std::abs(agreement.decibels() - 23.0103) < 1e-4);
  // A tie counts if the largest element of the reference is among the largest.
  agreement.add(std::vector<double>{0, 1}, std::vector<double>{1, 1});
  agreement.add(std::vector<double>{0, 1}, std::vector<double>{1, 0});
  CHECK(agreement.sameLargest() == 3);
}
