// Layouts of weights.
#include "tigris/Emit/WeightLayout.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace tigris;

namespace {

std::vector<uint8_t> countUp(size_t count) {
  std::vector<uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

} // namespace

TEST_CASE("permuting moves whole elements") {
  CHECK(permuteElements(countUp(6), Shape{2, 3}, {1, 0}, 1) ==
        std::vector<uint8_t>{0, 3, 1, 4, 2, 5});
  CHECK(permuteElements(countUp(16), Shape{2, 2}, {1, 0}, 4) ==
        std::vector<uint8_t>{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15});
  CHECK(permuteElements(countUp(1), Shape{}, {}, 1) == countUp(1));
}

TEST_CASE("int8 filters: output channel first, input channel innermost") {
  // [O=2, I=3, KH=1, KW=2] -> [2, 1, 2, 3]
  const WeightArray w =
      convWeights(countUp(12), Shape{2, 3, 1, 2}, FilterOrder::OutputFirst, 1, false);
  CHECK(w.dims == std::vector<int32_t>{2, 1, 2, 3});
  CHECK(w.bytes == std::vector<uint8_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11});
}

TEST_CASE("filters of one dimension have a width of 1") {
  const WeightArray w =
      convWeights(countUp(12), Shape{2, 3, 2}, FilterOrder::OutputFirst, 1, false);
  CHECK(w.dims == std::vector<int32_t>{2, 2, 1, 3});
  CHECK(w.bytes == std::vector<uint8_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11});
}

TEST_CASE("float filters: groups first, output channel innermost") {
  // [O=4, I/2=1, KH=1, KW=2] in 2 groups -> [2, 1, 2, 1, 2]
  const WeightArray w =
      convWeights(countUp(32), Shape{4, 1, 1, 2}, FilterOrder::OutputFirst, 2, true);
  CHECK(w.dims == std::vector<int32_t>{2, 1, 2, 1, 2});
  std::vector<int> first;
  for (size_t i = 0; i < w.bytes.size(); i += 4)
    first.push_back(w.bytes[i] / 4);
  CHECK(first == std::vector<int>{0, 2, 1, 3, 4, 6, 5, 7});
}

TEST_CASE("filters of transposed convolutions start with the input channel") {
  // [I=2, O=3, 1, 1], one group -> int8 [3, 1, 1, 2]
  const WeightArray w =
      convWeights(countUp(6), Shape{2, 3, 1, 1}, FilterOrder::InputFirst, 1, false);
  CHECK(w.dims == std::vector<int32_t>{3, 1, 1, 2});
  CHECK(w.bytes == std::vector<uint8_t>{0, 3, 1, 4, 2, 5});
  // [I=4, O/2=1, 1, 1] in 2 groups: each output channel reads two inputs
  const WeightArray g =
      convWeights(countUp(4), Shape{4, 1, 1, 1}, FilterOrder::InputFirst, 2, false);
  CHECK(g.dims == std::vector<int32_t>{2, 1, 1, 2});
  CHECK(g.bytes == countUp(4));
}

TEST_CASE("depthwise filters: channel innermost") {
  const WeightArray w = depthwiseWeights(countUp(8), Shape{2, 1, 2, 2}, false);
  CHECK(w.dims == std::vector<int32_t>{2, 2, 2});
  CHECK(w.bytes == std::vector<uint8_t>{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("dense weights: [K, N] in float32, [N, K] in int8") {
  CHECK(denseWeights(countUp(6), Shape{2, 3}, true, false).bytes == countUp(6));
  CHECK(denseWeights(countUp(6), Shape{2, 3}, false, false).bytes ==
        std::vector<uint8_t>{0, 3, 1, 4, 2, 5});
  CHECK(denseWeights(countUp(24), Shape{2, 3}, true, true).dims == std::vector<int32_t>{3, 2});
  CHECK(denseWeights(countUp(24), Shape{3, 2}, false, true).bytes == countUp(24));
}
