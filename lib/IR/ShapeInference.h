// Shapes and types of operators' results: one rule per operator of Ops.def, for ONNX order and for
// channels-last order (Graph::layout()). No other library infers shapes.
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
  /// Null if the value is unknown.
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
/// operand `name`. nullopt if the op has neither (apply the operator's default); an Error if the
/// operand exists but its value is unknown.
Expected<std::optional<std::vector<int64_t>>> intArgument(const Op& op, const KnownValues& values,
                                                          std::string_view name);
Expected<std::optional<std::vector<double>>> floatArgument(const Op& op, const KnownValues& values,
                                                           std::string_view name);

/// Types of all results of `op`: one per entry of op.outputs and at least as many as the operator
/// must have, so that a pass can call this before it creates the result tensors. The attribute
/// kinds must be those of Ops.def (the verifier checks them). Also checks attribute values, ranks
/// and matching dimensions: DiagId::BadArity, BadShape, BadType, BadAttr, DynamicShape or
/// UnsupportedOp; messages name the op and both numbers.
///
/// Float operands produce float results, and quantized integers produce integers of the same type;
/// the quantization of results is part of the graph. QuantizeLinear and Requantize without a
/// `scale` operand take parameters and type from their result tensor.
Expected<std::vector<ResultType>> inferResults(const Op& op, const KnownValues& values);

/// The parameters of a sliding-window operator with all defaults applied, one per spatial
/// dimension.
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  /// Begins of all dimensions, then ends, in ONNX order.
  std::vector<int64_t> pads;
  /// ConvTranspose only, otherwise zeros. Includes what `output_shape` requires beyond the windows,
  /// so that these numbers determine the result's size.
  std::vector<int64_t> outputPadding;
};

/// Window of a Conv, DepthwiseConv, Conv1D, ConvTranspose, MaxPool or AveragePool whose operands
/// have shapes. BadAttr if a list has the wrong length or a value is out of range.
Expected<Window> resolveWindow(const Op& op, const Graph& graph);

/// Padding of a sliding-window operator: begins, then ends, from `pads` or `auto_pad` (SAME_UPPER,
/// SAME_LOWER, VALID) and, for ConvTranspose, `output_shape`. `input` and `kernel` are the spatial
/// sizes. Lists in the op's attributes must have matching lengths (resolveWindow checks this).
std::vector<int64_t> resolvePads(const Op& op, std::span<const int64_t> input,
                                 std::span<const int64_t> kernel);

/// The part of one axis that a Slice selects: `count` elements from `start`, `step` apart
/// (negative: backward).
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

/// One range per axis of X, from a Slice's starts, ends, axes and steps in either form.
Expected<std::vector<SliceRange>> resolveSlice(const Op& op, const KnownValues& values);

/// The axis of entry `index` of a list attribute: that of `axes` if given, otherwise `index`.
/// BadAttr if it is outside the rank.
Expected<size_t> listedAxis(const Op& op, const std::vector<int64_t>& axes, size_t index,
                            size_t rank);

/// Elements that a Pad adds before and after each axis of X (negative: removes), from its
/// attributes.
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

/// Whether the tensor's value depends only on constants and static shapes, so that folding can
/// compute it.
bool isStatic(const Graph& graph, TensorId id);

/// Fails for ops that have shapes but that no kernel or pass can execute: three spatial dimensions,
/// rank above 8, tensors without elements, block-wise quantization, run-time scales, pooling
/// indices, element types without kernels, compile-time operators on run-time values. UnsupportedOp
/// or UnsupportedType; the message gives the reason and an alternative. Operands and results must
/// have shapes. Called by importers and, from the normalized form on, by the verifier.
Status checkSupported(const Op& op, const Graph& graph);

/// Sets type and shape of every op's results in execution order. Evaluates constants of up to 4,096
/// elements, so that shape computations resolve. Declared types and shapes are replaced by inferred
/// ones; they stay if nothing can be inferred: results of Unknown ops, and of arguments that are
/// not known yet. Reports all errors; returns whether every result has a shape.
bool inferShapes(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
