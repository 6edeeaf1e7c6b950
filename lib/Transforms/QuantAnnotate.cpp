// quant-annotate: scales and zero points move from operands of Q/DQ onto the quantized tensors.
//
// Exporters spell quantization as QuantizeLinear(x, scale, zero_point) and DequantizeLinear(q, scale,
// zero_point) with constants that are often shared between many nodes. Afterwards the integer tensor
// between them carries a QuantParam and both ops have one operand:
//
//   q = QuantizeLinear(x, 0.1, 3)        q: int8 {scale: 0.1, zero_point: 3} = QuantizeLinear(x)
//   y = DequantizeLinear(q, 0.1, 3)      y = DequantizeLinear(q)
//
// uint8 becomes int8 on the way (value and zero point 128 lower; the kernels know one 8-bit type), and uint16
// int16 (32,768 lower); a model input or output keeps its type at the interface. int4 constants widen to int8. A constant
// that is read with two different scales is copied. Nothing is dropped: what cannot be expressed (a scale
// computed at run time, one tensor read with two scales) is refused.
#include "tigris/IR/Elements.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <cmath>
#include <map>
#include <set>

namespace tigris {

namespace {

constexpr const char* QuantAnnotateDoc =
    R"(Exporters write scales and zero points as operands that many nodes share.
Afterwards the integer tensor carries them and both ops have one operand:

    q = QuantizeLinear(x, 0.1, 3)      ->   q {scale: 0.1, zero_point: 3} = QuantizeLinear(x)
    y = DequantizeLinear(q, 0.1, 3)    ->   y = DequantizeLinear(q)

uint8 tensors become int8 (numbers 128 lower), uint16 ones int16; model inputs and outputs keep their type at
the interface.)";

class QuantAnnotate {
public:
  PassStatus run(Graph& graph, PassContext& context) {
    bool changed = false;
    const std::vector<OpId> order = graph.order();
    for (const OpId id : order) {
      const OpKind kind = graph.op(id).kind;
      const bool quantizes = kind == OpKind::QuantizeLinear;
      if ((!quantizes && kind != OpKind::DequantizeLinear) || graph.op(id).inputs.size() < 2)
        continue;
      const Status status = annotate(graph, id, quantizes);
      if (!status)
        return context.fail(status.error());
      changed = true;
    }
    if (changed) {
      spreadAgainstMovement(graph);
      spreadThroughMovement(graph);
    }
    return changedIf(changed);
  }

private:
  static Expected<QuantParam> readParam(const Graph& graph, const Op& op, const Tensor& shaped) {
    const auto refuse = [&](const auto&... text) {
      return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                       "): ", text...);
    };
    const Tensor& scale = graph.tensor(op.input(1));
    if (!scale.isConstant() || scale.type != DType::Float32)
      return refuse("the scale '", scale.name, "' is not a float32 constant");
    QuantParam param;
    param.scale = scale.data->values<float>();
    for (const float value : param.scale)
      if (!(value > 0) || !std::isfinite(value))
        return refuse("scale ", value, " is not a positive number");

    param.zeroPoint.assign(param.scale.size(), 0);
    if (const TensorId zero = op.input(2)) {
      const Tensor& tensor = graph.tensor(zero);
      if (!tensor.isConstant())
        return refuse("the zero point '", tensor.name, "' is not a constant");
      if (tensor.elements() != static_cast<int64_t>(param.scale.size()))
        return refuse("zero point has ", tensor.elements(), " values, scale has ",
                      param.scale.size());
      const std::vector<int64_t> zeros = loadElements<int64_t>(*tensor.data, tensor.type);
      param.zeroPoint.assign(zeros.begin(), zeros.end());
    }
    if (param.scale.size() > 1) {
      const auto axis = normalizeAxis(op.attrs.getInt("axis", 1), shaped.shape.rank());
      if (!axis || shaped.shape[*axis] != static_cast<int64_t>(param.scale.size()))
        return refuse(param.scale.size(), " scales do not match tensor '", shaped.name,
                      "' of shape ", shaped.shape.str());
      param.axis = static_cast<int>(*axis);
    }
    return param;
  }

  /// The integer type the op's zero point, attribute or declared tensor prescribes.
  static DType integerType(const Graph& graph, const Op& op, bool quantizes) {
    if (!quantizes)
      return graph.tensor(op.input(0)).type;
    if (const TensorId zero = op.input(2))
      return graph.tensor(zero).type;
    const DType declared = graph.tensor(op.output()).type;
    return isInteger(declared) ? declared : DType::UInt8;
  }

