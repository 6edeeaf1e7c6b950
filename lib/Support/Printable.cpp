// Walks UTF-8 one sequence at a time and escapes everything invalid or unprintable.
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tigris {

namespace {

constexpr size_t NameLimit = 100;
constexpr size_t QuotationLimit = 160;
constexpr size_t MessageLimit = 2000;

struct CodePoints {
  char32_t first;
  char32_t last;
};

constexpr std::array<CodePoints, 9> Unprintable = {{{0x00, 0x1F},
                                                    {0x7F, 0x9F},
                                                    {0x061C, 0x061C},
                                                    {0x200E, 0x200F},
                                                    {0x2028, 0x202E},
                                                    {0x2066, 0x2069},
                                                    {0xFEFF, 0xFEFF},
                                                    {0xFFF9, 0xFFFB},
                                                    {0xFFFE, 0xFFFF}}};

/// "\x1b", "\u202e".
void appendEscape(std::string& out, char kind, char32_t value, int digits) {
  out += {'\\', kind};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[value >> shift & 0xF];
}

void appendSpelled(std::string& out, char32_t codePoint) {
  switch (codePoint) {
  case '\n':
    out += "\\n";
    break;
  case '\t':
    out += "\\t";
    break;
  case '\r':
    out += "\\r";
    break;
  default:
    appendEscape(out, codePoint < 0x80 ? 'x' : 'u', codePoint, codePoint < 0x80 ? 2 : 4);
  }
}

/// Calls `use` with each sequence, and with each byte that does not begin one (`valid` is false).
template <typename Use> void forEachCodePoint(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    use(text.substr(0, length == 0 ? 1 : length), length != 0);
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

/// End of the quotation that begins at `open`: a quote not followed by a word character. npos if
/// there is none.
size_t closingQuote(const std::string& text, size_t open) {
  for (size_t at = text.find('\'', open + 1); at != std::string::npos; at = text.find('\'', at + 1))
    if (at + 1 == text.size() || !isWordByte(text[at + 1]))
      return at;
  return std::string::npos;
}

} // namespace

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

bool isUnprintable(char32_t codePoint) {
  for (const CodePoints& range : Unprintable)
    if (codePoint >= range.first && codePoint <= range.last)
      return true;
  return false;
}

char32_t decodeUtf8(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1)
    return lead;
  char32_t codePoint = lead & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1))
    codePoint = codePoint << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return codePoint;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  forEachCodePoint(text, [&](std::string_view sequence, bool valid) {
    if (!valid)
      appendEscape(result, 'x', static_cast<unsigned char>(sequence[0]), 2);
    else if (const char32_t codePoint = decodeUtf8(sequence); isUnprintable(codePoint))
      appendSpelled(result, codePoint);
    else
      result += sequence;
  });
  return result;
}

std::string shortened(std::string text, size_t limit) {
  if (text.size() <= limit)
    return text;
  size_t count = 0;
  forEachCodePoint(text, [&](std::string_view, bool) { ++count; });
  if (count <= limit)
    return text;
  const size_t tail = limit / 3;
  const size_t head = limit - tail - 1;
  std::string result;
  size_t index = 0;
  forEachCodePoint(text, [&](std::string_view sequence, bool) {
    if (index == head)
      result += "…";
    if (index < head || index >= count - tail)
      result += sequence;
    ++index;
  });
  return result;
}

std::string printableName(std::string_view name) { return shortened(printable(name), NameLimit); }

std::string printableMessage(std::string_view message) {
  const std::string text = printable(message);
  std::string result;
  size_t done = 0;
  for (size_t open = text.find('\''); open != std::string::npos; open = text.find('\'', done)) {
    const bool opens = open == 0 || !isWordByte(text[open - 1]);
    const size_t close = opens ? closingQuote(text, open) : std::string::npos;
    const size_t end = close == std::string::npos ? open : close;
    result += text.substr(done, open - done);
    if (end > open)
      result += '\'' + shortened(text.substr(open + 1, end - open - 1), QuotationLimit);
    result += '\'';
    done = end + 1;
  }
  return shortened(result + text.substr(done), MessageLimit);
}

std::string printableLines(std::string_view text) {
  std::string result;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find_first_of("\n\t", start), text.size());
    result += printable(text.substr(start, end - start));
    if (end < text.size())
      result += text[end];
    start = end + 1;
  }
  return result;
}

std::string escapeMarkup(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

} // namespace tigris
