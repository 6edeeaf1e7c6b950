// The two YAML parsers agree; documents are split as YAML defines; scalars are quoted if necessary.
#include "ModuleTesting.h"

#include "tigris/Serialize/Documents.h"
#include "tigris/Serialize/Scalar.h"
#include "tigris/Serialize/Yaml.h"

using namespace tigris;

namespace {

/// The tree as text, with positions.
std::string show(const YamlNode& node) {
  std::string out = strCat(node.line, ":", node.column, " ");
  switch (node.kind) {
  case YamlNode::Kind::Null:
    return "null";
  case YamlNode::Kind::Scalar:
    return out + (node.binary ? "!" : "") + (node.plain ? "" : "'") + std::string(node.text);
  case YamlNode::Kind::Sequence:
  case YamlNode::Kind::Map:
    out += node.kind == YamlNode::Kind::Map ? "{" : "[";
    for (const YamlNode& item : node.items)
      out += show(item) + ", ";
    return out + (node.kind == YamlNode::Kind::Map ? "}" : "]");
  }
  return out;
}

/// Both parsers must return the same tree if the subset parser accepts the text.
bool agree(const std::string& text) {
  const auto fast = parseSubset(text, 1);
  if (!fast)
    return true;
  const auto general = parseGeneral(text, 1, "t");
  const bool same = general && show(fast->root) == show(general->root);
  if (!same)
    MESSAGE("text: ", text, "\nsubset: ", show(fast->root),
            "\ngeneral: ", general ? show(general->root) : general.error().message());
  return same;
}

} // namespace

TEST_CASE("the subset parser reads what the printer writes") {
  for (const char* text : {
           "a: b\n",
           "---\na: {b: 1, c: [x, \"y z\", ~], d: {}}\ne: []\n",
           "a:\n  - {b: c}\n  - d\n  - \"e\"\nf: null\n",
           "a:\n  b: 1\n  c:\n    - x: 1\n      y: [2]\n    - x: 3\nd: 4",
           "a:\nb: \"q\\\"\\\\\\n\\x41\\u00e4\"\n",
           "# comment\n\n---\n# more\na: 1\n\n  # indented\nb: 2\n",
           "\"quoted key\": 1\n/a/b: -1\n",
       }) {
    CAPTURE(text);
    CHECK(parseSubset(text, 1));
    CHECK(agree(text));
  }
}

