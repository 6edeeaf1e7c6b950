// Offsets for buffers that may share bytes in one order of addresses but not in the other.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"

namespace tigris {

/// Bytes from the start of the one of two buffers that lies lower to the start of the other, at least. 0 both ways: the two
/// may lie anywhere.
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

/// The lowest of several deterministic greedy layouts that keep the clearances. Stops as soon as the height reaches `bound`,
/// which none goes below, or `enough`; gives up when that is far away. What decides first is which buffers are placed first:
/// those that find the lowest offset, those that are born last, the largest; then whatever is on top, again and again; at
/// last random changes of the best order. Quickly: without these, and few times. Lifetimes count for the order only.
ArenaLayout layOutSpaced(std::span<const LiveBuffer> buffers, const Clearances& clearances,
                         uint64_t align, uint64_t bound, uint64_t enough = 0, bool isQuick = false);

} // namespace tigris
