// Runs a whole graph on the host, op by op, as a yardstick for passes: what a graph computes must not
// depend on how far it has been normalized. Slow and simple; the runtime shares no code with it.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace tigris {

/// One list per model input or output, in the order of the ports: elements in the axis order of the
/// interface, as numbers of the interface's type (reals for a quantized tensor behind a float port).
using PortValues = std::vector<std::vector<double>>;

/// The same numbers for every graph with the same interface: reals in [-1, 1), bytes over their whole range,
/// other integers and booleans 0 or 1.
PortValues randomInputs(const Graph& graph, uint64_t seed);

/// Values of the model outputs. Float operators compute in float32, as constant folding does
/// (IR/ConstantEval.h). A quantized operator computes on the reals its integers stand for and rounds the
/// exact result once, half to even: what the DequantizeLinear and QuantizeLinear around it said before
/// they were folded. UnsupportedOp for an operator without an evaluation rule, DynamicShape for a
/// tensor without a shape.
Expected<PortValues> interpretGraph(const Graph& graph, const PortValues& inputs);

} // namespace tigris
