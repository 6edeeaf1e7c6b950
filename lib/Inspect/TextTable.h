// Text tables: columns as wide as their widest cell, numbers right-aligned.
#pragma once

#include "tigris/Support/Json.h"

#include <string>
#include <vector>

namespace tigris {

class TextTable {
public:
  /// Column headings; a leading '>' (not printed) right-aligns the column.
  explicit TextTable(std::vector<std::string> headings);

  /// As many cells as headings; cells are printed with printable().
  void addRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Heading and rows, indented by two spaces, without trailing spaces.
  std::string text() const;
  /// An object: "heads", right-aligned ones with '>', and "rows" of texts.
  void write(JsonWriter& json) const;

private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace tigris
