// batch-norm-fold: folds batch normalization into the weights of the preceding operator, or lowers
// it to one multiply and add.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Support/Remarks.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/WeightScale.h"

#include <cmath>

namespace tigris {

namespace {

constexpr const char* BatchNormFoldDoc =
    R"(A trained batch normalization is a fixed scale and shift per channel:

    a = gamma / sqrt(variance + epsilon)        y = a * x + (beta - a * mean)

After a convolution or Gemm without other readers it costs nothing, because both fold into the
weights:

    t = Conv(x, w, b)
    y = BatchNormalization(t, ...)     ->   y = Conv(x, a * w, a * b + beta - a * mean)

Elsewhere it becomes BatchNorm(x, scale, bias) with the two constants above, computed in double
precision. Quantized tensors are not rewritten: scaling the weights would change their integers.)";

std::optional<ScaleAndShift> inferenceForm(const Graph& graph, const Op& op) {
  const auto gamma = floatConstant(graph, op.input(1));
  const auto beta = floatConstant(graph, op.input(2));
  const auto mean = floatConstant(graph, op.input(3));
  const auto variance = floatConstant(graph, op.input(4));
  if (!gamma || !beta || !mean || !variance || gamma->size() != variance->size() ||
      beta->size() != gamma->size() || mean->size() != gamma->size())
    return std::nullopt;
  const double epsilon = op.attrs.getFloat("epsilon", 1e-5);
  ScaleAndShift form;
  for (size_t c = 0; c < gamma->size(); ++c) {
    const double scale = double{(*gamma)[c]} / std::sqrt(double{(*variance)[c]} + epsilon);
    form.scale.push_back(scale);
    form.shift.push_back(double{(*beta)[c]} - scale * double{(*mean)[c]});
  }
  return form;
}

void becomeBatchNorm(Graph& graph, OpId id, const ScaleAndShift& form) {
  const Op& op = graph.op(id);
  const Shape shape{static_cast<int64_t>(form.scale.size())};
  const TensorId scale = addFloatConstant(graph, strCat(op.name, ".scale"), shape,
                                          {form.scale.begin(), form.scale.end()});
  const TensorId bias = addFloatConstant(graph, strCat(op.name, ".bias"), shape,
                                         {form.shift.begin(), form.shift.end()});
  rewriteInPlace(graph, id, OpKind::BatchNorm, {op.input(0), scale, bias}, {});
}

PassStatus batchNormFold(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::BatchNormalization || !hasKnownTypes(graph, id))
      return false;
    if (op.attrs.getInt("training_mode", 0) != 0 || op.attrs.getInt("spatial", 1) == 0 ||
        op.outputs.size() != 1)
      return remarkOn(op, "not-folded", "it is in the form for training");
    if (graph.tensor(op.input(0)).quant || graph.tensor(op.output()).quant)
      return remarkOn(op, "not-folded",
                      "its tensors are quantized: scaling weights would change "
                      "their integers");
    const auto form = inferenceForm(graph, op);
    if (!form)
      return remarkOn(op, "not-folded",
                      "its scale, shift, mean and variance are not constants of "
                      "one size");
    if (!scaleProducer(graph, id, graph.op(id).input(0), *form)) {
      remarkOn(op, "not-folded",
               "its operand is not produced by a Conv or Gemm with constant weights and no "
               "other reader; it stays a multiply and add");
      becomeBatchNorm(graph, id, *form);
    }
    return true;
  });
}

} // namespace

PassInfo batchNormFoldPass() {
  return functionPass("batch-norm-fold", "batch normalization folds into the preceding weights",
                      BatchNormFoldDoc, batchNormFold);
}

} // namespace tigris
