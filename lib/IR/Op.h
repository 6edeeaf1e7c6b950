// Operators: their kinds (Ops.def), what each kind accepts, and one operator of a graph.
#pragma once

#include "tigris/IR/Attr.h"
#include "tigris/IR/DType.h"
#include "tigris/IR/Ids.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

enum class OpKind : uint8_t {
#define TIGRIS_OP(kind, ...) kind,
#include "tigris/IR/Ops.def"
  /// An operator the list does not know; its name is in Op::unknownKind. Legal only while
  /// `imported`.
  Unknown,
};

enum class OpCategory : uint8_t {
  Spatial,
  Pointwise,
  Channel,
  Resample,
  Structural,
  Dense,
  Compile
};

/// What an operator computes. Passes, planner and cost models treat the operators of one class
/// alike.
enum class OpClass : uint8_t {
  /// Multiplies windows with weights [O, I/group, spatial...]; each output value takes one filter.
  Convolution,
  /// The same backwards, weights [I, O/group, spatial...]: each input value feeds one filter.
  TransposedConvolution,
  Pool,
  GlobalPool,
  /// Matrix products and dense layers.
  Product,
  /// LSTM, GRU and RNN over a whole sequence.
  Recurrent,
  /// Element i of the result depends on element i of each operand (broadcast) only.
  Elementwise,
  /// The same of one operand: a formula of Ops.def, for which int8 has a table of 256 results.
  Function,
  /// Between real numbers and integers with a scale and a zero point.
  Quantization,
  /// A factor and a summand per channel.
  PerChannel,
  /// Each element of the result is one of the first operand, or a fill value, at a place known at
  /// compile time.
  Movement,
  /// The same with places that are computed while the model runs.
  Index,
  /// Interpolates on another grid of rows and columns.
  Resampling,
  /// Divides by what it finds along some axes.
  Normalization,
  /// Combines the elements along some axes; over no axis it changes nothing.
  Reduction,
  /// The same of a function of each element.
  Norm,
  /// Positions and running sums along one axis.
  Search,
  /// Depends on shapes and constants only.
  Static
};

/// How the attributes of an operator follow when the dimensions of its operands are permuted.
enum class OrderRule : uint8_t {
  /// They cannot: the operator depends on the order of its dimensions.
  Fixed,
  /// None of them names a dimension.
  Any,
  /// `axis` names one.
  Axis,
  /// `axes` lists some.
  Axes,
  /// `pads` has two numbers per dimension.
  Pads,
  /// `repeats` has one.
  Repeats,
  /// Works on channels-last tensors from layout assignment on.
  Channels
};

/// How an operator takes part in quantization.
enum class QuantRule : uint8_t {
  /// It computes real numbers.
  Real,
  /// It is quantized along with its constant weights.
  Weighted,
  /// It has an integer form, which pays off between integer operators.
  Light,
  /// It has an integer form that costs accuracy: only for models that are quantized there already.
  Heavy,
  /// It moves elements, which commutes exactly with quantization.
  Moves,
  /// The same in some of its forms: see isDataMovement() in Transforms/QuantUtils.h.
  Selects,
  /// It moves elements or interpolates between them, on one quantization.
  Interpolates,
  /// It clamps elements: monotone, so quantizing its operand gives the integers that quantizing its
  /// result would.
  Clamps,
  /// It chooses the smallest or largest of elements that share one quantization: monotone likewise.
  Extreme
};

/// One operand or result of an operator kind.
struct OperandInfo {
  std::string name;
  bool optional = false;
  bool variadic = false;
  /// Becomes the attribute `name` before form `normalized`.
  bool compileTime = false;
  /// Chooses what happens to the others: its own elements do not reach a result.
  bool chooses = false;
};

struct AttrInfo {
  std::string name;
  AttrKind kind = AttrKind::Int;
  /// Value of a number that is left out, where Ops.def states one.
  std::optional<double> fallback;
};

struct OpInfo {
  std::string_view name;
  OpCategory category = OpCategory::Compile;
  OpClass opClass = OpClass::Static;
  OrderRule order = OrderRule::Fixed;
  QuantRule quant = QuantRule::Real;
  /// What the first operand may be when the model runs; one of the words "f32 s8 int bool any"
  /// each.
  std::string_view types;
  std::vector<OperandInfo> operands;
  std::vector<OperandInfo> results;
  std::vector<AttrInfo> attributes;

  /// Operand counts the kind accepts while imported; SIZE_MAX where the last operand repeats.
  size_t minOperands() const;
  size_t maxOperands() const;
  size_t minResults() const;
  size_t maxResults() const;
  /// True when `types` covers a first operand of this type; int8 is taken for quantized.
  bool computesIn(DType type) const;
  const AttrInfo* attribute(std::string_view attrName) const;
  /// What Ops.def states as default of a number; 0 where it states none.
  double fallback(std::string_view attrName) const;
  /// Index of the operand of this name; it must exist.
  size_t operand(std::string_view operandName) const;
};

/// The row of Ops.def; OpKind::Unknown has an all-accepting row.
const OpInfo& opInfo(OpKind kind);
std::optional<OpKind> parseOpKind(std::string_view name);
std::span<const OpKind> allOpKinds();
std::string_view categoryName(OpCategory category);

/// A clamp applied to the result of an operator that supports it, after everything else.
/// Clip takes its bounds from the attributes act_min and act_max (absent = unbounded).
enum class Activation : uint8_t { None, Relu, Relu6, Clip };
std::string_view activationName(Activation act);
std::optional<Activation> parseActivation(std::string_view name);

/// One operator. Operands and results are changed through Graph, which keeps producers and users.
struct Op {
  OpKind kind = OpKind::Unknown;
  std::string name;
  /// An invalid id stands for an omitted optional operand; trailing ones are dropped.
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  AttrMap attrs;
  Activation act = Activation::None;
  /// ONNX node names this operator came from, accumulated through folds and fusions.
  std::vector<std::string> origin;
  /// "domain::Name" when kind is Unknown.
  std::string unknownKind;

  std::string_view kindName() const {
    return kind == OpKind::Unknown ? std::string_view(unknownKind) : opInfo(kind).name;
  }
  TensorId input(size_t index) const { return index < inputs.size() ? inputs[index] : TensorId(); }
  TensorId output(size_t index = 0) const {
    return index < outputs.size() ? outputs[index] : TensorId();
  }
};

} // namespace tigris
