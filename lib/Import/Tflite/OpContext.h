// One operator of a TensorFlow Lite model during translation: its operands, its options, and the
// ops that it becomes. The interface of translation rules.
//
// Errors are kept: after the first one, all functions that create ops do nothing and return invalid
// ids, and finish() returns the error. Rules therefore read like expressions.
#pragma once

#include "tigris/Import/Tflite/GraphScope.h"
#include "tigris/Import/Tflite/Translator.h"

#include <functional>

namespace tigris {

class OpContext {
public:
  OpContext(const FlatModel& model, GraphBuilder& builder, GraphScope& scope, size_t index,
            Translator& translator);

  const OperatorCode& code() const { return code_; }
  const tflite::Operator& flat() const { return flat_; }
  /// The first result's name, which is what a user knows the operator by.
  const std::string& name() const { return name_; }
  const FlatModel& model() const { return model_; }
  GraphScope& scope() { return scope_; }
  GraphBuilder& builder() { return builder_; }
  Translator& translator() { return translator_; }

  /// The options, or their defaults if the file has none of this type.
  template <typename T> const T* options() const { return flat_.builtin_options_as<T>(); }

  // --- operands
  size_t inputCount() const { return inputs_.size(); }
  /// Invalid if the operand is absent.
  TensorId input(size_t index);
  /// Number of the operand in the subgraph; -1 if it is absent.
  int32_t inputIndex(size_t index) const { return index < inputs_.size() ? inputs_[index] : -1; }
  /// Reports an error if one of the first `count` operands is missing.
  bool require(size_t count);
  /// An empty tensor for invalid ids, which operands are after an error.
  const Tensor& tensor(TensorId id) const;
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  bool isQuantized(TensorId id) const { return id && tensor(id).quant.has_value(); }
  /// int32 or int64 elements that are known at import; reports an error if they are not.
  std::vector<int64_t> integers(size_t index, std::string_view what);

  // --- results
  size_t outputCount() const { return outputs_.size(); }
  int32_t outputIndex(size_t index) const { return outputs_[index]; }
  /// Facts of a result. They are valid, because rules only run on valid results.
  const TensorFacts& result(size_t index = 0) const { return results_[index]; }

  // --- creating ops
  /// Adds an intermediate op with one result, which has the quantization if one is given.
  TensorId step(std::string_view suffix, OpKind kind, std::vector<TensorId> inputs,
                AttrMap attrs = {}, const std::optional<QuantParam>& quant = std::nullopt,
                DType type = DType::Undefined);
  /// Adds the op that writes a result of the operator, with the result's quantization. The shape
  /// becomes the declared one if it has as many elements.
  const Status& finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {},
                       size_t index = 0);
  /// finish() for an op on NCHW pictures whose result is NHWC.
  const Status& finishPicture(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {});
  /// finish() in float, between a DequantizeLinear of each quantized operand and a QuantizeLinear
  /// of a quantized result: for operators without an integer form.
  const Status& finishReal(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {},
                           size_t index = 0);
  /// finish() with a tensor of the result's shape: float ones are quantized if the result is, and
  /// integers converted to its type.
  const Status& finishWith(TensorId id, size_t index = 0);
  /// The result is a tensor that exists already.
  const Status& finishAs(TensorId id, size_t index = 0);

  /// `id` with another shape of as many elements.
  TensorId reshaped(TensorId id, const Shape& shape);
  TensorId transposed(TensorId id, std::vector<int64_t> perm);
  /// NHWC as NCHW and back. Adjacent ones cancel.
  TensorId channelsFirst(TensorId id);
  TensorId channelsLast(TensorId id);
  /// Real numbers of a quantized tensor; other tensors unchanged.
  TensorId real(TensorId id);
  /// `id` with the quantization of the result `index`. TensorFlow Lite requantizes uint8 where they
  /// differ, but moves the stored integers of int8 and int16, which is an error here.
  TensorId requantized(TensorId id, size_t index = 0);
  /// A new constant with a name derived from the operator's.
  TensorId constant(std::string_view suffix, ConstantData data);
  TensorId intConstant(std::string_view suffix, const std::vector<int64_t>& values);
  TensorId scalar(std::string_view suffix, float value);

  // --- errors
  bool failed() const { return !status_; }
  const Status& status() const { return status_; }
  template <typename... Args> const Status& unsupported(const Args&... text) {
    return fail(DiagId::UnsupportedOp, text...);
  }
  /// Keeps the first error, and returns it.
  template <typename... Args> const Status& fail(DiagId id, const Args&... text) {
    if (status_)
      status_ =
          makeError(id, "node '", name_, "' (", code_.name(), " v", code_.version, "): ", text...);
    return status_;
  }
  /// Reports an error if the result is quantized, because no kernel has TensorFlow Lite Micro's
  /// integer algorithm; returns whether it is.
  bool refuseQuantized();
  /// An op's result that the rule sets before finish(): the fused activation.
  void setActivation(tflite::ActivationFunctionType type) { activation_ = type; }

private:
  Status addOp(Op op);
  /// Moves the fused activation into the op if its kind can have one.
  void fuseActivation(Op& op);
  TensorId addActivation(TensorId id, size_t index);
  TensorId newTensor(const std::string& name, DType type, const std::optional<QuantParam>& quant);
  std::string freshName(std::string_view suffix);

  const FlatModel& model_;
  GraphBuilder& builder_;
  GraphScope& scope_;
  Translator& translator_;
  const tflite::Operator& flat_;
  const OperatorCode& code_;
  std::string name_;
  std::vector<int32_t> inputs_;
  std::vector<int32_t> outputs_;
  std::vector<TensorFacts> results_;
  tflite::ActivationFunctionType activation_ = tflite::ActivationFunctionType::NONE;
  Status status_;
};

/// How one operator is translated.
struct OpRule {
  tflite::BuiltinOperator code;
  /// Newest version of the operator that the rule knows.
  int newest = 1;
  Status (*translate)(OpContext& op) = nullptr;
  /// For the manual: types and limits.
  std::string_view notes = {};
  /// The name of a CUSTOM operator.
  std::string_view custom = {};
};

} // namespace tigris
