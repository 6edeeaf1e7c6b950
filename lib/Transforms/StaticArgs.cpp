// static-args: operands that must be known at compile time become attributes in canonical form.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

constexpr const char* StaticArgsDoc =
    R"(Newer ONNX versions pass axes, pads, bounds and similar arguments as tensors, older ones as
attributes. A kernel needs numbers in its descriptor, so every operand that Ops.def marks with `!`
becomes the attribute of the same name:

    y = Clip(x, lo, hi)     # lo = 0, hi = 6     ->   y = Clip(x) {max: 6, min: 0}
    y = ReduceMean(x, a)    # a = [-1]           ->   y = ReduceMean(x) {axes: [3], keepdims: 1}

The pass also makes axes non-negative and defaults explicit: `axes` and `keepdims` of reductions,
`axes` and `steps` of Slice (its bounds clamped to the tensor), `axis` of Concat, Gather, Split,
Softmax and LayerNormalization, and all axes of Pad. Scales and zero points of QuantizeLinear and
DequantizeLinear are left to quantization folding, the target of Reshape to shape-fold, and that
of Resize to resize-scale-extract.)";

bool ownsItsOperands(OpKind kind) {
  return kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear ||
         kind == OpKind::Reshape || kind == OpKind::Resize;
}

/// The attribute value of a compile-time operand; nullopt if it is unknown.
std::optional<AttrValue> argumentValue(const Op& op, const KnownValues& values,
                                       const AttrInfo& attr) {
  if (attr.kind == AttrKind::Ints || attr.kind == AttrKind::Int) {
    const auto found = intArgument(op, values, attr.name);
    if (!found || !*found)
      return std::nullopt;
    if (attr.kind == AttrKind::Ints)
      return **found;
    return (*found)->size() == 1 ? std::optional<AttrValue>((*found)->front()) : std::nullopt;
  }
  const auto found = floatArgument(op, values, attr.name);
  if (!found || !*found)
    return std::nullopt;
  if (attr.kind == AttrKind::Floats)
    return **found;
  return (*found)->size() == 1 ? std::optional<AttrValue>((*found)->front()) : std::nullopt;
}

bool moveOperands(Graph& graph, OpId id) {
  const OpInfo& info = opInfo(graph.op(id).kind);
  const KnownValues values(graph);
  bool changed = false;
  for (size_t i = 0; i < info.operands.size(); ++i) {
    const Op& op = graph.op(id);
    if (!info.operands[i].compileTime || !op.input(i))
      continue;
    const AttrInfo* attr = info.attribute(info.operands[i].name);
    const auto value = attr ? argumentValue(op, values, *attr) : std::nullopt;
    if (!value)
      continue;
    graph.setInput(id, i, TensorId());
    graph.editOp(id).attrs.set(attr->name, *value);
    changed = true;
  }
  return changed;
}

std::vector<int64_t> allAxes(size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

int64_t nonNegative(int64_t axis, size_t rank) {
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

void canonicalReduction(AttrMap& attrs, size_t rank) {
  std::vector<int64_t> axes = attrs.getInts("axes");
  if (axes.empty() && attrs.getInt("noop_with_empty_axes", 0) == 0)
    axes = allAxes(rank);
  for (int64_t& axis : axes)
    axis = nonNegative(axis, rank);
  std::sort(axes.begin(), axes.end());
  attrs.set("axes", axes);
  attrs.set("keepdims", attrs.getInt("keepdims", 1));
  if (!axes.empty())
    attrs.erase("noop_with_empty_axes");
}

/// Bounds inside the tensor, so that start, end and step list exactly the selected elements. The
/// end before the first element, of a slice with a negative step, is -dim - 1.
void canonicalSlice(AttrMap& attrs, const Op& op, const Graph& graph) {
  const KnownValues values(graph);
  const Expected<std::vector<SliceRange>> ranges = resolveSlice(op, values);
  if (!ranges)
    return;
  const Shape& shape = graph.tensor(op.input(0)).shape;
  std::vector<int64_t> axes = attrs.getInts("axes", allAxes(attrs.getInts("starts").size()));
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  std::vector<int64_t> steps;
  for (int64_t& axis : axes) {
    axis = nonNegative(axis, shape.rank());
    const SliceRange& range = (*ranges)[static_cast<size_t>(axis)];
    const int64_t last = range.start + (range.count - 1) * range.step;
    const int64_t behind = range.count == 0 ? range.start : last + (range.step > 0 ? 1 : -1);
    starts.push_back(range.start);
    ends.push_back(behind < 0 ? -shape[static_cast<size_t>(axis)] - 1 : behind);
    steps.push_back(range.step);
  }
  attrs.set("starts", starts);
  attrs.set("ends", ends);
  attrs.set("axes", axes);
  attrs.set("steps", steps);
}

/// Pads for all axes in order: first all begins, then all ends.
void canonicalPad(AttrMap& attrs, size_t rank) {
  if (!attrs.has("axes") || !attrs.has("pads"))
    return;
  const std::vector<int64_t> axes = attrs.getInts("axes");
  const std::vector<int64_t> some = attrs.getInts("pads");
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(nonNegative(axes[i], rank));
    pads[axis] = some[i];
    pads[axis + rank] = some[i + axes.size()];
  }
  attrs.set("pads", pads);
  attrs.erase("axes");
}

std::optional<int64_t> defaultAxis(OpKind kind) {
  switch (kind) {
  case OpKind::Softmax:
  case OpKind::LogSoftmax:
  case OpKind::LayerNormalization:
    return -1;
  case OpKind::Gather:
  case OpKind::Split:
  case OpKind::Concat:
    return 0;
  default:
    return std::nullopt;
  }
}

bool canonicalAttrs(Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  AttrMap attrs = op.attrs;
  const Shape& shape = graph.tensor(op.input(0)).shape;
  switch (op.kind) {
  case OpKind::Slice:
    if (op.inputs.size() > 1)
      return false;
    canonicalSlice(attrs, op, graph);
    break;
  case OpKind::Pad:
    if (op.inputs.size() > 1)
      return false;
    canonicalPad(attrs, shape.rank());
    break;
  default:
    if (opInfo(op.kind).opClass == OpClass::Reduction) {
      if (op.input(1))
        return false;
      canonicalReduction(attrs, shape.rank());
    } else if (const auto axis = defaultAxis(op.kind))
      attrs.set("axis", nonNegative(attrs.getInt("axis", *axis), shape.rank()));
  }
  if (attrs == op.attrs)
    return false;
  graph.editOp(id).attrs = std::move(attrs);
  return true;
}

PassStatus staticArgs(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::Unknown || ownsItsOperands(op.kind) || op.inputs.empty() ||
        !hasKnownTypes(graph, id))
      return false;
    const bool moved = moveOperands(graph, id);
    return canonicalAttrs(graph, id) || moved;
  });
}

} // namespace

PassInfo staticArgsPass() {
  return functionPass("static-args", "compile-time operands become attributes", StaticArgsDoc,
                      staticArgs);
}

} // namespace tigris
