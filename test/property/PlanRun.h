// Runs an emitted plan in memories of exactly the requested sizes, between guard bytes.
#pragma once

#include "tigris_backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tigris::property {

struct RunResult {
  /// Empty on success, otherwise the failure.
  std::string error;
  /// Whether a byte outside a memory was written.
  bool escaped = false;
  tigris_status status = TIGRIS_OK;
  tigris_statistics statistics = {};
  std::vector<std::vector<uint8_t>> outputs;
};

struct RunOptions {
  /// Percentage of the fast memory that the plan needs; below 100 the arena is dynamic.
  uint32_t fastPercent = 100;
  /// Slow memory beyond what the plan needs.
  uint32_t moreSlow = 0;
  /// The initial contents of the memories; nullopt: uninitialized, which valgrind reports as
  /// undefined.
  std::optional<uint8_t> fill;
  /// Null: the reference kernels.
  const tigris_backend* backend = nullptr;
  /// Callbacks move the inputs (outputs) row by row.
  bool inputRows = false;
  bool outputRows = false;
  /// Ignores the checksum: the runtime's own checks decide whether the file is run. It is not run
  /// if it needs more than a megabyte. Inputs have the sizes that the file states.
  bool isDamaged = false;
};

/// Sanitizers detect every access outside the memories, including reads.
RunResult runPlan(const std::string& file, const std::vector<std::vector<uint8_t>>& inputs,
                  const RunOptions& options);

} // namespace tigris::property
