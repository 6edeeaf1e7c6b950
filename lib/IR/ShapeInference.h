// The shapes and types operators produce: one rule per operator of Ops.def, for ONNX order and for
// channels-last order (Graph::layout()). This is the authority; no other library is asked.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tigris {

/// Values known at compile time: constants, and results computed from constants and static shapes.
class KnownValues {
public:
  explicit KnownValues(const Graph& graph) : graph_(&graph) {}
  /// Null when the value is not known.
  BlobRef find(TensorId id) const;
  void set(TensorId id, BlobRef value) { computed_[id] = std::move(value); }
  const Graph& graph() const { return *graph_; }

private:
  const Graph* graph_;
  std::map<TensorId, BlobRef> computed_;
};

/// Type and shape of one result.
struct ResultType {
  DType type = DType::Undefined;
  Shape shape;
};

/// A compile-time argument in either of its forms: the attribute `name`, or the known value of the
/// operand `name`. nullopt when the operator has neither (check the op's default); an Error when the
/// operand is there but its value is not known.
Expected<std::optional<std::vector<int64_t>>> intArgument(const Op& op, const KnownValues& values,
                                                          std::string_view name);
Expected<std::optional<std::vector<double>>> floatArgument(const Op& op, const KnownValues& values,
                                                           std::string_view name);

/// Types of all results of `op`, whose operands must have types and shapes. Checks attribute values,
/// ranks and agreement of dimensions on the way: DiagId::BadShape, BadType, BadAttr, DynamicShape or
/// UnsupportedOp name the op and both numbers.
Expected<std::vector<ResultType>> inferResults(const Op& op, const KnownValues& values);

/// Resolved padding of a sliding-window operator with `rank` spatial dimensions: begins then ends,
/// from `pads` or `auto_pad` (SAME_UPPER, SAME_LOWER, VALID). `input` and `kernel` are spatial sizes.
std::vector<int64_t> resolvePads(const Op& op, std::span<const int64_t> input,
                                 std::span<const int64_t> kernel);

/// Index of the channel axis, and of the first spatial axis, of an activation of this rank.
size_t channelAxis(Layout layout, size_t rank);
size_t firstSpatialAxis(Layout layout);

/// Fills type and shape of every op's results in execution order, evaluating small constants on the
/// way (up to 65,536 elements) so that shape computations resolve. Results of Unknown ops keep what the
/// model declared. Reports all failures; true when every tensor is resolved.
bool inferShapes(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
