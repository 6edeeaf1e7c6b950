// Keeps producers, users and names consistent with every change.
#include "tigris/IR/Graph.h"

#include "tigris/Support/FreeName.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tigris {

namespace {

constexpr std::array<std::string_view, 3> FormNames = {"imported", "normalized", "planned"};
constexpr std::array<std::string_view, 3> RoundingNames = {"once", "twice", "micro"};
constexpr std::array<std::string_view, 3> IoModeNames = {"slow", "caller", "arena"};
constexpr std::array<std::string_view, 2> WeightMemoryNames = {"map", "copy"};
constexpr std::array<std::string_view, 2> CompressionNames = {"none", "lz4"};
constexpr std::array<std::string_view, 4> StageModeNames = {"whole", "direct", "tiled", "streamed"};

template <typename Enum, size_t N>
std::optional<Enum> parseEnum(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

void dropTrailingAbsent(std::vector<TensorId>& operands) {
  while (!operands.empty() && !operands.back())
    operands.pop_back();
}

/// Erases the only entry of `id`. It is usually near one of the ends, because passes visit the ops
/// in order.
void eraseUse(std::vector<OpId>& users, OpId id) {
  for (size_t begin = 0, end = users.size(); begin < end; ++begin)
    for (const size_t at : {--end, begin})
      if (users[at] == id) {
        users.erase(users.begin() + static_cast<std::ptrdiff_t>(at));
        return;
      }
  TIGRIS_UNREACHABLE("an op that does not use its operand");
}

} // namespace

std::string_view graphFormName(GraphForm form) { return FormNames[static_cast<size_t>(form)]; }
std::optional<GraphForm> parseGraphForm(std::string_view name) {
  return parseEnum<GraphForm>(FormNames, name);
}
std::string_view integerRoundingName(IntegerRounding rounding) {
  return RoundingNames[static_cast<size_t>(rounding)];
}
std::optional<IntegerRounding> parseIntegerRounding(std::string_view name) {
  return parseEnum<IntegerRounding>(RoundingNames, name);
}
std::string_view ioModeName(IoMode mode) { return IoModeNames[static_cast<size_t>(mode)]; }
std::optional<IoMode> parseIoMode(std::string_view name) {
  return parseEnum<IoMode>(IoModeNames, name);
}
std::string_view weightMemoryName(WeightMemory memory) {
  return WeightMemoryNames[static_cast<size_t>(memory)];
}
std::optional<WeightMemory> parseWeightMemory(std::string_view name) {
  return parseEnum<WeightMemory>(WeightMemoryNames, name);
}
std::string_view compressionName(Compression compression) {
  return CompressionNames[static_cast<size_t>(compression)];
}
std::optional<Compression> parseCompression(std::string_view name) {
  return parseEnum<Compression>(CompressionNames, name);
}
std::string_view stageModeName(StageMode mode) { return StageModeNames[static_cast<size_t>(mode)]; }
std::optional<StageMode> parseStageMode(std::string_view name) {
  return parseEnum<StageMode>(StageModeNames, name);
}

void Graph::setForm(GraphForm form) {
  form_ = form;
  touch();
}
void Graph::setLayout(Layout layout) {
  layout_ = layout;
  touch();
}
void Graph::setRounding(IntegerRounding rounding) {
  rounding_ = rounding;
  touch();
}
void Graph::setModelName(std::string name) {
  modelName_ = std::move(name);
  touch();
}
void Graph::setOpset(int opset) {
  opset_ = opset;
  touch();
}
void Graph::addHistory(std::string entry) {
  history_.push_back(std::move(entry));
  touch();
}
void Graph::setPlan(std::optional<Plan> plan) {
  plan_ = std::move(plan);
  touch();
}

// --- tensors

Graph::TensorSlot& Graph::slot(TensorId id) {
  TIGRIS_CHECK(id && id.index() < tensors_.size() && tensors_[id.index()].live);
  return tensors_[id.index()];
}
const Graph::TensorSlot& Graph::slot(TensorId id) const {
  TIGRIS_CHECK(id && id.index() < tensors_.size() && tensors_[id.index()].live);
  return tensors_[id.index()];
}

TensorId Graph::addTensor(Tensor tensor) {
  const TensorId id(static_cast<uint32_t>(tensors_.size()));
  const bool inserted = tensorNames_.emplace(tensor.name, id).second;
  TIGRIS_CHECK_MSG(inserted, strCat("tensor '", tensor.name, "' exists already"));
  tensors_.push_back({std::move(tensor), OpId(), {}, 0, 0, true});
  touch();
  return id;
}

TensorId Graph::addConstant(std::string_view nameHint, DType type, Shape shape, BlobRef data) {
  Tensor tensor;
  tensor.name = uniqueName(nameHint);
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.data = std::move(data);
  TIGRIS_CHECK(tensor.data != nullptr && tensor.data->size() == tensor.bytes());
  return addTensor(std::move(tensor));
}

const Tensor& Graph::tensor(TensorId id) const { return slot(id).tensor; }
Tensor& Graph::editTensor(TensorId id) {
  touch();
  return slot(id).tensor;
}

void Graph::renameTensor(TensorId id, std::string name) {
  Tensor& tensor = slot(id).tensor;
  if (tensor.name == name)
    return;
  const bool inserted = tensorNames_.emplace(name, id).second;
  TIGRIS_CHECK_MSG(inserted, strCat("tensor '", name, "' exists already"));
  tensorNames_.erase(tensor.name);
  tensor.name = std::move(name);
  touch();
}

std::optional<TensorId> Graph::findTensor(std::string_view name) const {
  const auto found = tensorNames_.find(name);
  return found == tensorNames_.end() ? std::nullopt : std::optional(found->second);
}

std::string Graph::uniqueName(std::string_view base) const {
  return firstFreeName(base, [this](const std::string& name) {
    return tensorNames_.count(name) != 0 || opNames_.count(name) != 0;
  });
}

std::vector<TensorId> Graph::tensors() const {
  std::vector<TensorId> ids;
  for (uint32_t i = 0; i < tensors_.size(); ++i)
    if (tensors_[i].live)
      ids.emplace_back(i);
  return ids;
}

OpId Graph::producer(TensorId id) const { return slot(id).producer; }
const std::vector<OpId>& Graph::users(TensorId id) const { return slot(id).users; }

bool Graph::isGraphInput(TensorId id) const { return id && slot(id).inputPorts > 0; }
bool Graph::isGraphOutput(TensorId id) const { return id && slot(id).outputPorts > 0; }
bool Graph::hasSingleUse(TensorId id) const { return users(id).size() == 1 && !isGraphOutput(id); }

// --- operators

OpId Graph::createOp(Op op) {
  if (op.name.empty())
    op.name = uniqueName(op.kindName());
  const OpId id(static_cast<uint32_t>(ops_.size()));
  const bool inserted = opNames_.emplace(op.name, id).second;
  TIGRIS_CHECK_MSG(inserted, strCat("op '", op.name, "' exists already"));
  dropTrailingAbsent(op.inputs);
  dropTrailingAbsent(op.outputs);
  ops_.push_back({std::move(op), OpId(), OpId(), true});
  connect(id);
  touch();
  return id;
}

void Graph::connect(OpId id) {
  const Op& op = ops_[id.index()].op;
  for (const TensorId input : op.inputs)
    if (input)
      slot(input).users.push_back(id);
  for (const TensorId output : op.outputs)
    if (output) {
      TensorSlot& result = slot(output);
      TIGRIS_CHECK_MSG(!result.producer,
                       strCat("tensor '", result.tensor.name, "' has a producer"));
      result.producer = id;
    }
}

void Graph::disconnectInputs(OpId id) {
  std::vector<TensorId> inputs = ops_[id.index()].op.inputs;
  std::sort(inputs.begin(), inputs.end());
  for (auto at = inputs.begin(); at != inputs.end();) {
    const auto next = std::upper_bound(at, inputs.end(), *at);
    if (*at && next - at == 1)
      eraseUse(slot(*at).users, id);
    else if (*at)
      std::erase(slot(*at).users, id);
    at = next;
  }
}

void Graph::disconnectOutputs(OpId id) {
  for (const TensorId output : ops_[id.index()].op.outputs)
    if (output)
      slot(output).producer = OpId();
}

void Graph::link(OpId id, OpId before) {
  OpSlot& added = ops_[id.index()];
  OpId& behind = before ? ops_[before.index()].after : firstOp_;
  added.before = before;
  added.after = behind;
  (behind ? ops_[behind.index()].before : lastOp_) = id;
  behind = id;
  // Most ops are appended; `order_` then stays valid and grows by one entry.
  if (added.after)
    orderStale_ = true;
  else if (!orderStale_)
    order_.push_back(id);
}

void Graph::unlink(OpId id) {
  const OpSlot& removed = ops_[id.index()];
  (removed.before ? ops_[removed.before.index()].after : firstOp_) = removed.after;
  (removed.after ? ops_[removed.after.index()].before : lastOp_) = removed.before;
  orderStale_ = true;
}

const std::vector<OpId>& Graph::order() const {
  if (orderStale_) {
    order_.clear();
    for (OpId id = firstOp_; id; id = ops_[id.index()].after)
      order_.push_back(id);
    orderStale_ = false;
  }
  return order_;
}

OpId Graph::addOp(Op op) {
  const OpId id = createOp(std::move(op));
  link(id, lastOp_);
  return id;
}

OpId Graph::insertBefore(OpId position, Op op) {
  TIGRIS_CHECK(contains(position));
  const OpId id = createOp(std::move(op));
  link(id, ops_[position.index()].before);
  return id;
}

OpId Graph::insertAfter(OpId position, Op op) {
  TIGRIS_CHECK(contains(position));
  const OpId id = createOp(std::move(op));
  link(id, position);
  return id;
}

bool Graph::contains(OpId id) const {
  return id && id.index() < ops_.size() && ops_[id.index()].live;
}

const Op& Graph::op(OpId id) const {
  TIGRIS_CHECK(contains(id));
  return ops_[id.index()].op;
}
Op& Graph::editOp(OpId id) {
  TIGRIS_CHECK(contains(id));
  touch();
  return ops_[id.index()].op;
}

void Graph::setOrder(std::vector<OpId> order) {
  std::vector<OpId> given = order;
  std::vector<OpId> present = this->order();
  std::sort(given.begin(), given.end());
  std::sort(present.begin(), present.end());
  TIGRIS_CHECK(given == present);
  firstOp_ = lastOp_ = OpId();
  orderStale_ = true;
  for (const OpId id : order)
    link(id, lastOp_);
  order_ = std::move(order);
  orderStale_ = false;
  touch();
}

std::optional<OpId> Graph::findOp(std::string_view name) const {
  const auto found = opNames_.find(name);
  return found == opNames_.end() ? std::nullopt : std::optional(found->second);
}

void Graph::setInput(OpId id, size_t index, TensorId tensor) {
  std::vector<TensorId> inputs = op(id).inputs;
  if (index >= inputs.size())
    inputs.resize(index + 1);
  inputs[index] = tensor;
  setInputs(id, std::move(inputs));
}

void Graph::setInputs(OpId id, std::vector<TensorId> inputs) {
  TIGRIS_CHECK(contains(id));
  disconnectInputs(id);
  dropTrailingAbsent(inputs);
  ops_[id.index()].op.inputs = std::move(inputs);
  for (const TensorId input : ops_[id.index()].op.inputs)
    if (input)
      slot(input).users.push_back(id);
  touch();
}

void Graph::setOutputs(OpId id, std::vector<TensorId> outputs) {
  TIGRIS_CHECK(contains(id));
  disconnectOutputs(id);
  dropTrailingAbsent(outputs);
  ops_[id.index()].op.outputs = std::move(outputs);
  for (const TensorId output : ops_[id.index()].op.outputs)
    if (output) {
      TIGRIS_CHECK(!slot(output).producer);
      slot(output).producer = id;
    }
  touch();
}

void Graph::eraseOp(OpId id) {
  TIGRIS_CHECK(contains(id));
  unlink(id);
  disconnectInputs(id);
  disconnectOutputs(id);
  opNames_.erase(ops_[id.index()].op.name);
  ops_[id.index()] = {Op(), OpId(), OpId(), false};
  touch();
}

void Graph::replaceAllUses(TensorId from, TensorId to) {
  if (from == to)
    return;
  const std::vector<OpId> users = std::exchange(slot(from).users, {});
  OpId last;
  for (const OpId user : users) {
    std::vector<TensorId>& inputs = ops_[user.index()].op.inputs;
    if (user != last) // the slots of one op are usually adjacent
      std::replace(inputs.begin(), inputs.end(), from, to);
    slot(to).users.push_back(user);
    last = user;
  }
  if (isGraphOutput(from))
    for (size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i].tensor == from)
        setOutputTensor(i, to);
  touch();
}

