// Runs an emitted plan in memories of exactly the sizes asked for, between guard bytes.
#pragma once

#include "tigris_backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tigris::property {

struct RunResult {
  /// Empty when all went well, otherwise what did not.
  std::string error;
  /// A byte outside a memory was written.
  bool escaped = false;
  tigris_status status = TIGRIS_OK;
  tigris_statistics statistics = {};
  std::vector<std::vector<uint8_t>> outputs;
};

struct RunOptions {
  /// Percent of the fast memory the plan needs; below 100 the arena is dynamic.
  uint32_t fastPercent = 100;
  /// Slow memory beyond what the plan needs.
  uint32_t moreSlow = 0;
  /// What the memories hold before the run; unset: they are left as they come, which valgrind calls undefined.
  std::optional<uint8_t> fill;
  /// Null: the reference kernels.
  const tigris_backend* backend = nullptr;
  /// Callbacks move the inputs (outputs) row by row.
  bool inputRows = false;
  bool outputRows = false;
  /// Not its checksum but the runtime's own checks decide whether the file is run; nor is it when it asks for more than
  /// a megabyte. Inputs are as large as it says.
  bool isDamaged = false;
};

/// Sanitizers see every access outside the memories, reads, too.
RunResult runPlan(const std::string& file, const std::vector<std::vector<uint8_t>>& inputs,
                  const RunOptions& options);

} // namespace tigris::property
