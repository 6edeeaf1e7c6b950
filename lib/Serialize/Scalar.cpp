// The rules lie in the intersection of YAML 1.1 (PyYAML) and 1.2, so that any reader sees what we wrote.
#include "tigris/Serialize/Scalar.h"

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

/// Decodes one UTF-8 sequence at the start of `text`; length 0 when it is malformed.
struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;
};
CodePoint decodeUtf8(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80)
    return {first, 1};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length)
    return {};
  uint32_t value = first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80)
      return {};
    value = value << 6 | (next & 0x3F);
  }
  static constexpr std::array<uint32_t, 5> Smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < Smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
    return {};
  return {value, length};
}

/// Characters that readers reject, fold, or that nobody sees.
bool needsEscape(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

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
    CodePoint c = decodeUtf8(text);
    if (c.length == 0)
      c = {static_cast<uint8_t>(text[0]), 1};
    if (c.value == '"' || c.value == '\\')
      out += '\\';
    if (needsEscape(c.value))
      appendEscaped(out, c.value);
    else
      appendUtf8(out, c.value);
    text.remove_prefix(c.length);
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
  // from_chars also knows "inf" and "nan", which YAML takes for strings.
  if (text.empty() || (!isDigit(text[0]) && text[0] != '.'))
    return std::nullopt;
  T value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument)
    return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Too large is an error. Too small is a zero: only a long run of digits or a large negative exponent
    // gets there, never a number that formatFloat wrote.
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
