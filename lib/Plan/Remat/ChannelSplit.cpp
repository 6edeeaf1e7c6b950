// Channels are the last axis of maps and the first axis of weights.
#include "tigris/Plan/Remat/ChannelSplit.h"

#include "tigris/Analysis/MacCount.h"

#include <algorithm>

namespace tigris {

namespace {

int64_t channelsOf(const Graph& graph, TensorId id) { return graph.tensor(id).shape.fromBack(0); }

/// Readers of the chain's result that do not read the repeat.
std::vector<OpId> earlyReaders(const Graph& graph, const RepeatChain& chain) {
  std::vector<OpId> result;
  for (const OpId id : graph.users(chain.tensor))
    if (std::find(chain.readers.begin(), chain.readers.end(), id) == chain.readers.end())
      result.push_back(id);
  return result;
}

/// Whether all operands from the second on are constants of this op alone, with one row per
/// channel.
bool hasOwnWeights(const Graph& graph, const Op& op) {
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    if (!op.inputs[i])
      continue;
    const Tensor& weights = graph.tensor(op.inputs[i]);
    if (!weights.isConstant() || !graph.hasSingleUse(op.inputs[i]) || weights.shape.rank() == 0 ||
        weights.shape[0] != channelsOf(graph, op.output()) ||
        (weights.quant && weights.quant->axis > 0))
      return false;
  }
  return true;
}

bool keepsChannels(const Graph& graph, const Op& op) {
  if (channelsOf(graph, op.input(0)) != channelsOf(graph, op.output()))
    return false;
  return op.kind == OpKind::DepthwiseConv
             ? hasOwnWeights(graph, op)
             : opInfo(op.kind).opClass == OpClass::Function && op.inputs.size() == 1;
}

class ChannelSplit {
public:
  ChannelSplit(Graph& graph, const RepeatChain& chain)
      : graph_(graph), chain_(chain), early_(earlyReaders(graph, chain)),
        first_(chain.ops.front()) {}

  RepeatChain run(int64_t low) {
    const int64_t all = channelsOf(graph_, chain_.tensor);
    RepeatChain result;
    const TensorId lower = addPart({0, low}, "_low", &result);
    const TensorId upper = addPart({low, all}, "_high", nullptr);
    for (size_t i = 0; i < early_.size(); ++i)
      graph_.replaceAllUses(graph_.op(early_[i]).output(),
                            join(first_, graph_.op(early_[i]).output(),
                                 {averages_[i], averages_[i + early_.size()]}));
    const TensorId joined = join(chain_.readers.front(), chain_.tensor, {lower, upper});
    graph_.replaceAllUses(chain_.tensor, joined);
    for (const OpId id : early_) {
      graph_.setInputs(id, {});
      graph_.eraseOp(id);
    }
    for (size_t i = chain_.ops.size(); i-- > 0;)
      graph_.eraseOp(chain_.ops[i]);
    graph_.eraseUnusedTensors();
    result.tensor = lower;
    result.readers = {graph_.producer(joined)};
    return result;
  }

private:
  struct Part {
    int64_t begin;
    int64_t end;
    int64_t size() const { return end - begin; }
  };

  TensorId addResult(TensorId whole, const Part& part, const char* suffix) {
    Tensor tensor = graph_.tensor(whole);
    std::vector<int64_t> dims = tensor.shape.dims();
    dims.back() = part.size();
    tensor.shape = Shape(std::move(dims));
    tensor.name = graph_.uniqueName(tensor.name + suffix);
    return graph_.addTensor(std::move(tensor));
  }

  TensorId addWeights(TensorId whole, const Part& part, const char* suffix) {
    Tensor tensor = graph_.tensor(whole);
    const auto rows = [&](auto& values, size_t count) {
      if (values.size() == count)
        values = {values.begin() + part.begin, values.begin() + part.end};
    };
    const auto count = static_cast<size_t>(tensor.shape[0]);
    if (tensor.quant && tensor.quant->perChannel()) {
      rows(tensor.quant->scale, count);
      rows(tensor.quant->zeroPoint, count);
    }
    const std::span<const uint8_t> bytes = tensor.data->bytes();
    const auto row = static_cast<std::ptrdiff_t>(bytes.size() / count);
    tensor.data = makeBlob({bytes.begin() + row * part.begin, bytes.begin() + row * part.end});
    std::vector<int64_t> dims = tensor.shape.dims();
    dims[0] = part.size();
    tensor.shape = Shape(std::move(dims));
    tensor.name = graph_.uniqueName(tensor.name + suffix);
    return graph_.addTensor(std::move(tensor));
  }

