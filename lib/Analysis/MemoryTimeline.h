// How much memory is alive at each step: the peak, and what no arrangement of addresses can go below.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

struct MemoryTimeline {
  /// Sum of the live bytes at each step.
  std::vector<uint64_t> live;
  /// The largest of them and the first step that has it.
  uint64_t peak = 0;
  size_t peakStep = 0;
  /// Lower bound for the highest byte of any layout whose offsets are multiples of the alignment: at each
  /// step the live sizes, rounded up, except for the buffer that rounding costs most (it may lie on
  /// top, where its end is not followed by anything). `boundStep` is the first step that needs it.
  uint64_t bound = 0;
  size_t boundStep = 0;
};

/// Event sweep over `steps` steps. At a step, first everything that died at an earlier step is freed,
/// then what is born there is added: an op's inputs and outputs are alive together.
MemoryTimeline computeTimeline(std::span<const LiveBuffer> buffers, size_t steps, uint64_t align);

} // namespace tigris
