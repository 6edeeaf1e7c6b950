// Operators that work element by element: broadcasting, comparisons, normalization, quantization.
#include "tigris/IR/ShapeRules.h"

#include <algorithm>

namespace tigris::shape {

namespace {

Expected<Shape> broadcastAll(const OpView& view, size_t first = 0) {
  Shape result = view.shape(first);
  for (size_t i = first + 1; i < view.operandCount(); ++i) {
    const auto next = broadcast(result, view.shape(i));
    if (!next)
      return view.error(DiagId::BadShape, "operand ", view.describe(i), " of shape ",
                        view.shape(i).str(), " does not broadcast with ", result.str());
    result = *next;
  }
  return result;
}

Results broadcastTo(const OpView& view, DType type) {
  auto shape = broadcastAll(view);
  if (!shape)
    return shape.takeError();
  return single(type, std::move(*shape));
}

Status requireType(const OpView& view, size_t index, DType type) {
  if (view.type(index) == type)
    return {};
  return view.error(DiagId::BadType, "operand ", view.describe(index), " is ",
                    dtypeName(view.type(index)), ", expected ", dtypeName(type));
}

/// The types Ops.def's output_dtype may name, by their number in onnx.proto's TensorProto.DataType.
DType onnxType(int64_t code) {
  switch (code) {
  case 1:
    return DType::Float32;
  case 2:
    return DType::UInt8;
  case 3:
    return DType::Int8;
  case 4:
    return DType::UInt16;
  case 5:
    return DType::Int16;
  case 6:
    return DType::Int32;
  case 10:
    return DType::Float16;
  case 11:
    return DType::Float64;
  case 21:
    return DType::UInt4;
  case 22:
    return DType::Int4;
  default:
    return DType::Undefined;
  }
}

/// Scale and zero point agree with each other and with the axis of X they belong to.
Status checkScale(const OpView& view) {
  if (!view.has(1))
    return {};
  const Shape& scale = view.shape(1);
  if (view.has(2) && view.shape(2).elements() != scale.elements())
    return view.error(DiagId::BadShape, "operand ", view.describe(2), " has shape ",
                      view.shape(2).str(), ", but the scale has ", scale.str());
  if (view.attrs().getInt("block_size") != 0 || scale.elements() == 1)
    return {};
  auto axis = view.axis("axis", view.attrs().getInt("axis", 1), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  return view.requireVector(1, view.shape(0)[*axis]);
}

Expected<DType> outputDType(const OpView& view) {
  const int64_t code = view.attrs().getInt("output_dtype");
  const DType type = onnxType(code);
  if (code != 0 && type == DType::Undefined)
    return view.error(DiagId::UnsupportedType, "'output_dtype' is ", code,
                      ", which is not a type that TiGrIS supports");
  return type;
}

/// Element type of the tensor this op already writes; Undefined while it has none.
DType resultType(const OpView& view) {
  const TensorId id = view.op().output();
  return id ? view.graph().tensor(id).type : DType::Undefined;
}

int64_t channels(const OpView& view) {
  const Shape& x = view.shape(0);
  return x[channelAxis(view.layout(), x.rank())];
}

} // namespace

Results sameAsFirst(const OpView& view) {
  return std::vector<ResultType>{{view.type(0), view.shape(0)}};
}

Results binaryRule(const OpView& view) {
  if (Status status = view.sameType(0, 1); !status)
    return status.takeError();
  return broadcastTo(view, view.type(0));
}

Results comparisonRule(const OpView& view) {
  if (Status status = view.sameType(0, 1); !status)
    return status.takeError();
  return broadcastTo(view, DType::Bool);
}

Results logicRule(const OpView& view) {
  for (const size_t i : {size_t{0}, size_t{1}})
    if (Status status = requireType(view, i, DType::Bool); !status)
      return status.takeError();
  return broadcastTo(view, DType::Bool);
}

Results notRule(const OpView& view) {
  if (Status status = requireType(view, 0, DType::Bool); !status)
    return status.takeError();
  return sameAsFirst(view);
}

Results variadicRule(const OpView& view) {
  for (size_t i = 1; i < view.operandCount(); ++i)
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
  return broadcastTo(view, view.type(0));
}

Results powRule(const OpView& view) { return broadcastTo(view, view.type(0)); }

Results modRule(const OpView& view) {
  if (isFloat(view.type(0)) && view.attrs().getInt("fmod") != 1)
    return view.error(DiagId::BadAttr, "'fmod' is ", view.attrs().getInt("fmod"),
                      ", but operands of ", dtypeName(view.type(0)), " need 1");
  return binaryRule(view);
}

Results whereRule(const OpView& view) {
  if (Status status = requireType(view, 0, DType::Bool); !status)
    return status.takeError();
  if (Status status = view.sameType(1, 2); !status)
    return status.takeError();
  return broadcastTo(view, view.type(1));
}

Results preluRule(const OpView& view) {
  if (Status status = view.sameType(0, 1); !status)
    return status.takeError();
  const auto shape = broadcast(view.shape(0), view.shape(1));
  if (!shape || *shape != view.shape(0))
    return view.error(DiagId::BadShape, "operand ", view.describe(1), " of shape ",
                      view.shape(1).str(), " does not broadcast to ", view.shape(0).str());
  return sameAsFirst(view);
}

Results clipRule(const OpView& view) {
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (!view.has(i))
      continue;
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
    if (view.shape(i).elements() != 1)
      return view.error(DiagId::BadShape, "operand ", view.describe(i), " has shape ",
                        view.shape(i).str(), ", expected one element");
  }
  return sameAsFirst(view);
}

Results castRule(const OpView& view) {
  const std::string name = view.attrs().getString("to");
  const auto type = parseDType(name);
  if (!type || *type == DType::Undefined)
    return view.error(DiagId::BadAttr, "'to' is '", name,
                      "', expected an element type such as 'float32'");
  return single(*type, view.shape(0));
}

Results dropoutRule(const OpView& view) {
  return std::vector<ResultType>{{view.type(0), view.shape(0)}, {DType::Bool, view.shape(0)}};
}

Results batchNormRule(const OpView& view) {
  if (view.shape(0).rank() == 0)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " is a scalar");
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
    if (Status status = view.requireVector(i, channels(view)); !status)
      return status.takeError();
  }
  return sameAsFirst(view);
}

