// The event sweep.
#include "tigris/Analysis/MemoryTimeline.h"

#include "tigris/Support/MathUtils.h"

#include <set>

namespace tigris {

MemoryTimeline computeTimeline(std::span<const LiveBuffer> buffers, size_t steps, uint64_t align) {
  std::vector<std::vector<const LiveBuffer*>> births(steps);
  std::vector<std::vector<const LiveBuffer*>> frees(steps + 1);
  for (const LiveBuffer& buffer : buffers)
    if (buffer.birth < steps) {
      births[buffer.birth].push_back(&buffer);
      frees[buffer.death + 1].push_back(&buffer);
    }

  MemoryTimeline timeline;
  timeline.live.reserve(steps);
  uint64_t live = 0;
  uint64_t rounded = 0;
  std::multiset<uint64_t> padding;
  for (size_t step = 0; step < steps; ++step) {
    for (const LiveBuffer* buffer : frees[step]) {
      const uint64_t size = alignUp(buffer->bytes, align);
      live -= buffer->bytes;
      rounded -= size;
      padding.erase(padding.find(size - buffer->bytes));
    }
    for (const LiveBuffer* buffer : births[step]) {
      const uint64_t size = alignUp(buffer->bytes, align);
      live += buffer->bytes;
      rounded += size;
      padding.insert(size - buffer->bytes);
    }
    timeline.live.push_back(live);
    if (live > timeline.peak) {
      timeline.peak = live;
      timeline.peakStep = step;
    }
    const uint64_t bound = rounded - (padding.empty() ? 0 : *padding.rbegin());
    if (bound > timeline.bound) {
      timeline.bound = bound;
      timeline.boundStep = step;
    }
  }
  return timeline;
}

} // namespace tigris
