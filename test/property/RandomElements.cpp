// Element-wise operators, normalizations, and conversions between types.
#include "RandomGenerator.h"

#include <algorithm>

namespace tigris::property {

Shape Generator::broadcastable(const Shape& whole) {
  std::vector<int64_t> dims = whole.dims();
  switch (random_.below(5)) {
  case 0: // per channel
    for (size_t i = 0; i + 1 < dims.size(); ++i)
      dims[i] = 1;
    break;
  case 1:
    break;
  default:
    for (int64_t& dim : dims)
      dim = random_.percent(50) ? 1 : dim;
  }
  while (dims.size() > 1 && dims[0] == 1 && random_.percent(50))
    dims.erase(dims.begin());
  return Shape(dims);
}

TensorId Generator::partner(TensorId x) {
  const int64_t way = random_.below(10);
  if (way < 3)
    return constant(tensor(x).type, broadcastable(shape(x)),
                    isFloat(x) ? std::optional<QuantParam>() : quant());
  if (way < 5)
    return reduce(x, true).value_or(x);
  std::vector<TensorId> fitting;
  for (const TensorId id : known_)
    if (tensor(id).type == tensor(x).type && broadcast(shape(id), shape(x)))
      fitting.push_back(id);
  return fitting[static_cast<size_t>(random_.below(size(fitting)))];
}

void Generator::addBinary(TensorId x) {
  TensorId other = partner(x);
  OpKind kind = oneOf(
      {OpKind::Add, OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Mul, OpKind::Max, OpKind::Min});
  QuantParam result = quant();
  if (kind == OpKind::Max || kind == OpKind::Min) {
    result = sameQuant(x);
    if (!isFloat(x) && tensor(other).isConstant())
      graph_.editTensor(other).quant = result;
    else
      other = alike(other, result);
  }
  const double m = tensor(other).isConstant() ? 1 : magnitude_[other];
  const double magnitude = kind == OpKind::Mul ? magnitude_[x] * m : magnitude_[x] + m;
  AttrMap attrs;
  const bool clamps = kind != OpKind::Max && kind != OpKind::Min;
  const Activation act = clamps ? activation(attrs) : Activation::None;
  std::vector<TensorId> inputs = {x, other};
  if (random_.percent(40))
    std::swap(inputs[0], inputs[1]);
  add(kind, inputs, attrs, result, magnitude, act);
}

void Generator::addUnary(TensorId x) {
  const OpKind kind =
      oneOf({OpKind::Relu, OpKind::Relu6, OpKind::Clip, OpKind::LeakyRelu, OpKind::Sigmoid,
             OpKind::Tanh, OpKind::HardSwish, OpKind::Neg, OpKind::Abs, OpKind::Gelu});
  AttrMap attrs;
  if (kind == OpKind::Clip) {
    attrs.set("min", -0.25);
    attrs.set("max", 1.5);
  }
  add(kind, {x}, attrs, random_.percent(50) ? sameQuant(x) : quant(), magnitude_[x] + 1);
}

void Generator::addPerChannel(TensorId x) {
  if (!isFloat(x))
    return;
  const Shape channels = {shape(x).fromBack(0)};
  AttrMap attrs;
  if (random_.percent(50)) {
    const Activation act = activation(attrs);
    add(OpKind::BatchNorm,
        {x, constant(DType::Float32, channels), constant(DType::Float32, channels)}, attrs, {},
        magnitude_[x] + 1, act);
  } else {
    add(OpKind::PRelu, {x, constant(DType::Float32, broadcastable(shape(x)))}, {}, {},
        magnitude_[x]);
  }
}

void Generator::addNormalization(TensorId x) {
  AttrMap attrs;
  const int64_t axis = random_.in(-size(shape(x).dims()), size(shape(x).dims()) - 1);
  attrs.set("axis", axis);
  if (random_.percent(60) || !isFloat(x)) {
    add(isFloat(x) && random_.percent(30) ? OpKind::LogSoftmax : OpKind::Softmax, {x}, attrs,
        {{1.0F / 256}, {-128}, -1}, magnitude_[x] + 10);
    return;
  }
  const auto first = *normalizeAxis(axis, shape(x).rank());
  const Shape rest(
      std::vector<int64_t>(shape(x).begin() + static_cast<std::ptrdiff_t>(first), shape(x).end()));
  std::vector<TensorId> inputs = {x, constant(DType::Float32, rest)};
  if (random_.percent(60))
    inputs.push_back(constant(DType::Float32, rest));
  add(OpKind::LayerNormalization, inputs, attrs, {}, 50);
}

void Generator::addBorder(TensorId x) {
  if (isFloat(x))
    add(OpKind::QuantizeLinear, {x}, {}, quant(), 1);
  else if (random_.percent(60))
    add(OpKind::DequantizeLinear, {x}, {}, {}, 32);
  else
    add(OpKind::Requantize, {x}, {}, quant(), 1);
}

} // namespace tigris::property
