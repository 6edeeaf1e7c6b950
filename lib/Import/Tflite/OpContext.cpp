// Operands and results of one operator.
#include "tigris/Import/Tflite/OpContext.h"

#include "tigris/IR/Elements.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <utility>

namespace tigris {

namespace {

using tflite::ActivationFunctionType;

/// The clamp of an activation; None with empty attributes if there is none.
std::pair<Activation, AttrMap> clampOf(ActivationFunctionType type) {
  switch (type) {
  case ActivationFunctionType::RELU:
    return {Activation::Relu, {}};
  case ActivationFunctionType::RELU6:
    return {Activation::Relu6, {}};
  case ActivationFunctionType::RELU_N1_TO_1:
    return {Activation::Clip, {{"act_min", -1.0}, {"act_max", 1.0}}};
  default:
    return {Activation::None, {}};
  }
}

/// Perm of a Transpose that undoes another.
bool undoes(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  if (first.size() != second.size())
    return false;
  for (size_t i = 0; i < first.size(); ++i)
    if (first[static_cast<size_t>(second[i])] != static_cast<int64_t>(i))
      return false;
  return true;
}

const std::vector<int64_t> ToChannelsFirst = {0, 3, 1, 2};
const std::vector<int64_t> ToChannelsLast = {0, 2, 3, 1};

} // namespace

OpContext::OpContext(const FlatModel& model, GraphBuilder& builder, GraphScope& scope, size_t index,
                     Translator& translator)
    : model_(model), builder_(builder), scope_(scope), translator_(translator),
      flat_(*scope.graph().operators[index]), code_(model.codeOf(flat_)),
      inputs_(elementsOf(flat_.inputs())), outputs_(elementsOf(flat_.outputs())) {
  name_ = outputs_.empty() || outputs_[0] < 0 ? strCat(scope.prefix(), code_.name(), "_", index)
                                              : scope.nameOf(outputs_[0]);
  for (const int32_t output : outputs_) {
    const bool isTensor = output >= 0 && scope.flat(output).type() != tflite::TensorType::RESOURCE;
    Expected<TensorFacts> facts = isTensor ? scope.facts(output) : TensorFacts();
    if (!facts && status_)
      status_ = facts.takeError();
    results_.push_back(facts ? std::move(*facts) : TensorFacts());
  }
}

TensorId OpContext::input(size_t index) {
  if (failed() || inputIndex(index) < 0)
    return {};
  Expected<TensorId> id = scope_.value(builder_, inputIndex(index));
  if (!id) {
    status_ = id.takeError();
    return {};
  }
  if (!*id)
    fail(DiagId::BadModel, "reads tensor '", scope_.nameOf(inputIndex(index)),
         "', which nothing writes");
  return *id;
}

const Tensor& OpContext::tensor(TensorId id) const {
  static const Tensor Absent;
  return id ? builder_.tensor(id) : Absent;
}

bool OpContext::require(size_t count) {
  for (size_t i = 0; i < count && !failed(); ++i)
    if (inputIndex(i) < 0)
      fail(DiagId::BadArity, "input ", i, " is missing");
  if (outputs_.empty() || outputs_[0] < 0)
    fail(DiagId::BadArity, "has no output");
  return !failed();
}

bool OpContext::refuseQuantized() {
  const TensorFacts& facts = results_[0];
  if (!failed() && facts.quant)
    unsupported("its result '", scope_.nameOf(outputs_[0]), "' is quantized ",
                dtypeName(facts.portType),
                ", for which TensorFlow Lite Micro has an integer algorithm of its own that no "
                "kernel computes; keep this operator in float");
  return failed();
}

std::vector<int64_t> OpContext::integers(size_t index, std::string_view what) {
  const TensorId id = input(index);
  if (failed())
    return {};
  const BlobRef value = id ? builder_.values().find(id) : nullptr;
  const DType type = id ? tensor(id).type : DType::Undefined;
  if (value == nullptr || (type != DType::Int32 && type != DType::Int64 && type != DType::Bool)) {
    unsupported(what, " must be integers that are known at compile time",
                id ? strCat(", tensor '", tensor(id).name, "' is computed at run time") : "");
    return {};
  }
  return loadElements<int64_t>(*value, type);
}

std::string OpContext::freshName(std::string_view suffix) {
  return builder_.graph().uniqueName(strCat(name_, "_", suffix));
}

TensorId OpContext::newTensor(const std::string& name, DType type,
                              const std::optional<QuantParam>& quant) {
  const TensorId id = builder_.addResult(builder_.graph().uniqueName(name));
  Tensor& made = builder_.graph().editTensor(id);
  made.type = type;
  made.quant = quant;
  return id;
}

namespace {

/// Whether results are stored integers of the first operand.
bool movesIntegers(OpKind kind) {
  return opInfo(kind).category == OpCategory::Structural || kind == OpKind::Pad ||
         kind == OpKind::Concat || kind == OpKind::Resize || kind == OpKind::MaxPool;
}

} // namespace

Status OpContext::addOp(Op op) {
  if (failed())
    return status_;
  op.origin = {name_};
  const std::vector<OperandInfo>& operands = opInfo(op.kind).operands;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const OperandInfo& operand = operands[std::min(i, operands.size() - 1)];
    if (!op.inputs[i] && !operand.optional && !operand.compileTime)
      return fail(DiagId::BadArity, "an input is missing");
  }
  const TensorId result = op.output();
  const std::optional<QuantParam> quant = tensor(result).quant;
  if (const TensorId first = op.input(0);
      quant && movesIntegers(op.kind) && isQuantized(first) && tensor(first).quant != quant)
    return unsupported("its operand '", tensor(first).name,
                       "' is quantized otherwise than its result; put a QUANTIZE between them");
  if (Status status = builder_.addOp(std::move(op)); !status)
    return fail(status.error().id(), status.error().message());
  if (quant && !isInteger(tensor(result).type))
    builder_.graph().editTensor(result).quant.reset();
  return {};
}