TEST_CASE("the subset parser gives up on everything else") {
  for (const char* text : {"",
                           "a",
                           "a: b c\n",
                           "a: 'b'\n",
                           "a: |\n  b\n",
                           "a: b # c\n",
                           "a: &x b\n",
                           "a: !t b\n",
                           "? a\n: b\n",
                           "a: [b,\n  c]\n",
                           "a: b\n  c\n",
                           "a:\n- b\n",
                           "a: {b}\n",
                           "a: [b: c]\n",
                           "a: {b: }\n",
                           "a: [b,]\n",
                           "a: \"b\n  c\"\n",
                           "a: b\n b: c\n",
                           "a:\tb\n",
                           "a: b \n",
                           "a : b\n",
                           "~: a\n",
                           "a: 1\na: 2\n",
                           "a: {b: 1, b: 2}\n",
                           "- - a\n",
                           "a: -\n",
                           "a: b\r\n",
                           "%YAML 1.2\n---\na: b\n",
                           "a: \"\\q\"\n",
                           "- a\n---\n",
                           "a: [1}\n",
                           "a: {b: 1]\n",
                           "a: \"\\ud800\"\n",
                           "a: @b\n",
                           "a: *b\n",
                           "a: 12:30\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parseSubset(text, 1));
  }
}

TEST_CASE("whatever the subset parser accepts, the general one reads the same") {
  const std::string base =
      "---\na: {b: 1, \"c d\": [x, \"y\\n\", ~]}\nlist:\n  - {e: f}\n  - g: h\n    i: -1.5\n"
      "map:\n  k: \"v\"\n  empty:\nlast: []\n";
  CHECK(parseSubset(base, 1));
  CHECK(agree(base));
  static constexpr std::string_view Replacements = " \n-:,[]{}\"#~.a\\'\t&*!|>%?/@1";
  for (size_t at = 0; at < base.size(); ++at) {
    for (const char c : Replacements) {
      std::string text = base;
      text[at] = c;
      CHECK(agree(text));
      text = base;
      text.insert(at, 1, c);
      CHECK(agree(text));
    }
    std::string text = base;
    text.erase(at, 1);
    CHECK(agree(text));
    CHECK(agree(base.substr(0, at)));
  }
}

TEST_CASE("general YAML is read with places") {
  const auto tree =
      parseGeneral("# c\na: 'x'\nb:\n- |\n  text\n- !!binary aGk=\n- !!str 5\n", 10, "t");
  REQUIRE(tree);
  CHECK(show(tree->root) ==
        "11:1 {11:1 a, 11:4 'x, 12:1 b, 13:1 [13:3 'text\n, 15:3 !'aGk=, 16:3 '5, ], }");
}

TEST_CASE("YAML that a module may not use is refused with its place") {
  const auto error = [](const std::string& text) {
    const auto tree = parseYaml(text, 1, "t");
    return tree ? std::string("ok") : formatDiagnostic(tree.error().diagnostic(), "");
  };
  CHECK(error("a: 1\nb: 2\na: 3\n") == "t:3:1: error: key 'a' is given twice [duplicate-name]\n");
  CHECK(error("a: &x 1\nb: *x\n").find("t:2:4: error: aliases (*name) are not supported") == 0);
  CHECK(error("a: !mine 1\n").find("t:1:4: error: tag '!mine' is not supported") == 0);
  CHECK(error("{[a]: 1}\n").find("a key must be a name, not 'a list'") != std::string::npos);
  CHECK(error("~: 1\n").find("a key must be a name, not 'null'") != std::string::npos);
  CHECK(error("a: [1\n").find("t:2:1: error: not well-formed YAML: ") == 0);
  CHECK(error("a: 1\n]\n").find("not well-formed YAML") != std::string::npos);
  CHECK(error(",\n").find("not well-formed YAML") != std::string::npos);
  CHECK(error("a: " + std::string(100, '[') + std::string(100, ']'))
            .find("nested more than 32 deep") != std::string::npos);
  CHECK(error(std::string(100000, '[')) != "ok");
  CHECK(error("- " + std::string(100000, '[')) != "ok");
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += strCat("k", i, ": 1\n");
  CHECK(error(many) == "ok");
  CHECK(error(many + "k7: 1\n") == "t:41:1: error: key 'k7' is given twice [duplicate-name]\n");
}

TEST_CASE("documents are split at markers in the first column") {
  const auto split = [](std::string_view text) {
    std::string out;
    for (const YamlDocument& document : splitDocuments(text))
      out += strCat(document.line, "<", document.text, ">");
    return out;
  };
  CHECK(split("") == "");
  CHECK(split("# only\n\n") == "");
  CHECK(split("a\n") == "1<a\n>");
  CHECK(split("---\na\n---\nb\n") == "1<---\na\n>3<---\nb\n>");
  CHECK(split("# c\n%YAML 1.2\n---\na\n...\n# d\n---\nb") ==
        "1<# c\n%YAML 1.2\n---\na\n>6<# d\n---\nb>");
  CHECK(split("a: |\n  ---\n --- x\n---x\n") == "1<a: |\n  ---\n --- x\n---x\n>");
  CHECK(split("--- a\n---\tb\n---\r\nc") == "1<--- a\n>2<---\tb\n>3<---\r\nc>");
  CHECK(split("---\n---\n") == "1<---\n>2<---\n>");
  CHECK(split("\xEF\xBB\xBF# c\n---\na\n") == "1<# c\n---\na\n>");
}

TEST_CASE("numbers are read exactly and strictly") {
  CHECK(parseReal<float>("0.1") == 0.1F);
  CHECK(parseReal<float>("1.0e-45") == 1e-45F);
  CHECK(parseReal<float>("3.4028235e+38") == std::numeric_limits<float>::max());
  CHECK(parseReal<float>("1e39") == std::nullopt);
  CHECK(parseReal<double>("5.0e-324") == 5e-324);
  CHECK(parseReal<double>("1e400") == std::nullopt);
  CHECK(parseReal<double>("1e-400") == 0.0);
  CHECK(std::signbit(*parseReal<double>("-0.0")));
  CHECK(std::signbit(*parseReal<float>("-1e-60")));
  CHECK(parseReal<double>("-.inf") == -std::numeric_limits<double>::infinity());
  CHECK(parseReal<double>("+3") == 3.0);
  CHECK(std::isnan(*parseReal<float>(".nan")));
  for (const char* text :
       {"", "-", "+", ".", "inf", "nan", "0x10", "1e", "1 ", " 1", "1_0", "--1", "+-1", "-inf"})
    CHECK(parseReal<double>(text) == std::nullopt);
}
