// Converts ops of the graph to the shapes that the runtime's formulas take.
#include "tigris/Target/KernelScratch.h"

#include "tigris/IR/ShapeInference.h"
#include "tigris/Target/CmsisNnIsa.h"

#include <algorithm>

namespace tigris {

namespace {

/// The kernel's view of a convolution with constant weights [O, I/groups, spatial...].
tigris_scratch_shape convShape(const Graph& graph, const Op& op, const Window& window,
                               tigris_cmsis_nn_isa isa) {
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
  const bool perTensor = !weights.quant || !weights.quant->perChannel();
  shape.pair_words = tigris_scratch_pair_words(perTensor ? 1 : 0, tigris_cmsis_nn_wide_shifts(isa),
                                               shape.out_channels);
  return shape;
}

uint64_t convScratch(const Graph& graph, const Op& op, tigris_cmsis_nn_isa isa) {
  const Expected<Window> window = resolveWindow(op, graph);
  if (!window)
    return 0;
  const int64_t groups = op.attrs.getInt("group", 1);
  const tigris_scratch_shape shape = convShape(graph, op, *window, isa);
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
                                       static_cast<uint32_t>(out), perChannel ? 0 : 1,
                                       tigris_cmsis_nn_wide_shifts(isa));
}

/// Maxima need no memory of their own.
uint64_t averageScratch(const Graph& graph, const Op& op, tigris_cmsis_nn_isa isa) {
  if (op.kind != OpKind::AveragePool && op.kind != OpKind::GlobalAveragePool)
    return 0;
  return tigris_cmsis_nn_average_pool_scratch(
      isa, static_cast<uint32_t>(graph.tensor(op.input(0)).shape.fromBack(0)));
}

/// One axis of a convolution's call: elements of the result and of the input. The first part needs
/// the most, as it is padded.
struct CallAxis {
  uint32_t in = 1;
  uint32_t out = 1;
};

CallAxis callAxis(const Window& window, size_t axis, int64_t in, int64_t out, int64_t most) {
  CallAxis result = {static_cast<uint32_t>(in), static_cast<uint32_t>(out)};
  if (most >= out)
    return result;
  const int64_t needed =
      (most - 1) * window.strides[axis] + window.kernel[axis] - window.pads[axis];
  result.out = static_cast<uint32_t>(most);
  result.in = static_cast<uint32_t>(std::clamp<int64_t>(needed, 1, in));
  return result;
}

uint64_t espNnConvScratch(const Graph& graph, const Op& op, const CallExtents& extents) {
  const Expected<Window> window = resolveWindow(op, graph);
  const Tensor& x = graph.tensor(op.input(0));
  const Tensor& y = graph.tensor(op.output());
  const Tensor& w = graph.tensor(op.input(1));
  const int64_t groups = op.attrs.getInt("group", 1);
  const int64_t channels = x.shape.fromBack(0);
  const bool depthwise = groups > 1 && groups == channels && w.shape[1] == 1;
  const auto above = [](const std::vector<int64_t>& values, int64_t limit) {
    return std::any_of(values.begin(), values.end(), [&](int64_t v) { return v > limit; });
  };
  if (!window || (groups > 1 && !depthwise) || above(window->dilations, 1))
    return 0; // the reference kernel's
  const size_t rank = x.shape.rank();
  const bool isMap = window->kernel.size() == 2 && rank == 4;
  if (!isMap && (window->kernel.size() != 1 || rank != 3))
    return 0;
  if (depthwise && extents.channels < channels)
    return UINT64_MAX; // its weights are not contiguous
  const CallAxis rows = callAxis(*window, 0, x.shape[1], y.shape[1], extents.rows);
  const CallAxis columns =
      isMap ? callAxis(*window, 1, x.shape[2], y.shape[2], extents.columns) : CallAxis();
  const auto at = [&](const std::vector<int64_t>& values, size_t index, int64_t none) {
    return static_cast<uint32_t>(isMap || index == 0 ? values[index] : none);
  };
  tigris_esp_nn_shape shape = {};
  shape.kernel_h = at(window->kernel, 0, 1);
  shape.kernel_w = at(window->kernel, 1, 1);
  shape.stride_h = at(window->strides, 0, 1);
  shape.stride_w = at(window->strides, 1, 1);
  shape.pad_h = at(window->pads, 0, 0);
  shape.pad_w = at(window->pads, 1, 0);
  shape.in_h = rows.in;
  shape.in_w = columns.in;
  shape.out_h = rows.out;
  shape.out_w = columns.out;
  const int64_t outputs = std::min(extents.channels, y.shape.fromBack(0));
  shape.in_channels = static_cast<uint32_t>(channels);
  shape.out_channels = static_cast<uint32_t>(outputs);
  const bool perTensor = !w.quant || !w.quant->perChannel();
  const uint32_t words = tigris_scratch_pair_words(
      perTensor ? 1 : 0, readsWideShifts(KernelLibrary::EspNnS3) ? 1 : 0, shape.out_channels);
  return tigris_esp_nn_pairs(shape.out_channels, words) +
         (depthwise ? tigris_esp_nn_s3_depthwise_scratch(&shape)
                    : tigris_esp_nn_s3_conv_scratch(&shape));
}

uint64_t espNnScratch(const Graph& graph, const Op& op, const CallExtents& extents) {
  if (opInfo(op.kind).opClass == OpClass::Convolution)
    return espNnConvScratch(graph, op, extents);
  if (op.kind == OpKind::Softmax)
    return tigris_esp_nn_s3_softmax_scratch(
        static_cast<uint32_t>(graph.tensor(op.input(0)).shape.fromBack(0)));
  return 0;
}

} // namespace

bool scratchDependsOnCall(KernelLibrary kernels) { return kernels == KernelLibrary::EspNnS3; }

bool readsWideShifts(KernelLibrary kernels) {
  if (kernels == KernelLibrary::EspNnS3)
    return true;
  const std::optional<tigris_cmsis_nn_isa> isa = cmsisNnIsa(kernels);
  return isa && tigris_cmsis_nn_wide_shifts(*isa) != 0;
}

std::optional<tigris_cmsis_nn_isa> cmsisNnIsa(KernelLibrary kernels) {
  switch (kernels) {
  case KernelLibrary::CmsisNnC:
    return TIGRIS_CMSIS_NN_C;
  case KernelLibrary::CmsisNnDsp:
    return TIGRIS_CMSIS_NN_DSP;
  case KernelLibrary::CmsisNnMve:
    return TIGRIS_CMSIS_NN_MVE;
  case KernelLibrary::Reference:
  case KernelLibrary::EspNnS3:
    break;
  }
  return std::nullopt;
}

uint64_t kernelScratch(const Graph& graph, const Op& op, KernelLibrary kernels,
                       const CallExtents& extents) {
  if (!op.input(0) || graph.tensor(op.input(0)).type != DType::Int8)
    return 0;
  if (kernels == KernelLibrary::EspNnS3)
    return espNnScratch(graph, op, extents);
  const std::optional<tigris_cmsis_nn_isa> isa = cmsisNnIsa(kernels);
  if (!isa)
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
