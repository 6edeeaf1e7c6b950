// A YAML document as a small tree with places, from either of two parsers that agree wherever both accept.
//
// yaml-cpp reads everything a person may write, at about 0.1 ms per operator line. What our own printer
// writes needs a fraction of the language, and parseSubset() reads that fraction some twenty times
// faster. parseYaml() tries the subset first; errors always come from yaml-cpp.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

struct YamlNode {
  enum class Kind : uint8_t { Null, Scalar, Sequence, Map };
  Kind kind = Kind::Null;
  /// A scalar without quotes: only such a one may be a number or a boolean.
  bool plain = false;
  /// Tagged !!binary.
  bool binary = false;
  /// Both count from 1, within the whole file.
  int line = 0;
  int column = 0;
  std::string_view text;
  /// Elements of a sequence; of a map: key, value, key, value, ... with scalar keys, all different.
  std::vector<YamlNode> items;
};

/// Owns its decoded strings; nodes may also point into the text that was parsed.
struct YamlTree {
  YamlNode root;
  std::deque<std::string> strings;
};

/// Nesting beyond this is refused: the schema needs 7.
constexpr size_t MaxYamlDepth = 32;

/// Parses one document (which may begin with its `---` line). `firstLine` is the number of its first line
/// in the file. Aliases, foreign tags, duplicate keys and keys that are not scalars are errors: BadYaml, or
/// DuplicateName.
Expected<YamlTree> parseYaml(std::string_view text, int firstLine, const std::string& fileName);

/// The two parsers on their own; parseSubset() gives nullopt for whatever it does not know.
Expected<YamlTree> parseGeneral(std::string_view text, int firstLine, const std::string& fileName);
std::optional<YamlTree> parseSubset(std::string_view text, int firstLine);

/// Index of the first key among `items` that repeats an earlier one; nullopt when all differ.
std::optional<size_t> duplicateKey(const std::vector<YamlNode>& items);

} // namespace tigris
