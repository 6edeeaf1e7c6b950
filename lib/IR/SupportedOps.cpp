// Limits of operators that are legal but have no kernel or pass. One function per limit. The
// messages are for users and suggest an alternative.
#include "tigris/IR/ShapeRules.h"

#include <algorithm>
#include <array>
#include <set>

namespace tigris {

using shape::opError;

namespace {

constexpr size_t MaxRank = 8;

/// Value of a one-element constant, also through a Constant op that has not been folded yet.
BlobRef constantArgument(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.isConstant())
    return tensor.data;
  const OpId producer = graph.producer(id);
  if (producer && graph.op(producer).kind == OpKind::Constant)
    return graph.tensor(graph.op(producer).input(0)).data;
  return nullptr;
}

bool isUsed(const Graph& graph, TensorId id) {
  return id && (!graph.users(id).empty() || graph.isGraphOutput(id));
}

/// Operators of category Compile that passes lower for all operands.
bool isLowered(OpKind kind) {
  static constexpr std::array Lowered = {
      OpKind::Constant, OpKind::Identity, OpKind::Dropout,   OpKind::Flatten,
      OpKind::Shape,    OpKind::Squeeze,  OpKind::Unsqueeze, OpKind::BatchNormalization,
      OpKind::Size,     OpKind::Sum};
  return std::find(Lowered.begin(), Lowered.end(), kind) != Lowered.end();
}

Error unsupported(const Op& op, const std::string& text) {
  return opError(DiagId::UnsupportedOp, op, text);
}

Status checkShapes(const Op& op, const Graph& graph) {
  const auto check = [&](TensorId id) -> Status {
    if (!id)
      return {};
    const Tensor& tensor = graph.tensor(id);
    if (tensor.shape.rank() > MaxRank)
      return unsupported(op, strCat("tensor '", tensor.name, "' has rank ", tensor.shape.rank(),
                                    ", at most ", MaxRank, " is supported"));
    // A tensor without elements is known; normalization removes it before the model runs.
    if (tensor.elements() == 0 && graph.form() != GraphForm::Imported)
      return unsupported(op, strCat("tensor '", tensor.name, "' of shape ", tensor.shape.str(),
                                    " has no elements"));
    return {};
  };
  for (const auto* tensors : {&op.inputs, &op.outputs})
    for (const TensorId id : *tensors)
      if (Status status = check(id); !status)
        return status;
  return {};
}

/// Integers that passes convert: quant-annotate makes unsigned integers signed and rejects
/// arithmetic on them.
bool isForPasses(DType type, GraphForm form) {
  return form == GraphForm::Imported && (type == DType::UInt8 || type == DType::Int8 ||
                                         type == DType::Int16 || type == DType::UInt16);
}

/// Legal operand types: those of Ops.def and, while imported, types that may turn out to be
/// quantized.
bool allowedOperand(const Op& op, DType type, GraphForm form) {
  return isForPasses(type, form) || opInfo(op.kind).computesIn(type);
}

/// Types in which tensors can be stored.
bool allowedResult(const Op& op, DType type, GraphForm form) {
  if (isForPasses(type, form))
    return true;
  if (op.kind == OpKind::QuantizeLinear)
    return type == DType::Int8 || type == DType::Int16;
  switch (type) {
  case DType::Float32:
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
  case DType::Bool:
    return true;
  default:
    return false;
  }
}

/// "float32 and int8", from the words of Ops.def.
std::string typeList(const OpInfo& info) {
  std::vector<std::string_view> names;
  for (const DType type :
       {DType::Float32, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Bool})
    if (info.computesIn(type))
      names.push_back(dtypeName(type));
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += strCat(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return text;
}

Status checkTypes(const Op& op, const Graph& graph) {
  const auto refused = [&](TensorId id) {
    return opError(DiagId::UnsupportedType, op, "tensor '", graph.tensor(id).name, "' is ",
                   dtypeName(graph.tensor(id).type), ", but there are kernels for ",
                   typeList(opInfo(op.kind)), " only");
  };
  // Checks the type of the first operand even if it is constant. Other constant operands are
  // weights, whose types have their own rules.
  const size_t typed = op.kind == OpKind::Where ? 1 : 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId operand = op.inputs[i];
    if (op.kind == OpKind::SVDF && i == 4)
      continue; // the state, which has the type of the time weights
    if (operand && !allowedOperand(op, graph.tensor(operand).type, graph.form()) &&
        (i == typed || !isStatic(graph, operand)) && !isStatic(graph, op.output()))
      return refused(operand);
  }
  for (const TensorId result : op.outputs)
    if (result && !allowedResult(op, graph.tensor(result).type, graph.form()) &&
        !isStatic(graph, result))
      return opError(DiagId::UnsupportedType, op, "result '", graph.tensor(result).name, "' is ",
                     dtypeName(graph.tensor(result).type),
                     "; tensors at run time must be float32, int8, int16, int32, int64 or bool");
  return {};
}

Status checkCompileTime(const Op& op, const Graph& graph) {
  const OpInfo& info = opInfo(op.kind);
  for (size_t i = 0; i < op.inputs.size() && i < info.operands.size(); ++i)
    if (info.operands[i].compileTime && op.input(i) && !isStatic(graph, op.input(i)))
      return unsupported(op, strCat("operand '", info.operands[i].name, "' (tensor '",
                                    graph.tensor(op.input(i)).name,
                                    "') is computed at run time; it must be constant"));
  if (info.category != OpCategory::Compile || isLowered(op.kind))
    return {};
  for (const TensorId id : op.inputs)
    if (id && !isStatic(graph, id))
      return unsupported(op, strCat("tensor '", graph.tensor(id).name,
                                    "' depends on the model's inputs, but this operator is only "
                                    "evaluated at compile time; there is no kernel for it"));
  return {};
}

/// A pooling window with all taps in the padding has no maximum and no mean.
Status checkPoolPadding(const Op& op, const Graph& graph) {
  const Expected<Window> window = resolveWindow(op, graph);
  if (!window)
    return window.error();
  const Shape& x = graph.tensor(op.input(0)).shape;
  const Shape& y = graph.tensor(op.output()).shape;
  const size_t first = firstSpatialAxis(graph.layout());
  for (size_t i = 0; i < window->kernel.size(); ++i) {
    const int64_t dilation = window->dilations[i];
    for (int64_t at = 0; at < y[first + i]; ++at) {
      const int64_t start = at * window->strides[i] - window->pads[i];
      // The first tap that is not before the input; dilated taps can skip a small input.
      const int64_t tap = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
      if (tap >= window->kernel[i] || start + tap * dilation >= x[first + i])
        return unsupported(op, strCat("a window of spatial dimension ", i,
                                      " is entirely in the padding; pads must be smaller than "
                                      "the kernel"));
    }
  }
  return {};
}

Status checkWindow(const Op& op, const Graph& graph) {
  const size_t rank = graph.tensor(op.input(0)).shape.rank();
  if (rank > 4)
    return unsupported(op,
                       strCat("has ", rank - 2, " spatial dimensions, at most 2 are supported"));
  if (op.kind == OpKind::MaxPool && isUsed(graph, op.output(1)))
    return unsupported(op, "result 'Indices' is used; only the maxima are supported");
  if (op.kind == OpKind::MaxPool || op.kind == OpKind::AveragePool)
    return checkPoolPadding(op, graph);
  const OpClass opClass = opInfo(op.kind).opClass;
  const bool weights = opClass == OpClass::Convolution || opClass == OpClass::TransposedConvolution;
  for (size_t i = 1; weights && i < op.inputs.size(); ++i)
    if (!isStatic(graph, op.inputs[i]))
      return unsupported(op, strCat("operand '", opInfo(op.kind).operands[i].name, "' (tensor '",
                                    graph.tensor(op.inputs[i]).name,
                                    "') is computed at run time; it must be constant"));
  return {};
}

/// Kernels convert stored integers, which equal the real values only if the scale is 1.
Status checkCast(const Op& op, const Graph& graph) {
  for (const TensorId id : {op.input(0), op.output()})
    if (const std::optional<QuantParam>& quant = graph.tensor(id).quant;
        quant && (quant->perChannel() || quant->scale[0] != 1.0F))
      return unsupported(op, strCat("tensor '", graph.tensor(id).name,
                                    "' is quantized with a scale other than 1; use "
                                    "QuantizeLinear and DequantizeLinear"));
  return {};
}

Status checkQuantization(const Op& op, const Graph& graph) {
  if (const int64_t block = op.attrs.getInt("block_size"); block != 0)
    return unsupported(op, strCat("'block_size' is ", block,
                                  "; block-wise quantization is not supported, use one scale per "
                                  "tensor or per channel"));
  if (const TensorId scale = op.input(1);
      scale && graph.tensor(scale).elements() != 1 && !isStatic(graph, op.input(0)))
    return unsupported(op, strCat("tensor '", graph.tensor(op.input(0)).name, "' has ",
                                  graph.tensor(scale).elements(),
                                  " scales; activations may have one only"));
  return {};
}

Status checkResize(const Op& op, const Graph& graph) {
  if (op.attrs.getInt("antialias") != 0)
    return unsupported(op, "'antialias' is 1; resizing without it is supported");
  if (op.attrs.getString("coordinate_transformation_mode") == "tf_crop_and_resize")
    return unsupported(op, "'coordinate_transformation_mode' is tf_crop_and_resize; use Slice and "
                           "another mode");
  const Shape& x = graph.tensor(op.input(0)).shape;
  const Shape& y = graph.tensor(op.output()).shape;
  if (x.rank() != 3 && x.rank() != 4)
    return unsupported(op, strCat("operand 'X' has rank ", x.rank(), ", 3 and 4 are supported"));
  for (const size_t axis : {size_t{0}, channelAxis(graph.layout(), x.rank())})
    if (x[axis] != y[axis])
      return unsupported(op, strCat("resizes axis ", axis, " from ", x[axis], " to ", y[axis],
                                    "; only height and width may change"));
  return {};
}

Status checkPad(const Op& op) {
  if (op.attrs.getString("mode") == "wrap")
    return unsupported(op, "'mode' is wrap; constant, edge and reflect are supported");
  return {};
}

Status checkResults(const Op& op, const Graph& graph) {
  for (size_t i = 1; i < op.outputs.size(); ++i)
    if (isUsed(graph, op.outputs[i]))
      return unsupported(op,
                         strCat("result '", opInfo(op.kind).results[i].name, "' is used; only '",
                                opInfo(op.kind).results[0].name, "' is supported"));
  return {};
}

Status checkBatchNormalization(const Op& op, const Graph& graph) {
  if (op.attrs.getInt("training_mode") != 0)
    return unsupported(op, "'training_mode' is 1; export the model for inference");
  if (op.attrs.getInt("spatial", 1) == 0)
    return unsupported(op, "'spatial' is 0; statistics per channel are supported");
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (!isStatic(graph, op.inputs[i]))
      return unsupported(op, strCat("tensor '", graph.tensor(op.inputs[i]).name,
                                    "' is computed at run time; it must be constant"));
  return checkResults(op, graph);
}

Status checkDropout(const Op& op, const Graph& graph) {
  if (const TensorId training = op.input(2)) {
    const BlobRef value = constantArgument(graph, training);
    if (value == nullptr || value->size() == 0 || value->bytes()[0] != 0)
      return unsupported(op, "'training_mode' is not false; export the model for inference");
  }
  return checkResults(op, graph);
}

/// The compiler lays out the weights, so they cannot be computed at run time.
Status checkRecurrent(const Op& op, const Graph& graph) {
  for (const size_t i : {size_t{1}, size_t{2}, size_t{3}, size_t{6}})
    if (op.input(i) && !isStatic(graph, op.input(i)))
      return unsupported(op, strCat("operand '", opInfo(op.kind).operands[i].name, "' (tensor '",
                                    graph.tensor(op.input(i)).name,
                                    "') is computed at run time; it must be constant"));
  return {};
}

/// With noop_with_empty_axes, or for a scalar, an empty list of axes reduces nothing. A norm would
/// still apply its function to each element, and there is no kernel for that.
Status checkReduction(const Op& op, const Graph& graph) {
  const auto axes = intArgument(op, KnownValues(graph), "axes");
  if (axes && (!*axes || (*axes)->empty()) &&
      (op.attrs.getInt("noop_with_empty_axes") != 0 || graph.tensor(op.input(0)).shape.rank() == 0))
    return unsupported(op, "it reduces no axis; specify axes or remove the operator");
  return {};
}

Status checkScatter(const Op& op) {
  const std::string reduction = op.attrs.getString("reduction", "none");
  if (reduction != "none")
    return unsupported(op, strCat("'reduction' is ", reduction, ", only none is supported"));
  return {};
}

/// Kernels rescale int8, int16, and int32 of zero point 0, but not int32 to int32.
Status checkRequantize(const Op& op, const Graph& graph) {
  const DType from = graph.tensor(op.input(0)).type;
  const DType to = graph.tensor(op.output()).type;
  for (const TensorId id : {op.input(0), op.output()}) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.type == DType::Int32 && tensor.quant && !tensor.quant->perChannel() &&
        tensor.quant->zeroPoint[0] != 0)
      return unsupported(op, strCat("int32 tensor '", tensor.name, "' has zero point ",
                                    tensor.quant->zeroPoint[0], ", only 0 is supported"));
  }
  if (from != DType::Int64 && to != DType::Int64 && (from != DType::Int32 || to != DType::Int32))
    return {};
  return unsupported(op, strCat("it converts quantized ", dtypeName(from), " to ", dtypeName(to),
                                ", for which there is no kernel; convert to float32 in between"));
}

