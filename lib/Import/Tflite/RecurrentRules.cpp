// Operators that keep a state in variable tensors: LSTM over a sequence, and SVDF.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"
#include "tigris/Import/Tflite/Weights.h"

#include "tigris/Support/StringUtils.h"

#include <array>

namespace tigris {

using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;
using Ints = std::vector<int64_t>;

namespace {

/// The present value of a variable tensor, as a state of the model.
TensorId variableTensor(OpContext& op, size_t operand) {
  const int32_t index = op.inputIndex(operand);
  if (op.failed())
    return {};
  if (index < 0 || !op.scope().flat(index).is_variable()) {
    op.unsupported("operand ", operand, ", its state, is not a variable tensor");
    return {};
  }
  for (size_t i = 0; i < op.scope().graph().tensors.size(); ++i) {
    const auto other = static_cast<int32_t>(i);
    if (other != index && op.scope().flat(other).is_variable() &&
        op.scope().nameOf(other) == op.scope().nameOf(index)) {
      op.unsupported("two variable tensors have the name '", op.scope().nameOf(index), "'");
      return {};
    }
  }
  if (!op.scope().prefix().empty()) {
    op.unsupported("it keeps a state in a called subgraph");
    return {};
  }
  const Expected<TensorFacts> facts = op.scope().facts(index);
  if (!facts) {
    op.fail(facts.error().id(), facts.error().message());
    return {};
  }
  if (facts->type != DType::Int8 && facts->quant && !facts->quant->zeroPoint.empty() &&
      facts->quant->zeroPoint[0] != 0) {
    op.unsupported("its state is ", dtypeName(facts->type), " with zero point ",
                   facts->quant->zeroPoint[0], ", expected 0");
    return {};
  }
  const Expected<TensorId> value =
      op.translator().variables().read(op.builder(), op.scope().nameOf(index), *facts);
  if (value)
    return *value;
  op.fail(value.error().id(), value.error().message());
  return {};
}

void setVariableTensor(OpContext& op, size_t operand, TensorId value) {
  if (op.failed())
    return;
  const std::string name = op.scope().nameOf(op.inputIndex(operand));
  if (Status status = op.translator().variables().assign(op.builder(), name, value); !status)
    op.fail(status.error().id(), status.error().message());
}

/// The constants with these numbers one after the other, `rows` rows each, as one of shape `to`;
/// with the scale of each row on dimension 1 if they are quantized.
TensorId joinedGates(OpContext& op, const std::vector<TensorId>& parts, int64_t rows,
                     const Shape& to) {
  std::vector<uint8_t> bytes;
  QuantParam quant;
  quant.axis = 1;
  for (const TensorId part : parts) {
    if (op.failed())
      return {};
    const Tensor& tensor = op.tensor(part);
    const BlobRef data = op.builder().values().find(part);
    if (data == nullptr || tensor.type != op.tensor(parts[0]).type ||
        tensor.elements() * static_cast<int64_t>(parts.size()) != to.elements() ||
        (tensor.quant && tensor.quant->perChannel())) {
      op.unsupported("operand '", tensor.name, "' is ", dtypeName(tensor.type), " ",
                     tensor.shape.str(),
                     "; it must be a constant of the layer's size, quantized "
                     "per tensor if at all");
      return {};
    }
    bytes.insert(bytes.end(), data->bytes().begin(), data->bytes().end());
    for (int64_t row = 0; tensor.quant && row < rows; ++row) {
      quant.scale.push_back(tensor.quant->scale[0]);
      quant.zeroPoint.push_back(tensor.quant->zeroPoint.empty() ? 0 : tensor.quant->zeroPoint[0]);
    }
  }
  const TensorId made =
      op.constant("weights", {op.tensor(parts[0]).type, to, makeBlob(std::move(bytes))});
  if (!quant.scale.empty())
    op.builder().graph().editTensor(made).quant = std::move(quant);
  return made;
}

/// UNIDIRECTIONAL_SEQUENCE_LSTM. Gates of the file are input, forget, cell, output; those of the
/// graph input, output, forget, cell.
class FlatLstm {
public:
  explicit FlatLstm(OpContext& op)
      : op_(op), options_(op.options<tflite::UnidirectionalSequenceLSTMOptions>()) {}

