// Small text helpers shared by every layer: concatenation, number printing, spelling suggestions.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Concatenates all values that an ostream can print: `strCat("op '", name, "' has ", n, "
/// inputs")`.
template <typename... Args> std::string strCat(const Args&... args) {
  std::ostringstream out;
  // Without this a stream swallows exceptions, and the text would be incomplete.
  out.exceptions(std::ios::badbit);
  (out << ... << args);
  return std::move(out).str();
}

/// The shortest text that parses to exactly this value, always with a '.' or an exponent so that
/// YAML 1.1 and 1.2 readers take it for a float ("0.1", "3.0", "1.0e-45"); `.inf`, `-.inf`, `.nan`.
std::string formatFloat(float value);
std::string formatDouble(double value);

/// Like printf's %.*f and %.*g: `digits` after the point, or `digits` significant ones.
std::string formatFixed(double value, int digits);
std::string formatSignificant(double value, int digits);

/// Parses the whole text as a number; nullopt if characters remain or the value is out of range.
std::optional<int64_t> parseInt(std::string_view text);
std::optional<double> parseDouble(std::string_view text);

/// A byte count for humans: "262144" -> "256 KiB"; exact multiples are integers.
std::string formatBytes(uint64_t bytes);

/// "135 KiB (138240 bytes)", "500 bytes": for messages about budgets, where a rounded number would
/// mislead.
std::string formatExactBytes(uint64_t bytes);

/// Parses "256K", "256KiB", "1.5M", "64k", "4096" to bytes with binary multiples (K = 1024).
/// nullopt if malformed or above 2^53.
std::optional<uint64_t> parseSize(std::string_view text);

/// The candidate with the smallest edit distance from `word`, if that is small enough for a likely
/// typo.
std::optional<std::string> nearestSpelling(std::string_view word,
                                           const std::vector<std::string>& candidates);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

template <typename Range> std::string join(const Range& items, std::string_view separator) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  bool first = true;
  for (const auto& item : items) {
    if (!first)
      out << separator;
    out << item;
    first = false;
  }
  return std::move(out).str();
}

} // namespace tigris
