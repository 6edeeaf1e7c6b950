// silu-decompose: Silu becomes Sigmoid and Mul.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* SiluDecomposeDoc =
    R"(silu(x) = x * sigmoid(x). The runtime has both operators, so no third kernel is needed:

    y = Silu(x)     ->   s = Sigmoid(x)
                         y = Mul(x, s)

In an int8 graph the sigmoid is stored with scale 1/256 and zero point -128, which covers its
range exactly.)";

PassStatus siluDecompose(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    if (graph.op(id).kind != OpKind::Silu || !hasKnownTypes(graph, id))
      return false;
    const TensorId x = graph.op(id).input(0);
    std::optional<QuantParam> quant;
    if (graph.tensor(x).quant)
      quant = QuantParam{{1.0F / 256}, {-128}, -1};
    const TensorId sigmoid =
        insertResult(graph, id, makeOpLike(graph, id, OpKind::Sigmoid, {x}), quant);
    rewriteInPlace(graph, id, OpKind::Mul, {x, sigmoid}, {});
    return true;
  });
}

} // namespace

PassInfo siluDecomposePass() {
  return functionPass("silu-decompose", "Silu becomes Sigmoid and Mul", SiluDecomposeDoc,
                      siluDecompose);
}

} // namespace tigris
