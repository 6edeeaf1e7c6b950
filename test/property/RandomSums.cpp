// Convolutions, pools, reductions and products.
#include "RandomGenerator.h"

#include <algorithm>
#include <numeric>

namespace tigris::property {

Activation Generator::activation(AttrMap& attrs) {
  const auto act = oneOf(
      {Activation::None, Activation::None, Activation::Relu, Activation::Relu6, Activation::Clip});
  if (act == Activation::Clip) {
    attrs.set("act_min", -0.5);
    attrs.set("act_max", 0.75);
  }
  return act;
}

QuantParam Generator::weightQuant(int64_t channels, int axis) {
  if (random_.percent(40))
    return {{0.02F}, {random_.percent(30) ? static_cast<int32_t>(random_.in(-9, 9)) : 0}, -1};
  QuantParam quantized;
  const bool zeros = random_.percent(30);
  for (int64_t i = 0; i < channels; ++i) {
    quantized.scale.push_back(static_cast<float>(random_.in(1, 50)) / 1000);
    quantized.zeroPoint.push_back(zeros ? static_cast<int32_t>(random_.in(-9, 9)) : 0);
  }
  quantized.axis = axis;
  return quantized;
}

std::vector<int64_t> Generator::several(size_t count, int64_t first, int64_t last) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(random_.in(first, last));
  return values;
}

std::vector<int64_t> Generator::windowPads(const std::vector<int64_t>& kernel,
                                           const std::vector<int64_t>& dilations, bool zero) {
  std::vector<int64_t> pads;
  for (size_t i = 0; i < 2 * kernel.size(); ++i) {
    const size_t axis = i % kernel.size();
    const int64_t most = (kernel[axis] - 1) * dilations[axis];
    pads.push_back(zero ? 0 : random_.in(0, most + (random_.percent(3) ? 2 : 0)));
  }
  return pads;
}

void Generator::addBias(std::vector<TensorId>& inputs, int64_t channels) {
  if (random_.percent(60))
    inputs.push_back(constant(isFloat(inputs[0]) ? DType::Float32 : DType::Int32, {channels}));
}

void Generator::addConv(TensorId x) {
  const size_t rank = shape(x).rank();
  if (rank < 3)
    return;
  const int64_t in = shape(x).fromBack(0);
  int64_t groups = 1;
  if (const int64_t kind = random_.below(10); kind < 3)
    groups = in;
  else if (kind < 5)
    for (int64_t g = 2; g < in; ++g)
      groups = in % g == 0 ? g : groups;
  const int64_t out = groups == 1 ? random_.in(1, 10) : groups * random_.in(1, 3);
  const std::vector<int64_t> kernel = several(rank - 2, 1, random_.percent(20) ? 5 : 3);
  const std::vector<int64_t> strides = several(rank - 2, 1, random_.percent(20) ? 5 : 2);
  const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(25) ? 3 : 1);
  AttrMap attrs;
  attrs.set("strides", strides);
  attrs.set("dilations", dilations);
  attrs.set("pads", windowPads(kernel, dilations, random_.percent(30)));
  attrs.set("group", groups);
  Shape filter = {out, in / groups};
  std::vector<int64_t> dims = filter.dims();
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  std::vector<TensorId> inputs = {
      x, constant(tensor(x).type, Shape(dims),
                  isFloat(x) ? std::optional<QuantParam>() : weightQuant(out, 0))};
  addBias(inputs, out);
  const Activation act = activation(attrs);
  const OpKind kind = groups == in && in > 1 && rank == 4 ? OpKind::DepthwiseConv
                      : rank == 3                         ? OpKind::Conv1D
                                                          : OpKind::Conv;
  const int64_t depth =
      std::accumulate(dims.begin() + 1, dims.end(), int64_t{1}, std::multiplies<>());
  add(kind, inputs, attrs, quant(), magnitude_[x] * static_cast<double>(depth) / 2 + 1, act);
}

void Generator::addConvTranspose(TensorId x) {
  const size_t rank = shape(x).rank();
  if (rank < 3)
    return;
  const int64_t in = shape(x).fromBack(0);
  const int64_t groups = random_.percent(30) && in % 2 == 0 ? 2 : 1;
  const int64_t out = groups * random_.in(1, 6);
  const std::vector<int64_t> kernel = several(rank - 2, 1, 4);
  const std::vector<int64_t> strides = several(rank - 2, 1, 3);
  const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(25) ? 2 : 1);
  AttrMap attrs;
  attrs.set("strides", strides);
  attrs.set("dilations", dilations);
  std::vector<int64_t> pads = windowPads(kernel, dilations, random_.percent(40));
  for (int64_t& pad : pads)
    pad = std::min<int64_t>(pad, 2);
  attrs.set("pads", pads);
  if (random_.percent(30)) {
    std::vector<int64_t> extra;
    for (const int64_t stride : strides)
      extra.push_back(random_.in(0, stride - 1));
    attrs.set("output_padding", extra);
  }
  attrs.set("group", groups);
  std::vector<int64_t> dims = {in, out / groups};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  std::vector<TensorId> inputs = {
      x, constant(tensor(x).type, Shape(dims),
                  isFloat(x) ? std::optional<QuantParam>() : weightQuant(out / groups, 1))};
  addBias(inputs, out);
  const Activation act = activation(attrs);
  add(OpKind::ConvTranspose, inputs, attrs, quant(), magnitude_[x] * static_cast<double>(in) * 8,
      act);
}

