// Grows chains backward from a tensor: the op that makes the largest tensor to be held joins next.
#include "tigris/Plan/Remat/RepeatChain.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Analysis/OpOrder.h"
#include "tigris/IR/Repeats.h"
#include "tigris/Plan/Remat/ChannelSplit.h"
#include "tigris/Support/Check.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

constexpr size_t MaxChainOps = 16;

class ChainFinder {
public:
  ChainFinder(const Graph& graph, IoMode io, uint64_t mostMacs)
      : graph_(graph), io_(io), mostMacs_(mostMacs) {
    for (const OpId id : graph.order())
      position_.emplace(id, position_.size());
  }

  std::vector<RepeatChain> run() {
    for (const OpId id : graph_.order())
      if (canRepeat(id))
        addChains(graph_.op(id).output());
    std::stable_sort(chains_.begin(), chains_.end(), [&](const auto& a, const auto& b) {
      return graph_.tensor(a.tensor).bytes() > graph_.tensor(b.tensor).bytes();
    });
    return std::move(chains_);
  }

private:
  bool canRepeat(OpId id) const {
    const Op& op = graph_.op(id);
    return op.outputs.size() == 1 && opInfo(op.kind).opClass != OpClass::Recurrent;
  }

  bool isBefore(OpId a, OpId b) const { return position_.at(a) < position_.at(b); }

  /// The ops that read the tensor, each once, in execution order.
  std::vector<OpId> readers(TensorId tensor) const {
    std::vector<OpId> result = graph_.users(tensor);
    std::sort(result.begin(), result.end(), [&](OpId a, OpId b) { return isBefore(a, b); });
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  /// Whether the tensor need not be held for an op at the position of `reader`.
  bool isFree(TensorId tensor, OpId reader) const {
    if (graph_.isGraphInput(tensor) && io_ == IoMode::Caller)
      return true;
    const std::vector<OpId> all = readers(tensor);
    return !all.empty() && !isBefore(all.back(), reader);
  }

  void addChains(TensorId tensor) {
    const std::vector<OpId> all = readers(tensor);
    for (size_t first = 1; first < all.size(); ++first)
      grow(tensor, {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()});
  }

  void grow(TensorId tensor, const std::vector<OpId>& late) {
    std::set<OpId> ops;
    uint64_t macs = 0;
    uint64_t held = graph_.tensor(tensor).bytes();
    for (OpId next = graph_.producer(tensor); next && ops.size() < MaxChainOps;) {
      ops.insert(next);
      macs += macCount(graph_, graph_.op(next));
      if (macs > mostMacs_)
        return;
      const std::set<TensorId> sources = sourcesOf(ops, late.front());
      uint64_t bytes = 0;
      next = OpId();
      uint64_t largest = 0;
      for (const TensorId id : sources) {
        bytes += graph_.tensor(id).bytes();
        if (const OpId maker = graph_.producer(id);
            maker && canRepeat(maker) && graph_.tensor(id).bytes() > largest) {
          next = maker;
          largest = graph_.tensor(id).bytes();
        }
      }
      if (bytes >= held)
        continue;
      held = bytes;
      RepeatChain chain = {tensor, {ops.begin(), ops.end()}, late, macs};
      std::sort(chain.ops.begin(), chain.ops.end(), [&](OpId a, OpId b) { return isBefore(a, b); });
      chains_.push_back(std::move(chain));
    }
  }

  /// What the ops read and what must be held for them until `reader`.
  std::set<TensorId> sourcesOf(const std::set<OpId>& ops, OpId reader) const {
    std::set<TensorId> result;
    for (const OpId id : ops)
      for (const TensorId input : graph_.op(id).inputs)
        if (input && !graph_.tensor(input).isConstant() && !isFree(input, reader) &&
            ops.count(graph_.producer(input)) == 0)
          result.insert(input);
    return result;
  }

  const Graph& graph_;
  IoMode io_;
  uint64_t mostMacs_;
  std::map<OpId, size_t> position_;
  std::vector<RepeatChain> chains_;
};

/// The ops, each after the producers of its operands, otherwise in their current order.
void restoreOrder(Graph& graph) {
  std::vector<OpId> order;
  std::set<OpId> done;
  const auto visit = [&](const auto& self, OpId id) -> void {
    if (!done.insert(id).second)
      return;
    for (const TensorId input : graph.op(id).inputs)
      if (input && graph.producer(input))
        self(self, graph.producer(input));
    order.push_back(id);
  };
  for (const OpId id : graph.order())
    visit(visit, id);
  graph.setOrder(std::move(order));
}

} // namespace

std::vector<RepeatChain> repeatChains(const Graph& graph, IoMode io, uint64_t mostMacs) {
  return ChainFinder(graph, io, mostMacs).run();
}

void insertRepeats(Graph& graph, const RepeatChain& chain) {
  if (chain.channels != 0)
    return insertRepeats(graph, splitChannels(graph, chain, chain.channels));
  std::map<TensorId, TensorId> again;
  for (const OpId id : chain.ops) {
    const Op& original = graph.op(id);
    Op repeat = original;
    repeat.name = graph.uniqueName(original.name + "_again");
    if (!isRepeat(original))
      repeat.attrs.set(RepeatKey, original.name);
    for (TensorId& input : repeat.inputs)
      if (const auto known = again.find(input); known != again.end())
        input = known->second;
    for (TensorId& output : repeat.outputs) {
      Tensor tensor = graph.tensor(output);
      tensor.name = graph.uniqueName(tensor.name + "_again");
      output = again.emplace(output, graph.addTensor(std::move(tensor))).first->second;
    }
    graph.insertBefore(chain.readers.front(), std::move(repeat));
  }
  for (const OpId reader : chain.readers)
    for (size_t i = 0; i < graph.op(reader).inputs.size(); ++i)
      if (graph.op(reader).inputs[i] == chain.tensor)
        graph.setInput(reader, i, again.at(chain.tensor));
}

size_t removeRepeats(Graph& graph) {
  size_t count = 0;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    const Op& op = graph.op(id);
    if (!isRepeat(op))
      continue;
    for (const TensorId output : std::vector<TensorId>(op.outputs))
      graph.replaceAllUses(output, originalOf(graph, output));
    ++count;
  }
  if (count == 0)
    return 0;
  for (const OpId id : order)
    if (isRepeat(graph.op(id)))
      graph.eraseOp(id);
  graph.eraseUnusedTensors();
  restoreOrder(graph);
  return count;
}

} // namespace tigris
