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

/// Types of all results of `op`, one per entry of op.outputs and never fewer than the operator has to
/// give, so that a pass can ask before it makes the result tensors. The attribute kinds must be those
/// of Ops.def (the verifier checks). Checks attribute values, ranks and agreement of dimensions on the
/// way: DiagId::BadArity, BadShape, BadType, BadAttr, DynamicShape or UnsupportedOp name the op and both
/// numbers.
///
/// Floats give floats and quantized integers give integers of the same type; how the result is
/// quantized is the graph's business. QuantizeLinear and Requantize without a `scale` operand take the
/// parameters, and with them the type, from their result's tensor.
Expected<std::vector<ResultType>> inferResults(const Op& op, const KnownValues& values);

/// The numbers of a sliding-window operator with every default filled in, one per spatial dimension.
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  /// Begins of all dimensions, then ends; ONNX order.
  std::vector<int64_t> pads;
  /// ConvTranspose only, otherwise zeros. Holds what `output_shape` asks for beyond the windows' reach,
  /// so that these numbers alone give the result's size.
  std::vector<int64_t> outputPadding;
};

/// Window of a Conv, DepthwiseConv, Conv1D, ConvTranspose, MaxPool or AveragePool whose operands have
/// shapes. BadAttr where a list has the wrong length or a value outside its range.
Expected<Window> resolveWindow(const Op& op, const Graph& graph);

/// Resolved padding of a sliding-window operator: begins then ends, from `pads` or `auto_pad`
/// (SAME_UPPER, SAME_LOWER, VALID) and, for ConvTranspose, `output_shape`. `input` and `kernel` are the
/// spatial sizes; lists of op's attributes must have matching lengths (resolveWindow checks).
std::vector<int64_t> resolvePads(const Op& op, std::span<const int64_t> input,
                                 std::span<const int64_t> kernel);

/// What a Slice takes of one axis: `count` elements from `start`, `step` apart (negative: backward).
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

/// One range per axis of X, from a Slice's starts, ends, axes and steps in either form.
Expected<std::vector<SliceRange>> resolveSlice(const Op& op, const KnownValues& values);

/// The axis that entry `index` of a list attribute is for: that of `axes` where the operator gives one, else
/// `index` itself. BadAttr when it is outside the rank.
Expected<size_t> listedAxis(const Op& op, const std::vector<int64_t>& axes, size_t index,
                            size_t rank);

/// Elements a Pad adds before and after each axis of X (negative: removes), from its attributes.
struct AxisPads {
  std::vector<int64_t> before;
  std::vector<int64_t> after;
};
Expected<AxisPads> resolvePad(const Op& op, size_t rank);

/// Sizes along the split axis, from a Split's `split`, `num_outputs` or number of results.
Expected<std::vector<int64_t>> resolveSplit(const Op& op, const KnownValues& values);

/// Index of the channel axis, and of the first spatial axis, of an activation of this rank.
size_t channelAxis(Layout layout, size_t rank);
size_t firstSpatialAxis(Layout layout);

/// True when the tensor's value depends on constants and static shapes only, so that folding can
/// compute it.
bool isStatic(const Graph& graph, TensorId id);

/// Refuses what the shape rules understand but no kernel or pass can execute: three spatial
/// dimensions, rank above 8, tensors without elements, block-wise quantization, run-time scales, pooling
/// indices, element types no kernel computes in, compile-time operators on run-time values.
/// UnsupportedOp or UnsupportedType; the text says why and what would do. Operands and results must
/// have shapes. Asked by importers and, from stage `normalized` on, by the verifier.
Status checkSupported(const Op& op, const Graph& graph);

/// Fills type and shape of every op's results in execution order, evaluating constants of up to 4,096 elements
/// on the way so that shape computations resolve. Stated ones give way to what the operands say. They stay where
/// that is nothing: results of Unknown ops, and of arguments that are not known yet. Reports all failures; true
/// when every result has a shape.
bool inferShapes(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
