// transpose-hoist: keeps regions of order-independent operators in the dimension order of their
// readers.
//
//   input -> Sub(mean) -> Div(std) -> Transpose -> Conv
//     becomes   input -> Transpose -> Sub(mean') -> Div(std') -> Conv
//
// input-transpose-trim then makes the Transpose a property of the interface. A region grows from
// the operand of a Transpose: upward through every permutable operator, and downward through
// operators all of whose computed operands are in the region. The region changes its order if
// Transposes then move fewer bytes than before, so the pass terminates. Transposes that the trim
// passes turn into a property of a port cost nothing.
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/TransposeCancel.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

constexpr const char* TransposeHoistDoc =
    R"(A Transpose that follows only element-wise operators on a model input moves up to that input,
where it becomes part of the interface:

    input -> Sub -> Div -> Transpose -> Conv    ->   input -> Transpose -> Sub -> Div -> Conv

The Transposes of several readers that want the same order move together. They move only if the
Transposes then move fewer bytes in total, not counting those that become part of the interface.)";

class OrderRegion {
public:
  explicit OrderRegion(const Graph& graph) : graph_(graph) {}

  /// Grows the region in which `tensor` is stored as Transpose(tensor, order). False if two of its
  /// tensors require the same operator in different orders, if it contains no operator, or if it
  /// reads a tensor in two orders.
  bool grow(TensorId tensor, const Perm& order) {
    if (!want(tensor, order))
      return false;
    for (size_t at = 0; at < work_.size(); ++at)
      if (!spread(work_[at]))
        return false;
    return !ops_.empty() && std::none_of(work_.begin(), work_.end(), [&](TensorId id) {
      return transposePerm(graph_, id) &&
             orders_.count(graph_.op(graph_.producer(id)).input(0)) != 0;
    });
  }

  /// Bytes per inference that Transposes move now, minus those that they would move after the
  /// change.
  int64_t savedBytes() const {
    int64_t saved = 0;
    for (const TensorId id : work_)
      saved += graph_.producer(id) && ops_.count(graph_.producer(id)) != 0 ? savedAtExit(id)
                                                                           : savedAtEntry(id);
    for (const TensorId id : broadcast_)
      saved -= graph_.tensor(id).bytes();
    return saved;
  }

  /// The operators of the region in execution order, each with the order of its data operands.
  std::vector<std::pair<OpId, Perm>> ops() const {
    std::vector<std::pair<OpId, Perm>> result;
    for (const OpId id : graph_.order())
      if (const auto found = ops_.find(id); found != ops_.end())
        result.emplace_back(*found);
    return result;
  }

private:
  bool want(TensorId id, const Perm& order) {
    if (graph_.tensor(id).isConstant())
      return true;
    const auto [at, fresh] = orders_.emplace(id, order);
    if (fresh)
      work_.push_back(id);
    return at->second == order;
  }

  bool spread(TensorId id) {
    const Perm order = orders_.at(id);
    const OpId producer = graph_.producer(id);
    if (producer && isPermutable(graph_, producer, inversePerm(order)) &&
        !join(producer, inversePerm(operandPerm(graph_, producer, inversePerm(order)))))
      return false;
    const std::vector<OpId>& users = graph_.users(id);
    return std::all_of(users.begin(), users.end(), [&](OpId user) {
      return !isPermutable(graph_, user, inversePerm(order)) || !completes(user, order) ||
             join(user, order);
    });
  }

  /// Counts an operand in the region; true for the last computed operand, if all have the same
  /// order.
  bool completes(OpId id, const Perm& order) {
    const auto [at, fresh] = missing_.try_emplace(id, order, 0);
    auto& [common, missing] = at->second;
    if (fresh)
      for (const size_t slot : permutedSlots(graph_.op(id)))
        missing += graph_.tensor(graph_.op(id).input(slot)).isConstant() ? 0 : 1;
    return common == order && --missing == 0;
  }

  bool join(OpId id, const Perm& order) {
    const auto [at, fresh] = ops_.emplace(id, order);
    if (!fresh)
      return at->second == order;
    const Op& op = graph_.op(id);
    for (const size_t slot : permutedSlots(op))
      if (!enter(op.input(slot), order))
        return false;
    const Perm result = inversePerm(resultPerm(graph_, id, inversePerm(order)));
    return std::all_of(op.outputs.begin(), op.outputs.end(),
                       [&](TensorId output) { return !output || want(output, result); });
  }

  bool enter(TensorId id, const Perm& order) {
    const Shape& shape = graph_.tensor(id).shape;
    if (shape.rank() == order.size())
      return want(id, order);
    std::vector<int64_t> dims(order.size() - shape.rank(), 1);
    dims.insert(dims.end(), shape.begin(), shape.end());
    if (!graph_.tensor(id).isConstant() && !keepsElementOrder(Shape(dims), order))
      broadcast_.push_back(id);
    return true;
  }

