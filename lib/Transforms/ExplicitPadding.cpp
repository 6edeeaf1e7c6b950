// explicit-padding: gives sliding windows explicit pads, strides and dilations.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* ExplicitPaddingDoc =
    R"(Convolutions and pools may omit kernel_shape, strides, dilations, pads and group, and may ask
for SAME or VALID padding, a transposed output shape or rounded-up output sizes. This pass replaces
all of these by numbers, so that no kernel, planner or tiler repeats ONNX's defaults:

    y = Conv(x, w) {auto_pad: SAME_UPPER, strides: [2, 2]}        # x [1, 3, 8, 8], w [4, 3, 3, 3]
    ->
    y = Conv(x, w) {dilations: [1, 1], group: 1, kernel_shape: [3, 3], pads: [0, 0, 1, 1],
                    strides: [2, 2]}

`ceil_mode: 1` becomes padding at the end, which a maximum, or an average that does not count
padding, ignores. With count_include_pad it stays, because the extra padding would be counted. Flags
that are 0 are dropped.)";

using Ints = std::vector<int64_t>;

bool isConvolution(OpKind kind) {
  return kind == OpKind::Conv || kind == OpKind::DepthwiseConv || kind == OpKind::Conv1D ||
         kind == OpKind::ConvTranspose;
}

Ints spatialDims(const Graph& graph, TensorId id) {
  const Shape& shape = graph.tensor(id).shape;
  const auto first = static_cast<std::ptrdiff_t>(firstSpatialAxis(graph.layout()));
  return {shape.begin() + first,
          shape.begin() + first + static_cast<std::ptrdiff_t>(shape.rank()) - 2};
}

/// Moves ceil mode into the end padding; false if that would change the result.
bool absorbCeilMode(const Graph& graph, const Op& op, Window& window) {
  if (op.kind == OpKind::AveragePool && op.attrs.getInt("count_include_pad", 0) != 0)
    return false;
  const Ints input = spatialDims(graph, op.input(0));
  const Ints output = spatialDims(graph, op.output());
  const size_t rank = input.size();
  Ints grown = window.pads;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t needed = (output[i] - 1) * window.strides[i] + extent;
    const int64_t present = input[i] + grown[i] + grown[i + rank];
    grown[i + rank] += std::max<int64_t>(needed - present, 0);
    if (grown[i + rank] >= extent)
      return false;
  }
  window.pads = std::move(grown);
  return true;
}

Expected<AttrMap> explicitAttrs(const Graph& graph, const Op& op) {
  Expected<Window> window = resolveWindow(op, graph);
  if (!window)
    return window.takeError();
  AttrMap attrs = op.attrs;
  if (op.attrs.getInt("ceil_mode", 0) == 0 || absorbCeilMode(graph, op, *window))
    attrs.erase("ceil_mode");
  for (const char* flag : {"count_include_pad", "storage_order"})
    if (attrs.getInt(flag, 0) == 0)
      attrs.erase(flag);
  attrs.erase("auto_pad");
  attrs.erase("output_shape");
  attrs.set("kernel_shape", window->kernel);
  attrs.set("strides", window->strides);
  attrs.set("dilations", window->dilations);
  attrs.set("pads", window->pads);
  if (op.kind == OpKind::ConvTranspose)
    attrs.set("output_padding", window->outputPadding);
  if (isConvolution(op.kind))
    attrs.set("group", op.attrs.getInt("group", 1));
  return attrs;
}

PassStatus explicitPadding(Graph& graph, PassContext& context) {
  bool failed = false;
  const PassStatus status = forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    const bool pools = op.kind == OpKind::MaxPool || op.kind == OpKind::AveragePool;
    if ((!isConvolution(op.kind) && !pools) || !hasKnownTypes(graph, id))
      return false;
    Expected<AttrMap> attrs = explicitAttrs(graph, op);
    if (!attrs) {
      context.diagnostics.report(attrs.error().diagnostic());
      failed = true;
      return false;
    }
    if (*attrs == op.attrs)
      return false;
    graph.editOp(id).attrs = std::move(*attrs);
    return true;
  });
  return failed ? PassStatus::Failed : status;
}

} // namespace

PassInfo explicitPaddingPass() {
  return functionPass("explicit-padding",
                      "convolutions and pools get explicit kernel sizes, strides and padding",
                      ExplicitPaddingDoc, explicitPadding);
}

} // namespace tigris
