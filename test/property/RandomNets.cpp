// Blocks of convolutional networks, which random single operators rarely form.
#include "RandomGenerator.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tigris::property {

Shape Generator::netShape() {
  const int64_t batch = random_.percent(85) ? 1 : random_.in(2, 3);
  if (random_.percent(30))
    return {batch, random_.in(8, 60), random_.in(2, 24)};
  return {batch, random_.in(6, 24), random_.percent(85) ? random_.in(2, 12) : 1, random_.in(1, 8)};
}

void Generator::addWindow(TensorId x, int64_t stride) {
  const size_t rank = shape(x).rank();
  if (rank < 3)
    return;
  std::vector<int64_t> kernel = several(rank - 2, 1, 4);
  kernel[0] = random_.percent(70) ? 3 : kernel[0];
  const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(25) ? 3 : 1);
  // The padding that keeps the size, but not always symmetric.
  std::vector<int64_t> pads(2 * kernel.size());
  for (size_t axis = 0; axis < kernel.size(); ++axis) {
    const int64_t both = (kernel[axis] - 1) * dilations[axis];
    pads[axis] = random_.percent(60) ? both / 2 : random_.in(0, both);
    pads[axis + kernel.size()] = both - pads[axis];
  }
  AttrMap attrs;
  attrs.set("strides", std::vector<int64_t>(kernel.size(), stride));
  attrs.set("dilations", dilations);
  attrs.set("pads", pads);
  if (random_.percent(30)) {
    attrs.set("kernel_shape", kernel);
    add(random_.percent(60) ? OpKind::MaxPool : OpKind::AveragePool, {x}, attrs, sameQuant(x),
        magnitude_[x]);
    return;
  }
  const int64_t channels = shape(x).fromBack(0);
  const bool isDepthwise = random_.percent(60) && channels > 1;
  const int64_t out = isDepthwise ? channels : random_.in(1, 8);
  attrs.set("group", isDepthwise ? channels : 1);
  std::vector<int64_t> dims = {out, isDepthwise ? 1 : channels};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  const int64_t depth =
      std::accumulate(dims.begin() + 1, dims.end(), int64_t{1}, std::multiplies<>());
  addFiltered(x, isDepthwise, dims, attrs, static_cast<double>(depth));
}

std::optional<TensorId> Generator::addPointwise(TensorId x, int64_t channels) {
  const size_t rank = shape(x).rank();
  AttrMap attrs;
  attrs.set("group", int64_t{1});
  std::vector<int64_t> dims(rank, 1);
  dims[0] = channels;
  dims[1] = shape(x).fromBack(0);
  return addFiltered(x, false, dims, attrs, static_cast<double>(dims[1]));
}

std::optional<TensorId> Generator::addFiltered(TensorId x, bool isDepthwise,
                                               const std::vector<int64_t>& dims, AttrMap attrs,
                                               double depth) {
  const size_t rank = shape(x).rank();
  if (rank < 3)
    return std::nullopt;
  std::vector<TensorId> inputs = {
      x, constant(tensor(x).type, Shape(dims),
                  isFloat(x) ? std::optional<QuantParam>() : weightQuant(dims[0], 0))};
  addBias(inputs, dims[0]);
  const Activation act = activation(attrs);
  const OpKind kind = rank == 3                  ? OpKind::Conv1D
                      : isDepthwise && rank == 4 ? OpKind::DepthwiseConv
                                                 : OpKind::Conv;
  return add(kind, inputs, attrs, quant(), magnitude_[x] * depth / 2 + 1, act);
}

std::optional<TensorId> Generator::addMean(TensorId x) {
  const size_t rank = shape(x).rank();
  if (rank > 2 && random_.percent(50))
    return add(OpKind::GlobalAveragePool, {x}, {}, random_.percent(50) ? quant() : sameQuant(x),
               magnitude_[x]);
  if (rank < 2)
    return std::nullopt;
  // Over rows, columns, or both; the axes after them move up or stay.
  std::vector<int64_t> axes = {1};
  if (rank > 3 && random_.percent(50))
    axes = random_.percent(70) ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{2};
  return reduceAlong(x, axes, random_.percent(75));
}

void Generator::addExcitation(TensorId x) {
  if (shape(x).rank() < 3)
    return;
  const int64_t channels = shape(x).fromBack(0);
  std::optional<TensorId> gate = add(OpKind::GlobalAveragePool, {x}, {},
                                     random_.percent(50) ? quant() : sameQuant(x), magnitude_[x]);
  if (gate && random_.percent(50))
    gate = addPointwise(*gate, random_.in(1, 4));
  if (gate)
    gate = addPointwise(*gate, channels);
  if (gate)
    gate = add(OpKind::Sigmoid, {*gate}, {}, {{1.0F / 256}, {-128}, -1}, 1);
  if (gate)
    add(OpKind::Mul, {x, *gate}, {}, quant(), magnitude_[x]);
}

void Generator::addBranches(TensorId x) {
  if (shape(x).rank() < 3)
    return;
  // Branches may differ in length: the shorter ones wait for the longest.
  std::vector<TensorId> ends;
  for (int64_t branch = random_.in(2, 3); branch > 0; --branch) {
    TensorId at = x;
    for (int64_t length = random_.in(0, 3); length > 0; --length) {
      addWindow(at, 1);
      if (shape(known_.back()).rank() == shape(x).rank())
        at = known_.back();
    }
    ends.push_back(at);
  }
  joinAll(ends);
}

