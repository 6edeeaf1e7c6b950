// Says whether a graph is legal for its stage. Runs after every reader, importer and pass.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Reports every rule the graph breaks; true when there was none.
///
/// Always: ops know their kind's operand counts, attributes and attribute kinds; every operand is a
/// constant, a model input or the result of an earlier op; constants hold exactly their shape's bytes;
/// quantization has one scale and zero point, or one per index of its axis, scales finite and positive, zero
/// points inside the type; ports agree with their tensors.
/// Where the operands' shapes are known: types and shapes equal what shape inference derives.
/// From `normalized` on: no Unknown and no Compile operator, no compile-time operand left, nothing
/// checkSupported refuses, no more tensors than a plan holds and none too large (IR/FormatLimits.h), every shape and type known, int8 activations quantized, alike where bytes are only moved, channels last.
/// `planned`: additionally a plan whose stages cover the order exactly once, in order, and whose
/// placements are aligned, inside the budget and name activations of the graph.
bool verifyGraph(const Graph& graph, DiagnosticEngine& diagnostics);

/// The first rule that one operator of the graph breaks by itself: operand counts, attributes, activation.
Status verifyOp(const Graph& graph, const Op& op);

/// The part of these rules that asks nothing of operators' results: model inputs, constants, operators by
/// themselves, and that every operand is defined. What shape inference can rely on.
bool verifyOperators(const Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