  Status import() {
    checkForm();
    if (op_.failed())
      return op_.status();
    const bool timeMajor = options_ != nullptr && options_->time_major();
    const TensorId given = op_.input(0);
    if (op_.failed())
      return op_.status();
    if (op_.shape(given).rank() != 3)
      return op_.fail(DiagId::BadShape, "its input has shape ", op_.shape(given).str(),
                      ", expected 3 dimensions");
    const TensorId x = timeMajor ? given : op_.transposed(given, {1, 0, 2});
    const TensorId h = variableTensor(op_, StateInput);
    const TensorId c = variableTensor(op_, StateInput + 1);
    if (op_.failed())
      return op_.status();
    steps_ = op_.shape(x)[0];
    batch_ = op_.shape(x)[1];
    inputs_ = op_.shape(x)[2];
    if (op_.shape(h).elements() % batch_ != 0)
      return op_.fail(DiagId::BadShape, "its state has shape ", op_.shape(h).str(), " for ", batch_,
                      " sequences");
    hidden_ = op_.shape(h).elements() / batch_;
    return layer(x, h, c, timeMajor);
  }

private:
  static constexpr size_t StateInput = 18;
  static constexpr std::array<size_t, 4> Order = {0, 3, 1, 2};

  void checkForm() {
    if (!op_.require(1))
      return;
    const auto refuseFrom = [&](size_t first, size_t last, std::string_view what) {
      for (size_t i = first; i <= last; ++i)
        if (op_.inputIndex(i) >= 0)
          op_.unsupported(what, " are not supported");
    };
    refuseFrom(9, 11, "peephole weights");
    refuseFrom(16, 17, "projections");
    refuseFrom(20, 23, "layer normalizations");
    for (size_t i = 1; i <= 8; ++i)
      if (op_.inputIndex(i) < 0)
        op_.unsupported("weights of operand ", i, " are missing; coupled gates are not supported");
    if (options_ == nullptr)
      return;
    if (options_->fused_activation_function() != ActivationFunctionType::TANH)
      op_.unsupported("its activation is ",
                      tflite::EnumNameActivationFunctionType(options_->fused_activation_function()),
                      ", only TANH is supported");
    if (options_->diagonal_recurrent_tensors())
      op_.unsupported("diagonal recurrent weights are not supported");
  }

  TensorId weights(TensorId x, size_t first, int64_t width) {
    std::vector<TensorId> parts;
    for (const size_t gate : Order)
      parts.push_back(weightsFor(op_, x, op_.input(first + gate)));
    return joinedGates(op_, parts, hidden_, {1, 4 * hidden_, width});
  }

  TensorId biases(TensorId x) {
    const DType type = op_.isQuantized(x) ? DType::Int32 : DType::Float32;
    std::vector<TensorId> parts;
    for (const size_t gate : Order) {
      TensorId bias = biasFor(op_, x, 12 + gate);
      if (!bias && !op_.failed())
        bias = zeros(type, {hidden_});
      parts.push_back(bias);
    }
    if (op_.isQuantized(x))
      return joinedGates(op_, parts, hidden_, {1, 4 * hidden_});
    // ONNX adds a second bias for each gate.
    parts.insert(parts.end(), 4, zeros(type, {hidden_}));
    return joinedGates(op_, parts, hidden_, {1, 8 * hidden_});
  }

  TensorId zeros(DType type, const Shape& shape) {
    return op_.constant(
        "zeros",
        {type, shape,
         makeBlob(std::vector<uint8_t>(static_cast<size_t>(shape.elements()) * dtypeSize(type)))});
  }