  /// Bytes moved by a Transpose by `perm` of a tensor stored in the order `stored`.
  int64_t cost(TensorId id, const Perm& stored, const Perm& perm) const {
    const Tensor& tensor = graph_.tensor(id);
    return keepsElementOrder(permute(tensor.shape, stored), perm)
               ? 0
               : static_cast<int64_t>(tensor.bytes());
  }
  int64_t cost(TensorId id, const Perm& perm) const {
    return keepsElementOrder(graph_.tensor(id).shape, perm)
               ? 0
               : static_cast<int64_t>(graph_.tensor(id).bytes());
  }

  /// The permutation of a Transpose that reads the tensor, unless it only produces a model output.
  std::optional<Perm> readingPerm(OpId user) const {
    if (graph_.op(user).kind != OpKind::Transpose)
      return std::nullopt;
    return transposePerm(graph_, graph_.op(user).output());
  }
  bool becomesPort(OpId transpose) const {
    const TensorId result = graph_.op(transpose).output();
    return graph_.isGraphOutput(result) && graph_.users(result).empty();
  }

  /// The savings at a result of the region: Transposes after it change, and readers outside need
  /// one.
  int64_t savedAtExit(TensorId id) const {
    const Perm& order = orders_.at(id);
    int64_t saved = 0;
    bool outside = false;
    for (const OpId user : graph_.users(id)) {
      const auto perm = readingPerm(user);
      if (perm && !becomesPort(user))
        saved += cost(id, *perm) - cost(id, order, composePerm(inversePerm(order), *perm));
      outside |= !perm && ops_.count(user) == 0;
    }
    return outside ? saved - cost(id, order) : saved;
  }

  /// The savings at a tensor that the region reads: a port, the result of a Transpose, or another
  /// tensor.
  int64_t savedAtEntry(TensorId id) const {
    const Perm& order = orders_.at(id);
    bool wanted = false;
    bool outside = graph_.isGraphOutput(id);
    for (const OpId user : graph_.users(id)) {
      const auto perm = readingPerm(user);
      wanted |= perm == order && !becomesPort(user);
      outside |= perm ? *perm != order : ops_.count(user) == 0;
    }
    int64_t saved = wanted ? cost(id, order) : 0;
    if (const auto before = transposePerm(graph_, id)) {
      const TensorId source = graph_.op(graph_.producer(id)).input(0);
      saved += outside ? 0 : cost(source, *before);
      return saved - cost(source, composePerm(*before, order));
    }
    return graph_.isGraphInput(id) && !outside ? saved : saved - cost(id, order);
  }

  const Graph& graph_;
  std::map<TensorId, Perm> orders_;
  std::map<OpId, Perm> ops_;
  /// Per operator: the order of its first operand in the region, and the number of computed
  /// operands outside.
  std::map<OpId, std::pair<Perm, size_t>> missing_;
  /// The tensors of `orders_` in order of discovery.
  std::vector<TensorId> work_;
  /// Computed operands of lower rank that the region needs transposed.
  std::vector<TensorId> broadcast_;
};

bool hoist(Graph& graph, OpId transpose) {
  const TensorId result = graph.op(transpose).output();
  const auto perm = movingPerm(graph, result);
  if (!perm)
    return false;
  OrderRegion region(graph);
  if (!region.grow(graph.op(transpose).input(0), *perm) || region.savedBytes() <= 0)
    return false;
  for (const auto& [id, order] : region.ops())
    permuteOp(graph, id, inversePerm(order));
  cancelTransposes(graph);
  return true;
}

bool hoistAll(Graph& graph) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (auto at = order.rbegin(); at != order.rend(); ++at)
    if (graph.contains(*at) && graph.op(*at).kind == OpKind::Transpose)
      changed |= hoist(graph, *at);
  return changed;
}

/// Bytes that Transposes move per inference, without those that the trim passes make properties of
/// ports.
int64_t movedBytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Transpose || !movingPerm(graph, op.output()))
      continue;
    const bool port = graph.users(op.output()).empty() ||
                      (graph.isGraphInput(op.input(0)) && graph.hasSingleUse(op.input(0)));
    bytes += port ? 0 : static_cast<int64_t>(graph.tensor(op.output()).bytes());
  }
  return bytes;
}

PassStatus transposeHoist(Graph& graph, PassContext&) {
  bool changed = false;
  for (int64_t before = movedBytes(graph), after = 0; hoistAll(graph); before = after) {
    changed = true;
    after = movedBytes(graph);
    if (after >= before)
      break;
  }
  return changedIf(changed);
}

} // namespace

PassInfo transposeHoistPass() {
  return functionPass("transpose-hoist", "transposes move up to model inputs", TransposeHoistDoc,
                      transposeHoist);
}

} // namespace tigris
