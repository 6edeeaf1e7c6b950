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
#define TIGRIS_OP(kind, category, types, operands, results, attributes) kind,
#include "tigris/IR/Ops.def"
  /// An operator the list does not know; its name is in Op::unknownKind. Legal only while `imported`.
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

/// One operand or result of an operator kind.
struct OperandInfo {
  std::string name;
  bool optional = false;
  bool variadic = false;
  /// Becomes the attribute `name` before form `normalized`.
  bool compileTime = false;
};

struct AttrInfo {
  std::string name;
  AttrKind kind = AttrKind::Int;
};

struct OpInfo {
  std::string_view name;
  OpCategory category = OpCategory::Compile;
  /// What the first operand may be when the model runs; one of the words "f32 s8 int bool any" each.
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
