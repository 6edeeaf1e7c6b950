// Base64 as the weights document lays it out: lines of 1,024 characters behind six spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Characters that `size` bytes take, padding included, line breaks not.
size_t base64Length(size_t size);

/// Length of the canonical block of `size` bytes: indentation and newlines included.
size_t base64BlockLength(size_t size);

/// Appends the canonical block of `bytes`: every line is six spaces, up to 1,024 characters, '\n'.
void appendBase64Block(std::string& out, std::span<const uint8_t> bytes);

/// Whether `block` has the geometry appendBase64Block gives `size` bytes. The alphabet is not looked at:
/// that is decoding, and copying a block through must cost no more than copying.
bool isBase64Block(std::string_view block, size_t size);

/// The `size` bytes that `text` stands for; spaces and line breaks anywhere are skipped. nullopt when a
/// character is outside the alphabet, when there are too many or too few of them, or when padding or
/// unused bits are not what an encoder writes.
std::optional<std::vector<uint8_t>> decodeBase64(std::string_view text, size_t size);

/// Characters of `text` that are not white space.
size_t countBase64(std::string_view text);

} // namespace tigris