TensorId OpContext::step(std::string_view suffix, OpKind kind, std::vector<TensorId> inputs,
                         AttrMap attrs, const std::optional<QuantParam>& quant, DType type) {
  if (failed())
    return {};
  const std::string name = freshName(suffix);
  Op op;
  op.kind = kind;
  op.name = name;
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  op.outputs = {newTensor(name, type, quant)};
  const TensorId result = op.outputs[0];
  return addOp(std::move(op)) ? result : TensorId();
}

TensorId OpContext::addActivation(TensorId id, size_t index) {
  const std::optional<QuantParam>& quant = results_[index].quant;
  const auto activation = std::exchange(activation_, ActivationFunctionType::NONE);
  switch (activation) {
  case ActivationFunctionType::NONE:
    return id;
  case ActivationFunctionType::RELU:
    return step("relu", OpKind::Relu, {id}, {}, quant);
  case ActivationFunctionType::RELU6:
    return step("relu6", OpKind::Relu6, {id}, {}, quant);
  case ActivationFunctionType::RELU_N1_TO_1:
    return step("clip", OpKind::Clip, {id}, {{"min", -1.0}, {"max", 1.0}}, quant);
  default:
    unsupported("its fused activation is ", tflite::EnumNameActivationFunctionType(activation),
                ", which TensorFlow Lite ignores; use an operator of its own");
    return {};
  }
}

void OpContext::fuseActivation(Op& op) {
  const auto [clamp, bounds] = clampOf(activation_);
  if (clamp == Activation::None || opInfo(op.kind).attribute("act_min") == nullptr)
    return;
  op.act = clamp;
  for (const auto& [key, value] : bounds)
    op.attrs.set(key, value);
  activation_ = ActivationFunctionType::NONE;
}

const Status& OpContext::finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                                size_t index) {
  if (failed())
    return status_;
  Op op;
  op.kind = kind;
  op.name = builder_.graph().findOp(name_) ? freshName(strCat(index)) : name_;
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  fuseActivation(op);
  const TensorFacts& facts = results_[index];
  const TensorId result = newTensor(scope_.nameOf(outputs_[index]), facts.type, facts.quant);
  op.outputs = {result};
  if (!addOp(std::move(op)))
    return status_;
  return finishAs(addActivation(result, index), index);
}

const Status& OpContext::finishPicture(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs) {
  if (failed())
    return status_;
  const TensorFacts& facts = results_[0];
  Op op;
  op.kind = kind;
  op.name = freshName("picture");
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  fuseActivation(op);
  const TensorId made = newTensor(op.name, facts.type, facts.quant);
  op.outputs = {made};
  if (!addOp(std::move(op)))
    return status_;
  return finish(OpKind::Transpose, {addActivation(made, 0)}, {{"perm", ToChannelsLast}});
}

const Status& OpContext::finishReal(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                                    size_t index) {
  for (TensorId& id : inputs)
    id = real(id);
  if (failed())
    return status_;
  if (!results_[index].quant)
    return finish(kind, std::move(inputs), std::move(attrs), index);
  return finishWith(step("float", kind, std::move(inputs), std::move(attrs)), index);
}

