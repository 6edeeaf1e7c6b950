// From a planned graph to the bytes of a .tgrs file (runtime/include/tigris_format.h).
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <string>

namespace tigris {

struct EmitOptions {
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
/// runtime has no kernel for, OverBudget when the file is larger than the plan's flash budget.
Expected<std::string> emitPlan(const Graph& graph, const EmitOptions& options = {});

} // namespace tigris
