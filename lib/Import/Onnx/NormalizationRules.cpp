// Lowers normalizations over parts of a tensor to the reductions and element-wise operators that
// define them.
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// The smallest normal float. It replaces a divisor of 0, so that 0 / 0 gives 0, as in other
/// runtimes.
constexpr float Tiny = 1.17549435e-38F;

struct Axis {
  Shape shape;
  size_t axis;
};

Expected<Axis> axisOf(const NodeContext& node, int64_t fallback) {
  if (!node.input(0))
    return node.refuse(DiagId::BadArity, "has no input");
  Expected<int64_t> given = node.intAttr("axis", fallback);
  if (!given)
    return given.takeError();
  const Shape shape = node.tensor(node.input(0)).shape;
  const std::optional<size_t> axis = normalizeAxis(*given, shape.rank());
  if (!axis)
    return node.refuse(DiagId::BadAttr, "axis ", *given, " is outside of rank ", shape.rank());
  return Axis{shape, *axis};
}

Ints axesFrom(size_t first, size_t rank) {
  Ints axes;
  for (size_t i = first; i < rank; ++i)
    axes.push_back(static_cast<int64_t>(i));
  return axes;
}

/// (x - mean) / sqrt(variance + epsilon) for each row of the last axis.
TensorId standardize(Chain& chain, TensorId rows, double epsilon) {
  return chain.op("standardized", OpKind::LayerNormalization, {rows},
                  {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
}

struct Moments {
  TensorId centered; ///< x - mean
  TensorId variance; ///< the mean of its squares
};

Moments moments(Chain& chain, TensorId x, const Ints& axes) {
  const TensorId mean = chain.reduce("mean", OpKind::ReduceMean, x, axes);
  const TensorId centered = chain.op("centered", OpKind::Sub, {x, mean});
  const TensorId squares = chain.op("squares", OpKind::Mul, {centered, centered});
  return {centered, chain.reduce("variance", OpKind::ReduceMean, squares, axes)};
}

/// A scale or bias of [channels] or [groups] as a column that broadcasts to [N, channels, values].
TensorId column(NodeContext& node, Chain& chain, std::string_view suffix, size_t input) {
  const TensorId id = node.input(input);
  return chain.reshape(suffix, id, {node.tensor(id).elements(), 1});
}

/// For images, whose channels the kernels store last: reductions over positions need no Transpose.
Status normalizePositions(NodeContext& node, const Shape& shape, double epsilon) {
  Chain chain(node);
  const Moments of = moments(chain, node.input(0), axesFrom(2, shape.rank()));
  const TensorId sum = chain.op("stable", OpKind::Add,
                                {of.variance, node.scalar("epsilon", static_cast<float>(epsilon))});
  const TensorId root = chain.op("root", OpKind::Sqrt, {sum});
  Ints dims(shape.rank() - 1, 1);
  dims[0] = shape[1];
  const Shape channels(std::move(dims));
  const TensorId factor =
      chain.op("factor", OpKind::Div, {chain.reshape("scale", node.input(1), channels), root});
  const TensorId scaled = chain.op("scaled", OpKind::Mul, {of.centered, factor});
  return chain.finish(OpKind::Add, {scaled, chain.reshape("bias", node.input(2), channels)});
}

Status instanceNormalization(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  Expected<double> epsilon = node.floatAttr("epsilon", 1e-5);
  if (!epsilon)
    return epsilon.takeError();
  const Shape shape = node.tensor(node.input(0)).shape;
  if (shape.rank() < 3)
    return node.unsupported("its operand has shape ", shape.str(), ", expected at least rank 3");
  // Exporters write the normalization of groups of channels as one of rank 3.
  if (shape.rank() > 3)
    return normalizePositions(node, shape, *epsilon);
  Chain chain(node);
  const TensorId rows =
      chain.reshape("rows", node.input(0), {shape[0], shape[1], shape.elementsFrom(2)});
  const TensorId scaled = chain.op(
      "scaled", OpKind::Mul, {standardize(chain, rows, *epsilon), column(node, chain, "scale", 1)});
  const TensorId shifted =
      chain.op("shifted", OpKind::Add, {scaled, column(node, chain, "bias", 2)});
  return chain.finish(OpKind::Reshape, {shifted}, {{"shape", shape.dims()}});
}

Status groupNormalization(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  Expected<double> epsilon = node.floatAttr("epsilon", 1e-5);
  if (!epsilon)
    return epsilon.takeError();
  Expected<int64_t> groups = node.intAttr("num_groups", 0);
  if (!groups)
    return groups.takeError();
  const Shape shape = node.tensor(node.input(0)).shape;
  if (shape.rank() < 2 || *groups < 1 || shape[1] % *groups != 0)
    return node.refuse(DiagId::BadShape, "its operand of shape ", shape.str(),
                       " does not divide into ", *groups, " groups of channels");
  Chain chain(node);
  const int64_t values = shape.elementsFrom(2);
  const TensorId rows =
      chain.reshape("rows", node.input(0), {shape[0], *groups, shape[1] / *groups * values});
  TensorId result = standardize(chain, rows, *epsilon);
  // Scale and bias are per channel from opset 21 on, per group before.
  if (node.tensor(node.input(1)).elements() != *groups || node.opset() >= 21)
    result = chain.reshape("channels", result, {shape[0], shape[1], values});
  result = chain.op("scaled", OpKind::Mul, {result, column(node, chain, "scale", 1)});
  result = chain.op("shifted", OpKind::Add, {result, column(node, chain, "bias", 2)});
  return chain.finish(OpKind::Reshape, {result}, {{"shape", shape.dims()}});
}

/// x / sqrt(mean(x * x) + epsilon) over the axes from `axis` on.
TensorId rootMeanSquare(NodeContext& node, Chain& chain, TensorId x, const Ints& axes,
                        double epsilon) {
  const TensorId squares = chain.op("squares", OpKind::Mul, {x, x});
  const TensorId mean = chain.reduce("mean", OpKind::ReduceMean, squares, axes);
  const TensorId sum =
      chain.op("stable", OpKind::Add, {mean, node.scalar("epsilon", static_cast<float>(epsilon))});
  const TensorId root = chain.op("root", OpKind::Sqrt, {sum});
  return chain.op("normalized", OpKind::Div, {x, root});
}

Status rmsNormalization(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  if (node.outputCount() > 1 && node.outputUsed(1))
    return node.unsupported("its second output is used, which exists for training");
  Expected<Axis> axis = axisOf(node, -1);
  if (!axis)
    return axis.takeError();
  Expected<double> epsilon = node.floatAttr("epsilon", 1e-5);
  if (!epsilon)
    return epsilon.takeError();
  Chain chain(node);
  const TensorId normalized = rootMeanSquare(node, chain, node.input(0),
                                             axesFrom(axis->axis, axis->shape.rank()), *epsilon);
  return chain.finish(OpKind::Mul, {normalized, node.input(1)});
}

/// com.microsoft: normalizes the sum of input, skip and bias; the sum itself is output 3.
Status skipNormalization(NodeContext& node, bool rootMeanSquares) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  for (const size_t i : {size_t{1}, size_t{2}})
    if (i < node.outputCount() && node.outputUsed(i))
      return node.unsupported("output ", i, " is used, which exists for training");
  Expected<double> epsilon = node.floatAttr("epsilon", 1e-12);
  if (!epsilon)
    return epsilon.takeError();
  Chain chain(node);
  TensorId sum = chain.op("sum", OpKind::Add, {node.input(0), node.input(1)});
  const size_t bias = rootMeanSquares ? 3 : 4;
  if (node.input(bias))
    sum = chain.op("biased", OpKind::Add, {sum, node.input(bias)});
  if (chain.failed())
    return chain.status();
  if (node.outputCount() > 3 && node.outputUsed(3))
    if (Status status = chain.finishOutput(3, OpKind::Identity, {sum}); !status)
      return status;
  if (!rootMeanSquares) {
    std::vector<TensorId> inputs = {sum, node.input(2)};
    if (node.input(3))
      inputs.push_back(node.input(3));
    return chain.finishOutput(0, OpKind::LayerNormalization, inputs,
                              {{"axis", int64_t{-1}}, {"epsilon", *epsilon}});
  }
  const auto last = static_cast<int64_t>(node.tensor(sum).shape.rank()) - 1;
  const TensorId normalized = rootMeanSquare(node, chain, sum, {last}, *epsilon);
  return chain.finishOutput(0, OpKind::Mul, {normalized, node.input(2)});
}
Status skipLayerNormalization(NodeContext& node) { return skipNormalization(node, false); }
Status skipSimplifiedLayerNormalization(NodeContext& node) { return skipNormalization(node, true); }

Status lpNormalization(NodeContext& node) {
  Expected<Axis> axis = axisOf(node, -1);
  if (!axis)
    return axis.takeError();
  Expected<int64_t> p = node.intAttr("p", 2);
  if (!p)
    return p.takeError();
  if (*p != 1 && *p != 2)
    return node.unsupported("'p' is ", *p, ", 1 and 2 are supported");
  Chain chain(node);
  const TensorId norm = chain.reduce("norm", *p == 1 ? OpKind::ReduceL1 : OpKind::ReduceL2,
                                     node.input(0), {static_cast<int64_t>(axis->axis)});
  const TensorId divisor = chain.op("divisor", OpKind::Max, {norm, node.scalar("tiny", Tiny)});
  return chain.finish(OpKind::Div, {node.input(0), divisor});
}

Status meanVarianceNormalization(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Ints axes = {0, 2, 3};
  if (const onnx::AttributeProto* given = node.findAttr("axes"))
    axes.assign(given->ints().begin(), given->ints().end());
  Chain chain(node);
  const Moments of = moments(chain, node.input(0), axes);
  const TensorId deviation = chain.op("deviation", OpKind::Sqrt, {of.variance});
  const TensorId divisor =
      chain.op("divisor", OpKind::Add, {deviation, node.scalar("epsilon", 1e-9F)});
  return chain.finish(OpKind::Div, {of.centered, divisor});
}

/// x / (bias + alpha / size * sum of squares over `size` channels) ^ beta. A mean over a window
/// that counts its padding is that sum divided by `size`.
Status localResponse(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<int64_t> size = node.intAttr("size", 0);
  Expected<double> alpha = node.floatAttr("alpha", 1e-4);
  Expected<double> beta = node.floatAttr("beta", 0.75);
  Expected<double> bias = node.floatAttr("bias", 1);
  if (!size || !alpha || !beta || !bias)
    return !size    ? size.takeError()
           : !alpha ? alpha.takeError()
           : !beta  ? beta.takeError()
                    : bias.takeError();
  const TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  if (shape.rank() < 2 || *size < 1)
    return node.refuse(DiagId::BadAttr, "'size' is ", *size, " for an operand of shape ",
                       shape.str());
  Chain chain(node);
  const int64_t before = (*size - 1) / 2;
  const TensorId squares = chain.op("squares", OpKind::Mul, {x, x});
  const TensorId planes =
      chain.reshape("planes", squares, {shape[0], 1, shape[1], shape.elementsFrom(2)});
  const TensorId means = chain.op("means", OpKind::AveragePool, {planes},
                                  {{"kernel_shape", Ints{*size, 1}},
                                   {"pads", Ints{before, 0, *size - 1 - before, 0}},
                                   {"count_include_pad", int64_t{1}}});
  const TensorId back = chain.reshape("back", means, shape);
  const TensorId scaled =
      chain.op("scaled", OpKind::Mul, {back, node.scalar("alpha", static_cast<float>(*alpha))});
  const TensorId shifted =
      chain.op("shifted", OpKind::Add, {scaled, node.scalar("bias", static_cast<float>(*bias))});
  const TensorId divisor =
      chain.op("divisor", OpKind::Pow, {shifted, node.scalar("beta", static_cast<float>(*beta))});
  return chain.finish(OpKind::Div, {x, divisor});
}

/// x| or x * x, the terms of an Lp pool.
Expected<TensorId> powers(NodeContext& node, Chain& chain) {
  Expected<int64_t> p = node.intAttr("p", 2);
  if (!p)
    return p.takeError();
  if (*p != 1 && *p != 2)
    return node.unsupported("'p' is ", *p, ", 1 and 2 are supported");
  const TensorId x = node.input(0);
  return *p == 1 ? chain.op("powers", OpKind::Abs, {x}) : chain.op("powers", OpKind::Mul, {x, x});
}

Status lpPool(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<AttrMap> attrs = node.attrsFor(OpKind::AveragePool, {"p"});
  if (!attrs)
    return attrs.takeError();
  if (attrs->getInt("ceil_mode") != 0)
    return node.unsupported("'ceil_mode' is 1, only 0 is supported");
  attrs->set("count_include_pad", int64_t{1});
  double taps = 1;
  for (const int64_t k : attrs->getInts("kernel_shape"))
    taps *= static_cast<double>(k);
  Chain chain(node);
  Expected<TensorId> sums = powers(node, chain);
  if (!sums)
    return sums.takeError();
  const TensorId means = chain.op("means", OpKind::AveragePool, {*sums}, *attrs);
  const TensorId factor = node.scalar("taps", static_cast<float>(taps));
  if (*node.intAttr("p", 2) == 1)
    return chain.finish(OpKind::Mul, {means, factor});
  return chain.finish(OpKind::Sqrt, {chain.op("sum", OpKind::Mul, {means, factor})});
}

Status globalLpPool(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  Expected<int64_t> p = node.intAttr("p", 2);
  if (!p)
    return p.takeError();
  if (*p != 1 && *p != 2)
    return node.unsupported("'p' is ", *p, ", 1 and 2 are supported");
  const size_t rank = node.tensor(node.input(0)).shape.rank();
  return node.finish(*p == 1 ? OpKind::ReduceL1 : OpKind::ReduceL2, {node.input(0)},
                     {{"axes", axesFrom(2, rank)}, {"keepdims", int64_t{1}}});
}

} // namespace

