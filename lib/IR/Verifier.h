// Checks whether a graph is legal for its form. Runs after every reader, importer and pass.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Reports every rule that the graph violates; returns whether there was no violation.
///
/// All forms: ops have operand counts, attributes and attribute kinds of their kind; every operand
/// is a constant, a model input or the result of an earlier op; constants have exactly the bytes of
/// their shape; quantization has one scale and zero point, or one per index of its axis, with
/// finite positive scales and zero points in the type's range; ports agree with their tensors.
/// Where the operands' shapes are known, types and shapes equal those of shape inference.
///
/// Normalized and planned: no Unknown and no Compile operator, no compile-time operand, nothing
/// that checkSupported rejects, at most as many tensors as a plan can hold and none too large
/// (IR/FormatLimits.h), all shapes and types known, int8 activations quantized (equally, where
/// bytes are only moved), channels last.
///
/// Planned: a plan that satisfies verifyPlan.
bool verifyGraph(const Graph& graph, DiagnosticEngine& diagnostics);

/// The first structural rule that the plan of a planned graph violates (DiagId::BadPlan):
///  - the stages cover the order exactly once, in order;
///  - every offset is a multiple of the alignment, and every byte is within its budget: in fast
///    memory without the kernels' scratch, in slow memory only if there is some;
///  - placements and buffers refer to activations of the graph, each at most once per stage and
///    memory;
///  - tiled and streamed stages have counts and ranks in range;
///  - the peak of a stage is the end of its last byte;
///  - loads and spills have a location in both memories, and whatever an op touches has one, unless
///    it is the caller's.
Status verifyPlan(const Graph& graph);

/// The first rule that the operator violates by itself: operand counts, attributes, activation.
Status verifyOp(const Graph& graph, const Op& op);

/// The rules that do not involve operators' results: model inputs, constants, single operators, and
/// definition of every operand. Shape inference requires them.
bool verifyOperators(const Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
