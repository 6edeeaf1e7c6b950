// Converts ops of the graph to the shapes that the runtime's formulas take.
#include "tigris/Target/KernelScratch.h"

#include "tigris/IR/ShapeInference.h"
#include "tigris/Target/CmsisNnIsa.h"

#include <algorithm>

namespace tigris {

namespace {

/// The kernel's view of a convolution with constant weights [O, I/groups, spatial...].
tigris_scratch_shape convShape(const Graph& graph, const Op& op, const Window& window) {
  const auto at = [](const std::vector<int64_t>& values, size_t index) {
    return static_cast<uint32_t>(index < values.size() ? values[index] : 1);
  };
  const Tensor& weights = graph.tensor(op.input(1));
  tigris_scratch_shape shape = {};
  shape.kernel_h = at(window.kernel, 0);
  shape.kernel_w = at(window.kernel, 1);
  shape.in_channels = static_cast<uint32_t>(graph.tensor(op.input(0)).shape.fromBack(0));
  shape.out_channels = static_cast<uint32_t>(graph.tensor(op.output()).shape.fromBack(0));
  const auto above = [](const std::vector<int64_t>& values, int64_t limit) {
    return std::any_of(values.begin(), values.end(), [&](int64_t v) { return v > limit; }) ? 1 : 0;
  };
  shape.is_padded = above(window.pads, 0);
  shape.is_near = above(window.pads, 1) == 0 ? 1 : 0;
  shape.is_wide = above(window.dilations, 1);
  shape.has_bias = op.input(2) ? 1 : 0;
  shape.is_per_tensor = !weights.quant || !weights.quant->perChannel() ? 1 : 0;
  return shape;
}

uint64_t convScratch(const Graph& graph, const Op& op, tigris_cmsis_nn_isa isa) {
  const Expected<Window> window = resolveWindow(op, graph);
  if (!window)
    return 0;
  const int64_t groups = op.attrs.getInt("group", 1);
  const tigris_scratch_shape shape = convShape(graph, op, *window);
  const bool depthwise =
      groups > 1 && groups == shape.in_channels && graph.tensor(op.input(1)).shape[1] == 1;
  if (groups > 1 && !depthwise)
    return 0;
  return depthwise ? tigris_cmsis_nn_depthwise_scratch(isa, &shape)
                   : tigris_cmsis_nn_conv_scratch(isa, &shape);
}

uint64_t denseScratch(const Graph& graph, const Op& op, tigris_cmsis_nn_isa isa) {
  const Tensor& weights = graph.tensor(op.input(1));
  const Tensor& output = graph.tensor(op.output());
  if (weights.shape.rank() == 0 || output.shape.rank() == 0)
    return 0;
  const int64_t out = output.shape.fromBack(0);
  const bool perChannel = weights.quant && weights.quant->perChannel();
  return tigris_cmsis_nn_dense_scratch(isa, static_cast<uint32_t>(weights.elements() / out),
                                       static_cast<uint32_t>(out), perChannel ? 0 : 1);
}

/// Maxima need no memory of their own.
uint64_t averageScratch(const Graph& graph, const Op& op, tigris_cmsis_nn_isa isa) {
  if (op.kind != OpKind::AveragePool && op.kind != OpKind::GlobalAveragePool)
    return 0;
  return tigris_cmsis_nn_average_pool_scratch(
      isa, static_cast<uint32_t>(graph.tensor(op.input(0)).shape.fromBack(0)));
}

} // namespace

std::optional<tigris_cmsis_nn_isa> cmsisNnIsa(KernelLibrary kernels) {
  switch (kernels) {
  case KernelLibrary::CmsisNnC:
    return TIGRIS_CMSIS_NN_C;
  case KernelLibrary::CmsisNnDsp:
    return TIGRIS_CMSIS_NN_DSP;
  case KernelLibrary::CmsisNnMve:
    return TIGRIS_CMSIS_NN_MVE;
  case KernelLibrary::Reference:
    break;
  }
  return std::nullopt;
}

uint64_t kernelScratch(const Graph& graph, const Op& op, KernelLibrary kernels) {
  const std::optional<tigris_cmsis_nn_isa> isa = cmsisNnIsa(kernels);
  if (!isa || !op.input(0) || graph.tensor(op.input(0)).type != DType::Int8)
    return 0;
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution:
    return convScratch(graph, op, *isa);
  case OpClass::Product: // a second operand that is not constant needs no more than a dense layer
    return denseScratch(graph, op, *isa);
  case OpClass::Pool:
  case OpClass::GlobalPool:
    return averageScratch(graph, op, *isa);
  default:
    return 0;
  }
}

uint64_t kernelScratch(const Graph& graph, KernelLibrary kernels) {
  uint64_t most = 0;
  for (const OpId id : graph.order())
    most = std::max(most, kernelScratch(graph, graph.op(id), kernels));
  return most;
}

} // namespace tigris