size_t Graph::eraseUnusedTensors() {
  size_t erased = 0;
  for (uint32_t i = 0; i < tensors_.size(); ++i) {
    TensorSlot& candidate = tensors_[i];
    if (!candidate.live || candidate.inputPorts > 0 || candidate.outputPorts > 0 ||
        candidate.producer || !candidate.users.empty())
      continue;
    tensorNames_.erase(candidate.tensor.name);
    candidate.tensor = Tensor();
    candidate.live = false;
    ++erased;
  }
  if (erased > 0)
    touch();
  return erased;
}

// --- interface

void Graph::addInput(Port port) {
  ++slot(port.tensor).inputPorts;
  inputs_.push_back(std::move(port));
  touch();
}
void Graph::addOutput(Port port) {
  ++slot(port.tensor).outputPorts;
  outputs_.push_back(std::move(port));
  touch();
}
Port& Graph::editInput(size_t index) {
  touch();
  return inputs_.at(index);
}
Port& Graph::editOutput(size_t index) {
  touch();
  return outputs_.at(index);
}
void Graph::setInputTensor(size_t index, TensorId tensor) {
  ++slot(tensor).inputPorts;
  --slot(inputs_.at(index).tensor).inputPorts;
  editInput(index).tensor = tensor;
}
void Graph::setOutputTensor(size_t index, TensorId tensor) {
  ++slot(tensor).outputPorts;
  --slot(outputs_.at(index).tensor).outputPorts;
  editOutput(index).tensor = tensor;
}

} // namespace tigris
