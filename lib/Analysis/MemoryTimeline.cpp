// Computes live bytes with prefix sums over births and deaths.
#include "tigris/Analysis/MemoryTimeline.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <utility>

namespace tigris {

MemoryTimeline computeTimeline(std::span<const LiveBuffer> buffers, size_t steps, uint64_t align) {
  // Per step: the difference to the previous sum modulo 2^64, and the largest padding of any live
  // buffer.
  std::vector<uint64_t> live(steps + 1);
  std::vector<uint64_t> rounded(steps + 1);
  std::vector<uint64_t> padding(steps);
  for (const LiveBuffer& buffer : buffers) {
    if (buffer.birth >= steps)
      continue;
    const uint64_t size = alignUp(buffer.bytes, align);
    live[buffer.birth] += buffer.bytes;
    live[buffer.death + 1] -= buffer.bytes;
    rounded[buffer.birth] += size;
    rounded[buffer.death + 1] -= size;
    if (const uint64_t unused = size - buffer.bytes; unused != 0)
      for (size_t step = buffer.birth; step <= buffer.death; ++step)
        padding[step] = std::max(padding[step], unused);
  }

  MemoryTimeline timeline;
  for (size_t step = 0; step < steps; ++step) {
    if (step > 0) {
      live[step] += live[step - 1];
      rounded[step] += rounded[step - 1];
    }
    if (live[step] > timeline.peak) {
      timeline.peak = live[step];
      timeline.peakStep = step;
    }
    const uint64_t bound = rounded[step] - padding[step];
    if (bound > timeline.bound) {
      timeline.bound = bound;
      timeline.boundStep = step;
    }
  }
  live.pop_back();
  timeline.live = std::move(live);
  return timeline;
}

} // namespace tigris
