// From a planned graph to the bytes of a .tgrs file (runtime/include/tigris_format.h).
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <string>

namespace tigris {

enum class Compression : uint8_t { None, Lz4 };

struct EmitOptions {
  /// Lz4: constants that LZ4 makes smaller are unpacked at run time, stage by stage, into the fast memory that
  /// the plan leaves of its budget (Emit/WeightPacking.h). None: all are read where the plan lies.
  Compression compress = Compression::None;

  /// Records that the plan is meant to stay in memory-mapped flash. The bytes are the same either way: the
  /// runtime reads weights where the plan lies, and only the firmware decides where that is.
  bool xip = false;
  /// Leaves out the names of tensors and ops; those of the model, its inputs and its outputs stay.
  bool stripNames = false;
  /// Tool and version, recorded in the file.
  std::string producer = "tigris";
};

/// The graph's plan is replayed first (checkPlan); a plan that fails is not emitted. Equal graphs give
/// equal bytes. Errors: DiagId::BadPlan without a valid plan, UnsupportedOp or UnsupportedType for what the
/// runtime has no kernel for, OverBudget when the file is larger than the plan's flash budget; without
/// compression a note says what that would give.
Expected<std::string> emitPlan(const Graph& graph, const EmitOptions& options = {});

} // namespace tigris
