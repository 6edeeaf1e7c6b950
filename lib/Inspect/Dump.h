// Text and Graphviz output of tigris-dump for modules and plan files.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

/// The parts printed after the overview.
struct DumpOptions {
  bool stages = false; ///< loads, stores and operators of each stage
  bool memory = false; ///< every address with the range of ops in which it is in use
  bool ops = false;    ///< every operator with the shapes and addresses of its operands
};

std::string dumpPlan(const PlanFile& file, const DumpOptions& options);
std::string dumpGraph(const Graph& graph, const DumpOptions& options);

/// The operators as Graphviz text: a box per operator, an ellipse per model input and output, an
/// edge per use of a tensor with its bytes, and a cluster per stage if the graph is planned. Equal
/// graphs give equal bytes.
std::string dotOf(const Graph& graph);

/// Every byte of a plan file with its offset, record, field and value. Prints a damaged file as far
/// as its parts can be identified; PlanFile::open reports the damage.
std::string hexDump(std::string_view bytes);

/// "3.1 KiB (3172 bytes)"; plain "512 bytes" below 1 KiB.
std::string describeBytes(uint64_t bytes);

} // namespace tigris
