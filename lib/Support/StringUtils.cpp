// Number formatting with std::to_chars: the shortest text that parses to the same bits.
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tigris {

namespace {

template <typename T> std::string formatReal(T value) {
  if (std::isnan(value))
    return ".nan";
  if (std::isinf(value))
    return value > 0 ? ".inf" : "-.inf";
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), result.ptr);
  // YAML 1.1 readers take "1e-45" for a string and "3" for an integer.
  const size_t exponent = text.find('e');
  const size_t mantissaEnd = exponent == std::string::npos ? text.size() : exponent;
  if (text.find('.') >= mantissaEnd)
    text.insert(mantissaEnd, ".0");
  return text;
}

} // namespace

std::string formatFloat(float value) { return formatReal(value); }
std::string formatDouble(double value) { return formatReal(value); }

namespace {

std::string formatDigits(double value, std::chars_format format, int digits) {
  // The longest double has 309 digits before the point.
  std::array<char, 400> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits);
  return {buffer.data(), result.ptr};
}

} // namespace

std::string formatFixed(double value, int digits) {
  return formatDigits(value, std::chars_format::fixed, digits);
}
std::string formatSignificant(double value, int digits) {
  return formatDigits(value, std::chars_format::general, digits);
}

std::optional<int64_t> parseInt(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> parseDouble(std::string_view text) {
  if (text == ".inf" || text == "+.inf")
    return HUGE_VAL;
  if (text == "-.inf")
    return -HUGE_VAL;
  if (text == ".nan")
    return std::nan("");
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ptr != text.data() + text.size())
    return std::nullopt;
  // Some libraries report a range error for denormals although the value is right.
  if (result.ec != std::errc() && result.ec != std::errc::result_out_of_range)
    return std::nullopt;
  return value;
}

std::string formatBytes(uint64_t bytes) {
  static constexpr std::array<const char*, 4> Units = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  double value = static_cast<double>(bytes);
  while (value >= 1024.0 && unit + 1 < Units.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 32> buffer{};
  const bool whole = value == std::floor(value);
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, whole ? 0 : 1);
  return std::string(buffer.data(), result.ptr) + " " + Units[unit];
}

std::string formatExactBytes(uint64_t bytes) {
  const std::string exact = strCat(bytes, bytes == 1 ? " byte" : " bytes");
  return bytes < 1024 ? exact : strCat(formatBytes(bytes), " (", exact, ")");
}

std::optional<uint64_t> parseSize(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.'))
    ++digits;
  if (digits == 0 || text[0] == '.')
    return std::nullopt;
  const auto number = parseDouble(text.substr(0, digits));
  if (!number)
    return std::nullopt;
  std::string_view suffix = text.substr(digits);
  double scale = 1;
  if (!suffix.empty()) {
    switch (suffix[0]) {
    case 'k':
    case 'K':
      scale = 1024.0;
      break;
    case 'm':
    case 'M':
      scale = 1024.0 * 1024.0;
      break;
    case 'g':
    case 'G':
      scale = 1024.0 * 1024.0 * 1024.0;
      break;
    case 'b':
    case 'B':
      return suffix.size() == 1 && *number == std::floor(*number)
                 ? std::optional<uint64_t>(static_cast<uint64_t>(*number))
                 : std::nullopt;
    default:
      return std::nullopt;
    }
    suffix.remove_prefix(1);
    if (!suffix.empty() && suffix != "B" && suffix != "iB")
      return std::nullopt;
  }
  const double bytes = *number * scale;
  if (bytes != std::floor(bytes) || bytes > 9007199254740992.0)
    return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

std::optional<std::string> nearestSpelling(std::string_view word,
                                           const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  size_t bestDistance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j <= candidate.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t cost = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, cost});
      }
    }
    if (row.back() < bestDistance) {
      bestDistance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    if (end == std::string_view::npos) {
      parts.push_back(text.substr(start));
      return parts;
    }
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  static constexpr std::string_view Blank = " \t\r\n";
  const size_t first = text.find_first_not_of(Blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(Blank) - first + 1);
}

} // namespace tigris