void Generator::addAttention(TensorId x) {
  if (shape(x).rank() != 3)
    return;
  AttrMap attrs;
  attrs.set("perm", std::vector<int64_t>{0, 2, 1});
  const double depth = static_cast<double>(shape(x).fromBack(0));
  const auto keys = add(OpKind::Transpose, {x}, attrs, sameQuant(x), magnitude_[x]);
  const auto scores =
      keys ? add(OpKind::MatMul, {x, *keys}, {}, quant(), magnitude_[x] * magnitude_[x] * depth)
           : std::nullopt;
  attrs = {};
  attrs.set("axis", int64_t{2});
  const auto weights =
      scores ? add(OpKind::Softmax, {*scores}, attrs, {{1.0F / 256}, {-128}, -1}, 1) : std::nullopt;
  if (weights)
    add(OpKind::MatMul, {*weights, x}, {}, quant(), magnitude_[x]);
}

void Generator::joinAll(std::vector<TensorId> parts) {
  const Shape first = shape(parts[0]);
  const auto axis = random_.percent(70) ? first.rank() - 1 : random_.in(1, size(first.dims()) - 1);
  const auto fits = [&](TensorId id) {
    Shape expected = first;
    if (shape(id).rank() != first.rank() || tensor(id).type != tensor(parts[0]).type)
      return false;
    expected[static_cast<size_t>(axis)] = shape(id)[static_cast<size_t>(axis)];
    return shape(id) == expected;
  };
  std::vector<TensorId> inputs;
  double magnitude = 0;
  for (const TensorId id : parts)
    if (fits(id)) {
      inputs.push_back(alike(id, tensor(parts[0]).quant));
      magnitude = std::max(magnitude, magnitude_[id]);
    }
  AttrMap attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  if (inputs.size() > 1 && shape(inputs[0]) == shape(inputs[1]) && random_.percent(40))
    add(OpKind::Add, {inputs[0], inputs[1]}, {}, quant(), 2 * magnitude);
  else
    add(OpKind::Concat, inputs, attrs, sameQuant(inputs[0]), magnitude);
}

void Generator::addLateJoin(TensorId x) {
  std::vector<TensorId> fitting;
  for (const TensorId id : known_)
    if (id != x && tensor(id).type == tensor(x).type && shape(id).rank() == shape(x).rank() &&
        shape(id)[1] == shape(x)[1])
      fitting.push_back(id);
  if (fitting.empty())
    return;
  // Prefers an early one.
  const auto at = std::min(random_.below(size(fitting)), random_.below(size(fitting)));
  joinAll({x, fitting[static_cast<size_t>(at)]});
}

void Generator::addChannelMove(TensorId x) {
  const size_t last = shape(x).rank() - 1;
  const int64_t channels = shape(x)[last];
  if (channels < 2)
    return;
  AttrMap attrs;
  if (random_.percent(50)) { // shuffled, with some duplicates
    std::vector<int64_t> order;
    const int64_t groups = random_.in(2, channels);
    for (int64_t i = 0; i < channels; ++i)
      order.push_back(i * groups % channels);
    const TensorId indices = graph_.addConstant("c", DType::Int64, {channels}, makeBlobOf(order));
    attrs.set("axis", static_cast<int64_t>(last));
    add(OpKind::Gather, {x, indices}, attrs, sameQuant(x), magnitude_[x]);
    return;
  }
  // Two parts, of which only the last is processed further; they are joined soon, late or never.
  const int64_t middle = random_.in(1, channels - 1);
  std::vector<TensorId> parts;
  for (const auto& [begin, end] : {std::pair(int64_t{0}, middle), std::pair(middle, channels)}) {
    AttrMap part;
    part.set("starts", std::vector<int64_t>{begin});
    part.set("ends", std::vector<int64_t>{end});
    part.set("axes", std::vector<int64_t>{static_cast<int64_t>(last)});
    part.set("steps", std::vector<int64_t>{random_.percent(80) ? 1 : 2});
    if (const auto id = add(OpKind::Slice, {x}, part, sameQuant(x), magnitude_[x]))
      parts.push_back(*id);
  }
  if (parts.size() == 2 && random_.percent(60)) {
    addWindow(parts[1], 1);
    joinAll({known_.back(), parts[0]});
  }
}

void Generator::addNetOp() {
  const TensorId x = orConstant(random_.percent(85) ? known_.back() : pick());
  if (shape(x).rank() < 3)
    return addRandomOp();
  const int64_t kind = random_.below(100);
  if (kind < 38)
    addWindow(x, random_.percent(85) ? 1 : 2);
  else if (kind < 46)
    addPointwise(x, random_.in(1, 12));
  else if (kind < 54)
    addExcitation(x);
  else if (kind < 64)
    addBranches(x);
  else if (kind < 74)
    addLateJoin(x);
  else if (kind < 82)
    addChannelMove(x);
  else if (kind < 87)
    addMean(x);
  else if (kind < 90)
    addAttention(x);
  else if (kind < 93)
    addUnary(x);
  else
    addRandomOp();
}

} // namespace tigris::property
