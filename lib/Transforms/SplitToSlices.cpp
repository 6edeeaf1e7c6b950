// split-to-slices: Split becomes one Slice per part.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* SplitToSlicesDoc =
    R"(A Split writes all of its parts at once, so all of them occupy memory from then on. Slices
are independent: each part is copied when it is needed, and an unused part costs nothing:

    a, b = Split(x) {axis: 1}     # x [1, 8, 4, 4]
    ->
    a = Slice(x) {axes: [1], starts: [0], ends: [4], steps: [1]}
    b = Slice(x) {axes: [1], starts: [4], ends: [8], steps: [1]})";

using Ints = std::vector<int64_t>;

PassStatus splitToSlices(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Split || !hasKnownTypes(graph, id))
      return false;
    const TensorId x = op.input(0);
    const auto axis = normalizeAxis(op.attrs.getInt("axis", 0), graph.tensor(x).shape.rank());
    if (!axis)
      return false;
    std::vector<std::pair<OpId, TensorId>> parts;
    int64_t start = 0;
    const std::vector<TensorId> outputs = op.outputs;
    for (const TensorId part : outputs) {
      if (!part)
        return false;
      const int64_t end = start + graph.tensor(part).shape[*axis];
      const AttrMap attrs = {{"axes", Ints{static_cast<int64_t>(*axis)}},
                             {"starts", Ints{start}},
                             {"ends", Ints{end}},
                             {"steps", Ints{1}}};
      const OpId slice = graph.insertBefore(id, makeOpLike(graph, id, OpKind::Slice, {x}, attrs));
      parts.emplace_back(slice, part);
      start = end;
    }
    graph.eraseOp(id);
    for (const auto& [slice, part] : parts)
      graph.setOutputs(slice, {part});
    return true;
  });
}

} // namespace

PassInfo splitToSlicesPass() {
  return functionPass("split-to-slices", "Split becomes one Slice per part", SplitToSlicesDoc,
                      splitToSlices);
}

} // namespace tigris