namespace {

/// The kernel requires scale and bias with the dimensions of the normalized axes; ONNX allows any
/// that broadcast to the operand.
Status layerNormalization(NodeContext& node) {
  const Expected<Axis> at = axisOf(node, -1);
  if (!at)
    return at.error();
  bool plain = true;
  for (size_t i = 1; i < 3; ++i)
    if (const TensorId id = node.input(i)) {
      const Shape& shape = node.tensor(id).shape;
      const size_t axes = at->shape.rank() - at->axis;
      plain = plain && shape.rank() >= axes && shape.elements() == at->shape.elementsFrom(at->axis);
      for (size_t k = 0; plain && k < axes; ++k)
        plain = shape.fromBack(k) == at->shape.fromBack(k);
    }
  if (plain || !node.input(1))
    return node.finishPlain(OpKind::LayerNormalization);
  for (size_t i = 1; i < node.outputCount(); ++i)
    if (node.outputUsed(i))
      return node.unsupported("result ", i, " is used; only 'Y' is supported");
  Expected<double> epsilon = node.floatAttr("epsilon", 1e-5);
  if (!epsilon)
    return epsilon.takeError();
  Chain chain(node);
  const TensorId y = chain.op("standardized", OpKind::LayerNormalization, {node.input(0)},
                              {{"axis", static_cast<int64_t>(at->axis)}, {"epsilon", *epsilon}});
  if (!node.input(2))
    return chain.finish(OpKind::Mul, {y, node.input(1)});
  return chain.finish(OpKind::Add,
                      {chain.op("scaled", OpKind::Mul, {y, node.input(1)}), node.input(2)});
}

} // namespace

const RuleTable& normalizationRules() {
  static const RuleTable Rules = {
      {"GlobalLpPool", globalLpPool},
      {"GroupNormalization", groupNormalization},
      {"InstanceNormalization", instanceNormalization},
      {"LRN", localResponse},
      {"LayerNormalization", layerNormalization},
      {"LpNormalization", lpNormalization},
      {"LpPool", lpPool},
      {"MeanVarianceNormalization", meanVarianceNormalization},
      {"RMSNormalization", rmsNormalization},
      // onnxruntime writes this operator to the default domain
      {"SimplifiedLayerNormalization", rmsNormalization},
  };
  return Rules;
}

const RuleTable& contribNormalizationRules() {
  static const RuleTable Rules = {
      {"SkipLayerNormalization", skipLayerNormalization},
      {"SkipSimplifiedLayerNormalization", skipSimplifiedLayerNormalization},
  };
  return Rules;
}

} // namespace tigris