void Generator::addPool(TensorId x) {
  const size_t rank = shape(x).rank();
  if (rank < 3)
    return;
  const OpKind kind = random_.percent(50) ? OpKind::MaxPool : OpKind::AveragePool;
  const std::vector<int64_t> kernel = several(rank - 2, 1, 4);
  const std::vector<int64_t> dilations = several(rank - 2, 1, random_.percent(20) ? 2 : 1);
  AttrMap attrs;
  attrs.set("kernel_shape", kernel);
  attrs.set("strides", several(rank - 2, 1, random_.percent(20) ? 5 : 3));
  attrs.set("dilations", dilations);
  attrs.set("pads", windowPads(kernel, dilations, random_.percent(30)));
  attrs.set("ceil_mode", random_.below(2));
  if (kind == OpKind::AveragePool)
    attrs.set("count_include_pad", random_.below(2));
  add(kind, {x}, attrs, sameQuant(x), magnitude_[x]);
}

void Generator::addGlobalPool(TensorId x) {
  if (shape(x).rank() < 3)
    return;
  const bool averages = random_.percent(75);
  add(averages ? OpKind::GlobalAveragePool : OpKind::GlobalMaxPool, {x}, {},
      averages && random_.percent(50) ? quant() : sameQuant(x), magnitude_[x]);
}

std::optional<TensorId> Generator::reduce(TensorId x, bool keep) {
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < shape(x).rank(); ++axis)
    if (random_.percent(45))
      axes.push_back(static_cast<int64_t>(axis) -
                     (random_.percent(30) ? size(shape(x).dims()) : 0));
  if (axes.empty())
    axes.push_back(-1);
  // Columns become rows.
  if (!keep && random_.percent(40))
    axes = {1};
  return reduceAlong(x, axes, keep);
}

std::optional<TensorId> Generator::reduceAlong(TensorId x, const std::vector<int64_t>& axes,
                                               bool keep) {
  const OpKind kind =
      isFloat(x)
          ? oneOf({OpKind::ReduceMean, OpKind::ReduceSum, OpKind::ReduceMax, OpKind::ReduceMin})
          : oneOf({OpKind::ReduceMean, OpKind::ReduceMax, OpKind::ReduceMin});
  AttrMap attrs;
  attrs.set("axes", axes);
  attrs.set("keepdims", int64_t{keep ? 1 : 0});
  const bool requantizes = kind == OpKind::ReduceMean && random_.percent(50);
  return add(kind, {x}, attrs, requantizes ? quant() : sameQuant(x),
             kind == OpKind::ReduceSum ? magnitude_[x] * static_cast<double>(shape(x).elements())
                                       : magnitude_[x]);
}

void Generator::addReduce(TensorId x) {
  const bool keep = random_.percent(60) || shape(x).rank() < 3;
  reduce(x, keep);
}

void Generator::addDense(TensorId x) {
  const int64_t depth = shape(x).fromBack(0);
  const int64_t out = random_.in(1, 24);
  const bool gemm = shape(x).rank() == 2 && random_.percent(70);
  const bool transposed = gemm && random_.percent(50);
  AttrMap attrs;
  if (gemm)
    attrs.set("transB", int64_t{transposed ? 1 : 0});
  const Shape dims = transposed ? Shape{out, depth} : Shape{depth, out};
  std::vector<TensorId> inputs = {
      x, constant(tensor(x).type, dims,
                  isFloat(x) ? std::optional<QuantParam>() : weightQuant(out, transposed ? 0 : 1))};
  Activation act = Activation::None;
  if (gemm) {
    addBias(inputs, out);
    act = activation(attrs);
  }
  add(gemm ? OpKind::Gemm : OpKind::MatMul, inputs, attrs, quant(),
      magnitude_[x] * static_cast<double>(depth), act);
}

void Generator::addProduct(TensorId x) {
  if (shape(x).rank() < 2)
    return;
  const double depth = static_cast<double>(shape(x).fromBack(0));
  const double magnitude = magnitude_[x] * magnitude_[x] * depth;
  if (shape(x).rank() == 2 && random_.percent(50)) {
    AttrMap attrs;
    attrs.set("transB", int64_t{1});
    add(OpKind::Gemm, {x, x}, attrs, quant(), magnitude);
    return;
  }
  std::vector<int64_t> perm(shape(x).rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  if (random_.percent(30) && shape(x).rank() > 2) {
    std::vector<int64_t> dims = permute(shape(x), perm).dims();
    dims.back() = random_.in(1, 6);
    if (random_.percent(50))
      dims[0] = 1;
    const TensorId factor =
        constant(tensor(x).type, Shape(dims),
                 isFloat(x) ? std::optional<QuantParam>() : std::optional(quant()));
    add(OpKind::MatMul, {x, factor}, {}, quant(), magnitude_[x] * depth);
    return;
  }
  AttrMap attrs;
  attrs.set("perm", perm);
  if (const auto other = add(OpKind::Transpose, {x}, attrs, sameQuant(x), magnitude_[x])) {
    if (random_.percent(50))
      add(OpKind::MatMul, {x, *other}, {}, quant(), magnitude);
    else
      add(OpKind::MatMul, {*other, x}, {}, quant(),
          magnitude_[x] * magnitude_[x] * static_cast<double>(shape(x).fromBack(1)));
  }
}

} // namespace tigris::property