const Status& OpContext::finishWith(TensorId id, size_t index) {
  if (failed())
    return status_;
  const TensorFacts& facts = results_[index];
  const Tensor& given = tensor(id);
  if (given.type == DType::Float32 && facts.quant)
    return finish(OpKind::QuantizeLinear, {id}, {}, index);
  if (given.quant == facts.quant && given.type != facts.type)
    return finish(OpKind::Cast, {id}, {{"to", std::string(dtypeName(facts.type))}}, index);
  return finishAs(id, index);
}

const Status& OpContext::finishAs(TensorId id, size_t index) {
  if (failed())
    return status_;
  const TensorFacts& facts = results_[index];
  const tflite::Tensor& flat = scope_.flat(outputs_[index]);
  if (tensor(id).type != facts.type)
    return fail(DiagId::BadType, "result '", scope_.nameOf(outputs_[index]), "' is ",
                dtypeName(tensor(id).type), ", the model declares ", dtypeName(facts.type));
  const bool declared =
      flat.shape() != nullptr && (flat.shape()->size() != 0 || shape(id).elements() == 1);
  if (declared && shape(id) != facts.shape) {
    if (shape(id).elements() != facts.shape.elements())
      return fail(DiagId::BadShape, "result '", scope_.nameOf(outputs_[index]), "' has the shape ",
                  shape(id).str(), ", the model declares ", facts.shape.str());
    id = reshaped(id, facts.shape);
  }
  if (!failed())
    scope_.set(outputs_[index], id);
  return status_;
}

TensorId OpContext::reshaped(TensorId id, const Shape& to) {
  if (failed() || shape(id) == to)
    return id;
  return step("reshape", OpKind::Reshape, {id}, {{"shape", to.dims()}}, tensor(id).quant);
}

TensorId OpContext::transposed(TensorId id, std::vector<int64_t> perm) {
  if (failed())
    return {};
  if (const OpId producer = builder_.graph().producer(id)) {
    const Op& op = builder_.graph().op(producer);
    if (op.kind == OpKind::Transpose && undoes(op.attrs.getInts("perm"), perm))
      return op.input(0);
  }
  return step("transpose", OpKind::Transpose, {id}, {{"perm", std::move(perm)}}, tensor(id).quant);
}

TensorId OpContext::channelsFirst(TensorId id) { return transposed(id, ToChannelsFirst); }
TensorId OpContext::channelsLast(TensorId id) { return transposed(id, ToChannelsLast); }

TensorId OpContext::real(TensorId id) {
  if (failed() || !isQuantized(id))
    return id;
  const Tensor& from = tensor(id);
  if (!from.isConstant())
    return step("real", OpKind::DequantizeLinear, {id});
  const QuantParam& quant = *from.quant;
  const std::vector<int64_t> stored = loadElements<int64_t>(*from.data, from.type);
  const auto inner = quant.perChannel()
                         ? from.shape.elementsFrom(static_cast<size_t>(quant.axis) + 1)
                         : int64_t{1};
  std::vector<float> values(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    const size_t c = quant.perChannel() ? i / static_cast<size_t>(inner) % quant.scale.size() : 0;
    values[i] = static_cast<float>(stored[i] - quant.zeroPoint[c]) * quant.scale[c];
  }
  return constant("real", {DType::Float32, from.shape, makeBlobOf(values)});
}

TensorId OpContext::requantized(TensorId id, size_t index) {
  const TensorFacts& facts = results_[index];
  if (failed() || (tensor(id).quant == facts.quant && tensor(id).type == facts.type))
    return id;
  if (facts.portType != DType::UInt8) {
    unsupported("its operand '", tensor(id).name, "' is quantized otherwise than its result '",
                scope_.nameOf(outputs_[index]), "'; put a QUANTIZE between them");
    return {};
  }
  return step("requantize", OpKind::Requantize, {id}, {}, facts.quant, facts.type);
}

TensorId OpContext::constant(std::string_view suffix, ConstantData data) {
  return failed() ? TensorId() : builder_.addConstant(freshName(suffix), std::move(data));
}

TensorId OpContext::intConstant(std::string_view suffix, const std::vector<int64_t>& values) {
  return constant(suffix,
                  {DType::Int64, Shape{static_cast<int64_t>(values.size())}, makeBlobOf(values)});
}

TensorId OpContext::scalar(std::string_view suffix, float value) {
  return constant(suffix, {DType::Float32, Shape(), makeBlobOf(std::vector<float>{value})});
}

} // namespace tigris
