// transpose-into-weights: removes Transposes whose elements are read by fully connected layers
// only.
//
//   Gemm(Reshape(Transpose(x, [0,3,1,2]), [N, C*H*W]), w)
//     becomes   Gemm(Reshape(x, [N, H*W*C]), w')
//
// On the flat sequence of elements, a Transpose permutes the elements within blocks of equal size,
// each block in the same way. A Reshape does not change the sequence. Element-wise operators and
// their constants adopt the new order, and finally the columns of the weights do.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tigris {

namespace {

constexpr const char* TransposeIntoWeightsDoc =
    R"(A Transpose that is read only by fully connected layers, through a Reshape that flattens it,
becomes a permutation of the columns of their weights:

    t = Transpose(x) {perm: [0, 3, 1, 2]}       # x [1, 4, 4, 8]
    f = Reshape(t) {shape: [1, 128]}
    y = Gemm(f, w)
    ->
    t = Reshape(x) {shape: [1, 8, 4, 4]}        # shape-fold merges it with the next
    f = Reshape(t) {shape: [1, 128]}
    y = Gemm(f, w')

Element-wise operators and batch normalization with constants, which are permuted as well, and
Concat with other features may stand in between.)";

/// Limit for rows of weights; no layer on a microcontroller is larger.
constexpr int64_t LongestRow = int64_t{1} << 22;

/// Element i of a block is element order[i] of the same block without the Transpose.
using BlockOrder = std::vector<int64_t>;

/// The order for a Transpose of a tensor of this shape; leading dimensions that stay are outside
/// the block.
BlockOrder blockOrder(const Shape& shape, const Perm& perm) {
  size_t fixed = 0;
  while (fixed < perm.size() && perm[fixed] == static_cast<int64_t>(fixed))
    ++fixed;
  const std::vector<int64_t> strides = rowMajorStrides(shape);
  BlockOrder order = {0};
  for (size_t i = perm.size(); i-- > fixed;) {
    const auto axis = static_cast<size_t>(perm[i]);
    BlockOrder longer;
    longer.reserve(order.size() * static_cast<size_t>(shape[axis]));
    for (int64_t index = 0; index < shape[axis]; ++index)
      for (const int64_t inner : order)
        longer.push_back(index * strides[axis] + inner);
    order = std::move(longer);
  }
  return order;
}

bool divides(const BlockOrder& order, int64_t elements) {
  return elements % static_cast<int64_t>(order.size()) == 0;
}

/// The data in which element b + order[i] replaces element b + i, for each block b.
BlobRef reordered(const Tensor& source, const BlockOrder& order) {
  const size_t size = dtypeSize(source.type);
  const auto from = source.data->bytes();
  std::vector<uint8_t> to(from.size());
  for (size_t block = 0; block < to.size(); block += order.size() * size)
    for (size_t i = 0; i < order.size(); ++i)
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(block + i * size), size,
                  to.begin() +
                      static_cast<std::ptrdiff_t>(block + static_cast<size_t>(order[i]) * size));
  return makeBlob(std::move(to));
}

void reorderOperand(Graph& graph, OpId id, size_t slot, const BlockOrder& order) {
  const TensorId constant = graph.op(id).input(slot);
  const Tensor source = graph.tensor(constant);
  BlobRef data = reordered(source, order);
  if (graph.hasSingleUse(constant)) {
    graph.editTensor(constant).data = std::move(data);
    return;
  }
  const TensorId own = graph.addConstant(source.name, source.type, source.shape, std::move(data));
  graph.editTensor(own).quant = source.quant;
  graph.setInput(id, slot, own);
}

/// Follows the elements of one Transpose through the graph, in execution order.
class Follower {
public:
  explicit Follower(const Graph& graph) : graph_(graph) {}

  /// Whether every reader of the Transpose's result can take the elements in the original order.
  bool follow(OpId transpose, BlockOrder order) {
    if (!produce(graph_.op(transpose), std::move(order)))
      return false;
    const std::vector<OpId>& ops = graph_.order();
    for (auto at = std::find(ops.begin(), ops.end(), transpose); unread_ > 0;) {
      const Op& op = graph_.op(*++at);
      const auto reads = std::count_if(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
        return input && find(input) != nullptr;
      });
      unread_ -= static_cast<size_t>(reads);
      if (reads > 0 && !pass(*at, op))
        return false;
    }
    return true;
  }

  void apply(Graph& graph) const {
    for (const Edit& edit : edits_)
      reorderOperand(graph, edit.op, edit.slot, edit.order);
  }

