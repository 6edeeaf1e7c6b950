// Base64 in the layout of the weights document: lines of 1,024 characters with an indentation of
// six spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Number of characters that encode `size` bytes, including padding but not line breaks.
size_t base64Length(size_t size);

/// Length of the canonical block of `size` bytes, including indentation and newlines.
size_t base64BlockLength(size_t size);

/// The canonical block of `bytes`: every line is six spaces, up to 1,024 characters, '\n'.
std::string base64Block(std::span<const uint8_t> bytes);

/// Whether `block` has the layout that base64Block() produces for `size` bytes. Does not check
/// the alphabet, to which a newline within a line does not belong either: decoding does that.
bool isBase64Block(std::string_view block, size_t size);

/// Decodes `text` to `size` bytes; spaces and line breaks are skipped. nullopt if a character is
/// outside the alphabet, if there are too many or too few characters, or if padding or unused bits
/// differ from what an encoder writes.
std::optional<std::vector<uint8_t>> decodeBase64(std::string_view text, size_t size);

/// CRC-32 of the `size` bytes of a block that isBase64Block() accepts, decoded line by line;
/// nullopt where decodeBase64() has none.
std::optional<uint32_t> crcOfBase64Block(std::string_view block, size_t size);

/// Number of characters of `text` that are not white space.
size_t countBase64(std::string_view text);

} // namespace tigris
