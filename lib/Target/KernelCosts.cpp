// Work classes and work units of operators.
#include "tigris/Target/KernelCosts.h"

#include "tigris/IR/ShapeInference.h"

#include <functional>
#include <numeric>

namespace tigris {

std::string_view workClassName(WorkClass work) {
  constexpr std::array<std::string_view, WorkClasses> Names = {"conv", "depthwise", "dense", "pool",
                                                               "elements"};
  return Names[static_cast<size_t>(work)];
}

KernelCosts kernelCosts(KernelLibrary kernels) {
  KernelCosts costs;
#define TIGRIS_KERNEL_COST(library, kind, call, unit)                                              \
  if (kernels == KernelLibrary::library)                                                           \
    costs.work[static_cast<size_t>(WorkClass::kind)] = {call, unit};
#define TIGRIS_EXECUTOR_COST(library, whole, part, slow)                                           \
  if (kernels == KernelLibrary::library) {                                                         \
    costs.wholeCall = whole;                                                                       \
    costs.partCall = part;                                                                         \
    costs.slowByte = slow;                                                                         \
  }
#include "tigris/Target/KernelCosts.def"
  return costs;
}

WorkClass workClass(const Graph& graph, const Op& op) {
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution: {
    const bool isDepthwise =
        op.kind == OpKind::DepthwiseConv ||
        (op.attrs.getInt("group", 1) > 1 && graph.tensor(op.input(1)).shape[1] == 1);
    return isDepthwise ? WorkClass::Depthwise : WorkClass::Conv;
  }
  case OpClass::TransposedConvolution:
    return WorkClass::Conv;
  case OpClass::Product:
    return WorkClass::Dense;
  case OpClass::Pool:
  case OpClass::GlobalPool:
  case OpClass::Reduction:
  case OpClass::Norm:
    return WorkClass::Pool;
  default:
    return WorkClass::Elements;
  }
}

double workPerElement(const Graph& graph, const Op& op) {
  const auto elements = [&](TensorId id) {
    return static_cast<double>(graph.tensor(id).elements());
  };
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution:
    return static_cast<double>(graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpClass::TransposedConvolution:
    return elements(op.input(0)) *
           static_cast<double>(graph.tensor(op.input(1)).shape.elementsFrom(1)) /
           elements(op.output());
  case OpClass::Product: // Gemm may transpose its first operand
    return static_cast<double>(
        graph.tensor(op.input(0)).shape.fromBack(op.attrs.getInt("transA") != 0 ? 1 : 0));
  case OpClass::Pool: {
    const Expected<Window> window = resolveWindow(op, graph);
    return window
               ? static_cast<double>(std::accumulate(window->kernel.begin(), window->kernel.end(),
                                                     int64_t{1}, std::multiplies<>()))
               : 1;
  }
  default: // includes global pools and reductions
    return workClass(graph, op) == WorkClass::Pool ? elements(op.input(0)) / elements(op.output())
                                                   : 1;
  }
}

double kernelCost(const KernelCosts& costs, const Graph& graph, const Op& op, uint64_t calls,
                  uint64_t elements, bool isWhole) {
  const WorkCost& cost = costs.of(workClass(graph, op));
  const double each = cost.call + (isWhole ? costs.wholeCall : costs.partCall);
  return static_cast<double>(calls) * each +
         cost.unit * static_cast<double>(elements) * workPerElement(graph, op);
}

} // namespace tigris
