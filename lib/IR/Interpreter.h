// Runs a whole graph on the host, op by op, as a reference for passes: the outputs of a graph must
// not depend on its form. Slow and simple; shares no code with the runtime.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace tigris {

/// One list per model input or output, in the order of the ports: elements in the axis order of the
/// interface, as numbers of the interface's type (real numbers for a quantized tensor with a float
/// port).
using PortValues = std::vector<std::vector<double>>;

/// The same numbers for all graphs with the same interface: real numbers in [-1, 1), bytes over
/// their whole range, other integers and booleans 0 or 1.
PortValues randomInputs(const Graph& graph, uint64_t seed);

/// The values of the model outputs. Float operators compute in float32, like constant folding
/// (IR/ConstantEval.h). A quantized operator computes on the real values of its integers and rounds
/// the exact result once, half to even, like the DequantizeLinear and QuantizeLinear around it
/// before folding. UnsupportedOp for an operator without an evaluation rule, DynamicShape for a
/// tensor without a shape.
Expected<PortValues> interpretGraph(const Graph& graph, const PortValues& inputs);

} // namespace tigris
