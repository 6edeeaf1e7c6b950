// Operators that are lowered to several others: masks, one-hot encoding, tests for NaN.
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/ModelParser.h"
#include "tigris/Import/Onnx/OnnxOps.h"

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// The only element of an integer operand; nullopt if its value is unknown.
std::optional<int64_t> knownInt(const NodeContext& node, size_t index) {
  const TensorId id = node.input(index);
  const BlobRef known = node.valueOf(id);
  if (known == nullptr || node.tensor(id).elements() != 1)
    return std::nullopt;
  return loadElements<int64_t>(*known, node.tensor(id).type)[0];
}

/// 0, 1, ..., count - 1 along `axis` of a tensor of this rank.
TensorId ramp(NodeContext& node, std::string_view suffix, int64_t first, int64_t count, size_t axis,
              size_t rank) {
  Shape shape(Ints(rank, 1));
  shape[axis] = count;
  Ints values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(first + i);
  return node.constant(suffix, DType::Int64, shape, makeBlobOf(values));
}

Status trilu(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<int64_t> upper = node.intAttr("upper", 1);
  if (!upper)
    return upper.takeError();
  const TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  if (shape.rank() < 2)
    return node.refuse(DiagId::BadShape, "its operand has shape ", shape.str(),
                       ", expected at least rank 2");
  int64_t k = 0;
  if (node.input(1)) {
    const std::optional<int64_t> known = knownInt(node, 1);
    if (!known)
      return node.unsupported("input 'k' is computed at run time; it must be constant");
    k = *known;
  }
  const int64_t rows = shape.fromBack(1);
  const int64_t columns = shape.fromBack(0);
  if (Status status = node.limitTable({rows, columns}, DType::Bool); !status)
    return status;
  std::vector<uint8_t> mask;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      mask.push_back((*upper != 0 ? j - i >= k : j - i <= k) ? 1 : 0);
  const TensorId kept =
      node.constant("mask", DType::Bool, {rows, columns}, makeBlob(std::move(mask)));
  if (node.tensor(x).type == DType::Bool)
    return node.finish(OpKind::And, {x, kept});
  return node.finish(OpKind::Where, {kept, x, node.scalarOf("zero", node.tensor(x).type, 0)});
}

/// 1 where the index equals i or i - depth, with i counted along the new axis.
Status oneHot(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  const std::optional<int64_t> depth = knownInt(node, 1);
  if (!depth || *depth < 1)
    return node.unsupported("input 'depth' must be a positive constant");
  const Shape shape = node.tensor(node.input(0)).shape;
  Expected<int64_t> given = node.intAttr("axis", -1);
  if (!given)
    return given.takeError();
  const std::optional<size_t> axis = normalizeAxis(*given, shape.rank() + 1);
  if (!axis)
    return node.refuse(DiagId::BadAttr, "axis ", *given, " is outside of rank ", shape.rank() + 1);
  if (Status status = node.limitTable({*depth}, DType::Int64); !status)
    return status;
  Chain chain(node);
  TensorId indices = node.input(0);
  if (node.tensor(indices).type != DType::Int64)
    indices = chain.op("indices", OpKind::Cast, {indices}, {{"to", std::string("int64")}});
  Ints dims = shape.dims();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
  indices = chain.reshape("column", indices, Shape(dims));
  const TensorId codes = ramp(node, "codes", 0, *depth, *axis, dims.size());
  const TensorId negative = ramp(node, "negative", -*depth, *depth, *axis, dims.size());
  const TensorId hot = chain.op("hot", OpKind::Or,
                                {chain.op("is", OpKind::Equal, {indices, codes}),
                                 chain.op("is_negative", OpKind::Equal, {indices, negative})});
  const TensorId off = chain.slice("off", node.input(2), 0, 0, 1);
  const TensorId on = chain.slice("on", node.input(2), 0, 1, 2);
  return chain.finish(OpKind::Where, {hot, on, off});
}

/// 1 at the first of the largest values.
Status hardmax(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  const TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  Expected<int64_t> given = node.intAttr("axis", node.opset() < 13 ? 1 : -1);
  if (!given)
    return given.takeError();
  const std::optional<size_t> axis = normalizeAxis(*given, shape.rank());
  if (!axis)
    return node.refuse(DiagId::BadAttr, "axis ", *given, " is outside of rank ", shape.rank());
  if (node.opset() < 13 && shape.elementsFrom(*axis) != shape[*axis])
    return node.unsupported("opset ", node.opset(), " takes all axes from ", *axis,
                            " together; convert the model to opset 13");
  if (Status status = node.limitTable({shape[*axis]}, DType::Int64); !status)
    return status;
  Chain chain(node);
  const auto along = static_cast<int64_t>(*axis);
  const TensorId largest =
      chain.op("largest", OpKind::ArgMax, {x}, {{"axis", along}, {"keepdims", int64_t{1}}});
  const TensorId codes = ramp(node, "codes", 0, shape[*axis], *axis, shape.rank());
  const TensorId hot = chain.op("hot", OpKind::Equal, {largest, codes});
  return chain.finish(OpKind::Cast, {hot}, {{"to", std::string(dtypeName(DType::Float32))}});
}

