// transpose-regroup: moves Transposes below Reshapes that split or merge whole dimensions.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

constexpr const char* TransposeRegroupDoc =
    R"(A Reshape that splits a dimension into several, or merges adjacent ones, has the same effect
on a transposed tensor. The Transpose before it can therefore move below it, toward its inverse:

    t = Transpose(x) {perm: [0, 3, 1, 2]}        # x [1, 8, 8, 48]
    y = Reshape(t) {shape: [1, 2, 24, 8, 8]}
    ->
    t = Reshape(x) {shape: [1, 8, 8, 2, 24]}
    y = Transpose(t) {perm: [0, 3, 4, 1, 2]}

If the dimensions to merge are not adjacent in x, a Transpose that only makes them adjacent stays
before the Reshape, and the remaining Transpose moves below if it goes from channels last to
channels first. A channel shuffle is then one Transpose of the last two dimensions instead of three
of all.)";

/// Dimensions [inFirst, inLast) of the operand and [outFirst, outLast) of the result hold the same
/// elements; one of the two ranges is a single dimension.
struct Group {
  size_t inFirst = 0;
  size_t inLast = 0;
  size_t outFirst = 0;
  size_t outLast = 0;
};

/// The smallest groups; nullopt if a dimension is neither split nor merged as a whole.
std::optional<std::vector<Group>> regroup(const Shape& in, const Shape& out) {
  std::vector<Group> groups;
  size_t i = 0;
  size_t j = 0;
  while (i < in.rank() && j < out.rank()) {
    Group group{i, i + 1, j, j + 1};
    int64_t a = in[i];
    int64_t b = out[j];
    while (a != b) {
      size_t& last = a < b ? group.inLast : group.outLast;
      const Shape& shape = a < b ? in : out;
      if (last == shape.rank())
        return std::nullopt;
      (a < b ? a : b) *= shape[last++];
    }
    i = group.inLast;
    j = group.outLast;
    groups.push_back(group);
  }
  if (groups.empty())
    return std::nullopt;
  // Trailing dimensions of size 1 belong to the last group.
  groups.back().inLast = in.rank();
  groups.back().outLast = out.rank();
  const bool whole = std::all_of(groups.begin(), groups.end(), [](const Group& g) {
    return g.inLast - g.inFirst == 1 || g.outLast - g.outFirst == 1;
  });
  return whole ? std::optional(std::move(groups)) : std::nullopt;
}

/// Reshape(Transpose(x, perm)) as Transpose(Reshape(Transpose(x, gather), shape), restore).
struct Exchange {
  Perm gather;
  Shape shape;
  Perm restore;
};

Exchange exchangeOf(const Shape& x, const Perm& perm, const Shape& out,
                    const std::vector<Group>& groups) {
  // Groups in the order in which x holds them; a merged group is at the position of its first
  // dimension.
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto place = [&](size_t group) {
    return *std::min_element(perm.begin() + static_cast<std::ptrdiff_t>(groups[group].inFirst),
                             perm.begin() + static_cast<std::ptrdiff_t>(groups[group].inLast));
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  Exchange exchange;
  std::vector<int64_t> dims;
  exchange.restore.resize(out.rank());
  for (const size_t at : order) {
    const Group& group = groups[at];
    for (size_t i = group.inFirst; i < group.inLast; ++i)
      exchange.gather.push_back(perm[i]);
    for (size_t j = group.outFirst; j < group.outLast; ++j) {
      exchange.restore[j] = static_cast<int64_t>(dims.size());
      dims.push_back(out[j]);
    }
  }
  exchange.shape = Shape(std::move(dims));
  TIGRIS_CHECK(permute(x, exchange.gather).elements() == exchange.shape.elements());
  return exchange;
}

bool exchange(Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  const TensorId between = op.input(0);
  const auto perm = transposePerm(graph, between);
  if (!perm || !graph.hasSingleUse(between) || !sameQuant(graph, between, op.output()))
    return false;
  const OpId transpose = graph.producer(between);
  const TensorId x = graph.op(transpose).input(0);
  const Shape out = graph.tensor(op.output()).shape;
  const auto groups = regroup(graph.tensor(between).shape, out);
  if (!groups || !sameQuant(graph, x, between))
    return false;
  const Exchange plan = exchangeOf(graph.tensor(x).shape, *perm, out, *groups);
  const bool gathers = !keepsElementOrder(graph.tensor(x).shape, plan.gather);
  const bool towardSpatial =
      plan.restore.size() > 3 && plan.restore == channelsFirstPerm(plan.restore.size());
  if (isIdentityPerm(plan.restore) || (gathers && !towardSpatial))
    return false;
  const std::optional<QuantParam> quant = graph.tensor(x).quant;
  TensorId source = x;
  if (gathers)
    source = insertResult(
        graph, id, makeOpLike(graph, transpose, OpKind::Transpose, {x}, {{"perm", plan.gather}}),
        quant);
  const TensorId regrouped = insertResult(
      graph, id, makeOpLike(graph, id, OpKind::Reshape, {source}, {{"shape", plan.shape.dims()}}),
      quant);
  rewriteInPlace(graph, id, OpKind::Transpose, {regrouped}, {{"perm", plan.restore}});
  addOrigin(graph.editOp(id), graph.op(transpose));
  graph.eraseOp(transpose);
  return true;
}

PassStatus transposeRegroup(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    return op.kind == OpKind::Reshape && op.inputs.size() == 1 && hasKnownTypes(graph, id) &&
           graph.tensor(op.output()).elements() > 0 && exchange(graph, id);
  });
}

} // namespace

PassInfo transposeRegroupPass() {
  return functionPass("transpose-regroup",
                      "transposes move below reshapes that split or merge dimensions",
                      TransposeRegroupDoc, transposeRegroup);
}

} // namespace tigris
