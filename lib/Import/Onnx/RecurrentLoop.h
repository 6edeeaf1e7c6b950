// Replaces a loop over a sequence by one LSTM, GRU or RNN, if its body is such a cell.
//
// The loop has been expanded, but nothing that its states need has been imported. The cell is
// recognized in the second iteration, because the states of the first one may be constants.
#pragma once

#include "tigris/Import/Onnx/NodeContext.h"
#include "tigris/Import/Onnx/RecurrentCell.h"

#include <optional>

namespace tigris {

/// How one value per iteration is joined along a new axis.
struct LoopAxis {
  int64_t axis = 0;
  bool backward = false;
};

/// What a loop computes, as values of its iterations.
struct LoopTrace {
  const onnx::GraphProto* body = nullptr;
  /// States before the first iteration.
  std::vector<ValueId> initial;
  /// The scope of each iteration, the states after it, and the values that outputs collect.
  std::vector<const Scope*> scopes;
  std::vector<std::vector<ValueId>> states;
  std::vector<std::vector<ValueId>> collected;
  std::vector<LoopAxis> axes;

  int64_t count() const { return static_cast<int64_t>(scopes.size()); }
  const std::vector<ValueId>& last() const { return states.empty() ? initial : states.back(); }
};

class RecurrentLoop {
public:
  RecurrentLoop(NodeContext& node, SourceGraph& source, NodeId id, const LoopTrace& trace)
      : node_(node), source_(source), id_(id), trace_(trace) {}

  /// The values in which a cell can be recognized; nothing if the loop is too short.
  std::vector<ValueId> probe() const;
  /// Whether there is a cell, and every output that is read is one of its states, the sequence of
  /// h, or another variable. The values of probe() have been imported.
  bool recognize();
  /// The operands of all steps, and the other variables that are read.
  std::vector<ValueId> operands() const;
  /// Whether the operands are the elements of a tensor in order. They have been imported.
  bool isSequence();
  /// Adds the ops and sets the results of the node.
  Status finish();

private:
  /// The element of a tensor along an axis.
  struct Element {
    TensorId whole;
    size_t axis = 0;
    int64_t index = 0;
  };

  TensorId tensorOf(ValueId id) const { return source_.value(source_.resolve(id)).tensor; }
  bool recognizeState(size_t h, size_t c);
  bool coversOutputs() const;
  bool isState(size_t index) const { return index == h_ || index == c_; }
  bool collectsState(size_t output) const;
  std::string nameOfOperand() const;
  std::optional<Element> elementOf(TensorId id) const;
  std::optional<int64_t> gatheredIndex(const Op& op) const;
  Expected<std::vector<TensorId>> addLayer(bool keepsSequence);
  Status finishSequence(size_t output, TensorId sequence);
  bool readsSequence() const;

  static constexpr size_t None = SIZE_MAX;
  NodeContext& node_;
  SourceGraph& source_;
  NodeId id_;
  const LoopTrace& trace_;
  RecurrentCell cell_;
  /// Indices of the states; None if the cell has no c.
  size_t h_ = None;
  size_t c_ = None;
  Element first_;
  bool backward_ = false;
};

} // namespace tigris
