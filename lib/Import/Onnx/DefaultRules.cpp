// Operators of the default domain that need a rule: old opsets, operands that become attributes,
// training outputs.
#include "tigris/Import/Onnx/OnnxOps.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

bool isEmptyConstant(const NodeContext& node, TensorId id) {
  return id && node.tensor(id).isConstant() && node.tensor(id).elements() == 0;
}

Status constant(NodeContext& node) {
  Expected<ConstantData> data = makeError(DiagId::BadAttr, "");
  const auto fromAttr = [&](std::string_view name, auto type) {
    using T = decltype(type);
    const onnx::AttributeProto& attribute = *node.findAttr(name);
    std::vector<T> values;
    const bool isInt = std::is_same_v<T, int64_t>;
    if (name.back() != 's')
      values.push_back(isInt ? static_cast<T>(attribute.i()) : static_cast<T>(attribute.f()));
    else if (isInt)
      values.assign(attribute.ints().begin(), attribute.ints().end());
    else
      values.assign(attribute.floats().begin(), attribute.floats().end());
    const Shape shape = name.back() == 's' ? Shape{static_cast<int64_t>(values.size())} : Shape();
    return ConstantData{isInt ? DType::Int64 : DType::Float32, shape, makeBlobOf(values)};
  };
  if (node.hasAttr("value"))
    data = node.tensorAttr("value");
  else if (node.hasAttr("value_float"))
    data = fromAttr("value_float", 0.0F);
  else if (node.hasAttr("value_floats"))
    data = fromAttr("value_floats", 0.0F);
  else if (node.hasAttr("value_int"))
    data = fromAttr("value_int", int64_t{0});
  else if (node.hasAttr("value_ints"))
    data = fromAttr("value_ints", int64_t{0});
  else if (node.hasAttr("value_string") || node.hasAttr("value_strings"))
    return node.refuse(DiagId::UnsupportedType, "its value is text");
  else if (node.hasAttr("sparse_value"))
    return node.refuse(DiagId::UnsupportedType, "its value is sparse; store it as a dense tensor");
  else
    return node.refuse(DiagId::BadAttr, "it has no value");
  if (!data)
    return data.takeError();
  const TensorId value = node.constant("value", data->type, data->shape, data->data);
  return node.finish(OpKind::Constant, {value});
}

Status constantOfShape(NodeContext& node) {
  std::vector<TensorId> inputs = node.inputs();
  if (node.hasAttr("value") && inputs.size() == 1) {
    Expected<ConstantData> data = node.tensorAttr("value");
    if (!data)
      return data.takeError();
    inputs.push_back(node.constant("value", data->type, data->shape, data->data));
  }
  return node.finish(OpKind::ConstantOfShape, std::move(inputs));
}

Status cast(NodeContext& node) {
  Expected<int64_t> to = node.intAttr("to", 0);
  if (!to)
    return to.takeError();
  const std::optional<DType> type = importedType(static_cast<int32_t>(*to));
  if (!type)
    return node.refuse(DiagId::UnsupportedType, "casts to ",
                       onnxTypeName(static_cast<int32_t>(*to)), ", which no kernel computes in");
  noteFloatType(node.builder(), static_cast<int32_t>(*to));
  // `saturate` and `round_mode` matter for 8-bit floats only, which are rejected above.
  return node.finish(OpKind::Cast, node.inputs(), {{"to", std::string(dtypeName(*type))}});
}

Status castLike(NodeContext& node) {
  if (!node.input(0) || !node.input(1))
    return node.refuse(DiagId::BadArity, "has ", node.inputCount(), " inputs, expected 2");
  const DType type = node.tensor(node.input(1)).type;
  return node.finish(OpKind::Cast, {node.input(0)}, {{"to", std::string(dtypeName(type))}});
}

Status softmaxOf(NodeContext& node, OpKind kind) {
  const bool flat = node.opset() < 13;
  Expected<int64_t> axis = node.intAttr("axis", flat ? 1 : -1);
  if (!axis)
    return axis.takeError();
  if (!node.input(0))
    return node.refuse(DiagId::BadArity, "has no input");
  if (!flat)
    return node.finish(kind, node.inputs(), {{"axis", *axis}});
  Expected<PendingOp> last = flatSoftmax(node, kind, node.input(0), *axis);
  if (!last)
    return last.takeError();
  return node.finish(last->kind, last->inputs, last->attrs);
}
Status softmax(NodeContext& node) { return softmaxOf(node, OpKind::Softmax); }
Status logSoftmax(NodeContext& node) { return softmaxOf(node, OpKind::LogSoftmax); }