  Status layer(TensorId x, TensorId h, TensorId c, bool timeMajor) {
    const bool isInteger = op_.isQuantized(x);
    if (isInteger != op_.isQuantized(h) || isInteger != op_.isQuantized(c) ||
        op_.tensor(h).type != op_.tensor(x).type ||
        op_.tensor(c).type != (isInteger ? DType::Int16 : DType::Float32))
      return op_.unsupported("its input is ", dtypeName(op_.tensor(x).type), " with states of ",
                             dtypeName(op_.tensor(h).type), " and ", dtypeName(op_.tensor(c).type));
    const std::optional<QuantParam> quant = op_.tensor(h).quant;
    if (op_.result().quant != quant)
      return op_.unsupported("its result and its state have different quantizations");
    AttrMap attrs;
    attrs.set("direction", std::string("forward"));
    if (const float clip = options_ == nullptr ? 0 : options_->cell_clip(); clip > 0)
      attrs.set("cell_clip", static_cast<double>(clip));
    const Shape state = {1, batch_, hidden_};
    const Shape stored = op_.shape(h);
    const Shape storedCell = op_.shape(c);
    std::vector<TensorId> inputs = {x,         weights(x, 1, inputs_), weights(x, 5, hidden_),
                                    biases(x), op_.reshaped(h, state), op_.reshaped(c, state)};
    const std::array<TensorId, 2> results =
        twoResults(op_, {"sequence", "state"}, isInteger ? OpKind::IntegerLSTM : OpKind::LSTM,
                   std::move(inputs), std::move(attrs), quant, op_.tensor(c).quant);
    const TensorId last =
        op_.step("last", OpKind::Slice, {results[0]},
                 {{"starts", Ints{steps_ - 1}}, {"ends", Ints{steps_}}, {"axes", Ints{0}}}, quant);
    setVariableTensor(op_, StateInput, op_.reshaped(last, stored));
    setVariableTensor(op_, StateInput + 1, op_.reshaped(results[1], storedCell));
    const TensorId y = op_.reshaped(results[0], {steps_, batch_, hidden_});
    return op_.finishWith(timeMajor ? y : op_.transposed(y, {1, 0, 2}));
  }

  OpContext& op_;
  const tflite::UnidirectionalSequenceLSTMOptions* options_;
  int64_t steps_ = 0;
  int64_t batch_ = 0;
  int64_t inputs_ = 0;
  int64_t hidden_ = 0;
};

Status flatLstm(OpContext& op) { return FlatLstm(op).import(); }

Status finishActivated(OpContext& op, TensorId y, ActivationFunctionType activation) {
  switch (op.isQuantized(y) ? ActivationFunctionType::NONE : activation) {
  case ActivationFunctionType::NONE: // of integers, the range of the type is the bound
    return op.finishWith(y);
  case ActivationFunctionType::RELU:
    return op.finish(OpKind::Relu, {y});
  case ActivationFunctionType::RELU6:
    return op.finish(OpKind::Relu6, {y});
  case ActivationFunctionType::TANH:
    return op.finish(OpKind::Tanh, {y});
  default:
    return op.unsupported("its activation is ", tflite::EnumNameActivationFunctionType(activation),
                          ", only RELU, RELU6 and TANH are supported");
  }
}

Status flatSvdf(OpContext& op) {
  const auto* options = op.options<tflite::SVDFOptions>();
  if (!op.require(3))
    return op.status();
  const TensorId x = op.input(0);
  const TensorId feature = weightsFor(op, x, op.input(1));
  const TensorId time = weightsFor(op, x, op.input(2));
  const TensorId state = variableTensor(op, 4);
  TensorId bias = biasFor(op, x, 3);
  const int64_t rank = options == nullptr ? 0 : options->rank();
  if (op.failed())
    return op.status();
  if (rank < 1 || op.shape(time).rank() != 2 || op.shape(time)[0] % rank != 0)
    return op.fail(DiagId::BadAttr, "its rank ", rank, " does not divide the filters of ",
                   op.shape(time).str());
  if (!bias) {
    const DType type = op.isQuantized(x) ? DType::Int32 : DType::Float32;
    const Shape units = {op.shape(time)[0] / rank};
    bias = op.constant(
        "zeros",
        {type, units,
         makeBlob(std::vector<uint8_t>(static_cast<size_t>(units.elements()) * dtypeSize(type)))});
  }
  const std::optional<QuantParam> kept = op.tensor(state).quant;
  const std::array<TensorId, 2> results =
      twoResults(op, {"sequence", "state"}, OpKind::SVDF, {x, feature, time, bias, state},
                 {{"rank", rank}}, op.result().quant, kept);
  if (op.failed())
    return op.status();
  setVariableTensor(op, 4, results[1]);
  return finishActivated(op, results[0], options->fused_activation_function());
}

constexpr OpRule RecurrentOps[] = {
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 4, flatLstm,
     "no peepholes, projection, layer normalization or coupled gates"},
    {BuiltinOperator::SVDF, 4, flatSvdf, "constant weights"},
};

} // namespace

std::span<const OpRule> recurrentOps() { return RecurrentOps; }

} // namespace tigris
