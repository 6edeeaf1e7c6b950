// Propagates parameters across data movement to a fixed point; tensors without parameters are then
// plain integers.
#include "tigris/Transforms/SmallIntegers.h"

#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// Whether results contain numbers of the operands, regardless of what these represent.
bool carriesNumbers(const Op& op) {
  switch (op.kind) {
  case OpKind::Identity:
  case OpKind::Dropout:
  case OpKind::MaxPool:
  case OpKind::Pad:
  case OpKind::TopK:
  case OpKind::Clip:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
    return true;
  default:
    return isDataMovement(op);
  }
}

/// Whether all results but the first are indices or masks.
bool hasOneValue(OpKind kind) {
  return kind == OpKind::TopK || kind == OpKind::MaxPool || kind == OpKind::Dropout;
}

/// Other ops that may read or write small integers.
bool convertsNumbers(OpKind kind) {
  return kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear ||
         kind == OpKind::Requantize || kind == OpKind::Cast || kind == OpKind::ArgMax ||
         kind == OpKind::ArgMin;
}

bool canCarry(DType type) { return isInteger(type) && type != DType::Bool && type != DType::Int64; }

class Annotation {
public:
  Annotation(Graph& graph, OriginalTypes& given) : graph_(graph), given_(given) {}

  Status run() {
    if (Status status = spread(); !status)
      return status;
    if (plainIntegers())
      if (Status status = spread(); !status)
        return status;
    for (const OpId id : graph_.order())
      if (Status status = adapt(id); !status)
        return status;
    return {};
  }

private:
  /// Propagates forward and backward until movement no longer connects tensors with and without
  /// parameters.
  Status spread() {
    for (bool again = true; again;) {
      again = false;
      const std::vector<OpId> order = graph_.order();
      const auto visit = [&](OpId id) -> Status {
        const Expected<bool> changed = spreadOver(id);
        if (!changed)
          return changed.error();
        again |= *changed;
        return {};
      };
      for (const OpId id : order)
        if (Status status = visit(id); !status)
          return status;
      for (auto at = order.rbegin(); at != order.rend(); ++at)
        if (Status status = visit(*at); !status)
          return status;
    }
    return {};
  }

  Expected<bool> spreadOver(OpId id) {
    const Op& op = graph_.op(id);
    if (!carriesNumbers(op) || op.inputs.empty())
      return false;
    const std::vector<size_t> slots = dataOperands(op);
    std::vector<TensorId> results = op.outputs;
    if (hasOneValue(op.kind))
      results.resize(1);
    std::vector<TensorId> values = results;
    for (const size_t slot : slots)
      values.push_back(op.input(slot));
    const TensorId source = sourceOf(values);
    if (!source)
      return false;
    if (Status status = checkAgreement(op, values, source); !status)
      return status.takeError();
    const QuantParam quant = *graph_.tensor(source).quant;
    bool changed = false;
    for (const TensorId result : results)
      changed |= give(result, quant);
    for (const size_t slot : slots)
      changed |= giveOperand(id, slot, quant);
    return changed;
  }

  /// The tensor whose parameters the others take; a constant only if no other tensor has
  /// parameters.
  TensorId sourceOf(const std::vector<TensorId>& values) const {
    TensorId found;
    for (const TensorId id : values) {
      if (!id || !graph_.tensor(id).quant || graph_.tensor(id).quant->perChannel())
        continue;
      if (!graph_.tensor(id).isConstant())
        return id;
      found = id;
    }
    return found;
  }

