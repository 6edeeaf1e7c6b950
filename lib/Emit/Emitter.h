// Converts a planned graph to the bytes of a .tgrs file (runtime/include/tigris_format.h).
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <string>

namespace tigris {

enum class Compression : uint8_t { None, Lz4 };

struct EmitOptions {
  /// Lz4: constants that LZ4 shrinks are unpacked at run time, stage by stage, to the fast memory
  /// that the plan leaves of its budget (Emit/WeightPacking.h). None: all constants are read in
  /// place.
  Compression compress = Compression::None;

  /// Records that the plan is meant to stay in memory-mapped flash. The other bytes are the same:
  /// the runtime reads weights in place, and only the firmware decides where the plan is.
  bool xip = false;
  /// Omits what only tools read: the names of tensors and ops, and the stats of the stages. Names
  /// of the model, its inputs and its outputs stay.
  bool strip = false;
  /// Tool and version, recorded in the file.
  std::string producer = "tigris";
};

/// First replays the graph's plan (checkPlan) and emits nothing if that fails. Equal graphs give
/// equal bytes. Errors: DiagId::BadPlan without a valid plan; UnsupportedOp or UnsupportedType if
/// the runtime has no kernel; OverBudget if the file exceeds the plan's flash budget. Without
/// compression, a note then states the compressed size.
Expected<std::string> emitPlan(const Graph& graph, const EmitOptions& options = {});

} // namespace tigris
