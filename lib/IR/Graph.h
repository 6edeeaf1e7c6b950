// The model between the tools: tensors, operators in execution order, and the model's interface.
//
// All mutation goes through this class. It keeps producers and users exact and counts a revision,
// so that a cached analysis can detect that it is stale. Tensors and ops keep their addresses and
// ids for the life of the graph. Copying is cheap: constants are shared.
#pragma once

#include "tigris/IR/Op.h"
#include "tigris/IR/Plan.h"
#include "tigris/IR/Tensor.h"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// The form of a graph: how far it has been compiled. Each form has its own legality rules
/// (IR/Verifier.h).
enum class GraphForm : uint8_t { Imported, Normalized, Planned };
std::string_view graphFormName(GraphForm form);
std::optional<GraphForm> parseGraphForm(std::string_view name);

/// Order of the dimensions of spatial, resampling and channel-wise operators: ONNX's channels
/// second, or the runtime's channels last. A property of the whole graph.
enum class Layout : uint8_t { ChannelsFirst, ChannelsLast };

/// Rounding of an int8 result if the product of accumulator and scales is not an integer.
enum class IntegerRounding : uint8_t {
  /// Once, half to even: the result of quantizing the exact real result, as ONNX specifies. The
  /// default.
  Once,
  /// Twice, like TensorFlow Lite's convolutions and additions (high half of a product, then a
  /// shift): for models whose quantizer and reference outputs are TensorFlow Lite's.
  Twice,
  /// As TensorFlow Lite Micro: twice also in dense layers, and functions, means and 16-bit sums by
  /// its integer algorithms. For models in TensorFlow Lite's own format.
  Micro,
};
std::string_view integerRoundingName(IntegerRounding rounding);
std::optional<IntegerRounding> parseIntegerRounding(std::string_view name);

/// A model input or output: its interface form and the tensor that stores it.
///
/// The interface may have another type and axis order than the stored tensor: `float32` or
/// `float16` for quantized int8 (real values at the interface), `float16` for float32, `uint8` for
/// int8 (shifted by 128), NCHW for NHWC. Stored dimension i is interface dimension perm[i]; an
/// empty perm is the identity.
///
/// An output with a `state` becomes the input of that name in the next run. Both have the same type
/// and shape and, after the pass state-align, the same stored form.
struct Port {
  std::string name;
  TensorId tensor;
  DType type = DType::Undefined;
  Shape shape;
  std::vector<int64_t> perm;
  std::string state = {};
};

class Graph {
public:
  Graph() = default;

  // --- header
  GraphForm form() const { return form_; }
  void setForm(GraphForm form);
  Layout layout() const { return layout_; }
  void setLayout(Layout layout);
  IntegerRounding rounding() const { return rounding_; }
  void setRounding(IntegerRounding rounding);
  const std::string& modelName() const { return modelName_; }
  void setModelName(std::string name);
  int opset() const { return opset_; }
  void setOpset(int opset);
  /// One entry per tool that produced or changed this graph: "tigris-norm 0.1.0 --passes=default".
  const std::vector<std::string>& history() const { return history_; }
  void addHistory(std::string entry);

  // --- tensors
  /// The name must be unused (see uniqueName).
  TensorId addTensor(Tensor tensor);
  TensorId addConstant(std::string_view nameHint, DType type, Shape shape, BlobRef data);
  const Tensor& tensor(TensorId id) const;
  /// For changes of type, shape, quantization or data; use renameTensor for the name.
  Tensor& editTensor(TensorId id);
  void renameTensor(TensorId id, std::string name);
  std::optional<TensorId> findTensor(std::string_view name) const;
  /// `base`, or `base` with a "_k" suffix, whichever no tensor or op is named yet (firstFreeName).
  std::string uniqueName(std::string_view base) const;
  /// Live tensors in order of creation.
  std::vector<TensorId> tensors() const;
  /// The op that writes the tensor; invalid for constants and model inputs.
  OpId producer(TensorId id) const;
  /// Ops that read the tensor, one entry per operand slot, in no particular order.
  const std::vector<OpId>& users(TensorId id) const;
  bool isGraphInput(TensorId id) const;
  bool isGraphOutput(TensorId id) const;
  /// Whether exactly one operand slot reads the tensor and it is not a model output.
  bool hasSingleUse(TensorId id) const;

