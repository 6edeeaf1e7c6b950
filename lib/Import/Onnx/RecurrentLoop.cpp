// The layer always runs forward: a sequence that the loop reads backwards is reversed before.
#include "tigris/Import/Onnx/RecurrentLoop.h"

#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// The elements of an axis in the opposite order.
TensorId reversed(Chain& chain, TensorId x, int64_t axis, int64_t size) {
  return chain.op("reversed", OpKind::Slice, {x},
                  {{"starts", Ints{size - 1}},
                   {"ends", Ints{-size - 1}},
                   {"axes", Ints{axis}},
                   {"steps", Ints{-1}}});
}

/// Moves one axis of a tensor of rank 3 to another position.
TensorId moved(Chain& chain, TensorId x, size_t from, size_t to) {
  if (from == to)
    return x;
  Ints perm = {0, 1, 2};
  perm.erase(perm.begin() + static_cast<std::ptrdiff_t>(from));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(to), static_cast<int64_t>(from));
  return chain.transpose("moved", x, perm);
}

} // namespace

std::vector<ValueId> RecurrentLoop::probe() const {
  std::vector<ValueId> values;
  if (trace_.count() < 2)
    return values;
  values = trace_.states[1];
  for (size_t i = 0; i < trace_.axes.size(); ++i)
    if (node_.outputUsed(trace_.initial.size() + i))
      values.push_back(trace_.collected[1][i]);
  return values;
}

bool RecurrentLoop::recognize() {
  const size_t states = trace_.initial.size();
  for (size_t h = 0; h < states; ++h)
    for (size_t c = 0; c < states; ++c)
      if (h != c && recognizeState(h, c))
        return coversOutputs();
  for (size_t h = 0; h < states; ++h)
    if (recognizeState(h, None))
      return coversOutputs();
  return false;
}

bool RecurrentLoop::recognizeState(size_t h, size_t c) {
  RecurrentStep step = {tensorOf(trace_.states[0][h]), tensorOf(trace_.states[1][h])};
  if (c != None) {
    step.c = tensorOf(trace_.states[0][c]);
    step.nextC = tensorOf(trace_.states[1][c]);
  }
  const GraphBuilder& builder = node_.builder();
  std::optional<RecurrentCell> found = recognizeCell(builder.graph(), builder.values(), step);
  if (!found)
    return false;
  cell_ = std::move(*found);
  h_ = h;
  c_ = c;
  return !nameOfOperand().empty();
}

bool RecurrentLoop::coversOutputs() const {
  for (size_t i = trace_.initial.size(); i < node_.outputCount(); ++i)
    if (node_.outputUsed(i) && !collectsState(i))
      return false;
  return true;
}

bool RecurrentLoop::collectsState(size_t output) const {
  const Graph& graph = node_.builder().graph();
  TensorId id = tensorOf(trace_.collected[1][output - trace_.initial.size()]);
  const TensorId h = tensorOf(trace_.states[1][h_]);
  while (id && id != h) {
    const OpId made = graph.producer(id);
    if (!made || graph.op(made).kind != OpKind::Identity)
      return false;
    id = graph.op(made).input(0);
  }
  return id == h;
}

/// The name in the body of what the cell reads.
std::string RecurrentLoop::nameOfOperand() const {
  const Scope& scope = *trace_.scopes[1];
  const auto isOperand = [&](const std::string& name) {
    const auto found = scope.values.find(name);
    return found != scope.values.end() && found->second && tensorOf(found->second) == cell_.x;
  };
  for (const onnx::ValueInfoProto& input : trace_.body->input())
    if (isOperand(input.name()))
      return input.name();
  for (const onnx::NodeProto& node : trace_.body->node())
    for (const std::string& output : node.output())
      if (isOperand(output))
        return output;
  return {};
}

std::vector<ValueId> RecurrentLoop::operands() const {
  std::vector<ValueId> values;
  const std::string name = nameOfOperand();
  for (const Scope* scope : trace_.scopes)
    values.push_back(scope->values.at(name));
  for (size_t i = 0; i < trace_.initial.size() && i < node_.outputCount(); ++i)
    if (node_.outputUsed(i) && !isState(i))
      values.push_back(trace_.last()[i]);
  return values;
}

/// The index that a Gather or a Slice takes of one axis.
std::optional<int64_t> RecurrentLoop::gatheredIndex(const Op& op) const {
  const KnownValues& values = node_.builder().values();
  const Shape& shape = node_.tensor(op.input(0)).shape;
  if (op.kind == OpKind::Gather) {
    const BlobRef known = values.find(op.input(1));
    if (known == nullptr || node_.tensor(op.input(1)).elements() != 1)
      return std::nullopt;
    return loadElements<int64_t>(*known, node_.tensor(op.input(1)).type)[0];
  }
  const Expected<std::vector<SliceRange>> ranges = resolveSlice(op, values);
  if (op.kind != OpKind::Slice || !ranges)
    return std::nullopt;
  std::optional<int64_t> index;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if ((*ranges)[axis].count != shape[axis])
      index = (*ranges)[axis].count == 1 && !index ? std::optional((*ranges)[axis].start)
                                                   : std::nullopt;
  return index;
}

