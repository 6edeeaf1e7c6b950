// Lowers quantized operators to DequantizeLinear, operator, QuantizeLinear, the form that the rest
// of the compiler handles.
//
//   y = QLinearConv(x, x_scale, x_zero_point, w, ..., y_scale, y_zero_point, bias)
//     becomes
//   y = Quantize(Conv(Dequantize(x), Dequantize(w), Dequantize(bias, x_scale * w_scale)))
//
// A bias has no scale of its own in ONNX; its unit is the product of the other two scales.
#include "tigris/Import/Onnx/OnnxOps.h"

#include <map>

namespace tigris {

namespace {

/// x, scale, zero point at inputs first, first + 1, first + 2; per channel along `axis`.
Expected<TensorId> real(NodeContext& node, size_t first, std::string_view suffix,
                        std::optional<int64_t> axis = std::nullopt) {
  if (!node.input(first) || !node.input(first + 1))
    return node.refuse(DiagId::BadArity, "input ", node.input(first) ? first + 1 : first,
                       " is missing");
  AttrMap attrs;
  if (axis && node.tensor(node.input(first + 1)).elements() > 1)
    attrs.set("axis", *axis);
  return node.step(suffix, OpKind::DequantizeLinear,
                   {node.input(first), node.input(first + 1), node.input(first + 2)}, attrs);
}

/// The int32 bias at input `index`, in units of factor * x_scale * w_scale.
Expected<TensorId> realBias(NodeContext& node, size_t index, size_t xScale, size_t wScale,
                            float factor) {
  const BlobRef xBlob = node.valueOf(node.input(xScale));
  const BlobRef wBlob = node.valueOf(node.input(wScale));
  if (xBlob == nullptr || wBlob == nullptr || xBlob->size() != sizeof(float))
    return node.unsupported("its scales must be constants");
  const float scale = xBlob->values<float>()[0] * factor;
  std::vector<float> scales = wBlob->values<float>();
  for (float& value : scales)
    value *= scale;
  const bool perChannel = scales.size() > 1;
  const Shape shape = perChannel ? Shape{static_cast<int64_t>(scales.size())} : Shape();
  const TensorId product = node.constant("bias_scale", DType::Float32, shape, makeBlobOf(scales));
  AttrMap attrs;
  if (perChannel)
    attrs.set("axis", int64_t{0});
  return node.step("real_bias", OpKind::DequantizeLinear, {node.input(index), product}, attrs);
}

/// Quantizes `result` with the scale and zero point at inputs `scale` and `scale + 1`.
Status quantized(NodeContext& node, const Expected<TensorId>& result, size_t scale) {
  if (!result)
    return result.error();
  if (!node.input(scale))
    return node.refuse(DiagId::BadArity, "input ", scale, " is missing");
  return node.finish(OpKind::QuantizeLinear, {*result, node.input(scale), node.input(scale + 1)});
}

Status conv(NodeContext& node) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Conv, {"channels_last"});
  if (!attrs)
    return attrs.takeError();
  Expected<int64_t> channelsLast = node.intAttr("channels_last", 0);
  if (!channelsLast)
    return channelsLast.takeError();
  if (*channelsLast != 0)
    return node.unsupported("channels_last = ", *channelsLast, " is not supported, only 0 is");
  Expected<TensorId> x = real(node, 0, "real_x");
  if (!x)
    return x.takeError();
  Expected<TensorId> w = real(node, 3, "real_w", 0);
  if (!w)
    return w.takeError();
  std::vector<TensorId> inputs = {*x, *w};
  if (node.input(8)) {
    Expected<TensorId> bias = realBias(node, 8, 1, 4, 1);
    if (!bias)
      return bias.takeError();
    inputs.push_back(*bias);
  }
  return quantized(node, node.step("real", OpKind::Conv, inputs, *attrs), 6);
}

Status matMul(NodeContext& node) {
  Expected<TensorId> a = real(node, 0, "real_a");
  if (!a)
    return a.takeError();
  Expected<TensorId> b = real(node, 3, "real_b", -1);
  if (!b)
    return b.takeError();
  return quantized(node, node.step("real", OpKind::MatMul, {*a, *b}), 6);
}

