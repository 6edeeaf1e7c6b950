// sum-to-add: Sum of many becomes a chain of Add.
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/Rewrite.h"

namespace tigris {

namespace {

constexpr const char* Doc =
    R"(Sum is Add with any number of operands. The runtime adds two at a time, from left to right,
which is also the order in which ONNX defines the result:

    y = Sum(a, b, c)     ->   t = Add(a, b)
                              y = Add(t, c)

Sums of more than two quantized tensors stay: the parts in between have no scale.)";

PassStatus run(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Sum || op.inputs.size() < 2 || !hasKnownTypes(graph, id) ||
        (op.inputs.size() > 2 && graph.tensor(op.output()).quant))
      return false;
    const std::vector<TensorId> terms = op.inputs;
    TensorId sum = terms[0];
    for (size_t i = 1; i + 1 < terms.size(); ++i)
      sum = insertResult(graph, id, makeOpLike(graph, id, OpKind::Add, {sum, terms[i]}));
    rewriteInPlace(graph, id, OpKind::Add, {sum, terms.back()}, {});
    return true;
  });
}

} // namespace

PassInfo sumToAddPass() {
  return functionPass("sum-to-add", "Sum of many becomes a chain of Add", Doc, run);
}

} // namespace tigris
