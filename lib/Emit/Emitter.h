// Converts a planned graph to the bytes of a .tgrs file (runtime/include/tigris_format.h).
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>
#include <string>

namespace tigris {

struct EmitOptions {
  /// Lz4: constants that LZ4 shrinks are unpacked at run time, stage by stage, to the fast memory
  /// that the plan leaves of its budget (Emit/WeightPacking.h). Default: what the plan says.
  std::optional<Compression> compress;

  /// Records that the plan is meant to stay in memory-mapped flash, and promises that no constant
  /// is copied. The other bytes are the same: only the firmware decides where the plan is.
  bool xip = false;
  /// Receives the bytes of WEIGHTS, which the file then does not contain. For plans that copy their
  /// weights.
  std::string* weightsFile = nullptr;
  /// Omits what only tools read: the names of tensors and ops, and the figures of the plan and its
  /// stages. Names of the model, its inputs and its outputs stay.
  bool strip = false;
  /// Tool and version, recorded in the file.
  std::string producer = "tigris";
};

/// First replays the graph's plan (checkPlan) and emits nothing if that fails. Equal graphs give
/// equal bytes. Errors: DiagId::BadPlan without a valid plan; UnsupportedOp or UnsupportedType if
/// the runtime has no kernel; OverBudget if the file exceeds the plan's flash budget. Without
/// compression, a note then states the compressed size. OverBudget also if the plan copies its
/// weights and leaves too little fast memory for those of an op. Usage for `xip` or `weightsFile`
/// with a plan of the other kind.
Expected<std::string> emitPlan(const Graph& graph, const EmitOptions& options = {});

/// The bytes that the constants of each op take in fast memory when they are copied, each rounded
/// up to the alignment; 0 for ops without constants. The graph has a plan; which one matters only
/// for the ops that it turns into views.
Expected<std::map<OpId, uint64_t>> opWeightBytes(const Graph& graph);

} // namespace tigris
