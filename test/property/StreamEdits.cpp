// Finds the numbers in the text, so that no field is forgotten.
#include "StreamEdits.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/StringUtils.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <set>
#include <string_view>

namespace tigris::property {

namespace {

/// The limits of fields of 4, 8, 16, 32 and 64 bits.
constexpr std::array<std::string_view, 15> Extremes = {
    "0",          "1",          "-1",         "15",         "16",
    "255",        "256",        "257",        "65535",      "65536",
    "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807"};
/// Offsets from the number, in the range of alignments and small dimensions.
constexpr std::array<int64_t, 10> Steps = {-64, -32, -16, -4, -1, 1, 4, 16, 32, 64};

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
         c == '+' || c == '/';
}

} // namespace

StreamEdits::StreamEdits(std::string text) : text_(std::move(text)) {
  const size_t begin = text_.find("\nops:");
  TIGRIS_CHECK(begin != std::string::npos);
  const size_t end = std::min(text_.find("\n---"), text_.size());
  bool isQuoted = false;
  for (size_t at = begin; at < end; ++at) {
    if (text_[at] == '"' && text_[at - 1] != '\\')
      isQuoted = !isQuoted;
    if (isQuoted || !isWordPart(text_[at]))
      continue;
    size_t past = at;
    while (past < end && isWordPart(text_[past]))
      ++past;
    const std::string word = text_.substr(at, past - at);
    if (word.find_first_not_of("-0123456789") == std::string::npos && word != "-")
      addNumber(at, past - at);
    at = past - 1;
  }
}

void StreamEdits::addNumber(size_t at, size_t length) {
  const std::string number = text_.substr(at, length);
  const int64_t value = std::strtoll(number.c_str(), nullptr, 10);
  std::set<std::string> seen = {number};
  const auto add = [&](std::string other) {
    if (seen.insert(other).second)
      edits_.push_back({at, length, std::move(other)});
  };
  for (const std::string_view extreme : Extremes)
    add(std::string(extreme));
  if (value > INT64_MAX / 2 - 64 || value < INT64_MIN / 2 + 64)
    return;
  for (const int64_t step : Steps)
    add(std::to_string(value + step));
  add(std::to_string(value * 2));
  add(std::to_string(value / 2));
}

std::string StreamEdits::edited(size_t index) const {
  const Edit& edit = edits_.at(index);
  std::string text = text_;
  return text.replace(edit.at, edit.length, edit.value);
}

std::string StreamEdits::describe(size_t index) const {
  const Edit& edit = edits_.at(index);
  const size_t begin = text_.rfind('\n', edit.at) + 1;
  const size_t end = std::min(text_.find('\n', edit.at), text_.size());
  return strCat(text_.substr(begin, edit.at - begin), "<", text_.substr(edit.at, edit.length),
                " -> ", edit.value, ">",
                text_.substr(edit.at + edit.length, end - edit.at - edit.length));
}

} // namespace tigris::property
