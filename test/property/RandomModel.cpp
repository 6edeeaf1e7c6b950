// Tensors and constants, and the choice of the next operator.
#include "RandomGenerator.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tigris::property {

namespace {

constexpr int64_t MaxElements = 4096;
/// Float values stay far from overflow, so that no result depends on how a NaN is computed.
constexpr double MaxMagnitude = 1e12;

} // namespace

Graph Generator::make(unsigned limit) {
  graph_.setForm(GraphForm::Normalized);
  graph_.setLayout(Layout::ChannelsLast);
  graph_.setModelName("random");
  type_ = random_.percent(50) ? DType::Float32 : DType::Int8;
  graph_.setRounding(random_.percent(50) ? IntegerRounding::Once : IntegerRounding::Twice);
  const int64_t kind = random_.below(100);
  style_ = kind < 20 ? Style::Tower : kind < 55 ? Style::Net : Style::Any;
  if (hasSequences_) {
    type_ = DType::Float32;
    style_ = Style::Sequence;
  }
  if (hasIndices_)
    style_ = Style::Any;
  const bool isAny = style_ == Style::Any;
  const int64_t inputs = !isAny || random_.percent(60) ? 1 : random_.in(2, 3);
  for (int64_t i = 0; i < inputs; ++i)
    addInput();
  const int64_t ops = isAny ? random_.in(1, 14) : random_.in(6, 20);
  const size_t count = limit == 0 ? static_cast<size_t>(ops) : limit;
  for (int tries = 0; graph_.order().size() < count && tries < 400; ++tries)
    addOp();
  if (limit == 0 && random_.percent(isAny ? 15 : 50))
    random_.percent(70) ? void(addMean(known_.back())) : addGlobalPool(known_.back());
  addOutputs();
  graph_.eraseUnusedTensors();
  return std::move(graph_);
}

QuantParam Generator::quant() {
  const auto scale = static_cast<float>(random_.in(1, 64)) / 256;
  const int64_t zero = random_.percent(30) ? random_.in(-128, 127) : random_.in(-20, 20);
  return {{scale}, {static_cast<int32_t>(zero)}, -1};
}

TensorId Generator::addTensor(DType type, Shape dims, std::optional<QuantParam> quantized) {
  Tensor t;
  t.name = graph_.uniqueName("t");
  t.type = type;
  t.shape = std::move(dims);
  if (type == DType::Int8)
    t.quant = std::move(quantized);
  return graph_.addTensor(std::move(t));
}

Port Generator::port(const Tensor& t, TensorId id, std::string name) {
  return {std::move(name), id, t.type, t.shape, {}};
}

Shape Generator::inputShape() {
  if (style_ == Style::Net)
    return netShape();
  if (style_ == Style::Sequence)
    return sequenceShape();
  if (style_ == Style::Tower)
    return {1, random_.in(12, 32), random_.in(1, 6), random_.in(1, 6)};
  const int64_t batch = random_.percent(75) ? 1 : random_.in(2, 3);
  const int64_t kind = random_.below(10);
  if (kind < 6)
    return {batch, random_.in(1, 14), random_.in(1, 14), random_.in(1, 10)};
  if (kind < 8)
    return {batch, random_.in(1, 40), random_.in(1, 12)};
  if (random_.percent(25))
    return {batch, random_.in(1, 4), random_.in(1, 6), random_.in(1, 6), random_.in(1, 6)};
  return {batch * random_.in(1, 4), random_.in(1, 60)};
}

void Generator::addInput() {
  const Shape dims = !known_.empty() && random_.percent(40) ? shape(known_[0]) : inputShape();
  const TensorId id = addTensor(type_, dims, quant());
  graph_.addInput(port(tensor(id), id, tensor(id).name));
  known_.push_back(id);
  magnitude_[id] = 1;
}

void Generator::addOutputs() {
  std::vector<TensorId> chosen = {known_.back()};
  while (chosen.size() < 5 && random_.percent(35))
    chosen.push_back(known_[static_cast<size_t>(random_.below(size(known_)))]);
  for (size_t i = 0; i < chosen.size(); ++i)
    graph_.addOutput(port(tensor(chosen[i]), chosen[i], strCat("out", i)));
}

TensorId Generator::pick() {
  const int64_t window = random_.percent(60) ? std::min<int64_t>(2, size(known_)) : size(known_);
  return known_[known_.size() - 1 - static_cast<size_t>(random_.below(window))];
}

TensorId Generator::constant(DType type, const Shape& dims, std::optional<QuantParam> quantized) {
  const auto count = static_cast<size_t>(dims.elements());
  BlobRef data;
  if (type == DType::Float32) {
    std::vector<float> values(count);
    for (float& value : values)
      value = static_cast<float>(random_.real() / 2);
    data = makeBlobOf(values);
  } else if (type == DType::Int32) {
    std::vector<int32_t> values(count);
    for (int32_t& value : values)
      value = static_cast<int32_t>(random_.in(-3000, 3000));
    data = makeBlobOf(values);
  } else {
    std::vector<int8_t> values(count);
    for (int8_t& value : values)
      value = static_cast<int8_t>(random_.in(-128, 127));
    data = makeBlobOf(values);
  }
  const TensorId id = graph_.addConstant("c", type, dims, data);
  if (quantized)
    graph_.editTensor(id).quant = std::move(quantized);
  return id;
}

TensorId Generator::orConstant(TensorId x) {
  if (!random_.percent(4))
    return x;
  const TensorId id = constant(tensor(x).type, shape(x), tensor(x).quant);
  magnitude_[id] = 1;
  return id;
}