Status gemm(NodeContext& node) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Gemm);
  if (!attrs)
    return attrs.takeError();
  Expected<TensorId> a = real(node, 0, "real_a");
  if (!a)
    return a.takeError();
  Expected<TensorId> b = real(node, 3, "real_b", attrs->getInt("transB") != 0 ? 0 : 1);
  if (!b)
    return b.takeError();
  std::vector<TensorId> inputs = {*a, *b};
  if (node.input(6)) {
    Expected<TensorId> c = realBias(node, 6, 1, 4, static_cast<float>(attrs->getFloat("alpha", 1)));
    if (!c)
      return c.takeError();
    inputs.push_back(*c);
  }
  if (!node.input(7)) // without an output scale the result is real
    return node.finish(OpKind::Gemm, inputs, *attrs);
  return quantized(node, node.step("real", OpKind::Gemm, inputs, *attrs), 7);
}

Status binary(NodeContext& node, OpKind kind) {
  Expected<TensorId> a = real(node, 0, "real_a");
  if (!a)
    return a.takeError();
  Expected<TensorId> b = real(node, 3, "real_b");
  if (!b)
    return b.takeError();
  return quantized(node, node.step("real", kind, {*a, *b}), 6);
}
Status add(NodeContext& node) { return binary(node, OpKind::Add); }
Status mul(NodeContext& node) { return binary(node, OpKind::Mul); }

/// Inputs: x, x_scale, x_zero_point, y_scale, y_zero_point.
Status unary(NodeContext& node, OpKind kind) {
  Expected<int64_t> channelsLast = node.intAttr("channels_last", 0);
  if (!channelsLast)
    return channelsLast.takeError();
  if (*channelsLast != 0)
    return node.unsupported("channels_last = ", *channelsLast, " is not supported, only 0 is");
  Expected<AttrMap> attrs = node.attrsFor(kind, {"channels_last"});
  if (!attrs)
    return attrs.takeError();
  Expected<TensorId> x = real(node, 0, "real_x");
  if (!x)
    return x.takeError();
  return quantized(node, node.step("real", kind, {*x}, *attrs), 3);
}
Status sigmoid(NodeContext& node) { return unary(node, OpKind::Sigmoid); }
Status leakyRelu(NodeContext& node) { return unary(node, OpKind::LeakyRelu); }
Status averagePool(NodeContext& node) { return unary(node, OpKind::AveragePool); }
Status globalAveragePool(NodeContext& node) { return unary(node, OpKind::GlobalAveragePool); }
Status reduceMean(NodeContext& node) { return unary(node, OpKind::ReduceMean); }

Status qlinearSoftmax(NodeContext& node) {
  Expected<int64_t> opset = node.intAttr("opset", 13);
  if (!opset)
    return opset.takeError();
  Expected<int64_t> axis = node.intAttr("axis", *opset < 13 ? 1 : -1);
  if (!axis)
    return axis.takeError();
  Expected<TensorId> x = real(node, 0, "real_x");
  if (!x)
    return x.takeError();
  if (*opset >= 13)
    return quantized(node, node.step("real", OpKind::Softmax, {*x}, {{"axis", *axis}}), 3);
  Expected<PendingOp> last = flatSoftmax(node, OpKind::Softmax, *x, *axis);
  if (!last)
    return last.takeError();
  return quantized(node, node.step("real", last->kind, last->inputs, last->attrs), 3);
}

/// Inputs: y_scale, y_zero_point, then x, scale, zero point of every part.
Status concat(NodeContext& node) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Concat);
  if (!attrs)
    return attrs.takeError();
  std::vector<TensorId> parts;
  for (size_t i = 2; i < node.inputCount(); i += 3) {
    Expected<TensorId> part = real(node, i, strCat("real_", i / 3));
    if (!part)
      return part.takeError();
    parts.push_back(*part);
  }
  return quantized(node, node.step("real", OpKind::Concat, parts, *attrs), 0);
}

} // namespace

const RuleTable& qlinearRules() {
  static const RuleTable Rules = {
      {"QGemm", gemm},
      {"QLinearAdd", add},
      {"QLinearAveragePool", averagePool},
      {"QLinearConcat", concat},
      {"QLinearConv", conv},
      {"QLinearGlobalAveragePool", globalAveragePool},
      {"QLinearLeakyRelu", leakyRelu},
      {"QLinearMatMul", matMul},
      {"QLinearMul", mul},
      {"QLinearReduceMean", reduceMean},
      {"QLinearSigmoid", sigmoid},
      {"QLinearSoftmax", qlinearSoftmax},
  };
  return Rules;
}

} // namespace tigris
