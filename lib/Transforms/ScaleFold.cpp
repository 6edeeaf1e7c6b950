// scale-fold: products and sums with constants become part of the weights before them.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/WeightScale.h"

namespace tigris {

namespace {

constexpr const char* Doc =
    R"(A factor or summand per output channel, or one for all, after a convolution or Gemm that nobody
else reads goes into its weights and its bias and costs nothing:

    t = Conv(x, w, b)
    y = Add(Mul(t, scale), shift)     # one per channel   ->   y = Conv(x, scale * w, scale * b + shift)

Exporters write biases, layer scales and normalizations of inputs and outputs this way. So it is with Sub,
with Div by a constant, and with a BatchNorm that batch-norm-fold left because something stood before it.
Quantized tensors are left alone: scaling the weights would change their integers.)";

/// The values of a constant that broadcasts to a tensor with `channels` on axis 1, one per channel.
std::optional<std::vector<double>> perChannel(const Graph& graph, TensorId id, const Shape& result,
                                              size_t channels) {
  const auto values = id ? floatConstant(graph, id) : std::nullopt;
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return std::vector<double>(channels, double{(*values)[0]});
  const Shape& shape = graph.tensor(id).shape;
  const size_t fromBack = result.rank() - 2; // of axis 1
  if (values->size() != channels || shape.rank() <= fromBack ||
      shape.fromBack(fromBack) != static_cast<int64_t>(channels))
    return std::nullopt;
  return std::vector<double>(values->begin(), values->end());
}

std::optional<ScaleAndShift> formOf(const Graph& graph, const Op& op, size_t slot,
                                    size_t channels) {
  const Shape& result = graph.tensor(op.output()).shape;
  if (op.kind == OpKind::BatchNorm) {
    const auto scale = floatConstant(graph, op.input(1));
    const auto shift = floatConstant(graph, op.input(2));
    if (slot != 0 || !scale || !shift || scale->size() != channels)
      return std::nullopt;
    return ScaleAndShift{{scale->begin(), scale->end()}, {shift->begin(), shift->end()}};
  }
  auto values = perChannel(graph, op.input(1 - slot), result, channels);
  if (!values)
    return std::nullopt;
  const std::vector<double> ones(channels, 1.0);
  const std::vector<double> zeros(channels, 0.0);
  switch (op.kind) {
  case OpKind::Mul:
    return ScaleAndShift{std::move(*values), zeros};
  case OpKind::Add:
    return ScaleAndShift{ones, std::move(*values)};
  case OpKind::Sub:
    if (slot == 1)
      return ScaleAndShift{std::vector<double>(channels, -1.0), std::move(*values)};
    for (double& value : *values)
      value = -value;
    return ScaleAndShift{ones, std::move(*values)};
  case OpKind::Div:
    for (double& value : *values) {
      if (slot == 1 || value == 0)
        return std::nullopt;
      value = 1 / value;
    }
    return ScaleAndShift{std::move(*values), zeros};
  default:
    return std::nullopt;
  }
}

bool fold(Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  switch (op.kind) {
  case OpKind::Mul:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::BatchNorm:
    break;
  default:
    return false;
  }
  if (!hasKnownTypes(graph, id) || graph.tensor(op.output()).quant || op.act != Activation::None)
    return false;
  for (const size_t slot : {size_t{0}, size_t{1}}) {
    const TensorId between = op.input(slot);
    const size_t channels = scalableChannels(graph, id, between);
    if (channels == 0 || graph.tensor(between).shape != graph.tensor(op.output()).shape)
      continue;
    const auto form = formOf(graph, op, slot, channels);
    if (form && scaleProducer(graph, id, between, *form))
      return true;
  }
  return false;
}

PassStatus run(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) { return fold(graph, id); });
}

} // namespace

PassInfo scaleFoldPass() {
  return functionPass("scale-fold",
                      "products and sums with constants go into the weights before them", Doc, run);
}

} // namespace tigris
