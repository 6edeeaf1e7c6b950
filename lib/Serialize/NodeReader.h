// Typed access to YAML nodes for the schema readers: every mistake is reported with its place.
//
// Inside Serialize a failure is thrown (a schema has hundreds of ways to be wrong, and each is final);
// readStream() turns it into the Error it carries. Nothing else may catch or see it.
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

  /// The values of a map's `keys`, null where absent. A key that is not among them is UnknownKey; `what`
  /// names the map in messages ("tensor", "plan.stats").
  template <size_t N>
  std::array<const YamlNode*, N> fields(const YamlNode& node, std::string_view what,
                                        const std::array<std::string_view, N>& keys) const {
    std::array<const YamlNode*, N> values{};
    fillFields(node, what, keys.data(), values.data(), N);
    return values;
  }

  /// The value itself, or BadValue "tensor: key 'name' is missing".
  const YamlNode& required(const YamlNode* value, const YamlNode& owner, std::string_view what,
                           std::string_view key) const;

  const std::vector<YamlNode>& list(const YamlNode& node, std::string_view what) const;
  /// Key and value nodes in turn.
  const std::vector<YamlNode>& map(const YamlNode& node, std::string_view what) const;

  /// Any scalar that is not null, numbers included: names may look like numbers when written by hand.
  std::string string(const YamlNode& node, std::string_view what) const;
  /// A string of at least one character.
  std::string name(const YamlNode& node, std::string_view what) const;
  int64_t integer(const YamlNode& node, std::string_view what, int64_t min, int64_t max) const;
  /// A byte count, offset or other amount: 0 to 2^53.
  uint64_t size(const YamlNode& node, std::string_view what) const;
  template <typename T> T real(const YamlNode& node, std::string_view what) const;
  bool boolean(const YamlNode& node, std::string_view what) const;
  Shape shape(const YamlNode& node, std::string_view what) const;
  std::vector<int64_t> integers(const YamlNode& node, std::string_view what, int64_t min,
                                int64_t max) const;

  /// The value of one of several words: `parse` maps a word to an optional, `words` are for the message.
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

/// "a list", "a map", "nothing", "'12'": what a message says it found.
std::string describeNode(const YamlNode& node);

/// "; did you mean 'x'?" or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

} // namespace tigris
