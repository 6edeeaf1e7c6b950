// Compile-time arguments in both forms, and checks that shape rules share.
#include "tigris/IR/Elements.h"
#include "tigris/IR/ShapeRules.h"

#include <algorithm>

namespace tigris {

using shape::opError;

namespace {

/// The operand of this name, if the operator has one and this op uses it.
TensorId operandNamed(const Op& op, std::string_view name) {
  const auto& operands = opInfo(op.kind).operands;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].name == name)
      return op.input(i);
  return {};
}

template <typename To>
Expected<std::optional<std::vector<To>>> argument(const Op& op, const KnownValues& values,
                                                  std::string_view name) {
  using Found = std::optional<std::vector<To>>;
  if (const AttrValue* attr = op.attrs.find(name)) {
    if (const auto* list = std::get_if<std::vector<To>>(attr))
      return Found(*list);
    if (const auto* one = std::get_if<To>(attr))
      return Found(std::vector<To>{*one});
    return opError(DiagId::BadAttr, op, "attribute '", name, "' is ",
                   attrKindName(static_cast<AttrKind>(attr->index())), ", expected numbers");
  }
  const TensorId id = operandNamed(op, name);
  if (!id)
    return Found();
  const Tensor& tensor = values.graph().tensor(id);
  const BlobRef value = values.find(id);
  if (value == nullptr)
    return opError(DiagId::DynamicShape, op, "operand '", name, "' (tensor '", tensor.name,
                   "') is not known at compile time");
  if (!hasElements(tensor.type) || (std::is_integral_v<To> && isFloat(tensor.type)))
    return opError(DiagId::BadType, op, "operand '", name, "' (tensor '", tensor.name, "') is ",
                   dtypeName(tensor.type), ", expected ",
                   std::is_integral_v<To> ? "int64" : "float32");
  return Found(loadElements<To>(*value, tensor.type));
}

} // namespace

Expected<std::optional<std::vector<int64_t>>> intArgument(const Op& op, const KnownValues& values,
                                                          std::string_view name) {
  return argument<int64_t>(op, values, name);
}

Expected<std::optional<std::vector<double>>> floatArgument(const Op& op, const KnownValues& values,
                                                           std::string_view name) {
  return argument<double>(op, values, name);
}

Expected<size_t> listedAxis(const Op& op, const std::vector<int64_t>& axes, size_t index,
                            size_t rank) {
  const int64_t given = axes.empty() ? static_cast<int64_t>(index) : axes.at(index);
  const auto axis = normalizeAxis(given, rank);
  if (!axis)
    return opError(DiagId::BadAttr, op, "axis ", given, " is outside rank ", rank);
  return *axis;
}

Expected<AxisPads> resolvePad(const Op& op, size_t rank) {
  const std::vector<int64_t> pads = op.attrs.getInts("pads");
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  const size_t count = pads.size() / 2;
  AxisPads result = {std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < count; ++i) {
    const Expected<size_t> axis = listedAxis(op, axes, i, rank);
    if (!axis)
      return axis.error();
    result.before[*axis] = pads[i];
    result.after[*axis] = pads[i + count];
  }
  return result;
}

namespace shape {

std::string OpView::describe(size_t index) const {
  const auto& operands = opInfo(op_->kind).operands;
  return strCat("'", operands[std::min(index, operands.size() - 1)].name, "' (tensor '",
                operand(index).name, "')");
}

Expected<std::vector<int64_t>> OpView::requiredInts(std::string_view name) const {
  auto found = ints(name);
  if (!found)
    return found.takeError();
  if (!*found)
    return error(DiagId::BadAttr, "'", name, "' is missing");
  return std::move(**found);
}

Expected<size_t> OpView::axis(std::string_view name, int64_t value, size_t rank) const {
  if (const auto axis = normalizeAxis(value, rank))
    return *axis;
  return error(DiagId::BadAttr, "'", name, "' is ", value, ", outside a tensor of rank ", rank);
}

Expected<std::vector<size_t>> OpView::axes(std::string_view name,
                                           const std::vector<int64_t>& values, size_t rank) const {
  std::vector<size_t> result;
  for (const int64_t value : values) {
    auto one = axis(name, value, rank);
    if (!one)
      return one.takeError();
    if (std::find(result.begin(), result.end(), *one) != result.end())
      return error(DiagId::BadAttr, "'", name, "' names axis ", *one, " twice");
    result.push_back(*one);
  }
  return result;
}

Status OpView::oneOf(std::string_view name, std::string_view fallback,
                     std::initializer_list<std::string_view> allowed) const {
  const std::string value = attrs().getString(name, fallback);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end())
    return {};
  return error(DiagId::BadAttr, "'", name, "' is '", value, "', expected one of ",
               join(allowed, ", "));
}

Status OpView::sameType(size_t a, size_t b) const {
  if (type(a) == type(b))
    return {};
  return error(DiagId::BadType, "operand ", describe(a), " is ", dtypeName(type(a)),
               ", but operand ", describe(b), " is ", dtypeName(type(b)));
}

Status OpView::weightType() const {
  if (type(0) == DType::Int16 && type(1) == DType::Int8)
    return {};
  return sameType(0, 1);
}

Status OpView::biasType(size_t index) const {
  if (isInteger(type(0)) && type(index) == DType::Int32)
    return {};
  if ((type(0) == DType::Int8 || type(0) == DType::Int16) && type(index) == DType::Float32)
    return {};
  return sameType(0, index);
}

Status OpView::requireRank(size_t index, size_t rank) const {
  if (shape(index).rank() == rank)
    return {};
  return error(DiagId::BadShape, "operand ", describe(index), " has shape ", shape(index).str(),
               ", expected rank ", rank);
}

Status OpView::requireVector(size_t index, int64_t size) const {
  if (shape(index) == Shape{size})
    return {};
  return error(DiagId::BadShape, "operand ", describe(index), " has shape ", shape(index).str(),
               ", expected [", size, "]");
}

} // namespace shape

} // namespace tigris
