// Text from outside, made safe to show: models, files and command lines choose names and messages repeat them.
#pragma once

#include <string>
#include <string_view>

namespace tigris {

/// Length in bytes of the valid UTF-8 sequence at the start of a text that is not empty; 0 where there is none.
size_t utf8Length(std::string_view text);

/// Code points nothing may show as they are: control characters (C0, DEL, C1), line and paragraph
/// separators, marks and overrides of the writing direction, noncharacters that XML forbids.
bool isUnprintable(char32_t codePoint);

/// The code point that a valid sequence (utf8Length() bytes) stands for.
char32_t decodeUtf8(std::string_view sequence);

/// One line of valid UTF-8 without such code points. They are spelled "\n", "\t", "\r", "\x1b", "\u202e",
/// bytes that are not UTF-8 "\xff".
std::string printable(std::string_view text);

/// Keeps the start and the end of a valid UTF-8 text that has more than `limit` code points, with "…" between.
std::string shortened(std::string text, size_t limit);

/// printable() and shortened() to what a line or a table cell has room for.
std::string printableName(std::string_view name);

/// printable(), with long quotations ('a name') and what is longer than a screen shortened.
std::string printableMessage(std::string_view message);

/// printable() for each line of a text; tabs stay.
std::string printableLines(std::string_view text);

/// printable(), and fit for text and quoted attributes of HTML, XML and SVG.
std::string escapeMarkup(std::string_view text);

} // namespace tigris
