// sum-to-add: Sum, Max and Min of many operands become chains of binary operators.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* SumToAddDoc =
    R"(Sum is Add with any number of operands. The runtime adds two at a time, from left to right,
which is also the order in which ONNX defines the result. The same applies to Max and Min:

    y = Sum(a, b, c)     ->   t = Add(a, b)
                              y = Add(t, c)

Sums of more than two quantized tensors are not rewritten, because the intermediate results have no
scale.)";

PassStatus sumToAdd(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    const bool sums = op.kind == OpKind::Sum;
    const bool selects = (op.kind == OpKind::Max || op.kind == OpKind::Min) && op.inputs.size() > 2;
    if ((!sums && !selects) || op.inputs.size() < 2 || !hasKnownTypes(graph, id))
      return false;
    // A selected value keeps its quantization.
    const std::optional<QuantParam> quant = graph.tensor(op.output()).quant;
    if (sums && op.inputs.size() > 2 && quant)
      return false;
    const OpKind kind = sums ? OpKind::Add : op.kind;
    const std::vector<TensorId> terms = op.inputs;
    TensorId partial = terms[0];
    for (size_t i = 1; i + 1 < terms.size(); ++i)
      partial = insertResult(graph, id, makeOpLike(graph, id, kind, {partial, terms[i]}), quant);
    rewriteInPlace(graph, id, kind, {partial, terms.back()}, {});
    return true;
  });
}

} // namespace

PassInfo sumToAddPass() {
  return functionPass("sum-to-add", "variadic Sum, Max and Min become chains of binary operators",
                      SumToAddDoc, sumToAdd);
}

} // namespace tigris