/// Expresses Upsample and the first version of Resize with the attributes of the current Resize.
void setOldSampling(AttrMap& attrs) {
  attrs.set("coordinate_transformation_mode", std::string("asymmetric"));
  attrs.set("nearest_mode", std::string("floor"));
  if (attrs.getString("mode") == "bilinear" || attrs.getString("mode") == "trilinear")
    attrs.set("mode", std::string("linear"));
}

Status upsample(NodeContext& node) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Resize);
  if (!attrs)
    return attrs.takeError();
  setOldSampling(*attrs);
  return node.finish(OpKind::Resize, {node.input(0), TensorId(), node.input(1)}, *attrs);
}

Status resize(NodeContext& node) {
  if (node.opset() < 11)
    return upsample(node);
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Resize);
  if (!attrs)
    return attrs.takeError();
  std::vector<TensorId> inputs = node.inputs();
  // Opset 11 represents an omitted operand by an empty tensor.
  for (TensorId& input : inputs)
    if (isEmptyConstant(node, input) ||
        (node.valueOf(input) != nullptr && node.valueOf(input)->size() == 0))
      input = TensorId();
  if (inputs.size() > 1 &&
      attrs->getString("coordinate_transformation_mode") != "tf_crop_and_resize")
    inputs[1] = TensorId();
  return node.finish(OpKind::Resize, std::move(inputs), std::move(*attrs));
}

Status splitRule(NodeContext& node) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Split);
  if (!attrs)
    return attrs.takeError();
  if (!node.input(1) && !attrs->has("split") && !attrs->has("num_outputs"))
    attrs->set("num_outputs", static_cast<int64_t>(node.outputCount()));
  return node.finish(OpKind::Split, node.inputs(), std::move(*attrs));
}

Status batchNormalization(NodeContext& node) {
  Expected<int64_t> training = node.intAttr("training_mode", 0);
  if (!training)
    return training.takeError();
  Expected<int64_t> spatial = node.intAttr("spatial", 1);
  if (!spatial)
    return spatial.takeError();
  if (*training != 0)
    return node.unsupported("it is in training mode; export the model for inference");
  if (*spatial != 1)
    return node.unsupported("spatial = ", *spatial, " is not supported, only 1 is");
  for (size_t i = 1; i < node.outputCount(); ++i)
    if (node.outputUsed(i))
      return node.unsupported("output ", i, " is used, which exists in training only");
  return node.finishPlain(OpKind::BatchNormalization, {"momentum", "training_mode", "spatial"});
}

Status dropout(NodeContext& node) {
  if (node.outputUsed(1))
    return node.unsupported("its mask is used, which exists in training only");
  if (const TensorId training = node.input(2)) {
    const BlobRef value = node.valueOf(training);
    if (value == nullptr || value->size() != 1 || value->bytes()[0] != 0)
      return node.unsupported("it is in training mode; export the model for inference");
  }
  return node.finish(OpKind::Dropout, {node.input(0)});
}

Status quantizeLinear(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  Expected<AttrMap> attrs =
      node.attrsFor(OpKind::QuantizeLinear, {"saturate", "precision", "output_dtype"});
  if (!attrs)
    return attrs.takeError();
  Expected<int64_t> outputType = node.intAttr("output_dtype", 0);
  if (!outputType)
    return outputType.takeError();
  std::vector<TensorId> inputs = node.inputs();
  if (*outputType != 0 && !node.input(2)) {
    // The IR derives the type from the zero point.
    const auto onnxType = static_cast<int32_t>(*outputType);
    const std::optional<DType> type = importedType(onnxType);
    if (!type || !isInteger(*type))
      return node.refuse(DiagId::UnsupportedType, "quantizes to ", onnxTypeName(onnxType));
    const Tensor& scale = node.tensor(node.input(1));
    std::vector<uint8_t> zeros(static_cast<size_t>(scale.elements()) * dtypeSize(*type));
    inputs.resize(2);
    inputs.push_back(node.constant("zero_point", *type, scale.shape, makeBlob(std::move(zeros))));
  }
  return node.finish(OpKind::QuantizeLinear, std::move(inputs), std::move(*attrs));
}

