// Converts yaml-cpp's parser events to our tree. yaml-cpp's own node type is slow, keeps duplicate
// keys and loses positions.
#include "tigris/Serialize/Scalar.h"
#include "tigris/Serialize/Yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <algorithm>
#include <istream>
#include <streambuf>

namespace tigris {

namespace {

/// A stream buffer over the text, without a copy.
class ViewBuffer : public std::streambuf {
public:
  explicit ViewBuffer(std::string_view text) {
    // The get area is never written to.
    char* first = const_cast<char*>(text.data());
    setg(first, first, first + text.size());
  }
};

class TreeBuilder : public YAML::EventHandler {
public:
  /// Thrown through yaml-cpp's frames and caught in parseGeneral().
  struct Refused {
    DiagId id;
    int line;
    int column;
    std::string message;
  };

  TreeBuilder(YamlTree& tree, int firstLine) : tree_(tree), firstLine_(firstLine) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(mark, YamlNode::Kind::Null, "null");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    YamlNode& node = add(mark, YamlNode::Kind::Scalar, value);
    node.plain = tag == "?" || tag.empty();
    node.binary = tag == "tag:yaml.org,2002:binary";
    if (!node.plain && !node.binary && tag != "!" && tag != "tag:yaml.org,2002:str")
      refuse(mark, strCat("tag '", tag, "' is not supported"));
    node.text = tree_.strings.emplace_back(value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::Sequence);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::Map);
  }
  void OnMapEnd() override {
    const std::vector<YamlNode>& items = open_.back()->items;
    if (const auto repeated = duplicateKey(items)) {
      const YamlNode& key = items[*repeated];
      throw Refused{DiagId::DuplicateName, key.line, key.column,
                    strCat("key '", key.text, "' is given twice")};
    }
    open_.pop_back();
  }

  // yaml-cpp reports line -1 for an absent value.
  int lineOf(const YAML::Mark& mark) const { return std::max(mark.line, 0) + firstLine_; }
  static int columnOf(const YAML::Mark& mark) { return std::max(mark.column, 0) + 1; }

private:
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw Refused{DiagId::BadYaml, lineOf(mark), columnOf(mark), std::move(message)};
  }

  YamlNode& add(const YAML::Mark& mark, YamlNode::Kind kind, const std::string& text) {
    YamlNode* node = &tree_.root;
    if (!open_.empty()) {
      std::vector<YamlNode>& items = open_.back()->items;
      const bool isKey = open_.back()->kind == YamlNode::Kind::Map && items.size() % 2 == 0;
      if (isKey && kind != YamlNode::Kind::Scalar)
        refuse(mark, strCat("a key must be a name, not '", text, "'"));
      node = &items.emplace_back();
    }
    node->kind = kind;
    node->line = lineOf(mark);
    node->column = columnOf(mark);
    return *node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    const bool map = kind == YamlNode::Kind::Map;
    if (!tag.empty() && tag != "?" && tag != "!" &&
        tag != (map ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq"))
      refuse(mark, strCat("tag '", tag, "' is not supported"));
    if (open_.size() >= MaxYamlDepth)
      refuse(mark, strCat("values are nested more than ", MaxYamlDepth, " deep"));
    // A parent's vector does not grow while a child is open, so the pointers stay valid.
    open_.push_back(&add(mark, kind, map ? "a map" : "a list"));
  }

  YamlTree& tree_;
  int firstLine_;
  std::vector<YamlNode*> open_;
};

} // namespace

std::optional<size_t> duplicateKey(const std::vector<YamlNode>& items) {
  constexpr size_t FewKeys = 16;
  if (items.size() <= 2 * FewKeys) {
    for (size_t i = 2; i < items.size(); i += 2)
      for (size_t j = 0; j < i; j += 2)
        if (items[i].text == items[j].text)
          return i;
    return std::nullopt;
  }
  std::vector<size_t> keys;
  for (size_t i = 0; i < items.size(); i += 2)
    keys.push_back(i);
  std::stable_sort(keys.begin(), keys.end(),
                   [&](size_t a, size_t b) { return items[a].text < items[b].text; });
  std::optional<size_t> first;
  for (size_t k = 1; k < keys.size(); ++k)
    if (items[keys[k]].text == items[keys[k - 1]].text)
      first = std::min(first.value_or(keys[k]), keys[k]);
  return first;
}

Expected<YamlTree> parseGeneral(std::string_view text, int firstLine, const std::string& fileName) {
  YamlTree tree;
  TreeBuilder builder(tree, firstLine);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      return tree;
    // The text is one document, so a second one means that a value ended early.
    YamlTree rest;
    TreeBuilder restBuilder(rest, firstLine);
    if (parser.HandleNextDocument(restBuilder))
      return makeError(DiagId::BadYaml, "not well-formed YAML: unexpected text after the document")
          .at({fileName, rest.root.line, rest.root.column});
  } catch (const TreeBuilder::Refused& refused) {
    return makeError(refused.id, refused.message).at({fileName, refused.line, refused.column});
  } catch (const YAML::Exception& exception) {
    return makeError(DiagId::BadYaml, "not well-formed YAML: ", exception.msg)
        .at({fileName, builder.lineOf(exception.mark), TreeBuilder::columnOf(exception.mark)});
  }
  return tree;
}

Expected<YamlTree> parseYaml(std::string_view text, int firstLine, const std::string& fileName) {
  if (std::optional<YamlTree> tree = parseSubset(text, firstLine))
    return std::move(*tree);
  return parseGeneral(text, firstLine, fileName);
}

} // namespace tigris
