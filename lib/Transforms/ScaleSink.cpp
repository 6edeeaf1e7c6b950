// scale-sink: folds multiplications and additions of constants into the weights of the following
// operator.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/WeightScale.h"

namespace tigris {

namespace {

constexpr const char* ScaleSinkDoc =
    R"(A constant factor or summand, per channel or one for all, before a convolution or Gemm folds
into the weights and the bias:

    t = Div(Sub(x, mean), deviation)                  # one per channel
    y = Conv(t, w, b)             ->   y = Conv(x, w / deviation, b - sum(w * mean / deviation))

Exporters write the normalization of images this way, and so do networks that normalize before they
convolve. Only factors fold into a convolution with padding, because the zeros around its operand
are not shifted. Quantized tensors are not rewritten.)";

bool sink(Graph& graph, OpId id) {
  if (!mayScaleAndShift(graph, id))
    return false;
  const Op& op = graph.op(id);
  const Shape& result = graph.tensor(op.output()).shape;
  if (result.rank() < 2)
    return false;
  for (const size_t slot : {size_t{0}, size_t{1}}) {
    const TensorId from = op.input(slot);
    if (!from || graph.tensor(from).isConstant() || graph.tensor(from).shape != result)
      continue;
    const auto form = scaleAndShift(graph, op, slot, static_cast<size_t>(result[1]));
    if (form && scaleReader(graph, id, from, *form))
      return true;
  }
  return false;
}

PassStatus scaleSink(Graph& graph, PassContext&) {
  // Visits a chain from its end, because the last op is next to the weights.
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (auto op = order.rbegin(); op != order.rend(); ++op)
    changed |= sink(graph, *op);
  return changedIf(changed);
}

} // namespace

PassInfo scaleSinkPass() {
  return functionPass("scale-sink", "constant scales and shifts fold into the following weights",
                      ScaleSinkDoc, scaleSink);
}

} // namespace tigris
