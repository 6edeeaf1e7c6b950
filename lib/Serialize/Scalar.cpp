// Quotes strings and parses numbers. The rules are the intersection of YAML 1.1 (PyYAML) and 1.2,
// so that every reader reads the same values.
#include "tigris/Serialize/Scalar.h"

#include "tigris/Support/Printable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tigris {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Words that some reader resolves to a boolean, null or a number.
bool isReservedWord(std::string_view text) {
  static constexpr std::array<std::string_view, 11> Words = {
      "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"};
  if (text.size() > 5)
    return false;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return std::find(Words.begin(), Words.end(), lower) != Words.end();
}

/// Characters that readers reject or fold, or that are invisible.
bool needsEscape(uint32_t c) { return isUnprintable(c) || c == 0xA0; }

void appendHex(std::string& out, uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789ABCDEF"[value >> shift & 0xF];
}

void appendEscaped(std::string& out, uint32_t c) {
  switch (c) {
  case '\n':
    out += "\\n";
    return;
  case '\t':
    out += "\\t";
    return;
  case '\r':
    out += "\\r";
    return;
  default:
    out += c < 0x100 ? "\\x" : "\\u";
    appendHex(out, c, c < 0x100 ? 2 : 4);
  }
}

} // namespace

bool isPlainString(std::string_view text) {
  if (text.empty() || (!isLetter(text[0]) && text[0] != '_' && text[0] != '/'))
    return false;
  const bool safe = std::all_of(text.begin(), text.end(), [](char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c == '/' || c == '.' || c == '-';
  });
  return safe && !isReservedWord(text);
}

void appendString(std::string& out, std::string_view text) {
  if (isPlainString(text)) {
    out += text;
    return;
  }
  out += '"';
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    // A byte that is not UTF-8 is interpreted as Latin-1.
    const char32_t c =
        length == 0 ? static_cast<uint8_t>(text[0]) : decodeUtf8(text.substr(0, length));
    if (c == '"' || c == '\\')
      out += '\\';
    if (needsEscape(c))
      appendEscaped(out, c);
    else
      appendUtf8(out, c);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

bool isNullToken(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

template <typename T> std::optional<T> parseReal(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF")
    return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return std::numeric_limits<T>::quiet_NaN();
  // from_chars also accepts "inf" and "nan", which are strings in YAML.
  if (text.empty() || (!isDigit(text[0]) && text[0] != '.'))
    return std::nullopt;
  T value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument)
    return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Overflow is an error; underflow produces 0. Only a long run of digits or a large negative
    // exponent underflows, never a number that formatFloat wrote.
    if (text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos)
      return std::nullopt;
    value = 0;
  }
  if (std::isinf(value))
    return std::nullopt;
  return negative ? -value : value;
}

template std::optional<float> parseReal<float>(std::string_view text);
template std::optional<double> parseReal<double>(std::string_view text);

void appendUtf8(std::string& out, uint32_t c) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

} // namespace tigris
