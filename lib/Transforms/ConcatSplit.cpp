// concat-split: a Concat with more operands than an operator may have becomes a tree.
#include "tigris/IR/FormatLimits.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* ConcatSplitDoc =
    R"(An operator of a plan has at most 32 operands and results. A Concat with more joins its
operands in groups, and then the groups:

    y = Concat(a1, ..., a40)     ->   t = Concat(a1, ..., a20)
                                      u = Concat(a21, ..., a40)
                                      y = Concat(t, u)

All other operators with any number of operands have become binary ones or Slices before.)";

constexpr size_t MaxParts = MaxPlanOperands - 1;

/// Joins the parts in as few groups of nearly equal size as possible.
std::vector<TensorId> joinGroups(Graph& graph, OpId id, const std::vector<TensorId>& parts) {
  const size_t groups = (parts.size() + MaxParts - 1) / MaxParts;
  const AttrMap attrs = graph.op(id).attrs;
  const std::optional<QuantParam> quant = graph.tensor(graph.op(id).output()).quant;
  std::vector<TensorId> joined;
  for (size_t group = 0; group < groups; ++group) {
    const auto from = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() * group / groups);
    const auto to =
        parts.begin() + static_cast<std::ptrdiff_t>(parts.size() * (group + 1) / groups);
    joined.push_back(
        insertResult(graph, id, makeOpLike(graph, id, OpKind::Concat, {from, to}, attrs), quant));
  }
  return joined;
}

PassStatus concatSplit(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    if (graph.op(id).kind != OpKind::Concat || !hasKnownTypes(graph, id) ||
        graph.op(id).inputs.size() <= MaxParts)
      return false;
    std::vector<TensorId> parts = graph.op(id).inputs;
    while (parts.size() > MaxParts)
      parts = joinGroups(graph, id, parts);
    graph.setInputs(id, std::move(parts));
    return true;
  });
}

} // namespace

PassInfo concatSplitPass() {
  return functionPass("concat-split", "a Concat of too many operands becomes a tree",
                      ConcatSplitDoc, concatSplit);
}

} // namespace tigris
