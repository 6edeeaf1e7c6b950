// How single values are spelled in the stream: quoting on the way out, numbers on the way in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tigris {

/// Whether YAML 1.1 and 1.2 readers alike take the bare text for a string, in block and in flow context.
/// Errs on the side of quoting.
bool isPlainString(std::string_view text);

/// Appends `text` as a scalar that every reader takes for a string: bare where isPlainString(), otherwise
/// double-quoted with control characters escaped. A byte that is not UTF-8 is taken for the character of
/// its value (Latin-1), so that the stream stays readable and prints the same again.
void appendString(std::string& out, std::string_view text);

/// The tokens that stand for null.
bool isNullToken(std::string_view text);

/// A number as YAML writes it: an optional sign, digits, '.', exponent, or .inf, -.inf, .nan. Rounds once,
/// to T. nullopt for anything else, and for finite text too large for T.
template <typename T> std::optional<T> parseReal(std::string_view text);
extern template std::optional<float> parseReal<float>(std::string_view text);
extern template std::optional<double> parseReal<double>(std::string_view text);

/// Appends the UTF-8 form of a code point below 0x110000.
void appendUtf8(std::string& out, uint32_t codePoint);

} // namespace tigris
