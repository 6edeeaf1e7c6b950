// Plugin hardswish: lowers HardSwish to smaller operators, for devices without a kernel for it.
#include "tigris/Pass/PassPlugin.h"
#include "tigris/Pass/Rewrite.h"

using namespace tigris;

namespace {

constexpr const char* Doc =
    R"(hard_swish(x) = x * hard_sigmoid(x) = x * relu6(x + 3) / 6.

    y = HardSwish(x)    ->    g = HardSigmoid(x) {alpha: 1/6, beta: 1/2}
                              y = Mul(x, g)

With `relu6`, the pass writes the second form with Add, Relu6 and Mul. Quantized operators keep the
first form, because the sum would need a scale that nobody has measured.)";

/// x * hard_sigmoid(x). The gate is in [0, 1], which 256 steps of 1/255 cover exactly.
void writeHardSigmoid(Graph& graph, OpId id) {
  const TensorId x = graph.op(id).input(0);
  std::optional<QuantParam> quant;
  if (graph.tensor(x).quant)
    quant = QuantParam{{1.0F / 255}, {-128}, -1};
  const AttrMap attrs = {{"alpha", 1.0 / 6}, {"beta", 0.5}};
  const TensorId gate =
      insertResult(graph, id, makeOpLike(graph, id, OpKind::HardSigmoid, {x}, attrs), quant);
  rewriteInPlace(graph, id, OpKind::Mul, {x, gate}, {});
}

/// (x + 3 clamped to [0, 6]) / 6 * x.
void writeRelu6(Graph& graph, OpId id) {
  const TensorId x = graph.op(id).input(0);
  const TensorId three = addFloatConstant(graph, "three", {}, {3});
  const TensorId sixth = addFloatConstant(graph, "sixth", {}, {1.0F / 6});
  const TensorId sum = insertResult(graph, id, makeOpLike(graph, id, OpKind::Add, {x, three}));
  const TensorId clamped = insertResult(graph, id, makeOpLike(graph, id, OpKind::Relu6, {sum}));
  const TensorId gate =
      insertResult(graph, id, makeOpLike(graph, id, OpKind::Mul, {clamped, sixth}));
  rewriteInPlace(graph, id, OpKind::Mul, {x, gate}, {});
}

class HardSwishDecompose : public Pass {
public:
  explicit HardSwishDecompose(bool relu6) : relu6_(relu6) {}

  PassStatus run(Graph& graph, PassContext&) override {
    return forEachOp(graph, [&](OpId id) {
      const Op& op = graph.op(id);
      if (op.kind != OpKind::HardSwish || !hasKnownTypes(graph, id))
        return false;
      if (relu6_ && !graph.tensor(op.input(0)).quant)
        writeRelu6(graph, id);
      else
        writeHardSigmoid(graph, id);
      return true;
    });
  }

private:
  bool relu6_;
};

Status registerPasses(PluginRegistrar& registrar) {
  PassInfo info;
  info.name = "hardswish-decompose";
  info.summary = "HardSwish becomes HardSigmoid and Mul";
  info.doc = Doc;
  info.options = {{"relu6", PassOptionKind::Flag, "write Add, Relu6 and Mul instead"}};
  info.create = [](const PassOptions& options) {
    return std::make_unique<HardSwishDecompose>(options.flag("relu6"));
  };
  return registrar.addPass(std::move(info));
}

} // namespace

TIGRIS_PASS_PLUGIN("hardswish", "1.0.0", registerPasses)
