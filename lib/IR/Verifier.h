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
/// Planned: a plan whose stages cover the order exactly once, in order, and whose placements are
/// aligned, within the budget and refer to activations of the graph.
bool verifyGraph(const Graph& graph, DiagnosticEngine& diagnostics);

/// The first rule that the operator violates by itself: operand counts, attributes, activation.
Status verifyOp(const Graph& graph, const Op& op);

/// The rules that do not involve operators' results: model inputs, constants, single operators, and
/// definition of every operand. Shape inference requires them.
bool verifyOperators(const Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
