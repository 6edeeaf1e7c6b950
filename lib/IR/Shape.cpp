// Shape arithmetic with overflow-checked products.
#include "tigris/IR/Shape.h"

#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

int64_t product(const std::vector<int64_t>& dims, size_t first, size_t last) {
  int64_t result = 1;
  for (size_t i = first; i < last; ++i)
    result *= dims[i];
  return result;
}

} // namespace

int64_t Shape::elements() const { return product(dims_, 0, dims_.size()); }
int64_t Shape::elementsBefore(size_t axis) const { return product(dims_, 0, axis); }
int64_t Shape::elementsFrom(size_t axis) const { return product(dims_, axis, dims_.size()); }

std::optional<int64_t> Shape::checkedElements() const {
  int64_t product = 1;
  bool empty = false;
  for (const int64_t dim : dims_) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
    const auto next = checkedMul(product, std::max(dim, int64_t{1}));
    if (!next || *next > MaxElements)
      return std::nullopt;
    product = *next;
  }
  return empty ? 0 : product;
}

std::string Shape::str() const { return "[" + join(dims_, ", ") + "]"; }

std::optional<size_t> normalizeAxis(int64_t axis, size_t rank) {
  const auto signedRank = static_cast<int64_t>(rank);
  if (axis < -signedRank || axis >= signedRank)
    return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signedRank : axis);
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.rank() ? a.fromBack(i) : 1;
    const int64_t y = i < b.rank() ? b.fromBack(i) : 1;
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    dims[rank - 1 - i] = x == 1 ? y : x;
  }
  return Shape(std::move(dims));
}

Shape permute(const Shape& shape, const std::vector<int64_t>& perm) {
  std::vector<int64_t> dims;
  dims.reserve(perm.size());
  for (const int64_t axis : perm)
    dims.push_back(shape[static_cast<size_t>(axis)]);
  return Shape(std::move(dims));
}

std::vector<int64_t> rowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

} // namespace tigris
