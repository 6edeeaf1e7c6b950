// JSON text: separators, indentation and string escapes.
#include "tigris/Support/Json.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/StringUtils.h"

#include <cmath>

namespace tigris {

namespace {

/// Length of the valid UTF-8 sequence at the start, 0 where there is none.
size_t utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates and code points above U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

} // namespace

std::string quoteJson(std::string_view text) {
  static constexpr char Hex[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    size_t length = 1;
    if (c == '"' || c == '\\')
      result += {'\\', text[0]};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c < 0x20 || c == 0x7F)
      result += {'\\', 'u', '0', '0', Hex[c >> 4], Hex[c & 15]};
    else if (length = utf8Length(text); length != 0)
      result += text.substr(0, length);
    else
      result += "\\ufffd";
    text.remove_prefix(length == 0 ? 1 : length);
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
