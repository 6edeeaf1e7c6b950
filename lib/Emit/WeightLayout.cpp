// Every layout is a permutation of the axes of a suitably split shape.
#include "tigris/Emit/WeightLayout.h"

#include <cstring>

namespace tigris {

namespace {

template <typename Element>
void permuteInto(const uint8_t* source, uint8_t* target, const std::vector<int64_t>& dims,
                 const std::vector<int64_t>& strides) {
  const size_t rank = dims.size();
  std::vector<int64_t> index(rank, 0);
  int64_t offset = 0;
  for (;;) {
    const int64_t count = dims[rank - 1];
    const int64_t step = strides[rank - 1];
    for (int64_t i = 0; i < count; ++i, target += sizeof(Element))
      std::memcpy(target, source + static_cast<size_t>(offset + i * step) * sizeof(Element),
                  sizeof(Element));
    size_t axis = rank - 1;
    for (;;) {
      if (axis == 0)
        return;
      --axis;
      offset += strides[axis];
      if (++index[axis] < dims[axis])
        break;
      offset -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

std::vector<int32_t> narrow(const Shape& shape) {
  return std::vector<int32_t>(shape.begin(), shape.end());
}

size_t elementBytes(bool isFloat) { return isFloat ? sizeof(float) : sizeof(int8_t); }

} // namespace

std::vector<uint8_t> permuteElements(std::span<const uint8_t> source, const Shape& shape,
                                     const std::vector<int64_t>& perm, size_t elementBytes) {
  std::vector<uint8_t> result(source.size());
  if (shape.rank() == 0 || source.empty()) {
    result.assign(source.begin(), source.end());
    return result;
  }
  const std::vector<int64_t> sourceStrides = rowMajorStrides(shape);
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  for (const int64_t axis : perm) {
    dims.push_back(shape[static_cast<size_t>(axis)]);
    strides.push_back(sourceStrides[static_cast<size_t>(axis)]);
  }
  if (elementBytes == sizeof(uint8_t))
    permuteInto<uint8_t>(source.data(), result.data(), dims, strides);
  else
    permuteInto<uint32_t>(source.data(), result.data(), dims, strides);
  return result;
}

WeightArray convWeights(std::span<const uint8_t> source, const Shape& shape, FilterOrder order,
                        int64_t groups, bool isFloat) {
  const int64_t kh = shape[2];
  const int64_t kw = shape.rank() > 3 ? shape[3] : 1;
  const bool outputFirst = order == FilterOrder::OutputFirst;
  const int64_t outputs = outputFirst ? shape[0] / groups : shape[1]; // per group
  const int64_t inputs = outputFirst ? shape[1] : shape[0] / groups;
  const Shape split = {groups, shape[0] / groups, shape[1], kh, kw};
  const int64_t outputAxis = outputFirst ? 1 : 2;
  const int64_t inputAxis = 3 - outputAxis;
  WeightArray result;
  if (isFloat) {
    result.dims = narrow({groups, kh, kw, inputs, outputs});
    result.bytes = permuteElements(source, split, {0, 3, 4, inputAxis, outputAxis}, sizeof(float));
  } else {
    result.dims = narrow({groups * outputs, kh, kw, inputs});
    result.bytes = permuteElements(source, split, {0, outputAxis, 3, 4, inputAxis}, sizeof(int8_t));
  }
  return result;
}

WeightArray depthwiseWeights(std::span<const uint8_t> source, const Shape& shape, bool isFloat) {
  const int64_t kw = shape.rank() > 3 ? shape[3] : 1;
  const Shape split = {shape[0], shape[2], kw};
  return {narrow({shape[2], kw, shape[0]}),
          permuteElements(source, split, {1, 2, 0}, elementBytes(isFloat))};
}

WeightArray denseWeights(std::span<const uint8_t> source, const Shape& shape, bool transposed,
                         bool isFloat) {
  // float32 uses [K, N], int8 [N, K]
  const bool flip = transposed == isFloat;
  const Shape dims = flip ? Shape{shape[1], shape[0]} : shape;
  const std::vector<int64_t> perm = flip ? std::vector<int64_t>{1, 0} : std::vector<int64_t>{0, 1};
  return {narrow(dims), permuteElements(source, shape, perm, elementBytes(isFloat))};
}

} // namespace tigris