Status mean(NodeContext& node) {
  if (node.inputCount() < 2)
    return node.finish(OpKind::Identity, node.inputs());
  Expected<TensorId> sum = node.step("sum", OpKind::Sum, node.inputs());
  if (!sum)
    return sum.takeError();
  const TensorId factor = node.scalar("factor", 1.0F / static_cast<float>(node.inputCount()));
  return node.finish(OpKind::Mul, {*sum, factor});
}

Status swish(NodeContext& node) {
  Expected<double> alpha = node.floatAttr("alpha", 1);
  if (!alpha)
    return alpha.takeError();
  if (*alpha == 1)
    return node.finish(OpKind::Silu, node.inputs());
  const TensorId factor = node.scalar("alpha", static_cast<float>(*alpha));
  Expected<TensorId> scaled = node.step("scaled", OpKind::Mul, {node.input(0), factor});
  if (!scaled)
    return scaled.takeError();
  Expected<TensorId> gate = node.step("gate", OpKind::Sigmoid, {*scaled});
  if (!gate)
    return gate.takeError();
  return node.finish(OpKind::Mul, {node.input(0), *gate});
}

} // namespace

Expected<PendingOp> flatSoftmax(NodeContext& node, OpKind kind, TensorId x, int64_t axis) {
  const Shape shape = node.tensor(x).shape;
  const std::optional<size_t> first = normalizeAxis(axis, shape.rank());
  if (!first)
    return node.refuse(DiagId::BadAttr, "axis ", axis, " is outside of rank ", shape.rank());
  // The old and the new definition agree if only one of the axes has a size above 1.
  std::vector<size_t> wide;
  for (size_t i = *first; i < shape.rank(); ++i)
    if (shape[i] != 1)
      wide.push_back(i);
  if (wide.size() <= 1) {
    const size_t only = wide.empty() ? shape.rank() - 1 : wide.front();
    return PendingOp{kind, {x}, {{"axis", static_cast<int64_t>(only)}}};
  }
  Expected<TensorId> rows =
      node.step("rows", OpKind::Flatten, {x}, {{"axis", static_cast<int64_t>(*first)}});
  if (!rows)
    return rows.takeError();
  Expected<TensorId> result = node.step("flat", kind, {*rows}, {{"axis", int64_t{1}}});
  if (!result)
    return result.takeError();
  return PendingOp{OpKind::Reshape, {*result}, {{"shape", shape.dims()}}};
}

const RuleTable& defaultRules() {
  static const RuleTable Rules = {
      {"BatchNormalization", batchNormalization},
      {"Cast", cast},
      {"CastLike", castLike},
      {"Constant", constant},
      {"ConstantOfShape", constantOfShape},
      {"DequantizeLinear", importDequantizeLinear},
      {"Dropout", dropout},
      {"LogSoftmax", logSoftmax},
      {"Mean", mean},
      {"QuantizeLinear", quantizeLinear},
      {"Resize", resize},
      {"Softmax", softmax},
      {"Split", splitRule},
      {"Swish", swish},
      {"Upsample", upsample},
  };
  return Rules;
}

namespace {

Status gelu(NodeContext& node) { return node.finishPlain(OpKind::Gelu); }

Status biasGeluOf(NodeContext& node, const AttrMap& attrs) {
  TensorId x = node.input(0);
  if (node.input(1)) {
    Expected<TensorId> sum = node.step("biased", OpKind::Add, {x, node.input(1)});
    if (!sum)
      return sum.takeError();
    x = *sum;
  }
  return node.finish(OpKind::Gelu, {x}, attrs);
}
Status biasGelu(NodeContext& node) { return biasGeluOf(node, {}); }
Status fastGelu(NodeContext& node) {
  return biasGeluOf(node, {{"approximate", std::string("tanh")}});
}

} // namespace

const RuleTable& contribRules() {
  static const RuleTable Rules = {
      {"BiasGelu", biasGelu},
      {"DequantizeLinear", importDequantizeLinear},
      {"FastGelu", fastGelu},
      {"Gelu", gelu},
      {"MatMulNBits", importMatMulNBits},
      {"QuantizeLinear", quantizeLinear},
  };
  return Rules;
}

} // namespace tigris
