// Human-readable text of streams and plan files: what tigris-dump prints.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

/// Which parts follow the overview.
struct DumpOptions {
  bool stages = false; ///< what each stage moves and runs
  bool memory = false; ///< every address with the ops between which it is in use
  bool ops = false;    ///< every operator with its operands' shapes and places
};

std::string dumpPlan(const PlanFile& file, const DumpOptions& options);
std::string dumpGraph(const Graph& graph, const DumpOptions& options);

/// A line per stage of a planned graph: mode, tiles, halo, peak, traffic, recomputed work.
std::string stageTable(const Graph& graph);

/// Every byte of a plan file with its offset, the record and field it belongs to, and its value. Shows a damaged
/// file as far as its parts can be told apart; PlanFile::open says what is wrong with it.
std::string hexDump(std::string_view bytes);

/// "3.1 KiB (3172 bytes)"; plain "512 bytes" below 1 KiB.
std::string describeBytes(uint64_t bytes);

} // namespace tigris