Results batchNormalizationRule(const OpView& view) {
  if (view.shape(0).rank() < 2)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has shape ",
                      view.shape(0).str(), ", expected at least rank 2");
  std::vector<ResultType> results = {{view.type(0), view.shape(0)}};
  for (size_t i = 1; i < 5; ++i) {
    if (Status status = view.requireVector(i, channels(view)); !status)
      return status.takeError();
    results.push_back({view.type(i), view.shape(i)});
  }
  return results;
}

Results quantizeRule(const OpView& view) {
  if (Status status = checkScale(view); !status)
    return status.takeError();
  auto type = outputDType(view);
  if (!type)
    return type.takeError();
  if (view.has(2)) {
    if (*type != DType::Undefined && *type != view.type(2))
      return view.error(DiagId::BadType, "'output_dtype' is ", dtypeName(*type), ", but operand ",
                        view.describe(2), " is ", dtypeName(view.type(2)));
    return single(view.type(2), view.shape(0));
  }
  if (*type != DType::Undefined)
    return single(*type, view.shape(0));
  const DType declared = resultType(view);
  const bool fromResult = !view.has(1) && isInteger(declared);
  return single(fromResult ? declared : DType::UInt8, view.shape(0));
}

Results dequantizeRule(const OpView& view) {
  if (!isInteger(view.type(0)))
    return view.error(DiagId::BadType, "operand ", view.describe(0), " is ",
                      dtypeName(view.type(0)), ", expected an integer type");
  if (Status status = checkScale(view); !status)
    return status.takeError();
  if (view.has(2))
    if (Status status = view.sameType(0, 2); !status)
      return status.takeError();
  auto type = outputDType(view);
  if (!type)
    return type.takeError();
  if (*type != DType::Undefined)
    return single(*type, view.shape(0));
  return single(view.has(1) ? view.type(1) : DType::Float32, view.shape(0));
}

Results requantizeRule(const OpView& view) {
  if (!isInteger(view.type(0)))
    return view.error(DiagId::BadType, "operand ", view.describe(0), " is ",
                      dtypeName(view.type(0)), ", expected an integer type");
  const DType declared = resultType(view);
  return single(isInteger(declared) ? declared : view.type(0), view.shape(0));
}

} // namespace tigris::shape
