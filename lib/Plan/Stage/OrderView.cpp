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
  addResidents();
}

void OrderView::addResidents() {
  for (const Port& port : graph_.inputs())
    addResident(port.tensor);
  for (const OpId id : order_)
    for (const TensorId output : graph_.op(id).outputs)
      if (output)
        addResident(output);
}

void OrderView::addResident(TensorId id) {
  TensorUse& use = uses_[id.index()];
  const TensorId root = aliases_.root(id);
  // A model input or output in slow memory does not stay, but what it is a view of may.
  const bool isAlone = use.isInterface && io_ == IoMode::Slow;
  if (!livesInArena(id) ||
      (isAlone && (root != id || graph_.isGraphInput(id) || graph_.isGraphOutput(id))))
    return;
  if (root == id) {
    use.resident = residents_.size();
    residents_.push_back({{}, use.produced ? *use.produced + 1 : 0, 0});
  } else {
    use.resident = uses_[root.index()].resident;
  }
  Resident& resident = residents_[*use.resident];
  resident.views.push_back(id);
  resident.last = std::max(resident.last, use.lastRead.value_or(0));
}

TensorId OrderView::resident(TensorId id) const {
  const std::optional<size_t> index = use(id).resident;
  return index ? residents_[*index].views.front() : TensorId();
}

const std::vector<TensorId>& OrderView::views(TensorId resident) const {
  return residents_[*use(resident).resident].views;
}

size_t OrderView::neededUntil(TensorId resident) const {
  return residents_[*use(resident).resident].last;
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
  for (const Resident& resident : residents_)
    if (resident.first <= step && step <= resident.last)
      result.push_back(resident.views.front());
  return result;
}

} // namespace tigris
