// Offsets for buffers that may share bytes in one order of addresses but not in the other.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"

namespace tigris {

/// The minimum number of bytes from the start of the lower of two buffers to the start of the upper
/// one. 0 both ways: the two may be anywhere.
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
/// the height reaches `bound`, which no layout goes below, or `enough`; gives up if that is far
/// away. Buffers are placed in several orders: lowest offset first, latest birth first, largest
/// first. Then the buffer on top is moved to the front, repeatedly. Finally the best order is
/// changed at random. `isQuick`: fewer repetitions and no random changes. Lifetimes affect the
/// order only.
ArenaLayout layOutSpaced(std::span<const LiveBuffer> buffers, const Clearances& clearances,
                         uint64_t align, uint64_t bound, uint64_t enough = 0, bool isQuick = false);

} // namespace tigris
