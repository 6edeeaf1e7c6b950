// Searches, running sums, and operators with indices.
#include "RandomGenerator.h"

#include <algorithm>

namespace tigris::property {

std::optional<TensorId> Generator::extremes(TensorId x, size_t axis, bool keep) {
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  attrs.set("keepdims", int64_t{keep ? 1 : 0});
  attrs.set("select_last_index", random_.below(2));
  return add(oneOf({OpKind::ArgMax, OpKind::ArgMin}), {x}, attrs, sameQuant(x), 1);
}

TensorId Generator::constantIndices(const Shape& dims, int64_t limit) {
  std::vector<int64_t> values;
  for (int64_t i = dims.elements(); i > 0; --i)
    values.push_back(random_.below(limit));
  return graph_.addConstant("c", DType::Int64, dims, makeBlobOf(values));
}

void Generator::addCumSum(TensorId x) {
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(someAxis(x)));
  attrs.set("exclusive", random_.below(2));
  attrs.set("reverse", random_.below(2));
  add(OpKind::CumSum, {x}, attrs, sameQuant(x),
      magnitude_[x] * static_cast<double>(shape(x).elements()));
}

/// The indices are unused, or select the same elements again.
void Generator::addTopK(TensorId x) {
  const size_t axis = someAxis(x);
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  attrs.set("largest", random_.below(2));
  attrs.set("sorted", int64_t{1});
  attrs.set("K", random_.in(1, shape(x)[axis]));
  const std::optional<TensorId> values = add(OpKind::TopK, {x}, attrs, sameQuant(x), magnitude_[x]);
  if (!values || random_.percent(50))
    return;
  AttrMap same;
  same.set("axis", static_cast<int64_t>(axis));
  add(OpKind::GatherElements, {x, graph_.op(graph_.producer(*values)).outputs[1]}, same,
      sameQuant(x), magnitude_[x]);
}

void Generator::addGatherElements(TensorId x) {
  const size_t axis = someAxis(x);
  Shape dims = shape(x);
  for (size_t other = 0; other < dims.rank(); ++other)
    if (other == axis || random_.percent(20))
      dims[other] = random_.in(1, dims[other]);
  const std::optional<TensorId> indices =
      random_.percent(60) ? extremes(x, axis, true) : constantIndices(dims, shape(x)[axis]);
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  if (indices)
    add(OpKind::GatherElements, {x, *indices}, attrs, sameQuant(x), magnitude_[x]);
}

void Generator::addScatterElements(TensorId x) {
  const size_t axis = someAxis(x);
  Shape dims = shape(x);
  dims[axis] = 1;
  const std::optional<TensorId> indices =
      random_.percent(60) ? extremes(x, axis, true) : constantIndices(dims, shape(x)[axis]);
  if (!indices)
    return;
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  add(OpKind::ScatterElements, {x, *indices, constant(tensor(x).type, dims, tensor(x).quant)},
      attrs, sameQuant(x), magnitude_[x]);
}

/// Blocks of x, at the indices of the extremes of its first axis or at constants.
void Generator::addGatherNd(TensorId x) {
  std::optional<TensorId> indices = constantIndices({random_.in(1, 6), 1}, shape(x)[0]);
  if (random_.percent(50) && shape(x).rank() > 1 && shape(x).rank() < 4)
    indices = extremes(x, 0, false);
  if (!indices)
    return;
  if (!tensor(*indices).isConstant()) {
    std::vector<int64_t> tuples = shape(*indices).dims();
    tuples.push_back(1);
    AttrMap attrs;
    attrs.set("shape", tuples);
    indices = add(OpKind::Reshape, {*indices}, attrs, {}, 1);
  }
  if (indices)
    add(OpKind::GatherND, {x, *indices}, {}, sameQuant(x), magnitude_[x]);
}

void Generator::addScatterNd(TensorId x) {
  const auto depth = static_cast<size_t>(random_.in(1, size(shape(x).dims())));
  int64_t limit = shape(x)[0];
  for (size_t axis = 1; axis < depth; ++axis)
    limit = std::min(limit, shape(x)[axis]);
  const int64_t count = random_.in(1, 4);
  std::vector<int64_t> dims = {count};
  for (size_t axis = depth; axis < shape(x).rank(); ++axis)
    dims.push_back(shape(x)[axis]);
  add(OpKind::ScatterND,
      {x, constantIndices({count, static_cast<int64_t>(depth)}, limit),
       constant(tensor(x).type, Shape(dims), tensor(x).quant)},
      {}, sameQuant(x), magnitude_[x]);
}

void Generator::addIndexed(TensorId x) {
  using Family = void (Generator::*)(TensorId);
  (this->*oneOf<Family>({&Generator::addCumSum, &Generator::addTopK, &Generator::addGatherElements,
                         &Generator::addScatterElements, &Generator::addGatherNd,
                         &Generator::addScatterNd}))(x);
}

} // namespace tigris::property
