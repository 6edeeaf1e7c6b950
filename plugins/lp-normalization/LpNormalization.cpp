// Plugin lp-normalization: lowers an ONNX operator that the compiler does not support to operators
// that it supports. Embedding models (faces, speakers, keywords) end with this operator.
#include "tigris/Pass/PassPlugin.h"
#include "tigris/Pass/Rewrite.h"

#include <limits>

using namespace tigris;

namespace {

constexpr const char* Doc = R"(Import with --allow-unknown-ops; the pass runs first in `default`.

    y = ai.onnx::LpNormalization(x) {axis: -1, p: 2}
    ->
    y = Div(x, Max(Sqrt(ReduceSum(Mul(x, x))), tiny))

The smallest normal float keeps a vector of zeros zero, as ONNX Runtime does. With p = 1 the sum is
that of Abs(x), without the root. Other norms do not exist in ONNX.)";

PassStatus lower(Graph& graph, OpId id, PassContext& context) {
  const Op op = graph.op(id);
  const Tensor& x = graph.tensor(op.input(0));
  const int64_t p = op.attrs.getInt("p", 2);
  const auto axis = x.hasShape ? normalizeAxis(op.attrs.getInt("axis", -1), x.shape.rank())
                               : std::optional<size_t>();
  if (!axis || x.type != DType::Float32)
    return context.fail(DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
                        "): expected a float32 operand of known shape and an axis inside it");
  if (p != 1 && p != 2)
    return context.fail(DiagId::BadAttr, "op '", op.name, "': 'p' is ", p, ", expected 1 or 2");

  const auto insert = [&](OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}) {
    return insertResult(graph, id,
                        makeOpLike(graph, id, kind, std::move(inputs), std::move(attrs)));
  };
  const TensorId input = op.input(0);
  const TensorId positive =
      p == 2 ? insert(OpKind::Mul, {input, input}) : insert(OpKind::Abs, {input});
  TensorId norm = insert(OpKind::ReduceSum, {positive},
                         {{"axes", std::vector{static_cast<int64_t>(*axis)}}, {"keepdims", 1L}});
  if (p == 2)
    norm = insert(OpKind::Sqrt, {norm});
  const TensorId tiny = addFloatConstant(graph, "tiny", {}, {std::numeric_limits<float>::min()});
  norm = insert(OpKind::Max, {norm, tiny});
  rewriteInPlace(graph, id, OpKind::Div, {input, norm}, {});
  return PassStatus::Changed;
}

PassStatus run(Graph& graph, PassContext& context) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    if (graph.op(id).unknownKind != "ai.onnx::LpNormalization")
      continue;
    if (lower(graph, id, context) == PassStatus::Failed)
      return PassStatus::Failed;
    changed = true;
  }
  return changedIf(changed);
}

Status registerPasses(PluginRegistrar& registrar) {
  if (Status status = registrar.addPass(
          functionPass("lp-normalization-lower",
                       "LpNormalization becomes arithmetic the runtime has", Doc, run));
      !status)
    return status;
  registrar.extend(ExtensionPoint::NormStart, "lp-normalization-lower");
  return {};
}

} // namespace

TIGRIS_PASS_PLUGIN("lp-normalization", "1.0.0", registerPasses)
