// The parts of the verifier, by subject. Internal.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"

namespace tigris::verify {

/// Shape, type, data and quantization of every tensor.
void checkTensors(const Graph& graph, DiagnosticEngine& diagnostics);
/// The same checks for tensors that no operator writes.
void checkSources(const Graph& graph, DiagnosticEngine& diagnostics);
/// Model inputs and outputs against their tensors.
void checkPorts(const Graph& graph, DiagnosticEngine& diagnostics);
/// Operand counts, attributes and fused activation.
void checkOp(const Graph& graph, const Op& op, DiagnosticEngine& diagnostics);
/// Every operand is defined before it is read.
void checkOrder(const Graph& graph, DiagnosticEngine& diagnostics);
/// The plan of a planned graph.
void checkPlan(const Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris::verify
