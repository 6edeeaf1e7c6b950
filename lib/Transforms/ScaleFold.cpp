// scale-fold: folds multiplications and additions of constants into the weights of the preceding
// operator.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/WeightScale.h"

namespace tigris {

namespace {

constexpr const char* ScaleFoldDoc =
    R"(A constant factor or summand, per output channel or one for all, after a convolution or Gemm
without other readers folds into the weights and the bias:

    t = Conv(x, w, b)
    y = Add(Mul(t, scale), shift)     # one per channel
        ->   y = Conv(x, scale * w, scale * b + shift)

Exporters write biases, layer scales and normalizations of inputs and outputs this way. The same
applies to Sub, to Div by a constant, and to a BatchNorm that batch-norm-fold left because another
operator preceded it. Quantized tensors are not rewritten: scaling the weights would change their
integers.)";

bool fold(Graph& graph, OpId id) {
  if (!mayScaleAndShift(graph, id))
    return false;
  const Op& op = graph.op(id);
  for (const size_t slot : {size_t{0}, size_t{1}}) {
    const TensorId between = op.input(slot);
    const size_t channels = scalableChannels(graph, id, between);
    if (channels == 0 || graph.tensor(between).shape != graph.tensor(op.output()).shape)
      continue;
    const auto form = scaleAndShift(graph, op, slot, channels);
    if (form && scaleProducer(graph, id, between, *form))
      return true;
  }
  return false;
}

PassStatus scaleFold(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) { return fold(graph, id); });
}

} // namespace

PassInfo scaleFoldPass() {
  return functionPass("scale-fold", "constant scales and shifts fold into the preceding weights",
                      ScaleFoldDoc, scaleFold);
}

} // namespace tigris
