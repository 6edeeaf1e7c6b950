// shuffle-to-gather: a Transpose within one dimension becomes a Gather with an index table.
//
//   Reshape(x[N,6,H], [N,2,3,H]) -> Transpose([0,2,1,3]) -> Reshape([N,6,H])
//     becomes   Gather(x, [0,3,1,4,2,5], axis=1)
#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/ShapeInference.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* ShuffleToGatherDoc =
    R"(Models shuffle channels by splitting their dimension, swapping the parts and merging them
again. As one Gather that keeps all other dimensions, the shuffle can run row by row with its
neighbors:

    a = Reshape(x) {shape: [1, 8, 8, 2, 3]}      # x [1, 8, 8, 6]
    b = Transpose(a) {perm: [0, 1, 2, 4, 3]}
    y = Reshape(b) {shape: [1, 8, 8, 6]}
    ->
    y = Gather(x, [0, 3, 1, 4, 2, 5]) {axis: 3}

A Slice that follows along the same dimension selects its part of the table, so that a shuffle
followed by a split gathers only the channels it needs.)";

using Ints = std::vector<int64_t>;

/// For each index of the result along the dimension: the index of x. `outer` leading and the
/// trailing dimensions stay; they are computed as offsets in a tensor with one element outside the
/// dimension.
Ints shuffled(const Shape& split, const Perm& perm) {
  Ints strides(split.rank(), 1);
  for (size_t i = split.rank() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * split[i + 1];
  Ints result = {0};
  for (const int64_t from : perm) {
    const auto axis = static_cast<size_t>(from);
    Ints next;
    for (const int64_t base : result)
      for (int64_t i = 0; i < split[axis]; ++i)
        next.push_back(base + i * strides[axis]);
    result = std::move(next);
  }
  return result;
}

struct Shuffle {
  int64_t axis = 0;
  Ints indices;
};

/// The effect of Reshape, Transpose, Reshape on a tensor, if it stays within one dimension.
std::optional<Shuffle> shuffleOf(const Shape& shape, const Shape& split, const Perm& perm) {
  size_t first = 0; // leading dimensions that stay
  while (first < shape.rank() && first < split.rank() && shape[first] == split[first] &&
         perm[first] == static_cast<int64_t>(first))
    ++first;
  size_t behind = 0;
  while (behind + first < shape.rank() && behind + first < split.rank() &&
         shape.fromBack(behind) == split.fromBack(behind) &&
         perm[split.rank() - 1 - behind] == static_cast<int64_t>(split.rank() - 1 - behind))
    ++behind;
  if (first + behind + 1 != shape.rank() || split.rank() < first + behind + 2 ||
      shape[first] * int64_t{sizeof(int64_t)} > int64_t{MaxMadeBytes})
    return std::nullopt;
  Ints dims;
  Perm inner;
  for (size_t i = first; i < split.rank() - behind; ++i) {
    dims.push_back(split[i]);
    inner.push_back(perm[i] - static_cast<int64_t>(first));
  }
  return Shuffle{static_cast<int64_t>(first), shuffled(Shape(std::move(dims)), inner)};
}

TensorId indexTable(Graph& graph, const std::string& name, const Ints& indices) {
  return graph.addConstant(graph.uniqueName(name + ".indices"), DType::Int64,
                           Shape{static_cast<int64_t>(indices.size())}, makeBlobOf(indices));
}

/// The producer of the operand of `id`, if it has this kind, one operand, no other reader, and only
/// moves bytes.
OpId sourceOf(const Graph& graph, OpId id, OpKind kind) {
  const TensorId x = graph.op(id).input(0);
  const OpId source = graph.producer(x);
  const bool fits = source && graph.op(source).kind == kind &&
                    graph.op(source).inputs.size() == 1 && graph.hasSingleUse(x) &&
                    hasKnownTypes(graph, source) &&
                    sameQuant(graph, graph.op(source).input(0), graph.op(id).output());
  return fits ? source : OpId();
}

bool gatherShuffle(Graph& graph, OpId id) {
  const Op& last = graph.op(id);
  if (last.kind != OpKind::Reshape || last.inputs.size() != 1 || !hasKnownTypes(graph, id))
    return false;
  const OpId transpose = sourceOf(graph, id, OpKind::Transpose);
  const OpId reshape = transpose ? sourceOf(graph, transpose, OpKind::Reshape) : OpId();
  if (!reshape)
    return false;
  const TensorId x = graph.op(reshape).input(0);
  const auto perm = transposePerm(graph, last.input(0));
  const Shape& shape = graph.tensor(x).shape;
  if (!perm || shape != graph.tensor(last.output()).shape)
    return false;
  const auto shuffle = shuffleOf(shape, graph.tensor(graph.op(reshape).output()).shape, *perm);
  if (!shuffle)
    return false;
  const TensorId table = indexTable(graph, last.name, shuffle->indices);
  addOrigin(graph.editOp(id), graph.op(transpose));
  addOrigin(graph.editOp(id), graph.op(reshape));
  rewriteInPlace(graph, id, OpKind::Gather, {x, table}, {{"axis", shuffle->axis}});
  eraseIfDead(graph, transpose);
  eraseIfDead(graph, reshape);
  return true;
}

/// Slice(Gather(x, table)) along the same dimension becomes a Gather with a part of the table.
bool sliceTable(Graph& graph, OpId id) {
  const Op& slice = graph.op(id);
  if (slice.kind != OpKind::Slice || slice.inputs.size() != 1 || !hasKnownTypes(graph, id))
    return false;
  const OpId gather = graph.producer(slice.input(0));
  if (!gather || graph.op(gather).kind != OpKind::Gather || graph.isGraphOutput(slice.input(0)) ||
      !sameQuant(graph, graph.op(gather).input(0), slice.output()))
    return false;
  const TensorId x = graph.op(gather).input(0);
  const Tensor& table = graph.tensor(graph.op(gather).input(1));
  const Shape& shape = graph.tensor(slice.input(0)).shape;
  const auto axis = normalizeAxis(graph.op(gather).attrs.getInt("axis", 0), shape.rank());
  const Expected<std::vector<SliceRange>> ranges = resolveSlice(slice, KnownValues(graph));
  if (!axis || !ranges || !table.isConstant() || table.type != DType::Int64 ||
      table.shape.rank() != 1)
    return false;
  for (size_t other = 0; other < shape.rank(); ++other)
    if (other != *axis && (*ranges)[other].count != shape[other])
      return false;
  const Ints all = table.data->values<int64_t>();
  const SliceRange& range = (*ranges)[*axis];
  Ints part;
  for (int64_t i = 0; i < range.count; ++i)
    part.push_back(all.at(static_cast<size_t>(range.start + i * range.step)));
  const TensorId indices = indexTable(graph, slice.name, part);
  addOrigin(graph.editOp(id), graph.op(gather));
  rewriteInPlace(graph, id, OpKind::Gather, {x, indices}, {{"axis", static_cast<int64_t>(*axis)}});
  eraseIfDead(graph, gather);
  return true;
}

PassStatus shuffleToGather(Graph& graph, PassContext&) {
  return forEachOp(graph,
                   [&](OpId id) { return gatherShuffle(graph, id) || sliceTable(graph, id); });
}

} // namespace

PassInfo shuffleToGatherPass() {
  return functionPass("shuffle-to-gather", "channel shuffles become Gather", ShuffleToGatherDoc,
                      shuffleToGather);
}

} // namespace tigris
