// Parser of the subset of YAML that our printer uses: block maps and lists, and single-line flow
// collections, plain and double-quoted scalars. On anything else (comments after values, multi-line
// scalars, block scalars, other quotes, tags, tabs) it gives up, and the general parser reads the
// text. Giving up is therefore always correct; accepting a text that YAML reads differently never
// is.
#include "tigris/Serialize/Scalar.h"
#include "tigris/Serialize/Yaml.h"

#include <array>
#include <charconv>

namespace tigris {

namespace {

constexpr std::array<bool, 256> makePlainTable() {
  std::array<bool, 256> table{};
  for (const char c :
       std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/.-+~"))
    table[static_cast<uint8_t>(c)] = true;
  return table;
}
constexpr auto PlainCharacters = makePlainTable();

class SubsetParser {
public:
  SubsetParser(std::string_view text, int firstLine) : text_(text), lineNumber_(firstLine - 1) {}

  std::optional<YamlTree> run() {
    nextLine();
    if (!atEnd_ && indent_ == 0 && rest() == "---")
      nextLine();
    if (atEnd_ || !parseBlock(tree_.root, 1) || !atEnd_)
      return std::nullopt;
    return std::move(tree_);
  }

private:
  // --- lines

  /// Moves to the next line that is neither blank nor a comment.
  void nextLine() {
    while (next_ < text_.size()) {
      lineStart_ = next_;
      ++lineNumber_;
      const size_t end = text_.find('\n', next_);
      lineEnd_ = end == std::string_view::npos ? text_.size() : end;
      next_ = lineEnd_ + 1;
      at_ = lineStart_;
      while (at_ < lineEnd_ && text_[at_] == ' ')
        ++at_;
      if (at_ == lineEnd_ || text_[at_] == '#')
        continue;
      indent_ = at_ - lineStart_;
      return;
    }
    atEnd_ = true;
    indent_ = 0;
  }

  std::string_view rest() const { return text_.substr(at_, lineEnd_ - at_); }
  bool done() const { return at_ == lineEnd_; }
  char peek() const { return at_ < lineEnd_ ? text_[at_] : '\0'; }
  char peekAfter() const { return at_ + 1 < lineEnd_ ? text_[at_ + 1] : '\0'; }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }
  void skipSpaces() {
    while (peek() == ' ')
      ++at_;
  }
  void place(YamlNode& node) const {
    node.line = lineNumber_;
    node.column = static_cast<int>(at_ - lineStart_) + 1;
  }

  // --- block structure

  /// Parses the value whose first line is the current one, at the current column.
  bool parseBlock(YamlNode& node, size_t depth) {
    if (depth > MaxYamlDepth)
      return false;
    place(node);
    if (isItem()) {
      node.kind = YamlNode::Kind::Sequence;
      return parseItems(node, depth);
    }
    node.kind = YamlNode::Kind::Map;
    return parseEntries(node, depth);
  }

  bool isItem() const { return peek() == '-' && (peekAfter() == ' ' || at_ + 1 == lineEnd_); }

  bool parseItems(YamlNode& node, size_t depth) {
    const size_t indent = indent_;
    while (!atEnd_ && indent_ == indent && isItem()) {
      at_ += 2;
      if (at_ >= lineEnd_ || peek() == ' ' || isItem())
        return false;
      YamlNode& item = node.items.emplace_back();
      if (startsEntry()) {
        indent_ = indent + 2;
        if (!parseBlock(item, depth + 1))
          return false;
      } else if (!parseInline(item, depth + 1)) {
        return false;
      }
      if (!atEnd_ && indent_ > indent)
        return false;
    }
    return atEnd_ || indent_ < indent;
  }

  /// Whether a block map begins here: a key, a colon, and a space or the end of the line.
  bool startsEntry() {
    const size_t start = at_;
    YamlNode key;
    const bool found = parseKey(key);
    at_ = start;
    return found;
  }

  bool parseKey(YamlNode& key) {
    place(key);
    // YAML looks for the colon at most 1,024 characters ahead.
    if (!parseString(key) || key.kind != YamlNode::Kind::Scalar || key.text.size() > 500 ||
        !take(':'))
      return false;
    return done() || peek() == ' ';
  }

  bool parseEntries(YamlNode& node, size_t depth) {
    const size_t indent = indent_;
    while (!atEnd_ && indent_ == indent && !isItem()) {
      YamlNode key;
      if (!parseKey(key))
        return false;
      node.items.push_back(std::move(key));
      YamlNode& value = node.items.emplace_back();
      if (done()) {
        place(value);
        nextLine();
        if (!atEnd_ && indent_ > indent && !parseBlock(value, depth + 1))
          return false;
        // A list may be at the same indentation as its key; leave that to the general parser.
        if (!atEnd_ && indent_ == indent && isItem())
          return false;
      } else {
        ++at_;
        if (!parseInline(value, depth + 1))
          return false;
      }
      if (!atEnd_ && indent_ > indent)
        return false;
    }
    return (atEnd_ || indent_ < indent) && !duplicateKey(node.items);
  }

  /// Parses a value that ends with the line; moves to the next line.
  bool parseInline(YamlNode& node, size_t depth) {
    if (!parseFlow(node, depth) || !done())
      return false;
    nextLine();
    return true;
  }

  // --- one line

  bool parseFlow(YamlNode& node, size_t depth) {
    if (depth > MaxYamlDepth)
      return false;
    place(node);
    if (peek() == '{')
      return parseFlowMap(node, depth);
    if (peek() == '[')
      return parseFlowList(node, depth);
    return parseString(node);
  }

  bool parseFlowMap(YamlNode& node, size_t depth) {
    node.kind = YamlNode::Kind::Map;
    ++at_;
    skipSpaces();
    if (take('}'))
      return true;
    node.items.reserve(8);
    while (true) {
      if (!parseKey(node.items.emplace_back()) || !take(' ') ||
          !parseFlow(node.items.emplace_back(), depth + 1))
        return false;
      skipSpaces();
      if (take('}'))
        return !duplicateKey(node.items);
      if (!take(','))
        return false;
      skipSpaces();
    }
  }

  bool parseFlowList(YamlNode& node, size_t depth) {
    node.kind = YamlNode::Kind::Sequence;
    ++at_;
    skipSpaces();
    if (take(']'))
      return true;
    while (true) {
      if (!parseFlow(node.items.emplace_back(), depth + 1))
        return false;
      skipSpaces();
      if (take(']'))
        return true;
      if (!take(','))
        return false;
      skipSpaces();
    }
  }

  bool parseString(YamlNode& node) {
    node.kind = YamlNode::Kind::Scalar;
    if (peek() == '"')
      return parseQuoted(node);
    const size_t start = at_;
    while (at_ < lineEnd_ && PlainCharacters[static_cast<uint8_t>(text_[at_])])
      ++at_;
    const std::string_view text = text_.substr(start, at_ - start);
    // A lone "-" or "---" is structure, not text.
    if (text.empty() || text.find_first_not_of('-') == std::string_view::npos)
      return false;
    node.plain = true;
    node.text = text;
    if (isNullToken(text)) {
      node.kind = YamlNode::Kind::Null;
      node.text = {};
      node.plain = false;
    }
    return true;
  }

  bool parseQuoted(YamlNode& node) {
    const size_t start = ++at_;
    while (at_ < lineEnd_ && text_[at_] != '"' && text_[at_] != '\\' && text_[at_] != '\t' &&
           text_[at_] != '\r')
      ++at_;
    if (peek() == '"') {
      node.text = text_.substr(start, at_ - start);
      ++at_;
      return true;
    }
    if (peek() != '\\')
      return false;
    std::string decoded(text_.substr(start, at_ - start));
    while (!take('"')) {
      if (done() || peek() == '\t' || peek() == '\r')
        return false;
      if (peek() != '\\')
        decoded += text_[at_++];
      else if (!parseEscape(decoded))
        return false;
    }
    node.text = tree_.strings.emplace_back(std::move(decoded));
    return true;
  }

  bool parseEscape(std::string& out) {
    const char kind = peekAfter();
    at_ += 2;
    switch (kind) {
    case '"':
    case '\\':
      out += kind;
      return true;
    case 'n':
      out += '\n';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'r':
      out += '\r';
      return true;
    case 'x':
      return parseHex(out, 2);
    case 'u':
      return parseHex(out, 4);
    default:
      return false;
    }
  }

  bool parseHex(std::string& out, size_t digits) {
    uint32_t value = 0;
    if (at_ + digits > lineEnd_)
      return false;
    const char* first = text_.data() + at_;
    const auto result = std::from_chars(first, first + digits, value, 16);
    if (result.ec != std::errc() || result.ptr != first + digits ||
        (value >= 0xD800 && value <= 0xDFFF))
      return false;
    appendUtf8(out, value);
    at_ += digits;
    return true;
  }

  std::string_view text_;
  YamlTree tree_;
  size_t next_ = 0;
  size_t lineStart_ = 0;
  size_t lineEnd_ = 0;
  size_t at_ = 0;
  /// Column, from 0, at which the current line's value begins; after "- ", the column of the item.
  size_t indent_ = 0;
  int lineNumber_;
  bool atEnd_ = false;
};

} // namespace

std::optional<YamlTree> parseSubset(std::string_view text, int firstLine) {
  return SubsetParser(text, firstLine).run();
}

} // namespace tigris
