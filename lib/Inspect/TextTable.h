// Columns of text for people: each as wide as its widest cell, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace tigris {

class TextTable {
public:
  /// Column headings; one that begins with '>' (not shown) is aligned to the right.
  explicit TextTable(std::vector<std::string> headings);

  /// As many cells as there are headings; they are shown as printable() has them.
  void addRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Heading and rows, each line indented by two spaces, without trailing blanks.
  std::string text() const;

private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace tigris
