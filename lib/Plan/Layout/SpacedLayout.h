// Offsets for buffers that may share bytes if one of two is the lower one, but not the other way
// around.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"

namespace tigris {

/// The minimum number of bytes from the start of the lower of two buffers to the start of the upper
/// one. If it is 0 in both directions, the two may be anywhere.
class Clearances {
public:
  explicit Clearances(size_t buffers) : buffers_(buffers), bytes_(buffers * buffers, 0) {}
  size_t buffers() const { return buffers_; }
  uint64_t of(size_t below, size_t above) const { return bytes_[below * buffers_ + above]; }
  void set(size_t below, size_t above, uint64_t bytes) { bytes_[below * buffers_ + above] = bytes; }

private:
  size_t buffers_;
  std::vector<uint64_t> bytes_;
};

/// The lowest of several deterministic greedy layouts that keep the clearances. Stops as soon as
/// the height reaches `bound`, a lower bound for every layout, or `enough`. Buffers are placed in
/// several orders: lowest offset first, latest birth first, largest first, largest product of size
/// and lifetime first. Then the buffer on top is moved to the front, repeatedly. Finally the best
/// order is changed at random, unless the height is still far above `enough`. `isQuick`: fewer
/// repetitions and no random changes. Lifetimes affect the order only.
///
/// `heights` receives the height of each layout that is lower than all before it. `enough` decides
/// only where this list ends: a smaller one continues it or gives up earlier.
ArenaLayout layOutSpaced(std::span<const LiveBuffer> buffers, const Clearances& clearances,
                         uint64_t align, uint64_t bound, uint64_t enough = 0, bool isQuick = false,
                         std::vector<uint64_t>* heights = nullptr);

/// If layOutSpaced found nothing lower than `height`, which is more than `enough`: the largest
/// height that would not have been enough, either, for the same buffers and clearances.
uint64_t mostRefused(uint64_t height, uint64_t enough, bool isQuick);

} // namespace tigris
