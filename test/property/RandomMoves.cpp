// Data-movement operators.
#include "RandomGenerator.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tigris::property {

void Generator::addResize(TensorId x) {
  const size_t rank = shape(x).rank();
  if (rank != 3 && rank != 4)
    return;
  Shape target = shape(x);
  for (size_t axis = 1; axis + 1 < rank; ++axis)
    target[axis] = random_.in(1, 2 * target[axis] + 1);
  AttrMap attrs;
  attrs.set("sizes", target.dims());
  attrs.set("mode", isFloat(x) ? oneOf<std::string>({"nearest", "linear", "cubic"})
                               : oneOf<std::string>({"nearest", "linear"}));
  attrs.set("coordinate_transformation_mode",
            oneOf<std::string>({"half_pixel", "align_corners", "asymmetric"}));
  attrs.set("nearest_mode", oneOf<std::string>({"floor", "round_prefer_floor", "ceil"}));
  add(OpKind::Resize, {x}, attrs, sameQuant(x), magnitude_[x] * 3);
}

void Generator::addPad(TensorId x) {
  const std::string mode = oneOf<std::string>({"constant", "edge", "reflect"});
  const size_t rank = shape(x).rank();
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < pads.size(); ++i)
    if (random_.percent(45))
      pads[i] = std::min<int64_t>(random_.in(1, 5), mode == "reflect" ? shape(x)[i % rank] - 1 : 5);
  AttrMap attrs;
  attrs.set("pads", pads);
  attrs.set("mode", mode);
  if (mode == "constant" && random_.percent(50))
    attrs.set("value", 0.5);
  add(OpKind::Pad, {x}, attrs, sameQuant(x), magnitude_[x] + 1);
}

void Generator::addConcat(TensorId x) {
  const int64_t axis = random_.below(size(shape(x).dims()));
  std::vector<TensorId> inputs = {x};
  const int64_t count = random_.in(1, 3);
  for (int tries = 0; tries < 20 && size(inputs) <= count; ++tries) {
    const TensorId other = known_[static_cast<size_t>(random_.below(size(known_)))];
    Shape expected = shape(x);
    if (tensor(other).type != tensor(x).type || shape(other).rank() != expected.rank())
      continue;
    expected[static_cast<size_t>(axis)] = shape(other)[static_cast<size_t>(axis)];
    if (shape(other) == expected)
      inputs.push_back(alike(other, tensor(x).quant));
  }
  if (random_.percent(25)) {
    Shape dims = shape(x);
    dims[static_cast<size_t>(axis)] = random_.in(1, 3);
    inputs.push_back(constant(tensor(x).type, dims, tensor(x).quant));
  }
  double magnitude = 1;
  for (const TensorId id : inputs)
    magnitude = std::max(magnitude, magnitude_[id]);
  if (random_.percent(40))
    std::reverse(inputs.begin(), inputs.end());
  AttrMap attrs;
  attrs.set("axis", axis);
  add(OpKind::Concat, inputs, attrs, sameQuant(x), magnitude);
}

void Generator::addSlice(TensorId x) {
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  std::vector<int64_t> axes;
  std::vector<int64_t> steps;
  for (size_t axis = 0; axis < shape(x).rank(); ++axis) {
    if (random_.percent(45))
      continue;
    const int64_t dim = shape(x)[axis];
    const int64_t a = random_.in(0, dim - 1);
    const int64_t b = random_.in(0, dim - 1);
    const int64_t step = random_.percent(60) ? 1 : random_.in(1, 3);
    axes.push_back(static_cast<int64_t>(axis));
    if (random_.percent(30)) { // backward, down to and including the smaller one
      starts.push_back(std::max(a, b));
      ends.push_back(std::min(a, b) - 1 < 0 ? INT64_MIN : std::min(a, b) - 1);
      steps.push_back(-step);
    } else {
      starts.push_back(std::min(a, b));
      ends.push_back(std::max(a, b) + 1);
      steps.push_back(step);
    }
  }
  if (axes.empty())
    return;
  AttrMap attrs;
  attrs.set("starts", starts);
  attrs.set("ends", ends);
  attrs.set("axes", axes);
  attrs.set("steps", steps);
  add(OpKind::Slice, {x}, attrs, sameQuant(x), magnitude_[x]);
}

void Generator::addTranspose(TensorId x) {
  std::vector<int64_t> perm(shape(x).rank());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1], perm[static_cast<size_t>(random_.below(static_cast<int64_t>(i)))]);
  AttrMap attrs;
  attrs.set("perm", perm);
  add(OpKind::Transpose, {x}, attrs, sameQuant(x), magnitude_[x]);
}

void Generator::addReshape(TensorId x) {
  std::vector<int64_t> dims = shape(x).dims();
  const auto at = static_cast<size_t>(random_.below(size(dims)));
  if (dims.size() > 2 && random_.percent(50)) {
    const size_t left = std::min(at, dims.size() - 2);
    dims[left] *= dims[left + 1];
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(left) + 1);
  } else if (dims.size() < 5) {
    int64_t factor = 1;
    for (const int64_t f : {2, 3, 5})
      factor = dims[at] % f == 0 ? f : factor;
    dims[at] /= factor;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), factor);
  }
  AttrMap attrs;
  attrs.set("shape", dims);
  add(OpKind::Reshape, {x}, attrs, sameQuant(x), magnitude_[x]);
}

void Generator::addGather(TensorId x) {
  const int64_t axis = random_.below(size(shape(x).dims()));
  std::vector<int64_t> values;
  for (int64_t i = random_.in(1, 6); i > 0; --i)
    values.push_back(random_.below(shape(x)[static_cast<size_t>(axis)]));
  const TensorId indices =
      graph_.addConstant("c", DType::Int64, {size(values)}, makeBlobOf(values));
  AttrMap attrs;
  attrs.set("axis", axis);
  add(OpKind::Gather, {x, indices}, attrs, sameQuant(x), magnitude_[x]);
}

} // namespace tigris::property