std::optional<RecurrentLoop::Element> RecurrentLoop::elementOf(TensorId id) const {
  const Graph& graph = node_.builder().graph();
  const Shape shape = graph.tensor(id).shape;
  const Op* op = nullptr;
  for (OpId made = graph.producer(id); made; made = graph.producer(op->input(0))) {
    op = &graph.op(made);
    if (op->kind != OpKind::Identity && op->kind != OpKind::Squeeze && op->kind != OpKind::Reshape)
      break;
  }
  if (op == nullptr || (op->kind != OpKind::Gather && op->kind != OpKind::Slice))
    return std::nullopt;
  Element element;
  element.whole = op->input(0);
  const Shape& whole = graph.tensor(element.whole).shape;
  if (whole.rank() != 3)
    return std::nullopt;
  // The axis without which the shape is that of the element.
  for (element.axis = 0; element.axis < 3; ++element.axis) {
    Ints rest = whole.dims();
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(element.axis));
    const bool isGathered = op->kind == OpKind::Slice
                                ? graph.tensor(op->output()).shape[element.axis] == 1
                                : normalizeAxis(op->attrs.getInt("axis", 0), 3) == element.axis;
    if (isGathered && Shape(rest) == shape && whole[element.axis] == trace_.count())
      break;
  }
  const std::optional<int64_t> index = gatheredIndex(*op);
  if (element.axis == 3 || !index)
    return std::nullopt;
  element.index = *index < 0 ? *index + trace_.count() : *index;
  return element;
}

bool RecurrentLoop::isSequence() {
  const std::string name = nameOfOperand();
  const int64_t count = trace_.count();
  for (int64_t i = 0; i < count; ++i) {
    const Scope& scope = *trace_.scopes[static_cast<size_t>(i)];
    const std::optional<Element> element = elementOf(tensorOf(scope.values.at(name)));
    if (!element)
      return false;
    if (i == 0) {
      first_ = *element;
      backward_ = element->index != 0;
    }
    if (element->whole != first_.whole || element->axis != first_.axis ||
        element->index != (backward_ ? count - 1 - i : i))
      return false;
  }
  return true;
}

bool RecurrentLoop::readsSequence() const {
  for (size_t i = trace_.initial.size(); i < node_.outputCount(); ++i)
    if (node_.outputUsed(i))
      return true;
  return false;
}

/// The results of the layer: [rows, 1, batch, hidden], and c of an LSTM.
Expected<std::vector<TensorId>> RecurrentLoop::addLayer(bool keepsSequence) {
  Chain chain(node_);
  const int64_t gates = static_cast<int64_t>(cell_.b.size()) / (2 * cell_.hidden);
  const int64_t rows = gates * cell_.hidden;
  const auto weights = [&](std::string_view suffix, Shape shape, const std::vector<float>& values) {
    return node_.constant(suffix, DType::Float32, std::move(shape), makeBlobOf(values));
  };
  const auto state = [&](size_t index) {
    const TensorId id = tensorOf(trace_.initial[index]);
    Ints dims = node_.tensor(id).shape.dims();
    dims.insert(dims.begin(), 1);
    return chain.reshape("first_state", id, Shape(dims));
  };
  TensorId x = moved(chain, first_.whole, first_.axis, 0);
  if (backward_)
    x = reversed(chain, x, 0, trace_.count());
  std::vector<TensorId> inputs = {x, weights("w", {1, rows, cell_.features}, cell_.w),
                                  weights("r", {1, rows, cell_.hidden}, cell_.r),
                                  weights("b", {1, 2 * rows}, cell_.b), state(h_)};
  if (c_ != None)
    inputs.push_back(state(c_));
  if (chain.failed())
    return chain.status().error();
  AttrMap attrs = {{"direction", std::string("forward")}};
  if (cell_.kind == OpKind::GRU)
    attrs.set("linear_before_reset", int64_t{cell_.resetAfter ? 1 : 0});
  if (cell_.kind == OpKind::RNN)
    attrs.set("activation", std::string(cell_.isRelu ? "Relu" : "Tanh"));
  if (!keepsSequence && trace_.count() > 2)
    attrs.set("rows", int64_t{2}); // the previous step and the current one
  return node_.steps("layer", cell_.kind, std::move(inputs), std::move(attrs),
                     cell_.kind == OpKind::RNN ? 1 : 2);
}

Status RecurrentLoop::finish() {
  const bool keepsSequence = readsSequence();
  const Expected<std::vector<TensorId>> layer = addLayer(keepsSequence);
  if (!layer)
    return layer.error();
  Chain chain(node_);
  const Shape y = node_.tensor(layer->front()).shape;
  const std::vector<ValueId> results = source_.outputs(id_);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!node_.outputUsed(i))
      continue;
    if (i >= trace_.initial.size()) {
      const TensorId sequence = chain.reshape("sequence", layer->front(), {y[0], y[2], y[3]});
      if (Status status = chain.failed() ? chain.status() : finishSequence(i, sequence); !status)
        return status;
      continue;
    }
    ValueId final = trace_.last()[i];
    if (isState(i)) {
      const int64_t row = (trace_.count() - 1) % y[0];
      const TensorId state =
          i == c_ ? layer->back() : chain.slice("last", layer->front(), 0, row, row + 1);
      final = source_.addComputed(chain.reshape("state", state, {y[2], y[3]}));
    }
    if (chain.failed())
      return chain.status();
    source_.replaceResult(results[i], source_.resolve(final));
  }
  return {};
}

/// `sequence` has the shape [steps, batch, hidden].
Status RecurrentLoop::finishSequence(size_t output, TensorId sequence) {
  Chain chain(node_);
  const LoopAxis& how = trace_.axes[output - trace_.initial.size()];
  const std::optional<size_t> axis = normalizeAxis(how.axis, 3);
  if (!axis)
    return node_.refuse(DiagId::BadAttr, "axis ", how.axis, " of output ", output,
                        " is outside of rank 3");
  if (how.backward)
    sequence = reversed(chain, sequence, 0, trace_.count());
  return chain.finishOutput(output, OpKind::Identity, {moved(chain, sequence, 0, *axis)});
}

} // namespace tigris
