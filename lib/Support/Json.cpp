// JSON output: separators, indentation and string escapes.
#include "tigris/Support/Json.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/StringUtils.h"

#include <cmath>

namespace tigris {

std::string quoteJson(std::string_view text) {
  static constexpr char Hex[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const char32_t c = length == 0 ? 0xFFFD : decodeUtf8(sequence);
    if (c == '"' || c == '\\')
      result += {'\\', text[0]};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (length == 0 || isUnprintable(c))
      result += {'\\', 'u', Hex[c >> 12], Hex[c >> 8 & 15], Hex[c >> 4 & 15], Hex[c & 15]};
    else
      result += sequence;
    text.remove_prefix(sequence.size());
  }
  return result + '"';
}

void JsonWriter::separate() {
  if (afterKey_) {
    afterKey_ = false;
    return;
  }
  if (levels_.empty())
    return;
  Level& level = levels_.back();
  if (!level.empty)
    text_ += level.layout == Inline ? ", " : ",";
  level.empty = false;
  if (level.layout == Indented)
    text_ += "\n" + std::string(2 * levels_.size(), ' ');
}

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
  separate();
  text_ += bracket;
  const bool inlined = layout == Inline || (!levels_.empty() && levels_.back().layout == Inline);
  levels_.push_back({inlined ? Inline : Indented});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  TIGRIS_CHECK(!levels_.empty() && !afterKey_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Indented && !level.empty)
    text_ += "\n" + std::string(2 * levels_.size(), ' ');
  text_ += bracket;
  if (levels_.empty())
    text_ += '\n';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += quoteJson(name) + ": ";
  afterKey_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(quoteJson(text)); }

JsonWriter& JsonWriter::value(double number) {
  return raw(std::isfinite(number) ? formatDouble(number) : "null");
}

JsonWriter& JsonWriter::raw(std::string_view token) {
  separate();
  text_ += token;
  return *this;
}

const std::string& JsonWriter::text() const {
  TIGRIS_CHECK(levels_.empty());
  return text_;
}

} // namespace tigris
