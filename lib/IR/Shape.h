// Static dimensions of a tensor. A scalar has rank 0 and one element; a dimension of 0 means no
// elements.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace tigris {

class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t axis) const { return dims_[axis]; }
  int64_t& operator[](size_t axis) { return dims_[axis]; }
  /// A dimension counted from the back: `fromBack(0)` is the last one.
  int64_t fromBack(size_t axis) const { return dims_[dims_.size() - 1 - axis]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }

  /// Product of the dimensions. It cannot overflow for shapes in a graph, which are checked against
  /// MaxElements; use checkedElements() for shapes from outside.
  int64_t elements() const;
  /// nullopt if a dimension is negative or the product of the positive ones exceeds MaxElements.
  std::optional<int64_t> checkedElements() const;
  /// Products of dimensions [0, axis) and [axis, rank).
  int64_t elementsBefore(size_t axis) const;
  int64_t elementsFrom(size_t axis) const;

  /// "[1, 3, 96, 96]".
  std::string str() const;

  bool operator==(const Shape& other) const = default;

  /// 2^40 elements: far above any model, and small enough for byte counts in int64.
  static constexpr int64_t MaxElements = int64_t{1} << 40;

private:
  std::vector<int64_t> dims_;
};

/// Converts ONNX's -rank..rank-1 to 0..rank-1; nullopt if outside.
std::optional<size_t> normalizeAxis(int64_t axis, size_t rank);

/// Numpy broadcasting of two shapes; nullopt if they do not match.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// out[i] = dims[perm[i]].
Shape permute(const Shape& shape, const std::vector<int64_t>& perm);

/// Row-major strides in elements.
std::vector<int64_t> rowMajorStrides(const Shape& shape);

} // namespace tigris
