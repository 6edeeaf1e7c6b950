// Operators: their kinds (Ops.def), the properties of a kind, and one operator of a graph.
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
  /// An operator that is not in the list; its name is in Op::unknownKind. Legal only while
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

/// What an operator computes. Passes, planner and cost models treat operators of one class alike.
enum class OpClass : uint8_t {
  /// Multiplies windows with weights [O, I/group, spatial...]; each output value uses one filter.
  Convolution,
  /// The transposed operation with weights [I, O/group, spatial...]: each input value feeds one
  /// filter.
  TransposedConvolution,
  Pool,
  GlobalPool,
  /// Matrix products and dense layers.
  Product,
  /// LSTM, GRU and RNN over a whole sequence.
  Recurrent,
  /// Element i of the result depends only on element i of each operand (with broadcasting).
  Elementwise,
  /// Element-wise with one operand: a formula in Ops.def, for which int8 has a table of 256
  /// results.
  Function,
  /// Conversion between real numbers and integers with a scale and a zero point.
  Quantization,
  /// A factor and a summand per channel.
  PerChannel,
  /// Each element of the result is an element of the first operand, or a fill value, at a position
  /// known at compile time.
  Movement,
  /// The same with positions that are computed at run time.
  Index,
  /// Interpolation on another grid of rows and columns.
  Resampling,
  /// Divides by a statistic along some axes.
  Normalization,
  /// Combines the elements along some axes; without axes it is the identity.
  Reduction,
  /// A reduction of a function of each element.
  Norm,
  /// Indices and running sums along one axis.
  Search,
  /// Depends on shapes and constants only.
  Static
};

/// The effect on an operator's attributes when the dimensions of its operands are permuted.
enum class OrderRule : uint8_t {
  /// Not permutable: the operator depends on the order of its dimensions.
  Fixed,
  /// No attribute refers to a dimension.
  Any,
  /// `axis` is one dimension.
  Axis,
  /// `axes` lists dimensions.
  Axes,
  /// `pads` has two numbers per dimension.
  Pads,
  /// `repeats` has one number per dimension.
  Repeats,
  /// Works on channels-last tensors after layout assignment.
  Channels
};

/// The behavior of an operator in quantization.
enum class QuantRule : uint8_t {
  /// It computes on real numbers.
  Real,
  /// It is quantized together with its constant weights.
  Weighted,
  /// It has an integer form, which pays off between integer operators.
  Light,
  /// It has an integer form that loses accuracy; used only if the model is already quantized there.
  Heavy,
  /// It moves elements, which commutes exactly with quantization.
  Moves,
  /// Some of its forms move elements: see isDataMovement() in Transforms/QuantUtils.h.
  Selects,
  /// It moves elements or interpolates between them, with one quantization.
  Interpolates,
  /// It clamps elements. Clamping is monotone, so quantizing its operand gives the same integers as
  /// quantizing its result.
  Clamps,
  /// It selects the smallest or largest of elements with one quantization; it is monotone, too.
  Extreme
};

/// One operand or result of an operator kind.
struct OperandInfo {
  std::string name;
  bool optional = false;
  bool variadic = false;
  /// Becomes the attribute `name` before form `normalized`.
  bool compileTime = false;
  /// A selector: its own elements do not reach a result.
  bool chooses = false;
};

struct AttrInfo {
  std::string name;
  AttrKind kind = AttrKind::Int;
  /// Default of an omitted number, if Ops.def has one.
  std::optional<double> fallback;
};

struct OpInfo {
  std::string_view name;
  OpCategory category = OpCategory::Compile;
  OpClass opClass = OpClass::Static;
  OrderRule order = OrderRule::Fixed;
  QuantRule quant = QuantRule::Real;
  /// Types of the first operand at run time: words from "f32 s8 int bool any".
  std::string_view types;
  std::vector<OperandInfo> operands;
  std::vector<OperandInfo> results;
  std::vector<AttrInfo> attributes;

  /// Operand counts that the kind accepts while imported; SIZE_MAX if the last operand repeats.
  size_t minOperands() const;
  size_t maxOperands() const;
  size_t minResults() const;
  size_t maxResults() const;
  /// Whether `types` includes a first operand of this type; int8 counts as quantized.
  bool computesIn(DType type) const;
  const AttrInfo* attribute(std::string_view attrName) const;
  /// The default of a number in Ops.def; 0 if there is none.
  double fallback(std::string_view attrName) const;
  /// Index of the operand of this name; it must exist.
  size_t operand(std::string_view operandName) const;
};

/// The row of Ops.def. The row of OpKind::Unknown accepts everything.
const OpInfo& opInfo(OpKind kind);
std::optional<OpKind> parseOpKind(std::string_view name);
std::span<const OpKind> allOpKinds();
std::string_view categoryName(OpCategory category);

/// A clamp applied to the result of an operator that supports it, as the last step. Clip has its
/// bounds in the attributes act_min and act_max (absent = unbounded).
enum class Activation : uint8_t { None, Relu, Relu6, Clip };
std::string_view activationName(Activation act);
std::optional<Activation> parseActivation(std::string_view name);

/// One operator. Graph changes operands and results, because it tracks producers and users.
struct Op {
  OpKind kind = OpKind::Unknown;
  std::string name;
  /// An omitted optional operand has an invalid id; trailing ones are removed.
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  AttrMap attrs;
  Activation act = Activation::None;
  /// Names of the ONNX nodes from which this operator was derived, merged in folds and fusions.
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
