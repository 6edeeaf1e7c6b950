// Matches backwards from the next states. A sum of products is collected column range by column
// range, so that gates may come from one product or from several.
#include "tigris/Import/Onnx/RecurrentCell.h"

#include "tigris/IR/Elements.h"

#include <algorithm>
#include <functional>

namespace tigris {

namespace {

/// Limits the depth of sums that are followed.
constexpr int MaxSumDepth = 16;

/// The product of one gate: x w + h r + bias, matrices row-major with `hidden` columns.
struct Gate {
  TensorId x;
  std::vector<float> w;
  std::vector<float> r;
  std::vector<float> bias;
};

/// Columns from `begin` on of a tensor's last axis, as many as the state has.
struct Part {
  TensorId whole;
  int64_t begin = 0;

  explicit operator bool() const { return static_cast<bool>(whole); }
};

class CellMatcher {
public:
  CellMatcher(const Graph& graph, const KnownValues& values, const RecurrentStep& step)
      : graph_(graph), values_(values), step_(step), hidden_(shapeOf(step.h).fromBack(0)) {}

  std::optional<RecurrentCell> lstm();
  std::optional<RecurrentCell> gru();
  std::optional<RecurrentCell> rnn();

private:
  const Shape& shapeOf(TensorId id) const { return graph_.tensor(id).shape; }
  TensorId source(TensorId id) const;
  const Op* producer(TensorId id) const;
  /// What a Split or a Slice takes; nothing if the op is another one.
  Part partOf(const Op& op, TensorId id) const;
  /// The operand of the function that computes the tensor; nothing if another operator does.
  Part operandOf(TensorId id, OpKind kind) const;
  /// The other factor of a product with `factor`.
  TensorId otherFactor(TensorId product, TensorId factor) const;
  /// The operand of the first factor that this function computes, and the other factor.
  std::optional<std::pair<Part, TensorId>> factorOf(TensorId product, OpKind kind) const;
  bool isOneMinus(TensorId id, TensorId gate) const;
  /// The sum at `part`; `h` is what multiplies r.
  std::optional<Gate> gate(Part part, TensorId h) const;
  bool addSum(Gate& gate, Part part, TensorId h, int depth) const;
  bool addProduct(Gate& gate, const Op& op, TensorId h, int64_t begin) const;
  bool addTerm(Gate& gate, TensorId operand, TensorId h, const std::vector<float>& matrix) const;
  bool addBias(Gate& gate, TensorId id, int64_t begin, float factor) const;
  std::optional<std::vector<float>> floats(TensorId id) const;
  std::optional<RecurrentCell> cell(OpKind kind, const std::vector<Gate>& gates) const;
  std::optional<RecurrentCell> gruOf(Part z, Part candidate) const;
  std::optional<RecurrentCell> resetBefore(const Gate& z, Part sum) const;
  std::optional<RecurrentCell> resetAfter(const Gate& z, Part sum) const;

