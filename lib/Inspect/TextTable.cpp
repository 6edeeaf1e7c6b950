// Column widths count code points, so that UTF-8 names are aligned.
#include "tigris/Inspect/TextTable.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/Printable.h"

#include <algorithm>

namespace tigris {

namespace {

size_t displayWidth(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

} // namespace

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back())
      heading.erase(0, 1);
  }
}

void TextTable::addRow(std::vector<std::string> cells) {
  TIGRIS_CHECK(cells.size() == headings_.size());
  std::transform(cells.begin(), cells.end(), cells.begin(), printable);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<size_t> widths;
  for (size_t column = 0; column < headings_.size(); ++column) {
    size_t width = displayWidth(headings_[column]);
    for (const auto& row : rows_)
      width = std::max(width, displayWidth(row[column]));
    widths.push_back(width);
  }
  std::string result;
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t column = 0; column < cells.size(); ++column) {
      const std::string blank(widths[column] - displayWidth(cells[column]), ' ');
      line += "  ";
      line += right_[column] ? blank + cells[column] : cells[column] + blank;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  };
  print(headings_);
  for (const auto& row : rows_)
    print(row);
  return result;
}

void TextTable::write(JsonWriter& json) const {
  json.beginObject().key("heads").beginArray(JsonWriter::Inline);
  for (size_t column = 0; column < headings_.size(); ++column)
    json.value((right_[column] ? ">" : "") + headings_[column]);
  json.endArray().key("rows").beginArray();
  for (const auto& row : rows_)
    json.value(row);
  json.endArray().endObject();
}

} // namespace tigris
