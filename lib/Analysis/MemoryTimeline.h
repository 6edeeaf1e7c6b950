// Live memory at each step: the peak, and a lower bound for every layout.
//
// Example with alignment 16: at one step the buffers A (20 bytes), B (33) and C (16) are live. The
// peak is 69 bytes. Rounded up they take 32 + 48 + 16 = 96. B has the most padding, 15 bytes, and
// may be on top, so the bound is 81.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

struct MemoryTimeline {
  /// Sum of the live bytes at each step.
  std::vector<uint64_t> live;
  /// The largest of these sums and the first step that has it.
  uint64_t peak = 0;
  size_t peakStep = 0;
  /// Lower bound for the highest byte of any layout whose offsets are multiples of the alignment:
  /// the largest sum, over all steps, of the live sizes rounded up, except that the buffer with the
  /// most padding is not rounded (it may be on top, where nothing follows it). `boundStep` is the
  /// first step with that sum.
  uint64_t bound = 0;
  size_t boundStep = 0;
};

/// Sweeps over `steps` steps. At each step buffers that died at an earlier step are freed first;
/// then those born at the step are added. The inputs and outputs of an op are therefore live
/// together.
MemoryTimeline computeTimeline(std::span<const LiveBuffer> buffers, size_t steps, uint64_t align);

} // namespace tigris