Status checkKind(const Op& op, const Graph& graph) {
  switch (op.kind) {
  case OpKind::Cast:
    return checkCast(op, graph);
  case OpKind::QuantizeLinear:
  case OpKind::DequantizeLinear:
    return checkQuantization(op, graph);
  case OpKind::Requantize:
    return checkRequantize(op, graph);
  case OpKind::Resize:
    return checkResize(op, graph);
  case OpKind::Pad:
    return checkPad(op);
  case OpKind::LayerNormalization:
    return checkResults(op, graph);
  case OpKind::BatchNormalization:
    return checkBatchNormalization(op, graph);
  case OpKind::Dropout:
    return checkDropout(op, graph);
  default:
    return {};
  }
}

/// The limits of a class, followed by those of single operators.
Status checkLimits(const Op& op, const Graph& graph) {
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution:
  case OpClass::TransposedConvolution:
  case OpClass::Pool:
  case OpClass::GlobalPool:
    return checkWindow(op, graph);
  case OpClass::Recurrent:
    return checkRecurrent(op, graph);
  case OpClass::Index:
    return checkScatter(op);
  case OpClass::Norm:
    return checkReduction(op, graph);
  default:
    return checkKind(op, graph);
  }
}

} // namespace

namespace {

bool isEmpty(const Tensor& tensor) { return tensor.hasShape && tensor.elements() == 0; }

} // namespace

bool isStatic(const Graph& graph, TensorId id) {
  std::vector<TensorId> open = {id};
  std::set<TensorId> seen;
  while (!open.empty()) {
    const TensorId next = open.back();
    open.pop_back();
    if (!next || graph.tensor(next).isConstant() || isEmpty(graph.tensor(next)) ||
        !seen.insert(next).second)
      continue;
    const OpId producer = graph.producer(next);
    if (!producer || graph.op(producer).kind == OpKind::Unknown)
      return false;
    const Op& op = graph.op(producer);
    if (op.kind != OpKind::Shape && op.kind != OpKind::Size)
      open.insert(open.end(), op.inputs.begin(), op.inputs.end());
  }
  return true;
}

Status checkSupported(const Op& op, const Graph& graph) {
  if (op.kind == OpKind::Unknown)
    return unsupported(op, "TiGrIS does not support this operator");
  if (Status status = checkShapes(op, graph); !status)
    return status;
  if (Status status = checkCompileTime(op, graph); !status)
    return status;
  if (Status status = checkLimits(op, graph); !status)
    return status;
  return checkTypes(op, graph);
}

} // namespace tigris
