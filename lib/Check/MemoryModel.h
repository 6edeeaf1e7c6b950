// A model of a memory for replaying plans: it records which tensor's data each byte holds.
#pragma once

#include "tigris/IR/Ids.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace tigris {

/// The contents of bytes: a tensor, and the number of the part (0: the whole tensor).
struct Value {
  TensorId tensor;
  uint64_t part = 0;
  bool operator==(const Value&) const = default;
};

/// Disjoint ranges [start, end) with the value that each holds.
class MemoryModel {
public:
  void write(uint64_t start, uint64_t bytes, Value value) {
    if (bytes == 0)
      return;
    erase(start, start + bytes);
    ranges_[start] = {start + bytes, value};
  }

  /// The other tensor in the range if not all of it holds `value`; nullopt otherwise.
  std::optional<TensorId> intruder(uint64_t start, uint64_t bytes, Value value) const {
    const uint64_t end = start + bytes;
    auto at = ranges_.upper_bound(start);
    if (at != ranges_.begin())
      --at;
    for (uint64_t reached = start; reached < end; ++at) {
      if (at == ranges_.end() || at->first > reached || at->second.end <= reached)
        return TensorId();
      if (at->second.value != value)
        return at->second.value.tensor;
      reached = at->second.end;
    }
    return std::nullopt;
  }

private:
  struct Extent {
    uint64_t end = 0;
    Value value;
  };

  void erase(uint64_t start, uint64_t end) {
    auto at = ranges_.lower_bound(start);
    if (at != ranges_.begin() && std::prev(at)->second.end > start)
      --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [first, range] = *at;
      at = ranges_.erase(at);
      if (first < start)
        ranges_[first] = {start, range.value};
      if (range.end > end)
        at = ranges_.emplace(end, Extent{range.end, range.value}).first;
    }
  }

  std::map<uint64_t, Extent> ranges_;
};

} // namespace tigris
