// The cost of running ops on parts of tensors, in tiles or by rows.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"

namespace tigris {

struct PartCost {
  /// Bytes copied from and to the whole tensors.
  uint64_t loadBytes = 0;
  uint64_t storeBytes = 0;
  uint64_t kernelCalls = 0;
  uint64_t recomputeMacs = 0;
  /// Share of each buffer in loadBytes.
  std::vector<uint64_t> loads;
  /// Fast memory: one entry per buffer of the model, then the executor's bookkeeping.
  std::vector<LiveBuffer> buffers;
  std::vector<uint32_t> reloadAxes;
};

} // namespace tigris