std::optional<TensorId> Generator::add(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                                       const QuantParam& quantized, double magnitude,
                                       Activation act) {
  Op op;
  op.kind = kind;
  op.name = graph_.uniqueName("op");
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  op.act = act;
  std::vector<ResultType> results = {{DType::Int8, shape(op.input(0))}};
  if (kind != OpKind::QuantizeLinear && kind != OpKind::Requantize) {
    Expected<std::vector<ResultType>> inferred = inferResults(op, KnownValues(graph_));
    if (!inferred)
      return std::nullopt;
    results = std::move(*inferred);
  }
  const auto elements = results[0].shape.checkedElements();
  if (!elements || *elements < 1 || *elements > MaxElements || magnitude > MaxMagnitude)
    return std::nullopt;
  for (const ResultType& result : results)
    op.outputs.push_back(addTensor(result.type, result.shape, quantized));
  const TensorId id = op.outputs[0];
  const OpId added = graph_.addOp(op);
  if (!checkSupported(graph_.op(added), graph_)) {
    graph_.eraseOp(added);
    return std::nullopt;
  }
  // The second result of a GRU has no defined value.
  if (kind == OpKind::LSTM) {
    known_.push_back(op.outputs[1]);
    magnitude_[op.outputs[1]] = magnitude;
  }
  // Indices are no data.
  if (results[0].type != DType::Int64)
    known_.push_back(id);
  magnitude_[id] = magnitude;
  return id;
}

TensorId Generator::alike(TensorId x, const std::optional<QuantParam>& quantized) {
  if (isFloat(x) || tensor(x).quant == quantized)
    return x;
  return add(OpKind::Requantize, {x}, {}, *quantized, 1).value_or(x);
}

void Generator::addOp() {
  switch (style_) {
  case Style::Any:
    return addRandomOp();
  case Style::Tower:
    return addTowerOp();
  case Style::Net:
    return addNetOp();
  case Style::Sequence:
    return addSequenceOp();
  }
}

void Generator::addRandomOp() {
  using Family = void (Generator::*)(TensorId);
  struct Entry {
    Family family;
    int64_t weight;
  };
  static constexpr std::array Families = {
      Entry{&Generator::addConv, 22},         Entry{&Generator::addConvTranspose, 5},
      Entry{&Generator::addPool, 8},          Entry{&Generator::addGlobalPool, 2},
      Entry{&Generator::addReduce, 3},        Entry{&Generator::addBinary, 14},
      Entry{&Generator::addUnary, 8},         Entry{&Generator::addPerChannel, 4},
      Entry{&Generator::addNormalization, 4}, Entry{&Generator::addResize, 6},
      Entry{&Generator::addPad, 6},           Entry{&Generator::addConcat, 7},
      Entry{&Generator::addSlice, 6},         Entry{&Generator::addTranspose, 3},
      Entry{&Generator::addReshape, 4},       Entry{&Generator::addGather, 2},
      Entry{&Generator::addDense, 6},         Entry{&Generator::addProduct, 3},
      Entry{&Generator::addBorder, 3}};
  int64_t total = 0;
  for (const Entry& entry : Families)
    total += entry.weight;
  int64_t at = random_.below(total);
  const TensorId x = orConstant(pick());
  if (shape(x).rank() == 0)
    return addUnary(x);
  if (hasIndices_ && random_.percent(50))
    return addIndexed(x);
  for (const Entry& entry : Families) {
    if (at < entry.weight)
      return (this->*entry.family)(x);
    at -= entry.weight;
  }
}

void Generator::addTowerOp() {
  const TensorId x = orConstant(random_.percent(85) ? known_.back() : pick());
  const int64_t kind = random_.below(20);
  if (kind < 2)
    return addConv(x);
  if (kind < 5)
    return addBinary(x);
  if (kind < 7)
    return addUnary(x);
  AttrMap attrs;
  attrs.set("kernel_shape", std::vector<int64_t>{3, 3});
  attrs.set("strides", std::vector<int64_t>{random_.percent(10) ? 2 : 1, 1});
  attrs.set("pads", std::vector<int64_t>{1, 1, 1, 1});
  add(OpKind::MaxPool, {x}, attrs, sameQuant(x), magnitude_[x]);
}

Graph randomModel(uint64_t seed, unsigned ops) { return Generator(seed).make(ops); }

void addConstantOutput(Graph& graph, Random& random) {
  const Shape shape = {random.in(1, 9), random.in(1, 9)};
  std::vector<float> values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    values.push_back(static_cast<float>(random.real()));
  const TensorId id = graph.addConstant("anchors", DType::Float32, shape, makeBlobOf(values));
  graph.addOutput({"anchors", id, DType::Float32, shape, {}});
}

bool hasConstantOutputs(const Graph& graph) {
  return std::any_of(graph.outputs().begin(), graph.outputs().end(),
                     [&](const Port& port) { return graph.tensor(port.tensor).isConstant(); });
}

std::vector<std::vector<uint8_t>> randomInputs(const Graph& graph, uint64_t seed) {
  Random random(seed ^ 0x5DEECE66DU);
  std::vector<std::vector<uint8_t>> inputs;
  for (const Port& port : graph.inputs()) {
    const Tensor& tensor = graph.tensor(port.tensor);
    std::vector<uint8_t>& bytes = inputs.emplace_back(tensor.bytes());
    for (size_t i = 0; i < bytes.size(); i += dtypeSize(tensor.type)) {
      const auto real = static_cast<float>(random.real());
      if (tensor.type == DType::Float32)
        std::memcpy(&bytes[i], &real, sizeof real);
      else
        bytes[i] = static_cast<uint8_t>(random.below(256));
    }
  }
  return inputs;
}

} // namespace tigris::property