private:
  struct Edit {
    OpId op;
    size_t slot = 0;
    BlockOrder order;
  };

  const BlockOrder* find(TensorId id) const {
    const auto found = orders_.find(id);
    return found == orders_.end() ? nullptr : &found->second;
  }
  const Shape& shapeOf(TensorId id) const { return graph_.tensor(id).shape; }

  bool pass(OpId id, const Op& op) {
    const bool byFirst =
        op.kind == OpKind::Reshape || op.kind == OpKind::Gemm || op.kind == OpKind::BatchNorm;
    if (!hasKnownTypes(graph_, id) || (byFirst && find(op.input(0)) == nullptr))
      return false;
    switch (op.kind) {
    case OpKind::Reshape:
      return produce(op, BlockOrder(*find(op.input(0))));
    case OpKind::Gemm:
      return op.attrs.getInt("transB", 0) == 1 && op.attrs.getInt("transA", 0) == 0 &&
             !find(op.input(2)) &&
             reorder(id, 1, *find(op.input(0)), shapeOf(op.input(1)).fromBack(0));
    case OpKind::BatchNorm:
      return passBatchNorm(id, op);
    case OpKind::Concat:
      return passConcat(op);
    default:
      return isElementwise(op.kind) && isPermutable(graph_, id, {}) && passElementwise(id, op);
    }
  }

  /// A model output has the order of the model.
  bool produce(const Op& op, BlockOrder order) {
    unread_ += graph_.users(op.output()).size();
    return !graph_.isGraphOutput(op.output()) &&
           orders_.emplace(op.output(), std::move(order)).second;
  }

  /// Records the constant's new order; `period` of its elements correspond to one run of the
  /// reordered operand.
  bool reorder(OpId id, size_t slot, const BlockOrder& order, int64_t period) {
    const Tensor& tensor = graph_.tensor(graph_.op(id).input(slot));
    const bool perRow =
        graph_.op(id).kind == OpKind::Gemm && tensor.quant && tensor.quant->axis == 0;
    if (!tensor.isConstant() || !divides(order, period) ||
        (tensor.quant && tensor.quant->perChannel() && !perRow))
      return false;
    edits_.push_back({id, slot, order});
    return true;
  }

  bool passBatchNorm(OpId id, const Op& op) {
    const BlockOrder order = *find(op.input(0));
    const size_t rank = shapeOf(op.input(0)).rank();
    if (graph_.layout() != Layout::ChannelsLast || rank < 2)
      return false;
    for (size_t slot = 1; slot < op.inputs.size(); ++slot)
      if (op.input(slot) && !reorder(id, slot, order, shapeOf(op.input(0))[rank - 1]))
        return false;
    return produce(op, order);
  }

  /// Each operand contributes a run of elements in turn; the runs of one turn form a block of the
  /// result.
  bool passConcat(const Op& op) {
    const auto axis = normalizeAxis(op.attrs.getInt("axis", 0), shapeOf(op.output()).rank());
    BlockOrder joined;
    for (const TensorId input : op.inputs) {
      const BlockOrder* order = find(input);
      const int64_t run = shapeOf(input).elementsFrom(*axis);
      if (order != nullptr && !divides(*order, run))
        return false;
      const auto start = static_cast<int64_t>(joined.size());
      const auto block = order != nullptr ? static_cast<int64_t>(order->size()) : 1;
      for (int64_t i = 0; i < run; ++i)
        joined.push_back(start + i / block * block +
                         (order != nullptr ? (*order)[static_cast<size_t>(i % block)] : 0));
    }
    return produce(op, std::move(joined));
  }

  bool passElementwise(OpId id, const Op& op) {
    const BlockOrder* order = nullptr;
    for (const size_t slot : permutedSlots(op))
      if (order == nullptr)
        order = find(op.input(slot));
    if (order == nullptr)
      return false;
    const BlockOrder common = *order;
    for (const size_t slot : permutedSlots(op))
      if (!passOperand(id, slot, common))
        return false;
    return produce(op, common);
  }

  bool passOperand(OpId id, size_t slot, const BlockOrder& order) {
    const Op& op = graph_.op(id);
    const TensorId input = op.input(slot);
    if (const BlockOrder* own = find(input))
      return *own == order && shapeOf(input).elements() == shapeOf(op.output()).elements();
    const int64_t elements = shapeOf(input).elements();
    if (elements == 1 && graph_.tensor(input).isConstant())
      return true;
    return repeats(shapeOf(input), shapeOf(op.output())) && reorder(id, slot, order, elements);
  }

  /// Whether broadcasting repeats the sequence of elements as a whole.
  static bool repeats(const Shape& from, const Shape& to) {
    size_t first = 0;
    while (first < from.rank() && from[first] == 1)
      ++first;
    for (size_t i = first; i < from.rank(); ++i)
      if (from[i] != to[to.rank() - from.rank() + i])
        return false;
    return true;
  }

  const Graph& graph_;
  std::map<TensorId, BlockOrder> orders_;
  /// Operand slots that read a tensor of `orders_` and are still to be visited.
  size_t unread_ = 0;
  std::vector<Edit> edits_;
};

PassStatus transposeIntoWeights(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Transpose || !hasKnownTypes(graph, id))
      return false;
    const TensorId result = op.output();
    const auto perm = movingPerm(graph, result);
    if (!perm || graph.users(result).empty() || graph.tensor(result).elements() > LongestRow)
      return false;
    Follower follower(graph);
    if (!follower.follow(id, blockOrder(graph.tensor(op.input(0)).shape, *perm)))
      return false;
    follower.apply(graph);
    rewriteInPlace(graph, id, OpKind::Reshape, {op.input(0)},
                   {{"shape", graph.tensor(result).shape.dims()}});
    return true;
  });
}

} // namespace

PassInfo transposeIntoWeightsPass() {
  return functionPass(
      "transpose-into-weights",
      "transposes before flattening fold into the weights of fully connected layers",
      TransposeIntoWeightsDoc, transposeIntoWeights);
}

} // namespace tigris
