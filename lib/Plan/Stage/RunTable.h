// What is known of runs of consecutive ops, found by their first op and their length.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tigris {

/// Values stay where they are.
template <typename Value> class RunTable {
public:
  /// The value of ops [begin, end), `make()` when it is first asked for.
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
