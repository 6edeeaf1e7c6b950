// state-align: gives the input and the output of a state the same stored form.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* StateAlignDoc =
    R"(A run writes a state's output, and the next run reads the same bytes as the state's input
without a copy, so both must represent values in the same way. If quantization or the change to
channels-last layout made them differ, the output is converted:

    inputs: h (int8, scale 0.5)   outputs: h2 {state: h} (int8, scale 0.25)
    h2 = Add(h, x)        ->   t = Add(h, x); h2 (scale 0.5) = Requantize(t))";

class StateAlign {
public:
  explicit StateAlign(Graph& graph) : graph_(graph) {}

  PassStatus run() {
    bool changed = false;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const std::string state = graph_.outputs()[i].state;
      const auto input = std::find_if(graph_.inputs().begin(), graph_.inputs().end(),
                                      [&](const Port& port) { return port.name == state; });
      if (!state.empty() && input != graph_.inputs().end())
        changed |= align(i, *input);
    }
    return changedIf(changed);
  }

private:
  bool align(size_t index, const Port& input) {
    const bool moved = transpose(index, input.perm);
    return convert(index, graph_.tensor(input.tensor)) || moved;
  }

  bool transpose(size_t index, const std::vector<int64_t>& wanted) {
    const Port port = graph_.outputs()[index];
    if (port.perm == wanted)
      return false;
    // interface dimension wanted[i] is dimension j of the tensor where perm[j] is wanted[i]
    const std::vector<int64_t> from = orIdentity(port.perm, port.shape.rank());
    std::vector<int64_t> order;
    for (const int64_t axis : orIdentity(wanted, port.shape.rank()))
      order.push_back(std::find(from.begin(), from.end(), axis) - from.begin());
    Tensor result = graph_.tensor(port.tensor);
    result.shape = permute(result.shape, order);
    append(index, OpKind::Transpose, std::move(result), order);
    graph_.editOutput(index).perm = wanted;
    return true;
  }

  bool convert(size_t index, const Tensor& like) {
    const Tensor& stored = graph_.tensor(graph_.outputs()[index].tensor);
    if (stored.type == like.type && stored.quant == like.quant)
      return false;
    if (stored.type != like.type && stored.quant && like.quant) {
      // Integers of different sizes are converted through real numbers.
      Tensor real = stored;
      real.type = DType::Float32;
      real.quant.reset();
      append(index, OpKind::DequantizeLinear, std::move(real), {});
      return convert(index, like);
    }
    Tensor result = stored;
    result.type = like.type;
    result.quant = like.quant;
    const OpKind kind = stored.type == like.type      ? OpKind::Requantize
                        : like.type == DType::Float32 ? OpKind::DequantizeLinear
                                                      : OpKind::QuantizeLinear;
    append(index, kind, std::move(result), {});
    return true;
  }

  /// Makes the output the result of an op on its former tensor.
  void append(size_t index, OpKind kind, Tensor result, const std::vector<int64_t>& perm) {
    const TensorId source = graph_.outputs()[index].tensor;
    result.data = nullptr;
    result.name = graph_.uniqueName(graph_.outputs()[index].name + "_state");
    Op op;
    op.kind = kind;
    op.name = graph_.uniqueName(result.name);
    if (!perm.empty())
      op.attrs.set("perm", perm);
    op.inputs = {source};
    op.outputs = {graph_.addTensor(std::move(result))};
    const TensorId made = op.outputs[0];
    graph_.addOp(std::move(op));
    graph_.setOutputTensor(index, made);
  }

  static std::vector<int64_t> orIdentity(std::vector<int64_t> perm, size_t rank) {
    for (size_t i = perm.size(); i < rank; ++i)
      perm.push_back(static_cast<int64_t>(i));
    return perm;
  }

  Graph& graph_;
};

} // namespace

PassInfo stateAlignPass() {
  return functionPass("state-align", "both ends of a state get the same representation",
                      StateAlignDoc,
                      [](Graph& graph, PassContext&) { return StateAlign(graph).run(); });
}

} // namespace tigris
