// Unrolls a Loop or a Scan whose trip count is known at compile time.
//
// Every iteration becomes a copy of the body's nodes. A Loop ends after its trip count, or when its
// condition is false: the importer computes the condition of one iteration before it adds the next
// one. A loop over a sequence whose body is the cell of a recurrent layer becomes that layer
// (RecurrentLoop.h). Otherwise, the final values of carried variables are those of the last
// iteration; the outputs that collect one value per iteration become a Concat.
#pragma once

#include "tigris/Import/Onnx/RecurrentLoop.h"

#include <limits>

namespace tigris {

/// Maximum number of nodes that the unrolled loops of a model may have in all.
constexpr size_t MaxUnrolledNodes = 32768;

/// Whether the node is a Loop or a Scan.
bool isLoop(const onnx::NodeProto& node);

class LoopExpansion {
public:
  /// `node` is a Loop or a Scan whose inputs have been imported.
  LoopExpansion(NodeContext node, SourceGraph& source, NodeId id);
  LoopExpansion(const LoopExpansion&) = delete;
  LoopExpansion& operator=(const LoopExpansion&) = delete;

  /// The next step. Returns the values that must have been imported before the step after it;
  /// nothing if the results of the node exist. An error refuses the node.
  Expected<std::vector<ValueId>> next();
  /// What next() has returned last.
  const std::vector<ValueId>& needed() const { return needed_; }

private:
  Expected<std::vector<ValueId>> step();
  Status open();
  Status openLoop();
  Status openScan();
  Expected<std::vector<LoopAxis>> axes(const char* axesName, const char* directionsName,
                                       size_t count) const;
  /// Adds iterations until a condition must be imported; true if there are no more.
  Expected<bool> iterate();
  Expected<bool> continues();
  Status addIteration();
  Status addLoopArguments(std::vector<ValueId>& arguments);
  Status addElements(std::vector<ValueId>& arguments);
  /// Results that something reads, as values of the iterations.
  std::vector<ValueId> neededValues() const;
  Status finish();
  Status finishCollected(size_t output);
  bool isScan() const { return node_.opType() == "Scan"; }

  NodeContext node_;
  SourceGraph& source_;
  NodeId id_;
  const onnx::GraphProto* body_ = nullptr;
  const Scope* scope_ = nullptr;
  std::vector<ValueId> needed_;
  enum class Step : uint8_t { Start, Iterate, Probe, Operands, Collect } step_ = Step::Start;

  LoopTrace trace_;
  RecurrentLoop recurrent_{node_, source_, id_, trace_};
  /// A Loop's condition for the next iteration; invalid if there is none.
  ValueId condition_;
  int64_t limit_ = std::numeric_limits<int64_t>::max();
  /// A Scan's inputs that are taken apart, and how.
  std::vector<TensorId> sequences_;
  std::vector<LoopAxis> sequenceAxes_;
};

} // namespace tigris
