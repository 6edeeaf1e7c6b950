// LSTM, GRU and RNN: derives ONNX's layouts and its three results from the single form of the
// kernels.
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <algorithm>
#include <cctype>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Names of the activations in lower case; empty if the node uses the defaults.
std::vector<std::string> activationsOf(const NodeContext& node) {
  std::vector<std::string> names;
  if (const onnx::AttributeProto* given = node.findAttr("activations"))
    for (const std::string& name : given->strings())
      names.push_back(lower(name));
  return names;
}

/// Every sequence must have all steps, because kernels run a fixed number of steps.
Status checkLengths(const NodeContext& node, TensorId lengths, int64_t steps) {
  if (!lengths)
    return {};
  const BlobRef known = node.valueOf(lengths);
  if (known == nullptr)
    return node.unsupported("'sequence_lens' is computed at run time; omit it");
  for (const int64_t length : loadElements<int64_t>(*known, node.tensor(lengths).type))
    if (length != steps)
      return node.unsupported("'sequence_lens' contains ", length, ", but the sequences have ",
                              steps, " steps; only whole sequences are supported");
  return {};
}

/// Requires that an attribute has its default value, which the kernels implement.
Status checkZero(const NodeContext& node, const char* name) {
  Expected<int64_t> value = node.intAttr(name, 0);
  if (!value)
    return value.takeError();
  if (*value != 0)
    return node.unsupported("'", name, "' is ", *value, ", only 0 is supported");
  return {};
}

/// Attributes of the op; the sizes of the layer are those of its weights.
Expected<AttrMap> layerAttrs(const NodeContext& node, OpKind kind) {
  AttrMap attrs;
  Expected<std::string> direction = node.stringAttr("direction", "forward");
  if (!direction)
    return direction.takeError();
  attrs.set("direction", *direction);
  if (node.hasAttr("clip")) {
    Expected<double> clip = node.floatAttr("clip", 0);
    if (!clip)
      return clip.takeError();
    if (!(*clip > 0))
      return node.refuse(DiagId::BadAttr, "'clip' is ", *clip, ", expected more than 0");
    attrs.set("clip", *clip);
  }
  if (Status status = checkZero(node, "input_forget"); !status)
    return status.takeError();
  Expected<int64_t> resetLast = node.intAttr("linear_before_reset", 0);
  if (!resetLast)
    return resetLast.takeError();
  if (kind == OpKind::GRU)
    attrs.set("linear_before_reset", *resetLast);

  std::vector<std::string> expected = {"sigmoid", "tanh", "tanh"};
  if (kind == OpKind::GRU)
    expected = {"sigmoid", "tanh"};
  const std::vector<std::string> given = activationsOf(node);
  if (kind == OpKind::RNN) {
    const std::string first = given.empty() ? "tanh" : given[0];
    if ((first != "tanh" && first != "relu") ||
        std::any_of(given.begin(), given.end(), [&](const auto& a) { return a != first; }))
      return node.unsupported("its activations are ", join(given, ", "),
                              "; all Tanh or all Relu are supported");
    attrs.set("activation", std::string(first == "relu" ? "Relu" : "Tanh"));
    return attrs;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] != expected[i % expected.size()])
      return node.unsupported("its activations are ", join(given, ", "), "; only ",
                              join(expected, ", "), " are supported");
  return attrs;
}

class Layer {
public:
  Layer(NodeContext& node, OpKind kind) : node_(node), chain_(node), kind_(kind) {}

