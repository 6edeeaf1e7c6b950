// A YAML document as a small tree with positions. Two parsers produce it; they agree on all texts
// that both accept.
//
// yaml-cpp reads all of YAML at about 0.1 ms per operator line. Our own printer uses a subset of
// the language, which parseSubset() reads some twenty times faster. parseYaml() tries the subset
// first; errors always come from yaml-cpp.
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
  /// Whether the scalar is unquoted: only such a scalar may be a number or a boolean.
  bool plain = false;
  /// Tagged !!binary.
  bool binary = false;
  /// Both count from 1 within the whole file.
  int line = 0;
  int column = 0;
  std::string_view text;
  /// Elements of a sequence; for a map: key, value, key, value, ... with distinct scalar keys.
  std::vector<YamlNode> items;
};

/// Owns decoded strings; nodes may also point into the parsed text.
struct YamlTree {
  YamlNode root;
  std::deque<std::string> strings;
};

/// Maximum nesting; the schema needs 7.
constexpr size_t MaxYamlDepth = 32;

/// Parses one document (which may begin with its `---` line). `firstLine` is the number of its
/// first line in the file. Aliases, foreign tags and keys that are not scalars are BadYaml;
/// duplicate keys are DuplicateName.
Expected<YamlTree> parseYaml(std::string_view text, int firstLine, const std::string& fileName);

/// The two parsers separately; parseSubset() returns nullopt for texts outside the subset.
Expected<YamlTree> parseGeneral(std::string_view text, int firstLine, const std::string& fileName);
std::optional<YamlTree> parseSubset(std::string_view text, int firstLine);

/// Index of the first key in `items` that repeats an earlier one; nullopt if all differ.
std::optional<size_t> duplicateKey(const std::vector<YamlNode>& items);

} // namespace tigris