  const Graph& graph_;
  const KnownValues& values_;
  const RecurrentStep& step_;
  int64_t hidden_;
};

/// The tensor itself, before operators that copy it.
TensorId CellMatcher::source(TensorId id) const {
  while (id) {
    const OpId made = graph_.producer(id);
    if (!made)
      return id;
    const Op& op = graph_.op(made);
    const bool copies = op.kind == OpKind::Identity ||
                        ((op.kind == OpKind::Reshape || op.kind == OpKind::Squeeze) &&
                         shapeOf(op.input(0)) == shapeOf(id));
    if (!copies)
      return id;
    id = op.input(0);
  }
  return id;
}

const Op* CellMatcher::producer(TensorId id) const {
  const OpId made = id ? graph_.producer(source(id)) : OpId();
  return made ? &graph_.op(made) : nullptr;
}

Part CellMatcher::partOf(const Op& op, TensorId id) const {
  if (op.kind != OpKind::Split && op.kind != OpKind::Slice)
    return {};
  const TensorId whole = op.input(0);
  const size_t last = shapeOf(whole).rank() - 1;
  if (op.kind == OpKind::Slice) {
    const Expected<std::vector<SliceRange>> ranges = resolveSlice(op, values_);
    if (!ranges || (*ranges)[last].step != 1)
      return {};
    for (size_t axis = 0; axis < last; ++axis)
      if ((*ranges)[axis].step != 1 || (*ranges)[axis].count != shapeOf(whole)[axis])
        return {};
    return {whole, (*ranges)[last].start};
  }
  if (normalizeAxis(op.attrs.getInt("axis", 0), last + 1) != last)
    return {};
  int64_t begin = 0;
  for (const TensorId part : op.outputs) {
    if (part == id)
      return {whole, begin};
    if (!part)
      return {};
    begin += shapeOf(part)[last];
  }
  return {};
}

Part CellMatcher::operandOf(TensorId id, OpKind kind) const {
  const Op* op = producer(id);
  if (op == nullptr)
    return {};
  if (op->kind == kind)
    return {op->input(0)};
  const Part part = partOf(*op, source(id));
  op = part ? producer(part.whole) : nullptr;
  return op != nullptr && op->kind == kind ? Part{op->input(0), part.begin} : Part();
}

TensorId CellMatcher::otherFactor(TensorId product, TensorId factor) const {
  const Op* op = producer(product);
  if (op == nullptr || op->kind != OpKind::Mul)
    return {};
  for (const size_t i : {size_t{0}, size_t{1}})
    if (source(op->input(i)) == source(factor))
      return op->input(1 - i);
  return {};
}

std::optional<std::pair<Part, TensorId>> CellMatcher::factorOf(TensorId product,
                                                               OpKind kind) const {
  const Op* op = producer(product);
  if (op == nullptr || op->kind != OpKind::Mul)
    return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}})
    if (const Part operand = operandOf(op->input(i), kind))
      return std::pair(operand, op->input(1 - i));
  return std::nullopt;
}

bool CellMatcher::isOneMinus(TensorId id, TensorId gate) const {
  const Op* op = producer(id);
  if (op == nullptr || op->kind != OpKind::Sub || source(op->input(1)) != source(gate))
    return false;
  const auto ones = floats(op->input(0));
  return ones && std::all_of(ones->begin(), ones->end(), [](float one) { return one == 1.0F; });
}

std::optional<std::vector<float>> CellMatcher::floats(TensorId id) const {
  const BlobRef known = id ? values_.find(id) : nullptr;
  if (known == nullptr || graph_.tensor(id).type != DType::Float32)
    return std::nullopt;
  return loadElements<float>(*known, DType::Float32);
}

std::optional<Gate> CellMatcher::gate(Part part, TensorId h) const {
  Gate result;
  result.bias.resize(static_cast<size_t>(hidden_));
  if (!part || !addSum(result, part, h, 0))
    return std::nullopt;
  return result;
}

/// Adds columns of a sum to the gate.
bool CellMatcher::addSum(Gate& gate, Part part, TensorId h, int depth) const {
  if (depth > MaxSumDepth)
    return false;
  if (values_.find(part.whole) != nullptr)
    return addBias(gate, part.whole, part.begin, 1);
  const Op* op = producer(part.whole);
  if (op == nullptr)
    return false;
  switch (op->kind) {
  case OpKind::Add:
    return addSum(gate, {op->input(0), part.begin}, h, depth + 1) &&
           addSum(gate, {op->input(1), part.begin}, h, depth + 1);
  case OpKind::MatMul:
  case OpKind::Gemm:
    return addProduct(gate, *op, h, part.begin);
  default:
    const Part inner = partOf(*op, source(part.whole));
    return inner && addSum(gate, {inner.whole, part.begin + inner.begin}, h, depth + 1);
  }
}

/// Columns of a product with a constant matrix.
bool CellMatcher::addProduct(Gate& gate, const Op& op, TensorId h, int64_t begin) const {
  const auto all = floats(op.input(1));
  if (!all || shapeOf(op.input(1)).rank() != 2 || op.attrs.getInt("transA") != 0)
    return false;
  const bool transposed = op.attrs.getInt("transB") != 0;
  const float alpha = static_cast<float>(op.attrs.getFloat("alpha", 1));
  const Shape& shape = shapeOf(op.input(1));
  const int64_t rows = shape[transposed ? 1 : 0];
  if (begin + hidden_ > shape[transposed ? 0 : 1])
    return false;
  std::vector<float> matrix;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = begin; column < begin + hidden_; ++column)
      matrix.push_back(
          alpha *
          (*all)[static_cast<size_t>(transposed ? column * rows + row : row * shape[1] + column)]);
  if (op.kind == OpKind::Gemm && op.input(2) &&
      !addBias(gate, op.input(2), begin, static_cast<float>(op.attrs.getFloat("beta", 1))))
    return false;
  return addTerm(gate, op.input(0), h, matrix);
}

