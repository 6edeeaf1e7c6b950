// Collects the uses of tensors in one pass over the tensors and one over the order.
#include "tigris/Plan/Stage/OrderView.h"

#include <algorithm>

namespace tigris {

OrderView::OrderView(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases,
                     IoMode io, uint64_t align)
    : graph_(graph), order_(order), aliases_(aliases), io_(io), align_(align) {
  for (const TensorId id : graph.tensors()) {
    uses_.resize(std::max<size_t>(uses_.size(), id.index() + size_t{1}));
    TensorUse& use = uses_[id.index()];
    use.isConstant = graph.tensor(id).isConstant();
    use.isInterface = static_cast<bool>(aliases.interfaceTensor(id));
    use.bytes = graph.tensor(id).bytes();
  }
  for (size_t step = 0; step < order.size(); ++step) {
    for (const TensorId input : graph.op(order[step]).inputs)
      if (input)
        uses_[input.index()].lastRead = step;
    for (const TensorId output : graph.op(order[step]).outputs)
      if (output)
        uses_[output.index()].produced = step;
  }
  for (const Port& port : graph.outputs())
    uses_[port.tensor.index()].lastRead = Never; // the caller, after the last step
}

bool OrderView::livesInArena(TensorId id) const { return id && !use(id).isConstant && isSlow(id); }

bool OrderView::isSlow(TensorId id) const {
  return !(io_ == IoMode::Caller && use(id).isInterface);
}

std::vector<TensorId> OrderView::touched(size_t step) const {
  std::vector<TensorId> result;
  for (const auto* operands : {&op(step).inputs, &op(step).outputs})
    for (const TensorId id : *operands)
      if (id && !use(id).isConstant)
        result.push_back(id);
  return result;
}

std::vector<TensorId> OrderView::crossing(size_t step) const {
  std::vector<TensorId> result;
  for (size_t before = 0; before < step; ++before)
    for (const TensorId id : op(before).outputs)
      if (livesInArena(id) && lastReadAt(id) >= step && lastReadAt(id) != Never &&
          aliases_.root(id) == id)
        result.push_back(id);
  return result;
}

} // namespace tigris
