// Checks of kinds and ranges that all sections of the schema share.
#include "tigris/Serialize/NodeReader.h"

#include "tigris/Serialize/Scalar.h"

#include <algorithm>

namespace tigris {

namespace {

/// No tensor of a model has more dimensions; the limit keeps hostile shapes small.
constexpr size_t MaxSpelledRank = 32;
/// The largest range in which a double, and thus any JSON reader, represents every integer.
constexpr int64_t MaxSize = int64_t{1} << 53;

std::vector<std::string> strings(const std::string_view* first, size_t count) {
  return {first, first + count};
}

} // namespace

std::string describeNode(const YamlNode& node) {
  switch (node.kind) {
  case YamlNode::Kind::Null:
    return "nothing";
  case YamlNode::Kind::Sequence:
    return "a list";
  case YamlNode::Kind::Map:
    return "a map";
  case YamlNode::Kind::Scalar:
    break;
  }
  constexpr size_t Shown = 40;
  if (node.text.size() > Shown)
    return strCat("'", node.text.substr(0, Shown), "...'");
  return strCat("'", node.text, "'");
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  // Spelling suggestions compare all names letter by letter; skip them for words that nobody typed.
  if (word.size() > 200)
    return {};
  const auto nearest = nearestSpelling(word, candidates);
  return nearest ? strCat("; did you mean '", *nearest, "'?") : std::string();
}

void NodeReader::fillFields(const YamlNode& node, std::string_view what,
                            const std::string_view* keys, const YamlNode** values,
                            size_t count) const {
  const std::vector<YamlNode>& items = map(node, what);
  size_t expected = 0;
  for (size_t i = 0; i < items.size(); i += 2) {
    // Keys usually come in the printer's order, so the search starts after the previous one.
    size_t found = count;
    for (size_t k = 0; k < count && found == count; ++k)
      if (keys[(expected + k) % count] == items[i].text)
        found = (expected + k) % count;
    if (found == count)
      fail(DiagId::UnknownKey, items[i], what, " has no key '", items[i].text.substr(0, 80), "'",
           suggestion(items[i].text, strings(keys, count)));
    values[found] = &items[i + 1];
    expected = found + 1;
  }
}

const YamlNode& NodeReader::required(const YamlNode* value, const YamlNode& owner,
                                     std::string_view what, std::string_view key) const {
  if (value == nullptr)
    fail(DiagId::BadValue, owner, what, ": key '", key, "' is missing");
  return *value;
}

const YamlNode* NodeReader::renamed(const YamlNode* value, std::string_view key,
                                    const YamlNode* oldValue, std::string_view oldKey) const {
  if (value != nullptr && oldValue != nullptr)
    fail(DiagId::BadValue, *oldValue, "key '", oldKey, "' is the old spelling of '", key,
         "', which is given as well");
  return value != nullptr ? value : oldValue;
}

const std::vector<YamlNode>& NodeReader::list(const YamlNode& node, std::string_view what) const {
  if (node.kind != YamlNode::Kind::Sequence)
    fail(DiagId::BadValue, node, what, " must be a list, not ", describeNode(node));
  return node.items;
}

const std::vector<YamlNode>& NodeReader::map(const YamlNode& node, std::string_view what) const {
  if (node.kind != YamlNode::Kind::Map)
    fail(DiagId::BadValue, node, what, " must be a map, not ", describeNode(node));
  return node.items;
}

std::string NodeReader::string(const YamlNode& node, std::string_view what) const {
  if (node.kind != YamlNode::Kind::Scalar || node.binary)
    fail(DiagId::BadValue, node, what, " must be a string, not ", describeNode(node));
  return std::string(node.text);
}

std::string NodeReader::name(const YamlNode& node, std::string_view what) const {
  std::string text = string(node, what);
  if (text.empty())
    fail(DiagId::BadValue, node, what, " must not be empty");
  return text;
}

int64_t NodeReader::integer(const YamlNode& node, std::string_view what, int64_t min,
                            int64_t max) const {
  const auto value =
      node.kind == YamlNode::Kind::Scalar && node.plain ? parseInt(node.text) : std::nullopt;
  if (!value)
    fail(DiagId::BadValue, node, what, " must be an integer, not ", describeNode(node));
  if (*value < min || *value > max)
    fail(DiagId::BadValue, node, what, " is ", *value, ", must be ", min, " to ", max);
  return *value;
}

uint64_t NodeReader::size(const YamlNode& node, std::string_view what) const {
  return static_cast<uint64_t>(integer(node, what, 0, MaxSize));
}

template <typename T> T NodeReader::real(const YamlNode& node, std::string_view what) const {
  const auto value =
      node.kind == YamlNode::Kind::Scalar && node.plain ? parseReal<T>(node.text) : std::nullopt;
  if (!value)
    fail(DiagId::BadValue, node, what, " must be a number, not ", describeNode(node));
  return *value;
}
template float NodeReader::real<float>(const YamlNode& node, std::string_view what) const;
template double NodeReader::real<double>(const YamlNode& node, std::string_view what) const;

bool NodeReader::boolean(const YamlNode& node, std::string_view what) const {
  const bool isTrue = node.text == "true";
  if (node.kind != YamlNode::Kind::Scalar || !node.plain || (!isTrue && node.text != "false"))
    fail(DiagId::BadValue, node, what, " must be true or false, not ", describeNode(node));
  return isTrue;
}

std::vector<int64_t> NodeReader::integers(const YamlNode& node, std::string_view what, int64_t min,
                                          int64_t max) const {
  std::vector<int64_t> values;
  for (const YamlNode& item : list(node, what))
    values.push_back(integer(item, what, min, max));
  return values;
}

Shape NodeReader::shape(const YamlNode& node, std::string_view what) const {
  Shape shape(integers(node, what, 0, Shape::MaxElements));
  if (shape.rank() > MaxSpelledRank)
    fail(DiagId::BadValue, node, what, " has ", shape.rank(), " dimensions, at most ",
         MaxSpelledRank, " are allowed");
  // Zero dimensions count as one here: the product of the other dimensions must not overflow
  // either.
  Shape bounded = shape;
  for (size_t axis = 0; axis < bounded.rank(); ++axis)
    bounded[axis] = std::max<int64_t>(bounded[axis], 1);
  if (!bounded.checkedElements())
    fail(DiagId::BadValue, node, what, " ", shape.str(), " has more than ", Shape::MaxElements,
         " elements");
  return shape;
}

void NodeReader::failWord(const YamlNode& node, std::string_view what,
                          const std::vector<std::string>& words) const {
  const bool scalar = node.kind == YamlNode::Kind::Scalar;
  fail(DiagId::BadValue, node, what, " must be one of ", join(words, ", "), ", not ",
       describeNode(node), scalar ? suggestion(node.text, words) : std::string());
}

} // namespace tigris
