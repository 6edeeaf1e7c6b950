// Makes external text safe to print: models, files and command lines choose names, and messages
// repeat them.
#pragma once

#include <string>
#include <string_view>

namespace tigris {

/// Length in bytes of the valid UTF-8 sequence at the start of a nonempty text; 0 if there is none.
size_t utf8Length(std::string_view text);

/// Code points that must not be printed as they are: control characters (C0, DEL, C1), line and
/// paragraph separators, bidirectional marks and overrides, and noncharacters that XML forbids.
bool isUnprintable(char32_t codePoint);

/// The code point of a valid sequence of utf8Length() bytes.
char32_t decodeUtf8(std::string_view sequence);

/// The text as one line of valid UTF-8 without such code points. They are escaped as "\n", "\t",
/// "\r", "\x1b", "\u202e", and bytes that are not UTF-8 as "\xff".
std::string printable(std::string_view text);

/// Shortens a valid UTF-8 text of more than `limit` code points to its start and end, with "…"
/// between them.
std::string shortened(std::string text, size_t limit);

/// printable(), shortened() to fit a line or a table cell.
std::string printableName(std::string_view name);

/// printable(), with long quotations ('a name') shortened, and the whole limited to about one
/// screen.
std::string printableMessage(std::string_view message);

/// printable() for each line of a text; tabs are kept.
std::string printableLines(std::string_view text);

/// printable(), escaped for text and quoted attributes of HTML, XML and SVG.
std::string escapeMarkup(std::string_view text);

} // namespace tigris
