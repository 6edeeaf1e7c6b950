// Runs an emitted plan in memories of exactly the sizes asked for, between guard bytes.
#pragma once

#include "tigris.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tigris::property {

struct RunResult {
  /// Empty when all went well, otherwise what did not.
  std::string error;
  tigris_status status = TIGRIS_OK;
  tigris_statistics statistics = {};
  std::vector<std::vector<uint8_t>> outputs;
};

struct RunOptions {
  /// Percent of the fast memory the plan needs; below 100 the arena is dynamic.
  uint32_t fastPercent = 100;
  /// Slow memory beyond what the plan needs.
  uint32_t moreSlow = 0;
  /// What the memories hold before the run.
  uint8_t fill = 0;
  /// On the host backend where the build has it, otherwise on the reference.
  bool onHost = false;
  /// Callbacks move the inputs (outputs) row by row.
  bool inputRows = false;
  bool outputRows = false;
};

RunResult runPlan(const std::string& file, const std::vector<std::vector<uint8_t>>& inputs,
                  const RunOptions& options);

} // namespace tigris::property