Status eyeLike(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  const Tensor& x = node.tensor(node.input(0));
  Expected<int64_t> k = node.intAttr("k", 0);
  Expected<int64_t> onnxType = node.intAttr("dtype", 0);
  if (!k || !onnxType)
    return !k ? k.takeError() : onnxType.takeError();
  const std::optional<DType> type =
      *onnxType == 0 ? x.type : importedType(static_cast<int32_t>(*onnxType));
  if (!type || !hasElements(*type))
    return node.refuse(DiagId::UnsupportedType, "its result is ",
                       onnxTypeName(static_cast<int32_t>(*onnxType)));
  if (x.shape.rank() != 2)
    return node.refuse(DiagId::BadShape, "its operand has shape ", x.shape.str(),
                       ", expected rank 2");
  if (Status status = node.limitTable(x.shape, *type); !status)
    return status;
  Ints values;
  for (int64_t i = 0; i < x.shape[0]; ++i)
    for (int64_t j = 0; j < x.shape[1]; ++j)
      values.push_back(j - i == *k ? 1 : 0);
  return node.finish(OpKind::Constant,
                     {node.constant("value", *type, x.shape, storeElements(values, *type))});
}

Status isNan(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Chain chain(node);
  return chain.finish(OpKind::Not,
                      {chain.op("same", OpKind::Equal, {node.input(0), node.input(0)})});
}

Status isInf(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<int64_t> positive = node.intAttr("detect_positive", 1);
  Expected<int64_t> negative = node.intAttr("detect_negative", 1);
  if (!positive || !negative)
    return !positive ? positive.takeError() : negative.takeError();
  Chain chain(node);
  const TensorId x = node.input(0);
  if (*positive == 0 && *negative == 0)
    return node.finish(OpKind::Less, {x, x});
  if (*positive != 0 && *negative != 0)
    return chain.finish(OpKind::Equal,
                        {chain.op("magnitude", OpKind::Abs, {x}), node.scalar("inf", Infinity)});
  return node.finish(OpKind::Equal, {x, node.scalar("inf", *positive != 0 ? Infinity : -Infinity)});
}

/// A bound as a scalar, so that it does not change the rank of the result.
TensorId bound(Chain& chain, const NodeContext& node, size_t index) {
  const TensorId id = node.input(index);
  return node.tensor(id).shape.rank() == 0 ? id : chain.reshape("bound", id, Shape());
}

/// The kernel clamps real numbers to bounds that are known. Max and Min do the rest.
Status clip(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  const auto isConstant = [&](size_t index) {
    return !node.input(index) || isStatic(node.builder().graph(), node.input(index));
  };
  const DType type = node.tensor(node.input(0)).type;
  if (type != DType::Int32 && type != DType::Int64 && isConstant(1) && isConstant(2))
    return node.finishPlain(OpKind::Clip);
  Chain chain(node);
  TensorId x = node.input(0);
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (!node.input(i))
      continue;
    if (node.tensor(node.input(i)).elements() != 1)
      return node.refuse(DiagId::BadShape, "its bound '", node.tensor(node.input(i)).name,
                         "' has shape ", node.tensor(node.input(i)).shape.str(),
                         ", expected a scalar");
    x = chain.op(i == 1 ? "raised" : "lowered", i == 1 ? OpKind::Max : OpKind::Min,
                 {x, bound(chain, node, i)});
  }
  return chain.finish(OpKind::Identity, {x});
}

/// The exponent may have another type; it is converted to that of the base.
Status pow(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  const DType base = node.tensor(node.input(0)).type;
  const DType exponent = node.tensor(node.input(1)).type;
  if (base == exponent || base != DType::Float32)
    return node.finishPlain(OpKind::Pow);
  Chain chain(node);
  const TensorId real = chain.op("exponent", OpKind::Cast, {node.input(1)},
                                 {{"to", std::string(dtypeName(DType::Float32))}});
  return chain.finish(OpKind::Pow, {node.input(0), real});
}

/// The kernel always computes both results.
Status topK(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<AttrMap> attrs = node.attrsFor(OpKind::TopK, {"k"});
  if (!attrs)
    return attrs.takeError();
  std::vector<TensorId> inputs = {node.input(0)};
  if (node.input(1)) {
    inputs.push_back(node.input(1));
  } else { // opset 9 and earlier
    Expected<int64_t> count = node.intAttr("k", 0);
    if (!count)
      return count.takeError();
    attrs->set("K", *count);
  }
  Expected<std::vector<TensorId>> results =
      node.steps("top", OpKind::TopK, std::move(inputs), std::move(*attrs), 2);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i < 2; ++i)
    if (i < node.outputCount() && node.outputUsed(i))
      if (Status status = node.finishOutput(i, OpKind::Identity, {(*results)[i]}); !status)
        return status;
  return {};
}

} // namespace

const RuleTable& compositeRules() {
  static const RuleTable Rules = {
      {"Clip", clip},   {"Einsum", importEinsum}, {"EyeLike", eyeLike}, {"Hardmax", hardmax},
      {"IsInf", isInf}, {"IsNaN", isNan},         {"OneHot", oneHot},   {"Pad", importPad},
      {"Pow", pow},     {"TopK", topK},           {"Trilu", trilu},
  };
  return Rules;
}

} // namespace tigris
