// Work classes and work units of operators.
#include "tigris/Target/KernelCosts.h"

#include "tigris/IR/ShapeInference.h"

#include <functional>
#include <numeric>

namespace tigris {

namespace {

bool isReduction(const Op& op) { return op.kindName().starts_with("Reduce"); }

} // namespace

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
  switch (op.kind) {
  case OpKind::DepthwiseConv:
    return WorkClass::Depthwise;
  case OpKind::Conv:
  case OpKind::Conv1D:
  case OpKind::ConvTranspose: {
    const int64_t groups = op.attrs.getInt("group", 1);
    const bool isDepthwise =
        groups > 1 && op.kind != OpKind::ConvTranspose && graph.tensor(op.input(1)).shape[1] == 1;
    return isDepthwise ? WorkClass::Depthwise : WorkClass::Conv;
  }
  case OpKind::Gemm:
  case OpKind::MatMul:
    return WorkClass::Dense;
  case OpKind::MaxPool:
  case OpKind::AveragePool:
  case OpKind::GlobalAveragePool:
  case OpKind::GlobalMaxPool:
    return WorkClass::Pool;
  default:
    return isReduction(op) ? WorkClass::Pool : WorkClass::Elements;
  }
}

double workPerElement(const Graph& graph, const Op& op) {
  const auto elements = [&](TensorId id) {
    return static_cast<double>(graph.tensor(id).elements());
  };
  switch (op.kind) {
  case OpKind::DepthwiseConv:
  case OpKind::Conv:
  case OpKind::Conv1D:
    return static_cast<double>(graph.tensor(op.input(1)).shape.elementsFrom(1));
  case OpKind::ConvTranspose: // each input value feeds one filter
    return elements(op.input(0)) *
           static_cast<double>(graph.tensor(op.input(1)).shape.elementsFrom(1)) /
           elements(op.output());
  case OpKind::Gemm:
    return static_cast<double>(
        graph.tensor(op.input(0)).shape[op.attrs.getInt("transA") != 0 ? 0 : 1]);
  case OpKind::MatMul:
    return static_cast<double>(graph.tensor(op.input(0)).shape.fromBack(0));
  case OpKind::MaxPool:
  case OpKind::AveragePool: {
    const Expected<Window> window = resolveWindow(op, graph);
    return window
               ? static_cast<double>(std::accumulate(window->kernel.begin(), window->kernel.end(),
                                                     int64_t{1}, std::multiplies<>()))
               : 1;
  }
  default: // includes global pools
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
