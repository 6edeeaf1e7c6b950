// Scalars of the module: quoting of strings and parsing of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tigris {

/// Whether YAML 1.1 and 1.2 readers both read the unquoted text as a string, in block and in flow
/// context. Returns false in doubtful cases.
bool isPlainString(std::string_view text);

/// Appends `text` as a scalar that every reader reads as a string: unquoted if isPlainString(),
/// otherwise double-quoted with control characters escaped. A byte that is not UTF-8 becomes the
/// character with its value (Latin-1), so that the module stays valid and prints identically after
/// reading.
void appendString(std::string& out, std::string_view text);

/// Whether the token means null.
bool isNullToken(std::string_view text);

/// Parses a YAML number: an optional sign, digits, '.', exponent, or .inf, -.inf, .nan. Rounds
/// once, to T. nullopt for other texts and for finite numbers too large for T.
template <typename T> std::optional<T> parseReal(std::string_view text);
extern template std::optional<float> parseReal<float>(std::string_view text);
extern template std::optional<double> parseReal<double>(std::string_view text);

/// Appends the UTF-8 form of a code point below 0x110000.
void appendUtf8(std::string& out, uint32_t codePoint);

} // namespace tigris
