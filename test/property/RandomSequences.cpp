// Recurrent layers and operators between them.
#include "RandomGenerator.h"

#include <algorithm>

namespace tigris::property {

Shape Generator::sequenceShape() {
  const int64_t batch = random_.percent(60) ? 1 : random_.in(2, 3);
  return {random_.in(1, 40), batch, random_.in(1, 12)};
}

std::optional<TensorId> Generator::asSequence(TensorId x) {
  if (shape(x).rank() == 3)
    return x;
  if (shape(x).rank() != 4)
    return std::nullopt;
  AttrMap attrs;
  attrs.set("shape", std::vector<int64_t>{shape(x)[0], shape(x)[2], shape(x)[1] * shape(x)[3]});
  return add(OpKind::Reshape, {x}, attrs, {}, magnitude_[x]);
}

TensorId Generator::firstState(const Shape& dims) {
  const auto known =
      std::find_if(known_.begin(), known_.end(), [&](TensorId id) { return shape(id) == dims; });
  if (known != known_.end() && random_.percent(50))
    return *known;
  if (random_.percent(40))
    return constant(DType::Float32, dims);
  const TensorId id = addTensor(DType::Float32, dims, {});
  graph_.addInput(port(tensor(id), id, tensor(id).name));
  known_.push_back(id);
  magnitude_[id] = 1;
  return id;
}

void Generator::addRecurrent(TensorId before) {
  const std::optional<TensorId> x = asSequence(before);
  if (!x)
    return;
  const auto kind = oneOf({OpKind::LSTM, OpKind::GRU, OpKind::RNN});
  const int64_t gates = kind == OpKind::LSTM ? 4 : kind == OpKind::GRU ? 3 : 1;
  const int64_t steps = shape(*x)[0];
  const int64_t hidden = random_.in(1, 10);
  AttrMap attrs;
  const std::string direction =
      oneOf<const char*>({"forward", "forward", "reverse", "bidirectional"});
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  attrs.set("direction", direction);
  if (steps > 2 && random_.percent(30))
    attrs.set("rows", random_.percent(70) ? 2 : random_.in(2, steps));
  if (kind == OpKind::GRU)
    attrs.set("linear_before_reset", random_.below(2));
  const auto weights = [&](const Shape& dims) { return constant(DType::Float32, dims); };
  const Shape state = {directions, shape(*x)[1], hidden};
  std::vector<TensorId> inputs = {*x, weights({directions, gates * hidden, shape(*x)[2]}),
                                  weights({directions, gates * hidden, hidden}),
                                  weights({directions, 2 * gates * hidden})};
  if (random_.percent(60))
    inputs.push_back(firstState(state));
  if (kind == OpKind::LSTM && inputs.size() == 5 && random_.percent(60))
    inputs.push_back(firstState(state));
  if (inputs.size() == 6 && random_.percent(30))
    inputs.push_back(weights({directions, 3 * hidden}));
  add(kind, inputs, attrs, {}, 1);
}

void Generator::addSequenceOp() {
  const TensorId x = random_.percent(70) ? known_.back() : pick();
  const int64_t kind = random_.below(20);
  if (kind < 9)
    return addRecurrent(x);
  if (kind < 12)
    return addUnary(x);
  if (kind < 15)
    return addBinary(x);
  if (kind < 17)
    return addSlice(x);
  addTranspose(x);
}

} // namespace tigris::property