/// One operand of a product: x, h, or both joined.
bool CellMatcher::addTerm(Gate& gate, TensorId operand, TensorId h,
                          const std::vector<float>& matrix) const {
  const auto add = [&](std::vector<float>& to) {
    if (to.empty())
      to.resize(matrix.size());
    if (to.size() != matrix.size())
      return false;
    std::transform(to.begin(), to.end(), matrix.begin(), to.begin(), std::plus<>());
    return true;
  };
  if (source(operand) == source(h))
    return add(gate.r);
  const Op* op = producer(operand);
  if (op != nullptr && op->kind == OpKind::Concat) {
    const size_t rank = shapeOf(operand).rank();
    if (normalizeAxis(op->attrs.getInt("axis", 0), rank) != rank - 1)
      return false;
    auto from = matrix.begin();
    for (const TensorId part : op->inputs) {
      const auto to = from + static_cast<std::ptrdiff_t>(shapeOf(part).fromBack(0) * hidden_);
      if (!addTerm(gate, part, h, {from, to}))
        return false;
      from = to;
    }
    return true;
  }
  if (gate.x && gate.x != source(operand))
    return false;
  gate.x = source(operand);
  return add(gate.w);
}

bool CellMatcher::addBias(Gate& gate, TensorId id, int64_t begin, float factor) const {
  const auto values = floats(id);
  const Shape& shape = shapeOf(id);
  if (!values || values->empty() || (shape.rank() > 0 && shape.fromBack(0) != shape.elements()))
    return false;
  for (int64_t i = 0; i < hidden_; ++i) {
    const size_t at = values->size() == 1 ? 0 : static_cast<size_t>(begin + i);
    if (at >= values->size())
      return false;
    gate.bias[static_cast<size_t>(i)] += factor * (*values)[at];
  }
  return true;
}

/// The weights of all gates: matrices are transposed, and the second biases are zero.
std::optional<RecurrentCell> CellMatcher::cell(OpKind kind, const std::vector<Gate>& gates) const {
  RecurrentCell cell;
  cell.kind = kind;
  cell.hidden = hidden_;
  for (const Gate& gate : gates)
    if (gate.x)
      cell.x = gate.x;
  if (!cell.x || shapeOf(cell.x).rank() != 2)
    return std::nullopt;
  cell.features = shapeOf(cell.x)[1];
  const auto append = [&](std::vector<float>& to, const std::vector<float>& matrix, int64_t rows) {
    for (int64_t column = 0; column < hidden_; ++column)
      for (int64_t row = 0; row < rows; ++row)
        to.push_back(matrix.empty() ? 0.0F : matrix[static_cast<size_t>(row * hidden_ + column)]);
  };
  for (const Gate& gate : gates) {
    if (gate.x && gate.x != cell.x)
      return std::nullopt;
    append(cell.w, gate.w, cell.features);
    append(cell.r, gate.r, hidden_);
    cell.b.insert(cell.b.end(), gate.bias.begin(), gate.bias.end());
  }
  cell.b.resize(2 * cell.b.size());
  return cell;
}

std::optional<RecurrentCell> CellMatcher::lstm() {
  const auto output = factorOf(step_.nextH, OpKind::Sigmoid);
  const Op* sum = producer(step_.nextC);
  if (!output || sum == nullptr || sum->kind != OpKind::Add)
    return std::nullopt;
  const Part state = operandOf(output->second, OpKind::Tanh);
  if (!state || source(state.whole) != source(step_.nextC))
    return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Part forget = operandOf(otherFactor(sum->input(i), step_.c), OpKind::Sigmoid);
    const auto input = factorOf(sum->input(1 - i), OpKind::Sigmoid);
    if (!forget || !input)
      continue;
    std::vector<Gate> gates;
    for (const Part part :
         {input->first, output->first, forget, operandOf(input->second, OpKind::Tanh)})
      if (std::optional<Gate> one = gate(part, step_.h))
        gates.push_back(std::move(*one));
    if (gates.size() == 4)
      return cell(OpKind::LSTM, gates);
  }
  return std::nullopt;
}

