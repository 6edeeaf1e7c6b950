// A table with a value for each run of consecutive ops, found by its first op and its length.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tigris {

/// References to values stay valid.
template <typename Value> class RunTable {
public:
  /// The value of ops [begin, end). The first call creates it with `make()`.
  template <typename Maker> Value& find(size_t begin, size_t end, Maker make) {
    if (rows_.size() <= begin)
      rows_.resize(begin + 1);
    std::vector<std::unique_ptr<Value>>& row = rows_[begin];
    const size_t index = end - begin - 1;
    if (row.size() <= index)
      row.resize(index + 1);
    if (!row[index])
      row[index] = std::make_unique<Value>(make());
    return *row[index];
  }

private:
  std::vector<std::vector<std::unique_ptr<Value>>> rows_;
};

} // namespace tigris