  Status import() {
    for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
      if (!node_.input(i) || node_.tensor(node_.input(i)).shape.rank() != 3)
        return node_.refuse(DiagId::BadShape, "input ", i, " must have rank 3");
    Expected<int64_t> layout = node_.intAttr("layout", 0);
    if (!layout)
      return layout.takeError();
    if (*layout != 0 && *layout != 1)
      return node_.refuse(DiagId::BadAttr, "'layout' is ", *layout, ", expected 0 or 1");
    batchFirst_ = *layout == 1;
    const Shape& x = node_.tensor(node_.input(0)).shape;
    steps_ = x[batchFirst_ ? 1 : 0];
    if (steps_ < 1)
      return node_.refuse(DiagId::BadShape, "its sequence has ", steps_, " steps");
    hidden_ = node_.tensor(node_.input(2)).shape[2];
    Expected<int64_t> hidden = node_.intAttr("hidden_size", hidden_);
    if (!hidden)
      return hidden.takeError();
    if (*hidden != hidden_)
      return node_.refuse(DiagId::BadAttr, "'hidden_size' is ", *hidden, ", but R has ", hidden_);
    if (Status status = checkLengths(node_, node_.input(4), steps_); !status)
      return status;
    Expected<AttrMap> attrs = layerAttrs(node_, kind_);
    if (!attrs)
      return attrs.takeError();
    direction_ = attrs->getString("direction");
    // If the sequence is not needed, two rows are enough: those of the previous and the current
    // step.
    if (!node_.outputUsed(0) && steps_ > 2)
      attrs->set("rows", int64_t{2});
    rows_ = attrs->getInt("rows", steps_);
    return makeResults(std::move(*attrs));
  }

private:
  TensorId state(size_t index, std::string_view suffix) {
    const TensorId given = node_.input(index);
    return given && batchFirst_ ? chain_.transpose(suffix, given, {1, 0, 2}) : given;
  }

  Status makeResults(AttrMap attrs) {
    TensorId x = node_.input(0);
    if (batchFirst_)
      x = chain_.transpose("steps_first", x, {1, 0, 2});
    std::vector<TensorId> inputs = {x, node_.input(1), node_.input(2), node_.input(3),
                                    state(5, "first_h")};
    if (kind_ == OpKind::LSTM) {
      inputs.push_back(state(6, "first_c"));
      inputs.push_back(node_.input(7));
    }
    if (chain_.failed())
      return chain_.status();
    while (!inputs.back())
      inputs.pop_back();
    Expected<std::vector<TensorId>> results = node_.steps(
        "layer", kind_, std::move(inputs), std::move(attrs), kind_ == OpKind::RNN ? 1 : 2);
    if (!results)
      return results.takeError();
    if (node_.outputUsed(0))
      if (Status status = finishSequence(results->front()); !status)
        return status;
    if (node_.outputUsed(1))
      if (Status status = finishState(1, lastState(results->front())); !status)
        return status;
    if (kind_ == OpKind::LSTM && node_.outputUsed(2))
      return finishState(2, results->back());
    return {};
  }

  Status finishSequence(TensorId y) {
    if (!batchFirst_)
      return chain_.finishOutput(0, OpKind::Identity, {y});
    return chain_.finishOutput(0, OpKind::Transpose, {y}, {{"perm", Ints{2, 0, 1, 3}}});
  }

  /// Extracts [directions, batch, hidden] from [rows, directions, batch, hidden].
  TensorId lastState(TensorId y) {
    const Shape shape = node_.tensor(y).shape;
    const int64_t last = (steps_ - 1) % rows_;
    TensorId row;
    if (direction_ == "forward") {
      row = chain_.slice("last", y, 0, last, last + 1);
    } else if (direction_ == "reverse") {
      row = chain_.slice("last", y, 0, 0, 1);
    } else {
      const TensorId there = chain_.slice("last", y, 0, last, last + 1);
      const TensorId back = chain_.slice("first", y, 0, 0, 1);
      row = chain_.op("ends", OpKind::Concat,
                      {chain_.slice("last_forward", there, 1, 0, 1),
                       chain_.slice("last_reverse", back, 1, 1, 2)},
                      {{"axis", int64_t{1}}});
    }
    return chain_.reshape("state", row, {shape[1], shape[2], shape[3]});
  }

  Status finishState(size_t index, TensorId state) {
    if (!batchFirst_)
      return chain_.finishOutput(index, OpKind::Identity, {state});
    return chain_.finishOutput(index, OpKind::Transpose, {state}, {{"perm", Ints{1, 0, 2}}});
  }

  NodeContext& node_;
  Chain chain_;
  OpKind kind_;
  bool batchFirst_ = false;
  int64_t steps_ = 0;
  int64_t hidden_ = 0;
  int64_t rows_ = 0;
  std::string direction_;
};

Status lstm(NodeContext& node) { return Layer(node, OpKind::LSTM).import(); }
Status gru(NodeContext& node) { return Layer(node, OpKind::GRU).import(); }
Status rnn(NodeContext& node) { return Layer(node, OpKind::RNN).import(); }

} // namespace

const RuleTable& recurrentRules() {
  static const RuleTable Rules = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};
  return Rules;
}

} // namespace tigris
