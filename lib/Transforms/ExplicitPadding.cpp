// explicit-padding: sliding windows say in numbers where they start, step and end.
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/Rewrite.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* Doc = R"(Convolutions and pools may leave out kernel_shape, strides, dilations, pads and group, and
may ask for SAME or VALID padding, a transposed output shape or rounded-up output sizes. Afterwards the
numbers are there and the words are gone, so no kernel, planner or tiler repeats ONNX's defaults:

    y = Conv(x, w) {auto_pad: SAME_UPPER, strides: [2, 2]}        # x [1, 3, 8, 8], w [4, 3, 3, 3]
    ->
    y = Conv(x, w) {dilations: [1, 1], group: 1, kernel_shape: [3, 3], pads: [0, 0, 1, 1], strides: [2, 2]}

`ceil_mode: 1` becomes padding at the end, which a maximum or an average without padding ignores; with
count_include_pad it stays, because there the extra padding would be counted. Flags that are 0 are dropped.)";

using Ints = std::vector<int64_t>;

/// Sizes along the window's axes.
struct Window {
  Ints input;
  Ints output;
  Ints kernel;
  Ints strides;
  Ints dilations;

  size_t rank() const { return input.size(); }
  int64_t extent(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
};

bool isConvolution(OpKind kind) {
  return kind == OpKind::Conv || kind == OpKind::DepthwiseConv || kind == OpKind::Conv1D ||
         kind == OpKind::ConvTranspose;
}

Ints spatialDims(const Graph& graph, TensorId id) {
  const Shape& shape = graph.tensor(id).shape;
  const auto first = static_cast<std::ptrdiff_t>(firstSpatialAxis(graph.layout()));
  return {shape.begin() + first, shape.begin() + first + static_cast<std::ptrdiff_t>(shape.rank()) - 2};
}

Window windowOf(const Graph& graph, const Op& op) {
  Window window;
  window.input = spatialDims(graph, op.input(0));
  window.output = spatialDims(graph, op.output());
  const Ints ones(window.rank(), 1);
  Ints kernel;
  if (isConvolution(op.kind)) {
    const Shape& weights = graph.tensor(op.input(1)).shape;
    kernel.assign(weights.begin() + 2, weights.end());
  }
  window.kernel = op.attrs.getInts("kernel_shape", kernel);
  window.strides = op.attrs.getInts("strides", ones);
  window.dilations = op.attrs.getInts("dilations", ones);
  return window;
}

/// ConvTranspose with a wanted output size: the padding is what makes it come out (ONNX, ConvTranspose:
/// "output_shape"). The odd element goes to the end for SAME_UPPER, otherwise to the beginning.
Ints transposedPads(const Op& op, const Window& window, const Ints& outputPadding) {
  const size_t rank = window.rank();
  const std::string mode = op.attrs.getString("auto_pad", "NOTSET");
  if (mode == "NOTSET" && !op.attrs.has("output_shape"))
    return op.attrs.getInts("pads", Ints(2 * rank, 0));
  Ints pads(2 * rank, 0);
  if (mode == "VALID")
    return pads;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t total = window.strides[i] * (window.input[i] - 1) + outputPadding[i] +
                          window.extent(i) - window.output[i];
    const int64_t half = total / 2;
    pads[i] = mode == "SAME_UPPER" ? half : total - half;
    pads[i + rank] = total - pads[i];
  }
  return pads;
}

/// Moves the rounding-up into the padding at the end; false where that would change the result.
bool absorbCeilMode(const Op& op, const Window& window, Ints& pads) {
  if (op.kind == OpKind::AveragePool && op.attrs.getInt("count_include_pad", 0) != 0)
    return false;
  const size_t rank = window.rank();
  Ints grown = pads;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t needed = (window.output[i] - 1) * window.strides[i] + window.extent(i);
    const int64_t present = window.input[i] + pads[i] + pads[i + rank];
    grown[i + rank] += std::max<int64_t>(needed - present, 0);
    if (grown[i + rank] >= window.extent(i))
      return false;
  }
  pads = std::move(grown);
  return true;
}

AttrMap explicitAttrs(const Graph& graph, const Op& op) {
  const Window window = windowOf(graph, op);
  AttrMap attrs = op.attrs;
  Ints pads;
  if (op.kind == OpKind::ConvTranspose) {
    const Ints outputPadding = op.attrs.getInts("output_padding", Ints(window.rank(), 0));
    pads = transposedPads(op, window, outputPadding);
    attrs.set("output_padding", outputPadding);
    attrs.erase("output_shape");
  } else {
    pads = resolvePads(op, window.input, window.kernel);
  }
  if (op.attrs.getInt("ceil_mode", 0) == 0 || absorbCeilMode(op, window, pads))
    attrs.erase("ceil_mode");
  for (const char* flag : {"count_include_pad", "storage_order"})
    if (attrs.getInt(flag, 0) == 0)
      attrs.erase(flag);
  attrs.erase("auto_pad");
  attrs.set("kernel_shape", window.kernel);
  attrs.set("strides", window.strides);
  attrs.set("dilations", window.dilations);
  attrs.set("pads", std::move(pads));
  if (isConvolution(op.kind))
    attrs.set("group", op.attrs.getInt("group", 1));
  return attrs;
}

PassStatus run(Graph& graph, PassContext& context) {
  bool failed = false;
  const PassStatus status = forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    const bool pools = op.kind == OpKind::MaxPool || op.kind == OpKind::AveragePool;
    if ((!isConvolution(op.kind) && !pools) || !hasKnownTypes(graph, id))
      return false;
    AttrMap attrs = explicitAttrs(graph, op);
    if (attrs == op.attrs)
      return false;
    const Ints pads = attrs.getInts("pads");
    if (std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; })) {
      context.diagnostics.error(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                                "): needs negative padding [", join(pads, ", "), "]");
      failed = true;
      return false;
    }
    graph.editOp(id).attrs = std::move(attrs);
    return true;
  });
  return failed ? PassStatus::Failed : status;
}

} // namespace

PassInfo explicitPaddingPass() {
  return functionPass("explicit-padding", "windows get explicit sizes, steps and padding", Doc, run);
}

} // namespace tigris
