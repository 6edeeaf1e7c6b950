// Decides by the class of an operator, and joins buffers from the first step to the last.
#include "tigris/Analysis/InPlace.h"

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

/// The number of leading operands that an op of the class may overwrite.
size_t overwritable(OpClass opClass) {
  switch (opClass) {
  case OpClass::Elementwise:
  case OpClass::Function:
    return SIZE_MAX;
  case OpClass::Quantization:
  case OpClass::PerChannel:
  case OpClass::Normalization:
    return 1;
  default:
    return 0;
  }
}

class InPlaceJoins {
public:
  InPlaceJoins(const Graph& graph, const AliasSets& aliases,
               const std::map<TensorId, size_t>& bufferOf, const MayJoin& mayJoin,
               std::vector<LiveBuffer>& buffers)
      : graph_(graph), aliases_(aliases), bufferOf_(bufferOf), mayJoin_(mayJoin), buffers_(buffers),
        joinedTo_(buffers.size()) {
    std::iota(joinedTo_.begin(), joinedTo_.end(), size_t{0});
  }

  void run(std::span<const OpId> ops) {
    for (size_t step = 0; step < ops.size(); ++step)
      visit(graph_.op(ops[step]), step);
    size_t kept = 0;
    for (size_t i = 0; i < buffers_.size(); ++i)
      if (joinedTo_[i] == i)
        std::swap(buffers_[kept++], buffers_[i]);
    buffers_.resize(kept);
  }

private:
  void visit(const Op& op, size_t step) {
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (mayOverwrite(graph_, op, i) && join(op, op.input(i), step))
        return;
  }

  /// The buffer of a tensor; nullopt if it has none.
  std::optional<size_t> find(TensorId id) const {
    const auto found = id ? bufferOf_.find(aliases_.root(id)) : bufferOf_.end();
    return found == bufferOf_.end() ? std::nullopt : std::optional(joinedTo_[found->second]);
  }

  bool join(const Op& op, TensorId operand, size_t step) {
    const std::optional<size_t> from = find(operand);
    const std::optional<size_t> to = find(op.output());
    if (!from || !to || *from == *to || buffers_[*from].death != step ||
        buffers_[*to].birth != step || buffers_[*from].bytes != buffers_[*to].bytes ||
        !mayJoin_(buffers_[*from], buffers_[*to]))
      return false;
    // Other operands may be views of the same bytes.
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (find(op.input(i)) == from && !mayOverwrite(graph_, op, i))
        return false;
    LiveBuffer& buffer = buffers_[*from];
    LiveBuffer& result = buffers_[*to];
    buffer.tensors.insert(buffer.tensors.end(), result.tensors.begin(), result.tensors.end());
    buffer.death = result.death;
    joinedTo_[*to] = *from;
    return true;
  }

  const Graph& graph_;
  const AliasSets& aliases_;
  const std::map<TensorId, size_t>& bufferOf_;
  const MayJoin& mayJoin_;
  std::vector<LiveBuffer>& buffers_;
  /// Per buffer: itself, or the one that it was joined to, which was not joined before.
  std::vector<size_t> joinedTo_;
};

} // namespace

bool mayOverwrite(const Graph& graph, const Op& op, size_t index) {
  if (op.outputs.size() != 1 || !op.input(index) || index >= overwritable(opInfo(op.kind).opClass))
    return false;
  const Tensor& operand = graph.tensor(op.input(index));
  const Tensor& result = graph.tensor(op.output());
  return !operand.isConstant() && operand.shape == result.shape &&
         dtypeSize(operand.type) == dtypeSize(result.type);
}

void joinInPlace(const Graph& graph, std::span<const OpId> ops, const AliasSets& aliases,
                 const std::map<TensorId, size_t>& bufferOf, const MayJoin& mayJoin,
                 std::vector<LiveBuffer>& buffers) {
  InPlaceJoins(graph, aliases, bufferOf, mayJoin, buffers).run(ops);
}

std::vector<LiveBuffer> computeLifetimesInPlace(const Graph& graph, std::span<const OpId> order,
                                                const AliasSets& aliases, IoMode io) {
  std::vector<LiveBuffer> buffers = computeLifetimes(graph, order, aliases, io);
  std::map<TensorId, size_t> bufferOf;
  for (size_t i = 0; i < buffers.size(); ++i)
    bufferOf.emplace(aliases.root(buffers[i].tensors.front()), i);
  // Outputs are read after the last step.
  const auto mayJoin = [&](const LiveBuffer& operand, const LiveBuffer& /*result*/) {
    return std::none_of(operand.tensors.begin(), operand.tensors.end(),
                        [&](TensorId id) { return graph.isGraphOutput(id); });
  };
  joinInPlace(graph, order, aliases, bufferOf, mayJoin, buffers);
  return buffers;
}

} // namespace tigris