  // --- operators
  /// Appends the op to the execution order. An empty name becomes a unique one derived from the
  /// kind.
  OpId addOp(Op op);
  OpId insertBefore(OpId position, Op op);
  OpId insertAfter(OpId position, Op op);
  const Op& op(OpId id) const;
  /// For changes of attributes, kind, activation and origin; operands and results have their own
  /// functions.
  Op& editOp(OpId id);
  /// False if the op has been erased.
  bool contains(OpId id) const;
  /// Execution order. Copy it before a loop that adds or erases ops.
  const std::vector<OpId>& order() const;
  /// Replaces the order; it must contain the same ops.
  void setOrder(std::vector<OpId> order);
  std::optional<OpId> findOp(std::string_view name) const;
  void setInput(OpId id, size_t index, TensorId tensor);
  void setInputs(OpId id, std::vector<TensorId> inputs);
  /// Replaces the op's results; the old results lose their producer.
  void setOutputs(OpId id, std::vector<TensorId> outputs);
  /// Removes the op; its results lose their producer and stay until eraseUnusedTensors().
  void eraseOp(OpId id);
  /// Replaces `from` by `to` in every operand slot and model output.
  void replaceAllUses(TensorId from, TensorId to);
  /// Removes tensors that nothing reads, writes or exposes. Returns their number.
  size_t eraseUnusedTensors();

  // --- interface
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  void addInput(Port port);
  void addOutput(Port port);
  /// Use setInputTensor and setOutputTensor to change the tensor.
  Port& editInput(size_t index);
  Port& editOutput(size_t index);
  void setInputTensor(size_t index, TensorId tensor);
  void setOutputTensor(size_t index, TensorId tensor);

  // --- plan
  const std::optional<Plan>& plan() const { return plan_; }
  void setPlan(std::optional<Plan> plan);

  /// A number that increases with every change.
  uint64_t revision() const { return revision_; }

private:
  struct TensorSlot {
    Tensor tensor;
    OpId producer;
    std::vector<OpId> users;
    /// How many model inputs and outputs name the tensor.
    uint32_t inputPorts = 0;
    uint32_t outputPorts = 0;
    bool live = true;
  };
  /// An element of the doubly linked execution order, so that inserting and erasing take constant
  /// time.
  struct OpSlot {
    Op op;
    OpId before;
    OpId after;
    bool live = true;
  };

  OpId createOp(Op op);
  void connect(OpId id);
  /// Inserts a new op after `before` in the execution order; an invalid `before` makes it the
  /// first.
  void link(OpId id, OpId before);
  void unlink(OpId id);
  void disconnectInputs(OpId id);
  void disconnectOutputs(OpId id);
  TensorSlot& slot(TensorId id);
  const TensorSlot& slot(TensorId id) const;
  void touch() { ++revision_; }

  GraphForm form_ = GraphForm::Imported;
  Layout layout_ = Layout::ChannelsFirst;
  IntegerRounding rounding_ = IntegerRounding::Once;
  std::string modelName_;
  int opset_ = 0;
  std::vector<std::string> history_;
  std::deque<TensorSlot> tensors_;
  std::deque<OpSlot> ops_;
  OpId firstOp_;
  OpId lastOp_;
  /// The linked order as an array, rebuilt on demand.
  mutable std::vector<OpId> order_;
  mutable bool orderStale_ = false;
  std::map<std::string, TensorId, std::less<>> tensorNames_;
  std::map<std::string, OpId, std::less<>> opNames_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::optional<Plan> plan_;
  uint64_t revision_ = 0;
};

} // namespace tigris
