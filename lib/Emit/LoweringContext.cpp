// Records of tensors and operands.
#include "tigris/Emit/LoweringContext.h"

#include "tigris/Support/StringUtils.h"
#include "tigris/Target/KernelScratch.h"

#include <limits>

namespace tigris {

namespace {

/// A name that is not in the table of targets, from a stream made elsewhere, stands for any
/// processor.
bool targetReadsWideShifts(const std::string& name) {
  const Expected<Target> target = findTarget(name);
  return target && readsWideShifts(target->kernels);
}

} // namespace

uint8_t fileDType(DType type) {
  switch (type) {
  case DType::Float32:
    return TIGRIS_F32;
  case DType::Int8:
    return TIGRIS_S8;
  case DType::UInt8:
    return TIGRIS_U8;
  case DType::Int16:
    return TIGRIS_S16;
  case DType::UInt16:
    return TIGRIS_U16;
  case DType::Int32:
    return TIGRIS_S32;
  case DType::Int64:
    return TIGRIS_S64;
  case DType::Bool:
    return TIGRIS_BOOL;
  case DType::Float16:
    return TIGRIS_F16;
  default:
    return 0;
  }
}

std::vector<int32_t> fileDims(const Shape& shape) {
  std::vector<int32_t> dims;
  for (const int64_t dim : shape)
    dims.push_back(static_cast<int32_t>(dim));
  return dims;
}

LoweringContext::LoweringContext(const Graph& graph, const Plan& plan, PlanImage& image, bool names)
    : graph_(graph), locations_(graph, plan), image_(image), names_(names),
      wideShifts_(targetReadsWideShifts(plan.target)) {}

std::string_view LoweringContext::name(std::string_view text) const {
  return names_ ? text : std::string_view();
}

uint16_t LoweringContext::quantIndex(const Tensor& tensor) {
  if (!isQuantizedType(tensor.type) || !tensor.quant || tensor.quant->perChannel())
    return TIGRIS_NO_QUANT;
  return image_.quant({tensor.quant->scale.at(0), tensor.quant->zeroPoint.at(0)});
}

Expected<uint16_t> LoweringContext::tensor(TensorId id) {
  const auto known = tensors_.find(id);
  if (known != tensors_.end())
    return known->second;
  const Tensor& tensor = graph_.tensor(id);
  tigris_tensor record = {};
  record.dtype = fileDType(tensor.type);
  const bool stored = record.dtype == TIGRIS_F32 || record.dtype == TIGRIS_S8 ||
                      record.dtype == TIGRIS_S16 || record.dtype == TIGRIS_S32 ||
                      record.dtype == TIGRIS_S64 || record.dtype == TIGRIS_BOOL;
  if (!stored)
    return makeError(DiagId::UnsupportedType, "tensor '", tensor.name, "' is ",
                     dtypeName(tensor.type),
                     "; kernels take float32, int8, int16, int32, int64 and bool, convert it with "
                     "tigris-norm");
  if (tensor.shape.rank() > TIGRIS_MAX_RANK)
    return makeError(DiagId::UnsupportedOp, "tensor '", tensor.name, "' has rank ",
                     tensor.shape.rank(), ", at most ", TIGRIS_MAX_RANK, " is possible");
  if (tensor.bytes() > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    return makeError(DiagId::UnsupportedOp, "tensor '", tensor.name, "' has ", tensor.bytes(),
                     " bytes, at most ", std::numeric_limits<int32_t>::max(), " are possible");
  record.rank = static_cast<uint8_t>(tensor.shape.rank());
  if (graph_.isGraphInput(id))
    record.flags |= TIGRIS_TENSOR_INPUT;
  if (graph_.isGraphOutput(id))
    record.flags |= TIGRIS_TENSOR_OUTPUT;
  record.dims = image_.shortInts(fileDims(tensor.shape));
  record.bytes = static_cast<uint32_t>(tensor.bytes());
  record.quant = quantIndex(tensor);
  return tensors_.emplace(id, image_.activation(record, name(tensor.name))).first->second;
}

Expected<tigris_operand> LoweringContext::constant(const Tensor& tensor, uint8_t flags) {
  const uint8_t type = fileDType(tensor.type);
  if (type != TIGRIS_F32 && type != TIGRIS_S8 && type != TIGRIS_S16 && type != TIGRIS_S32 &&
      type != TIGRIS_S64 && type != TIGRIS_BOOL)
    return makeError(DiagId::UnsupportedType, "constant '", tensor.name, "' is ",
                     dtypeName(tensor.type),
                     "; kernels take float32, int8, int16, int32, int64 and bool");
  return constant(tensor.name, static_cast<tigris_dtype>(type), fileDims(tensor.shape),
                  tensor.data->bytes(), quantIndex(tensor), flags);
}

Expected<tigris_operand> LoweringContext::port(TensorId id) {
  if (graph_.tensor(id).isConstant())
    return constant(graph_.tensor(id), TIGRIS_TENSOR_OUTPUT);
  const Expected<uint16_t> record = tensor(id);
  if (!record)
    return record.error();
  return tigris_operand{*record, TIGRIS_POOL_ABSENT, 0, 0};
}

Expected<tigris_operand> LoweringContext::operand(TensorId id) {
  if (!id)
    return tigris_operand{TIGRIS_NO_TENSOR, TIGRIS_POOL_ABSENT, 0, 0};
  const Tensor& tensor = graph_.tensor(id);
  if (tensor.isConstant()) {
    const auto known = constants_.find(id);
    if (known != constants_.end())
      return known->second;
    const Expected<tigris_operand> made = constant(tensor, 0);
    if (!made)
      return made.error();
    return constants_.emplace(id, *made).first->second;
  }
  const Expected<uint16_t> record = this->tensor(id);
  if (!record)
    return record.error();
  const Location place = locations_.find(stage_, id);
  tigris_operand result = {*record, TIGRIS_POOL_FAST, 0, static_cast<uint32_t>(place.offset)};
  switch (place.memory) {
  case Memory::Fast:
    break;
  case Memory::Caller:
    result.pool = TIGRIS_POOL_CALLER;
    break;
  case Memory::Slow:
    result.pool = TIGRIS_POOL_SLOW;
    break;
  case Memory::Tile:
    result.pool = TIGRIS_POOL_TILE;
    break;
  case Memory::None:
  case Memory::Constant:
    TIGRIS_UNREACHABLE("the plan checker passed a tensor without a place");
  }
  return result;
}

tigris_operand LoweringContext::constant(std::string_view text, tigris_dtype type,
                                         const std::vector<int32_t>& dims,
                                         std::span<const uint8_t> bytes, uint16_t quant,
                                         uint8_t flags) {
  tigris_tensor record = {};
  record.dtype = static_cast<uint8_t>(type);
  record.rank = static_cast<uint8_t>(dims.size());
  record.flags = static_cast<uint8_t>(TIGRIS_TENSOR_CONST | flags);
  record.dims = image_.shortInts(dims);
  record.bytes = static_cast<uint32_t>(bytes.size());
  record.quant = quant;
  return {image_.constant(record), TIGRIS_POOL_CONST, 0, image_.weights(bytes, name(text))};
}

tigris_operand LoweringContext::weights(const Tensor& source, const WeightArray& array,
                                        bool isFloat) {
  return constant(source.name, isFloat ? TIGRIS_F32 : TIGRIS_S8, array.dims, array.bytes);
}

Expected<Quant> LoweringContext::quant(const Op& op, TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  if (!isQuantizedType(tensor.type) || !tensor.quant)
    return unsupported(op, "tensor '", tensor.name, "' is ", dtypeName(tensor.type),
                       " without quantization, expected quantized int8 or int16");
  if (tensor.quant->perChannel())
    return unsupported(op, "tensor '", tensor.name, "' is quantized per channel, expected one ",
                       "scale for the whole tensor");
  return Quant{tensor.quant->scale.at(0), tensor.quant->zeroPoint.at(0)};
}

Expected<LoweringContext::Quants> LoweringContext::quants(const Op& op) const {
  const Expected<Quant> input = quant(op, op.input(0));
  if (!input)
    return input.error();
  const Expected<Quant> output = quant(op, op.output());
  if (!output)
    return output.error();
  return Quants{*input, *output};
}

Status LoweringContext::requireSameQuant(const Op& op, std::initializer_list<TensorId> ids) const {
  const Tensor& first = graph_.tensor(*ids.begin());
  for (const TensorId id : ids) {
    const Tensor& tensor = graph_.tensor(id);
    if (tensor.type != first.type)
      return unsupported(op, "tensor '", first.name, "' is ", dtypeName(first.type), ", '",
                         tensor.name, "' is ", dtypeName(tensor.type), "; they must be equal");
    if (tensor.quant != first.quant)
      return unsupported(op, "tensors '", first.name, "' and '", tensor.name,
                         "' are quantized differently; put a Requantize between them");
  }
  return {};
}

Expected<std::vector<tigris_operand>> LoweringContext::operands(const Op& op) {
  std::vector<tigris_operand> result;
  for (const TensorId input : op.inputs) {
    const Expected<tigris_operand> next = operand(input);
    if (!next)
      return next.error();
    result.push_back(*next);
  }
  return result;
}

Error LoweringContext::unsupportedText(const Op& op, const std::string& text) {
  Error error =
      makeError(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(), "): ", text);
  if (!op.origin.empty())
    return std::move(error).note(strCat("it comes from ", join(op.origin, ", ")));
  return error;
}

Status LoweringContext::emitRecord(const Op& op, Operation operation,
                                   std::span<const tigris_operand> inputs, uint16_t params) {
  if (inputs.size() > UINT8_MAX)
    return unsupported(op, "has ", inputs.size(), " operands, at most ", UINT8_MAX,
                       " are possible");
  std::vector<tigris_operand> all(inputs.begin(), inputs.end());
  for (const TensorId result : op.outputs) {
    const Expected<tigris_operand> output = operand(result);
    if (!output)
      return output.error();
    all.push_back(*output);
  }
  tigris_op record = {};
  record.opcode = static_cast<uint8_t>(operation.opcode);
  record.flags = operation.form.flags;
  record.inputs = static_cast<uint8_t>(inputs.size());
  record.outputs = static_cast<uint8_t>(op.outputs.size());
  record.operands = image_.operands(all);
  record.params = params;
  record.requant = operation.form.requant;
  image_.op(record, name(op.name));
  return {};
}

bool isQuantizedType(DType type) { return type == DType::Int8 || type == DType::Int16; }

Bounds clampBounds(float lo, float hi) {
  Bounds bounds = {};
  bounds.lo.f = lo;
  bounds.hi.f = hi;
  return bounds;
}

Bounds clampBounds(const LoweringContext& context, TensorId result, float lo, float hi,
                   const Quant& quant) {
  const Graph& graph = context.graph();
  const IntegerRange range = clampRange(graph.tensor(result).type, lo, hi, quant, graph.rounding());
  Bounds bounds = {};
  bounds.lo.i = range.lo;
  bounds.hi.i = range.hi;
  return bounds;
}

Expected<Bounds> activationBounds(const LoweringContext& context, const Op& op) {
  float lo = -Open;
  float hi = Open;
  switch (op.act) {
  case Activation::None:
    break;
  case Activation::Relu:
    lo = 0;
    break;
  case Activation::Relu6:
    lo = 0;
    hi = 6;
    break;
  case Activation::Clip:
    lo = static_cast<float>(op.attrs.getFloat("act_min", -Open));
    hi = static_cast<float>(op.attrs.getFloat("act_max", Open));
    break;
  }
  if (!isQuantizedType(context.graph().tensor(op.output()).type))
    return clampBounds(lo, hi);
  const Expected<Quant> quant = context.quant(op, op.output());
  if (!quant)
    return quant.error();
  return clampBounds(context, op.output(), lo, hi, *quant);
}

} // namespace tigris
