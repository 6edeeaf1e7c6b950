// Rearranges weights to the order in which kernels read them.
#pragma once

#include "tigris/IR/Shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tigris {

/// Copies row-major elements of `elementBytes` bytes such that result dimension i is source
/// dimension perm[i].
std::vector<uint8_t> permuteElements(std::span<const uint8_t> source, const Shape& shape,
                                     const std::vector<int64_t>& perm, size_t elementBytes);

/// A weight tensor in the file's layout.
struct WeightArray {
  std::vector<int32_t> dims;
  std::vector<uint8_t> bytes;
};

/// Position of the output channels in a convolution's weights in ONNX order.
enum class FilterOrder : uint8_t {
  OutputFirst, // Conv: [O, I/groups, KH, KW]
  InputFirst,  // ConvTranspose: [I, O/groups, KH, KW]
};

/// float32 -> [groups, KH, KW, I/groups, O/groups]; int8 -> [O, KH, KW, I/groups]. `shape` has 3 or
/// 4 dimensions; with 3, KW is 1.
WeightArray convWeights(std::span<const uint8_t> source, const Shape& shape, FilterOrder order,
                        int64_t groups, bool isFloat);

/// [O, 1, KH, KW] -> [KH, KW, O].
WeightArray depthwiseWeights(std::span<const uint8_t> source, const Shape& shape, bool isFloat);

/// float32 -> [K, N], int8 -> [N, K]. `shape` is [N, K] if `transposed`, otherwise [K, N].
WeightArray denseWeights(std::span<const uint8_t> source, const Shape& shape, bool transposed,
                         bool isFloat);

} // namespace tigris
