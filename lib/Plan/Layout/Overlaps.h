// Which buffers are alive at the same time.
#pragma once

#include "tigris/Analysis/Lifetime.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tigris {

/// Per buffer, the other buffers whose lifetimes overlap with its own.
class Overlaps {
public:
  /// nullopt if there are more than `most` pairs. Apart from sorting, takes time in proportion to
  /// the number of buffers and pairs.
  static std::optional<Overlaps> find(std::span<const LiveBuffer> buffers, size_t most);

  /// Ascending indices.
  std::span<const uint32_t> of(size_t buffer) const {
    return {others_.data() + first_[buffer], first_[buffer + 1] - first_[buffer]};
  }

private:
  std::vector<size_t> first_;
  std::vector<uint32_t> others_;
};

} // namespace tigris
