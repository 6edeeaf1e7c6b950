// How many rows of a tensor consecutive tiles have in common.
#pragma once

#include "tigris/Analysis/Box.h"
#include "tigris/Support/MathUtils.h"

namespace tigris {

/// Counts the rows that the tiles of a cut along the row axis read of one tensor.
class HaloRows {
public:
  /// The rows of the next tile.
  void add(Range rows) {
    if (sum_ == 0)
      first_ = rows;
    differ_ |= rows != first_;
    all_ = hull(all_, rows);
    sum_ += rows.size();
  }

  /// Rows that are read again, per cut and rounded up. 0 if all tiles read the same rows, because
  /// these are loaded once.
  int64_t perCut(int64_t cuts) const {
    const int64_t again = sum_ - all_.size();
    return differ_ && cuts > 0 && again > 0 ? ceilDiv(again, cuts) : 0;
  }

private:
  Range first_;
  Range all_;
  int64_t sum_ = 0;
  bool differ_ = false;
};

} // namespace tigris