std::optional<RecurrentCell> CellMatcher::gru() {
  const Op* sum = producer(step_.nextH);
  if (sum == nullptr || sum->kind != OpKind::Add)
    return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const TensorId update = otherFactor(sum->input(i), step_.h);
    const auto fresh = factorOf(sum->input(1 - i), OpKind::Tanh);
    const Part z = operandOf(update, OpKind::Sigmoid);
    if (z && fresh && isOneMinus(fresh->second, update))
      return gruOf(z, fresh->first);
  }
  return std::nullopt;
}

std::optional<RecurrentCell> CellMatcher::gruOf(Part z, Part candidate) const {
  const std::optional<Gate> update = gate(z, step_.h);
  if (!update)
    return std::nullopt;
  if (std::optional<RecurrentCell> found = resetAfter(*update, candidate))
    return found;
  return resetBefore(*update, candidate);
}

/// tanh(x part + sigmoid(r) * h part)
std::optional<RecurrentCell> CellMatcher::resetAfter(const Gate& z, Part sum) const {
  const Op* op = producer(sum.whole);
  if (op == nullptr || op->kind != OpKind::Add || sum.begin != 0)
    return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto reset = factorOf(op->input(i), OpKind::Sigmoid);
    if (!reset)
      continue;
    const std::optional<Gate> r = gate(reset->first, step_.h);
    const std::optional<Gate> inner = gate({reset->second}, step_.h);
    std::optional<Gate> outer = gate({op->input(1 - i)}, step_.h);
    if (!r || !inner || !outer || inner->x || !outer->r.empty())
      continue;
    outer->r = inner->r;
    std::optional<RecurrentCell> found = cell(OpKind::GRU, {z, *r, *outer});
    if (!found)
      continue;
    std::copy(inner->bias.begin(), inner->bias.end(), found->b.end() - hidden_);
    found->resetAfter = true;
    return found;
  }
  return std::nullopt;
}

/// tanh of a sum with products of sigmoid(r) * h: finds that tensor among the operands.
std::optional<RecurrentCell> CellMatcher::resetBefore(const Gate& z, Part sum) const {
  for (const OpId user : graph_.users(step_.h)) {
    const TensorId product = graph_.op(user).output();
    const auto reset = factorOf(product, OpKind::Sigmoid);
    if (!reset || source(reset->second) != source(step_.h))
      continue;
    const std::optional<Gate> r = gate(reset->first, step_.h);
    const std::optional<Gate> fresh = gate(sum, product);
    if (r && fresh && !fresh->r.empty())
      return cell(OpKind::GRU, {z, *r, *fresh});
  }
  return std::nullopt;
}

std::optional<RecurrentCell> CellMatcher::rnn() {
  Part sum = operandOf(step_.nextH, OpKind::Tanh);
  const bool isRelu = !sum;
  if (isRelu)
    sum = operandOf(step_.nextH, OpKind::Relu);
  const std::optional<Gate> only = gate(sum, step_.h);
  if (!only || only->r.empty())
    return std::nullopt;
  std::optional<RecurrentCell> found = cell(OpKind::RNN, {*only});
  if (found)
    found->isRelu = isRelu;
  return found;
}

} // namespace

std::optional<RecurrentCell> recognizeCell(const Graph& graph, const KnownValues& values,
                                           const RecurrentStep& step) {
  for (const TensorId id : {step.h, step.nextH})
    if (graph.tensor(id).type != DType::Float32 || graph.tensor(id).shape.rank() != 2 ||
        graph.tensor(id).shape != graph.tensor(step.h).shape)
      return std::nullopt;
  CellMatcher matcher(graph, values, step);
  if (step.c)
    return graph.tensor(step.c).shape == graph.tensor(step.h).shape ? matcher.lstm() : std::nullopt;
  if (std::optional<RecurrentCell> found = matcher.gru())
    return found;
  return matcher.rnn();
}

} // namespace tigris
