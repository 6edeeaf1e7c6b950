// Orders the elements of weights as the kernels read them.
#pragma once

#include "tigris/IR/Shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tigris {

/// Copies row-major elements of `elementBytes` bytes so that result dimension i is source dimension
/// perm[i].
std::vector<uint8_t> permuteElements(std::span<const uint8_t> source, const Shape& shape,
                                     const std::vector<int64_t>& perm, size_t elementBytes);

/// A weight tensor of the file.
struct WeightArray {
  std::vector<int32_t> dims;
  std::vector<uint8_t> bytes;
};

/// Where the output channels of a convolution's weights are in ONNX order.
enum class FilterOrder : uint8_t {
  OutputFirst, // Conv: [O, I/groups, KH, KW]
  InputFirst,  // ConvTranspose: [I, O/groups, KH, KW]
};

/// float32 -> [groups, KH, KW, I/groups, O/groups]; int8 -> [O, KH, KW, I/groups]. `shape` has 3 or 4
/// dimensions; with 3, KW is 1.
WeightArray convWeights(std::span<const uint8_t> source, const Shape& shape, FilterOrder order,
                        int64_t groups, bool isFloat);

/// [O, 1, KH, KW] -> [KH, KW, O].
WeightArray depthwiseWeights(std::span<const uint8_t> source, const Shape& shape, bool isFloat);

/// float32 -> [K, N], int8 -> [N, K]. `shape` is [N, K] when `transposed`, [K, N] otherwise.
WeightArray denseWeights(std::span<const uint8_t> source, const Shape& shape, bool transposed,
                         bool isFloat);

} // namespace tigris
