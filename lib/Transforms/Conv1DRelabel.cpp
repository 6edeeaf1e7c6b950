// conv1d-relabel: convolutions over one axis become Conv1D, which has its own kernel.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* Conv1DRelabelDoc =
    R"(A Conv over sequences [N, C, L] has no height, and tiling treats its time axis as rows. It
becomes an operator of its own:

    y = Conv(x, w) {kernel_shape: [3]}     # x [1, 8, 64]
        ->   y = Conv1D(x, w) {kernel_shape: [3]})";

PassStatus conv1DRelabel(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Conv || !hasKnownTypes(graph, id) ||
        graph.tensor(op.input(0)).shape.rank() != 3)
      return false;
    graph.editOp(id).kind = OpKind::Conv1D;
    return true;
  });
}

} // namespace

PassInfo conv1dRelabelPass() {
  return functionPass("conv1d-relabel", "Conv over one axis becomes Conv1D", Conv1DRelabelDoc,
                      conv1DRelabel);
}

} // namespace tigris
