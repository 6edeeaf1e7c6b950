// Divides the work of an op by the elements of the operand.
#include "tigris/Analysis/OperandReads.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>

namespace tigris {

namespace {

uint64_t windowElements(const Graph& graph, const Op& op) {
  const Expected<Window> window = resolveWindow(op, graph);
  uint64_t elements = 1;
  for (size_t i = 0; window && i < window->kernel.size(); ++i)
    elements *= static_cast<uint64_t>(window->kernel[i]);
  return elements;
}

} // namespace

uint64_t operandReads(const Graph& graph, const Op& op, size_t input) {
  constexpr uint64_t NormalizationPasses = 3; // two for the statistic, one for the result
  const auto elements =
      std::max<uint64_t>(1, static_cast<uint64_t>(graph.tensor(op.input(input)).elements()));
  uint64_t reads = macCount(graph, op);
  if (opInfo(op.kind).opClass == OpClass::Pool)
    reads = static_cast<uint64_t>(graph.tensor(op.output()).elements()) * windowElements(graph, op);
  else if (opInfo(op.kind).opClass == OpClass::Normalization)
    reads = elements * NormalizationPasses;
  return std::max<uint64_t>(1, reads / elements);
}

bool worksInOnePass(OpKind kind) {
  switch (opInfo(kind).opClass) {
  case OpClass::Movement:
  case OpClass::Index:
  case OpClass::Reduction:
  case OpClass::Norm:
    return kind != OpKind::ReduceLogSumExp; // subtracts the largest element first
  default:
    return false;
  }
}

uint64_t resultReads(const Graph& graph, const Op& op) {
  if (opInfo(op.kind).opClass != OpClass::Recurrent)
    return 0;
  const Shape& weights = graph.tensor(op.input(2)).shape; // [directions, gates * hidden, hidden]
  return static_cast<uint64_t>(weights[1]);
}

} // namespace tigris
