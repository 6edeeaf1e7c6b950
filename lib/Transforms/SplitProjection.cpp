// split-projection: a projection whose result is only sliced becomes one projection per slice.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* SplitProjectionDoc =
    R"(Attention and gated layers compute all their projections with one matrix and split the
result. Then the whole result and its parts are in memory at the same time, and every part is
copied. With slices of the weights, each part is computed directly, when it is needed:

    t = Gemm(x, w, b) {transB: 1}     # w [12, 8]
    q = Slice(t) {axes: [1], starts: [0], ends: [4], steps: [1]}
    k = Slice(t) {axes: [1], starts: [4], ends: [12], steps: [1]}
    ->
    q = Gemm(x, w[0:4], b[0:4]) {transB: 1}
    k = Gemm(x, w[4:12], b[4:12]) {transB: 1}

The same applies to Conv with one group, and to a Gemm followed by a Reshape that only adds leading
axes. Overlapping parts are not rewritten, because they would be computed twice.)";

struct Part {
  OpId slice;
  int64_t begin = 0;
  int64_t end = 0;
};

class SplitProjection {
public:
  explicit SplitProjection(Graph& graph) : graph_(graph) {}

  bool split(OpId id) {
    const Op op = graph_.op(id);
    if (!isProjection(op) || !hasKnownTypes(graph_, id))
      return false;
    const OpId reshape = reshapeAfter(op);
    const TensorId whole = reshape ? graph_.op(reshape).output() : op.output();
    const size_t rank = graph_.tensor(whole).shape.rank();
    const size_t axis = op.kind == OpKind::Conv ? channelAxis(graph_.layout(), rank) : rank - 1;
    const auto parts = partsOf(whole, axis);
    if (!parts)
      return false;
    for (const Part& part : *parts) {
      replace(op, reshape, part);
      addOrigin(graph_.editOp(part.slice), op);
    }
    eraseIfDead(graph_, reshape ? reshape : id);
    return true;
  }

private:
  bool isProjection(const Op& op) const {
    if (op.outputs.size() != 1 || !op.input(1) || !graph_.tensor(op.input(1)).isConstant() ||
        (op.input(2) && !graph_.tensor(op.input(2)).isConstant()))
      return false;
    if (op.kind == OpKind::Gemm)
      return op.attrs.getInt("transB", 0) == 1 && op.attrs.getInt("transA", 0) == 0 &&
             (!op.input(2) || graph_.tensor(op.input(2)).shape.rank() == 1);
    return op.kind == OpKind::Conv && op.attrs.getInt("group", 1) == 1;
  }

  /// The Reshape that is the only reader of a Gemm and keeps its columns.
  OpId reshapeAfter(const Op& op) const {
    const OpId reader = op.kind == OpKind::Gemm ? soleReader(graph_, op.output()) : OpId();
    if (!reader || graph_.op(reader).kind != OpKind::Reshape)
      return {};
    const Shape& shape = graph_.tensor(graph_.op(reader).output()).shape;
    const int64_t columns = graph_.tensor(op.output()).shape[1];
    return shape.rank() > 1 && shape.fromBack(0) == columns ? reader : OpId();
  }

  /// The slices of `whole` along `axis`, if they are its only readers, at least two, and disjoint.
  std::optional<std::vector<Part>> partsOf(TensorId whole, size_t axis) const {
    std::vector<Part> parts;
    if (graph_.isGraphOutput(whole))
      return std::nullopt;
    for (const OpId user : graph_.users(whole)) {
      const Op& slice = graph_.op(user);
      if (slice.kind != OpKind::Slice || slice.inputs.size() != 1 ||
          graph_.tensor(slice.output()).quant != graph_.tensor(whole).quant)
        return std::nullopt;
      Part part{user, 0, graph_.tensor(whole).shape[axis]};
      const Shape& from = graph_.tensor(whole).shape;
      const Shape& to = graph_.tensor(slice.output()).shape;
      const std::vector<int64_t> axes = slice.attrs.getInts("axes");
      const std::vector<int64_t> steps = slice.attrs.getInts("steps");
      for (size_t i = 0; i < axes.size(); ++i) {
        if (normalizeAxis(axes[i], from.rank()) != axis)
          continue;
        if (i >= steps.size() || steps[i] != 1)
          return std::nullopt;
        part.begin = slice.attrs.getInts("starts")[i];
        part.end = part.begin + to[axis];
      }
      for (size_t i = 0; i < from.rank(); ++i)
        if (i != axis && from[i] != to[i])
          return std::nullopt;
      parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < parts.size(); ++i)
      if (parts[i].begin < parts[i - 1].end)
        return std::nullopt;
    return parts.size() < 2 ? std::nullopt : std::optional(std::move(parts));
  }

  /// Rows [begin, end) of a constant, with their scales.
  TensorId rows(TensorId id, const Part& part) {
    const Tensor whole = graph_.tensor(id);
    if (whole.elements() == 1 && whole.shape.rank() <= 1)
      return id;
    const size_t row = whole.data->bytes().size() / static_cast<size_t>(whole.shape[0]);
    const auto bytes = whole.data->bytes().subspan(
        static_cast<size_t>(part.begin) * row, static_cast<size_t>(part.end - part.begin) * row);
    std::vector<int64_t> dims = whole.shape.dims();
    dims[0] = part.end - part.begin;
    const TensorId result =
        graph_.addConstant(graph_.uniqueName(whole.name + "_part"), whole.type,
                           Shape(std::move(dims)), makeBlob({bytes.begin(), bytes.end()}));
    std::optional<QuantParam> quant = whole.quant;
    if (quant && quant->perChannel()) {
      const auto cut = [&](auto& values) {
        if (values.size() > 1)
          values = {values.begin() + part.begin, values.begin() + part.end};
      };
      cut(quant->scale);
      cut(quant->zeroPoint);
    }
    graph_.editTensor(result).quant = std::move(quant);
    return result;
  }

  void replace(const Op& op, OpId reshape, const Part& part) {
    std::vector<TensorId> inputs = {op.input(0), rows(op.input(1), part)};
    if (op.input(2))
      inputs.push_back(rows(op.input(2), part));
    if (!reshape) {
      rewriteInPlace(graph_, part.slice, op.kind, inputs, op.attrs);
      graph_.editOp(part.slice).act = op.act;
      return;
    }
    const TensorId result = graph_.op(part.slice).output();
    Op projection = makeOpLike(graph_, part.slice, op.kind, inputs, op.attrs);
    projection.act = op.act;
    const TensorId product =
        insertResult(graph_, part.slice, std::move(projection), graph_.tensor(result).quant);
    rewriteInPlace(graph_, part.slice, OpKind::Reshape, {product},
                   {{"shape", graph_.tensor(result).shape.dims()}});
  }

  Graph& graph_;
};

PassStatus splitProjection(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) { return SplitProjection(graph).split(id); });
}

} // namespace

PassInfo splitProjectionPass() {
  return functionPass("split-projection",
                      "projections that are only split are computed part by part",
                      SplitProjectionDoc, splitProjection);
}

} // namespace tigris
