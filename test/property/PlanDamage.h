// Damaged plan files, which the loader must reject or the executor must run within its memories.
#pragma once

#include "RandomModel.h"

#include <string>
#include <vector>

namespace tigris::property {

class PlanDamage {
public:
  /// From a plan that opens.
  explicit PlanDamage(const std::string& file);
  /// The file with one to three changed records: single bits, numbers next to the right one,
  /// numbers of other records. The checksum is wrong.
  std::string next(Random& random) const;

private:
  struct Table {
    size_t begin = 0;
    size_t recordBytes = 0;
    size_t records = 0;
  };
  void change(std::string& bytes, const Table& table, Random& random) const;

  std::string file_;
  std::vector<Table> tables_;
};

} // namespace tigris::property