  OpId addOp(OpId original, const Part& part, TensorId input, const char* suffix) {
    Op op = graph_.op(original);
    op.name = graph_.uniqueName(op.name + suffix);
    op.inputs[0] = input;
    for (size_t i = 1; i < op.inputs.size(); ++i)
      if (op.inputs[i])
        op.inputs[i] = addWeights(op.inputs[i], part, suffix);
    if (op.kind == OpKind::DepthwiseConv)
      op.attrs.set("group", part.size());
    op.outputs = {addResult(op.output(), part, suffix)};
    return graph_.insertBefore(first_, std::move(op));
  }

  /// Adds the ops and the averages for some channels. Returns the result of the last op.
  TensorId addPart(const Part& part, const char* suffix, RepeatChain* chain) {
    TensorId last = graph_.op(first_).input(0);
    for (const OpId id : chain_.ops) {
      const OpId added = addOp(id, part, last, suffix);
      last = graph_.op(added).output();
      if (chain != nullptr) {
        chain->ops.push_back(added);
        chain->macs += macCount(graph_, graph_.op(added));
      }
    }
    for (const OpId id : early_)
      averages_.push_back(graph_.op(addOp(id, part, last, suffix)).output());
    return last;
  }

  /// A tensor like `whole`, joined from its two parts before the op `at`.
  TensorId join(OpId at, TensorId whole, std::vector<TensorId> parts) {
    Tensor tensor = graph_.tensor(whole);
    tensor.name = graph_.uniqueName(tensor.name + "_joined");
    Op op;
    op.kind = OpKind::Concat;
    op.name = graph_.uniqueName(tensor.name);
    op.origin = graph_.op(graph_.producer(whole)).origin;
    op.attrs.set("axis", static_cast<int64_t>(tensor.shape.rank()) - 1);
    op.inputs = std::move(parts);
    op.outputs = {graph_.addTensor(std::move(tensor))};
    return graph_.op(graph_.insertBefore(at, std::move(op))).output();
  }

  Graph& graph_;
  const RepeatChain& chain_;
  std::vector<OpId> early_;
  OpId first_;
  /// The averages of the first channels, then those of the others.
  std::vector<TensorId> averages_;
};

} // namespace

int64_t splittableChannels(const Graph& graph, const RepeatChain& chain) {
  const Op& head = graph.op(chain.ops.front());
  if (head.kind != OpKind::Conv || head.attrs.getInt("group", 1) != 1 ||
      graph.tensor(head.input(0)).isConstant() || !hasOwnWeights(graph, head) ||
      graph.isGraphOutput(chain.tensor))
    return 0;
  for (size_t i = 0; i < chain.ops.size(); ++i) {
    const TensorId result = graph.op(chain.ops[i]).output();
    const bool isPerChannel =
        graph.tensor(result).quant && graph.tensor(result).quant->perChannel();
    if (graph.tensor(result).shape.rank() < 3 || isPerChannel)
      return 0;
    if (i + 1 == chain.ops.size())
      continue;
    const Op& next = graph.op(chain.ops[i + 1]);
    if (!graph.hasSingleUse(result) || next.input(0) != result || !keepsChannels(graph, next))
      return 0;
  }
  for (const OpId id : earlyReaders(graph, chain))
    if (graph.op(id).kind != OpKind::GlobalAveragePool)
      return 0;
  return channelsOf(graph, chain.tensor);
}

RepeatChain splitChannels(Graph& graph, const RepeatChain& chain, int64_t low) {
  return ChannelSplit(graph, chain).run(low);
}

} // namespace tigris