  /// Parameters found by this pass must agree with those of the graph; later passes may insert a
  /// Requantize.
  Status checkAgreement(const Op& op, const std::vector<TensorId>& values, TensorId source) const {
    const Tensor& from = graph_.tensor(source);
    for (const TensorId id : values) {
      if (!id || graph_.tensor(id).isConstant() || given_.count(id) == 0 ||
          given_.count(source) == 0 || graph_.tensor(id).quant == from.quant)
        continue;
      const Tensor& other = graph_.tensor(id);
      return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                       "): moves integers between '", from.name, "' of scale ",
                       from.quant->scale[0], ", zero point ", from.quant->zeroPoint[0], " and '",
                       other.name, "' of scale ", other.quant->scale[0], ", zero point ",
                       other.quant->zeroPoint[0], "; they must be the same");
    }
    return {};
  }

  bool give(TensorId id, const QuantParam& quant) {
    if (!id || graph_.tensor(id).quant || !canCarry(graph_.tensor(id).type))
      return false;
    giveParam(graph_, id, quant, given_);
    return true;
  }

  /// Sets the parameters of a constant in a copy, because other ops may read it with different
  /// ones.
  bool giveOperand(OpId id, size_t slot, const QuantParam& quant) {
    const TensorId operand = graph_.op(id).input(slot);
    if (!operand || !canCarry(graph_.tensor(operand).type))
      return false;
    if (!graph_.tensor(operand).isConstant())
      return give(operand, quant);
    const std::optional<QuantParam>& has = graph_.tensor(operand).quant;
    if (has && (has == quant || given_.count(operand) == 0))
      return false;
    Tensor copy = graph_.tensor(operand);
    copy.name = graph_.uniqueName(copy.name);
    copy.quant.reset();
    const TensorId target = graph_.addTensor(std::move(copy));
    graph_.setInput(id, slot, target);
    giveParam(graph_, target, quant, given_);
    return true;
  }

  bool plainIntegers() {
    bool any = false;
    for (const TensorId id : graph_.tensors()) {
      const Tensor& tensor = graph_.tensor(id);
      if (tensor.quant || tensor.isConstant() || !isSmallInteger(tensor.type))
        continue;
      giveParam(graph_, id, plainParam(tensor.type), given_);
      any = true;
    }
    return any;
  }

  /// Scale 1 and the zero point that represents 0 of an integer type.
  static QuantParam plainParam(DType type) {
    QuantParam quant;
    quant.scale = {1.0F};
    quant.zeroPoint = {-signedOffset(type)};
    return quant;
  }

  Status adapt(OpId id) {
    const Op& op = graph_.op(id);
    if (op.kind == OpKind::Cast)
      return adaptCast(id);
    if (convertsNumbers(op.kind))
      return {};
    if (!carriesNumbers(op))
      return refuseArithmetic(op);
    if (op.kind == OpKind::Pad && op.attrs.getString("mode", "constant") == "constant")
      makeReal(id, "value", 0);
    if (op.kind == OpKind::Clip)
      for (const char* bound : {"min", "max"})
        makeReal(id, bound);
    return {};
  }

  Status refuseArithmetic(const Op& op) const {
    for (const auto* tensors : {&op.inputs, &op.outputs})
      for (const TensorId id : *tensors)
        if (const auto known = given_.find(id);
            known != given_.end() && !graph_.tensor(id).isConstant())
          return makeError(DiagId::UnsupportedType, "op '", op.name, "' (", op.kindName(),
                           "): computes on the ", dtypeName(known->second), " numbers of tensor '",
                           graph_.tensor(id).name,
                           "'; small integers are only moved, converted by Cast, and dequantized");
    return {};
  }

  /// An argument of an op on plain integers is an integer; on quantized numbers it becomes the real
  /// number it represents.
  void makeReal(OpId id, const char* name, std::optional<double> absent = std::nullopt) {
    const Op& op = graph_.op(id);
    const auto known = given_.find(op.input(0));
    if (known == given_.end() || (op.attrs.find(name) == nullptr && !absent))
      return;
    const QuantParam& quant = *graph_.tensor(op.input(0)).quant;
    const int32_t zero = quant.zeroPoint[0] + signedOffset(known->second);
    const double value = op.attrs.getFloat(name, absent.value_or(0));
    graph_.editOp(id).attrs.set(name, (value - zero) * quant.scale[0]);
  }

  /// Casts work on real numbers. For plain integers these are the integers themselves.
  Status adaptCast(OpId id) {
    const Op& op = graph_.op(id);
    for (const TensorId tensor : {op.input(0), op.output()}) {
      const auto known = given_.find(tensor);
      if (known != given_.end() && graph_.tensor(tensor).quant != plainParam(known->second))
        return makeError(DiagId::UnsupportedType, "op '", op.name, "' (Cast): tensor '",
                         graph_.tensor(tensor).name, "' is quantized with scale ",
                         graph_.tensor(tensor).quant->scale[0],
                         "; a Cast of its integers is not supported, use DequantizeLinear");
    }
    if (given_.count(op.output()) != 0)
      graph_.editOp(id).attrs.set("to", std::string(dtypeName(graph_.tensor(op.output()).type)));
    const bool toReal = graph_.tensor(op.output()).type == DType::Float32;
    if (toReal && given_.count(op.input(0)) != 0) {
      Op& cast = graph_.editOp(id);
      cast.kind = OpKind::DequantizeLinear;
      cast.attrs = {};
    }
    return {};
  }

  Graph& graph_;
  OriginalTypes& given_;
};

} // namespace

bool isSmallInteger(DType type) {
  return type == DType::Int8 || type == DType::UInt8 || type == DType::Int16 ||
         type == DType::UInt16;
}

int32_t signedOffset(DType type) {
  return type == DType::UInt8 ? 128 : type == DType::UInt16 ? 32768 : 0;
}

DType storedType(DType type) {
  switch (type) {
  case DType::UInt16:
    return DType::Int16;
  case DType::UInt8:
  case DType::Int4:
  case DType::UInt4:
    return DType::Int8;
  default:
    return type;
  }
}

void storeSigned(Tensor& constant) {
  // 4-bit constants are already stored with one value per byte.
  if (constant.type == DType::UInt8) {
    std::vector<uint8_t> bytes = constant.data->values<uint8_t>();
    for (uint8_t& byte : bytes)
      byte = static_cast<uint8_t>(byte ^ 0x80U);
    constant.data = makeBlob(std::move(bytes));
  } else if (constant.type == DType::UInt16) {
    std::vector<uint16_t> values = constant.data->values<uint16_t>();
    for (uint16_t& value : values)
      value = static_cast<uint16_t>(value ^ 0x8000U);
    constant.data = makeBlobOf(values);
  }
  constant.type = storedType(constant.type);
}

void giveParam(Graph& graph, TensorId id, const QuantParam& quant, OriginalTypes& given) {
  Tensor& tensor = graph.editTensor(id);
  given.emplace(id, tensor.type);
  if (tensor.isConstant())
    storeSigned(tensor);
  tensor.type = storedType(tensor.type);
  tensor.quant = quant;
}

Status annotateSmallIntegers(Graph& graph, OriginalTypes& given) {
  return Annotation(graph, given).run();
}

} // namespace tigris
