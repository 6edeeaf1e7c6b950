// quant-annotate: moves scales and zero points from operands of Q/DQ to the quantized tensors.
//
// Exporters write QuantizeLinear(x, scale, zero_point) and DequantizeLinear(q, scale, zero_point)
// with constants that many nodes may share. After this pass the integer tensor carries a
// QuantParam, and both ops have one operand:
//
//   q = QuantizeLinear(x, 0.1, 3)     q: int8 {scale: 0.1, zero_point: 3} = QuantizeLinear(x)
//   y = DequantizeLinear(q, 0.1, 3)   y = DequantizeLinear(q)
//
// uint8 becomes int8 (values and zero point 128 lower, because the kernels have one 8-bit type),
// and uint16 becomes int16 (32,768 lower). A model input or output keeps its type at the interface.
// int4 constants are widened to int8. A constant read with two different scales is copied. Data
// movement propagates parameters, and integers without parameters get scale 1 (SmallIntegers.h).
// What cannot be represented is an error: a scale computed at run time, a tensor read with two
// scales, arithmetic on the integers themselves.
#include "tigris/IR/Elements.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/SmallIntegers.h"

#include <cmath>

namespace tigris {

namespace {

constexpr const char* QuantAnnotateDoc =
    R"(Exporters write scales and zero points as operands that many nodes share. This pass attaches
them to the integer tensor, and both operators keep one operand:

    q = QuantizeLinear(x, 0.1, 3)      ->   q {scale: 0.1, zero_point: 3} = QuantizeLinear(x)
    y = DequantizeLinear(q, 0.1, 3)    ->   y = DequantizeLinear(q)

uint8 tensors become int8 (128 is subtracted), and uint16 tensors become int16. Model inputs and
outputs keep their type at the interface. Operators that only move integers pass the parameters on.
Integers that nothing quantizes get scale 1, so that their real values are their numbers; a Cast of
them to float32 becomes a DequantizeLinear.)";

class QuantAnnotate {
public:
  PassStatus run(Graph& graph, PassContext& context) {
    const uint64_t revision = graph.revision();
    const std::vector<OpId> order = graph.order();
    for (const OpId id : order) {
      const OpKind kind = graph.op(id).kind;
      const bool quantizes = kind == OpKind::QuantizeLinear;
      if ((!quantizes && kind != OpKind::DequantizeLinear) || graph.op(id).inputs.size() < 2)
        continue;
      const Status status = annotate(graph, id, quantizes);
      if (!status)
        return context.fail(status.error());
    }
    if (const Status status = annotateSmallIntegers(graph, given_); !status)
      return context.fail(status.error());
    return changedIf(graph.revision() != revision);
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

  /// The integer type given by the op's zero point, attribute or declared tensor.
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
    // A DequantizeLinear whose tensor has been made signed for an earlier op still declares
    // unsigned numbers.
    const auto known = given_.find(target);
    for (int32_t& zero : param->zeroPoint)
      zero -= signedOffset(known != given_.end() ? known->second : type);

    const Tensor& before = graph.tensor(target);
    if (before.quant && !(*before.quant == *param)) {
      if (!before.isConstant())
        return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                         "): tensor '", before.name, "' is read with scale ", param->scale[0],
                         " but has scale ", before.quant->scale[0]);
      Tensor copy = before;
      copy.name = graph.uniqueName(before.name);
      copy.quant.reset();
      target = graph.addTensor(std::move(copy));
      graph.setInput(id, 0, target);
    }
    if (!graph.tensor(target).quant) {
      if (quantizes)
        graph.editTensor(target).type = type;
      giveParam(graph, target, *param, given_);
    }
    graph.setInputs(id, {graph.op(id).input(0)});
    for (const char* name : {"axis", "output_dtype", "saturate", "block_size", "precision"})
      graph.editOp(id).attrs.erase(name);
    return {};
  }

  OriginalTypes given_;
};

} // namespace

PassInfo quantAnnotatePass() {
  return functionPass(
      "quant-annotate", "scales and zero points move onto the quantized tensors", QuantAnnotateDoc,
      [](Graph& graph, PassContext& context) { return QuantAnnotate().run(graph, context); });
}

} // namespace tigris
