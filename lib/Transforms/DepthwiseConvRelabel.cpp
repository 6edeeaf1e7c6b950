// depthwise-conv-relabel: convolutions with one group per channel become DepthwiseConv, which has
// its own kernel.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* DepthwiseConvRelabelDoc =
    R"(A Conv with as many groups as input channels reads one channel per result. It is an operator
of its own, because another loop order and weight layout is faster for it:

    y = Conv(x, w) {group: 8}     # x [1, 8, 4, 4], w [8, 1, 3, 3]
        ->   y = DepthwiseConv(x, w) {group: 8}

A Conv with one input channel stays a Conv: with group 1 it mixes all of its channels.)";

PassStatus depthwiseConvRelabel(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Conv || !hasKnownTypes(graph, id))
      return false;
    const Shape& x = graph.tensor(op.input(0)).shape;
    const int64_t group = op.attrs.getInt("group", 1);
    const int64_t outputs = graph.tensor(op.input(1)).shape[0];
    if (group <= 1 || group != x[channelAxis(graph.layout(), x.rank())] || outputs % group != 0)
      return false;
    graph.editOp(id).kind = OpKind::DepthwiseConv;
    return true;
  });
}

} // namespace

PassInfo depthwiseConvRelabelPass() {
  return functionPass("depthwise-conv-relabel",
                      "Conv with one channel per group becomes DepthwiseConv",
                      DepthwiseConvRelabelDoc, depthwiseConvRelabel);
}

} // namespace tigris
