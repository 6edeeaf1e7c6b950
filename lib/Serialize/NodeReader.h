// Typed access to YAML nodes for the schema readers. Every error has a position.
//
// Inside Serialize an error is thrown as ReadFailure, because a schema has hundreds of error
// conditions and each ends the reading. readModule() converts it to the Error it carries. No other
// code catches or sees it.
#pragma once

#include "tigris/IR/Attr.h"
#include "tigris/IR/Shape.h"
#include "tigris/Serialize/Yaml.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// See the head of this file.
struct ReadFailure {
  Error error;
};

class NodeReader {
public:
  explicit NodeReader(std::string fileName) : fileName_(std::move(fileName)) {}

  const std::string& fileName() const { return fileName_; }
  SourceLoc loc(const YamlNode& node) const { return {fileName_, node.line, node.column}; }

  template <typename... Args>
  [[noreturn]] void fail(DiagId id, const YamlNode& node, const Args&... text) const {
    throw ReadFailure{makeError(id, text...).at(loc(node))};
  }

  /// The values of the map's `keys`; null where absent. Any other key is UnknownKey. `what` names
  /// the map in messages ("tensor", "plan.stats").
  template <size_t N>
  std::array<const YamlNode*, N> fields(const YamlNode& node, std::string_view what,
                                        const std::array<std::string_view, N>& keys) const {
    std::array<const YamlNode*, N> values{};
    fillFields(node, what, keys.data(), values.data(), N);
    return values;
  }

  /// The value, or BadValue "tensor: key 'name' is missing".
  const YamlNode& required(const YamlNode* value, const YamlNode& owner, std::string_view what,
                           std::string_view key) const;
  /// The value of `key`, which earlier versions spell `oldKey`; null if neither is given, BadValue
  /// if both are.
  const YamlNode* renamed(const YamlNode* value, std::string_view key, const YamlNode* oldValue,
                          std::string_view oldKey) const;

  const std::vector<YamlNode>& list(const YamlNode& node, std::string_view what) const;
  /// Alternating key and value nodes.
  const std::vector<YamlNode>& map(const YamlNode& node, std::string_view what) const;

  /// Any scalar except null, including numbers: a handwritten name may look like a number.
  std::string string(const YamlNode& node, std::string_view what) const;
  /// A string of at least one character.
  std::string name(const YamlNode& node, std::string_view what) const;
  int64_t integer(const YamlNode& node, std::string_view what, int64_t min, int64_t max) const;
  /// A byte count, an offset or another size: 0 to 2^53.
  uint64_t size(const YamlNode& node, std::string_view what) const;
  template <typename T> T real(const YamlNode& node, std::string_view what) const;
  bool boolean(const YamlNode& node, std::string_view what) const;
  Shape shape(const YamlNode& node, std::string_view what) const;
  std::vector<int64_t> integers(const YamlNode& node, std::string_view what, int64_t min,
                                int64_t max) const;

  /// One of several words: `parse` maps a word to an optional value; `words` are listed in the
  /// message.
  template <typename Parse>
  auto word(const YamlNode& node, std::string_view what, const Parse& parse,
            const std::vector<std::string>& words) const {
    const auto value =
        node.kind == YamlNode::Kind::Scalar ? parse(node.text) : decltype(parse({}))();
    if (!value)
      failWord(node, what, words);
    return *value;
  }

private:
  void fillFields(const YamlNode& node, std::string_view what, const std::string_view* keys,
                  const YamlNode** values, size_t count) const;
  [[noreturn]] void failWord(const YamlNode& node, std::string_view what,
                             const std::vector<std::string>& words) const;

  std::string fileName_;
};

/// The node as messages describe it: "a list", "a map", "nothing", "'12'".
std::string describeNode(const YamlNode& node);

/// "; did you mean 'x'?", or an empty string.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

} // namespace tigris