  Status annotate(Graph& graph, OpId id, bool quantizes) {
    const Op op = graph.op(id);
    TensorId target = quantizes ? op.output() : op.input(0);
    Expected<QuantParam> param = readParam(graph, op, graph.tensor(target));
    if (!param)
      return param.takeError();
    const DType type = integerType(graph, op, quantizes);
    // A DequantizeLinear whose tensor an earlier op made signed still states unsigned numbers.
    const auto known = wasUnsigned_.find(target);
    const DType stated = known != wasUnsigned_.end() ? known->second : type;
    for (int32_t& zero : param->zeroPoint)
      zero -= signedOffset(stated);

    const Tensor& before = graph.tensor(target);
    if (before.quant && !(*before.quant == *param)) {
      if (!before.isConstant())
        return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                         "): tensor '", before.name, "' is read with scale ", param->scale[0],
                         " but holds scale ", before.quant->scale[0]);
      Tensor copy = before;
      copy.name = graph.uniqueName(before.name);
      copy.quant.reset();
      target = graph.addTensor(std::move(copy));
      graph.setInput(id, 0, target);
    }
    Tensor& tensor = graph.editTensor(target);
    if (!tensor.quant) {
      if (signedOffset(type) != 0)
        wasUnsigned_.emplace(target, type);
      if (tensor.isConstant())
        widenConstant(tensor);
      tensor.type = quantizes ? storedType(type) : storedType(tensor.type);
      tensor.quant = *param;
      annotated_.insert(target);
    }
    graph.setInputs(id, {graph.op(id).input(0)});
    for (const char* name : {"axis", "output_dtype", "saturate", "block_size", "precision"})
      graph.editOp(id).attrs.erase(name);
    return {};
  }

  /// By how much numbers of an unsigned type are lower in the signed one that stores them.
  static int32_t signedOffset(DType type) {
    return type == DType::UInt8 ? 128 : type == DType::UInt16 ? 32768 : 0;
  }

  static DType storedType(DType type) {
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

  static void widenConstant(Tensor& tensor) {
    // 4-bit constants already hold one value per byte.
    if (tensor.type == DType::UInt8) {
      std::vector<uint8_t> bytes = tensor.data->values<uint8_t>();
      for (uint8_t& byte : bytes)
        byte = static_cast<uint8_t>(byte ^ 0x80U);
      tensor.data = makeBlob(std::move(bytes));
    } else if (tensor.type == DType::UInt16) {
      std::vector<uint16_t> values = tensor.data->values<uint16_t>();
      for (uint16_t& value : values)
        value = static_cast<uint16_t>(value ^ 0x8000U);
      tensor.data = makeBlobOf(values);
    }
  }

  /// Integer tables that only movement reads, such as embeddings of quantized-operator models, take the parameters of
  /// what is read of them.
  void spreadAgainstMovement(Graph& graph) {
    const std::vector<OpId> order = graph.order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const Op op = graph.op(*at);
      if (!isDataMovement(op) || op.outputs.size() != 1 || !op.output())
        continue;
      const std::optional<QuantParam> quant = graph.tensor(op.output()).quant;
      if (!quant || quant->perChannel())
        continue;
      for (const size_t slot : dataOperands(op))
        if (const Tensor& source = graph.tensor(op.inputs[slot]);
            !source.quant && isInteger(source.type) && !graph.isGraphInput(op.inputs[slot]))
          giveParam(graph, *at, slot, *quant);
    }
  }

  /// An operand without parameters gets them; a constant in a copy, because others may read it differently.
  void giveParam(Graph& graph, OpId id, size_t slot, const QuantParam& quant) {
    TensorId target = graph.op(id).inputs[slot];
    const DType type = graph.tensor(target).type;
    if (graph.tensor(target).isConstant()) {
      Tensor copy = graph.tensor(target);
      copy.name = graph.uniqueName(copy.name);
      widenConstant(copy);
      target = graph.addTensor(std::move(copy));
      graph.setInput(id, slot, target);
    }
    if (signedOffset(type) != 0)
      wasUnsigned_.emplace(target, type);
    Tensor& tensor = graph.editTensor(target);
    tensor.type = storedType(type);
    tensor.quant = quant;
    annotated_.insert(target);
  }

  /// Integer tensors that reach a DequantizeLinear through data movement (quantized-operator models
  /// reshape, pad and pool integers) take the parameters of where they came from.
  void spreadThroughMovement(Graph& graph) {
    for (const OpId id : graph.order()) {
      const Op& op = graph.op(id);
      if ((!isDataMovement(op) && op.kind != OpKind::Pad) || op.inputs.empty())
        continue;
      const Tensor source = graph.tensor(op.input(dataOperands(op).front()));
      if (!source.quant || source.quant->perChannel())
        continue;
      if (op.kind == OpKind::Pad && annotated_.count(op.input(0)) != 0)
        makeFillReal(graph, id, *source.quant);
      for (const TensorId output : op.outputs)
        if (output && isInteger(graph.tensor(output).type)) {
          Tensor& result = graph.editTensor(output);
          if (signedOffset(result.type) != 0)
            wasUnsigned_.emplace(output, result.type);
          result.type = source.type;
          if (!result.quant)
            result.quant = source.quant;
          annotated_.insert(output);
        }
    }
  }

  /// A Pad of plain integers fills with an integer, one of quantized numbers with the real number it means.
  void makeFillReal(Graph& graph, OpId id, const QuantParam& quant) const {
    const Op& op = graph.op(id);
    const auto known = wasUnsigned_.find(op.input(0));
    const int32_t offset = known == wasUnsigned_.end() ? 0 : signedOffset(known->second);
    const int32_t zero = quant.zeroPoint[0] + offset;
    const double fill = op.attrs.getFloat("value", 0);
    graph.editOp(id).attrs.set("value", (fill - zero) * quant.scale[0]);
  }

  std::set<TensorId> annotated_; ///< what got its parameters in this run
  std::map<TensorId, DType> wasUnsigned_;
};

} // namespace

PassInfo quantAnnotatePass() {
  return functionPass(
      "quant-annotate", "scales and zero points move onto the quantized tensors", QuantAnnotateDoc,
      [](Graph& graph, PassContext& context) { return QuantAnnotate().run(graph, context); });
}

} // namespace tigris
