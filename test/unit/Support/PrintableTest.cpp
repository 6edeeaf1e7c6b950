// Texts from models must not control a terminal, forge a line or end a comment.
#include "tigris/Support/Printable.h"
#include "tigris/Support/Diagnostics.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace std::string_literals;

TEST_CASE("printable: control characters, directions and broken UTF-8 are spelled out") {
  CHECK(printable("conv1/é€😀 'x' \\") == "conv1/é€😀 'x' \\");
  CHECK(printable("\x1b]0;x\x07"s) == "\\x1b]0;x\\x07");
  CHECK(printable("a\nb\tc\rd\0e\x7F"s) == "a\\nb\\tc\\rd\\x00e\\x7f");
  CHECK(printable("\u009b\u0085") == "\\u009b\\u0085");
  CHECK(printable("\u202e\u2066\u200f\u2028\ufeff") == "\\u202e\\u2066\\u200f\\u2028\\ufeff");
  CHECK(printable("a\xFF\xC3") == "a\\xff\\xc3");
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("").empty());
}

TEST_CASE("printable: a long name keeps its start and its end") {
  CHECK(shortened("abcdefghij", 10) == "abcdefghij");
  CHECK(shortened("abcdefghijk", 10) == "abcdef…ijk");
  CHECK(shortened("éééééééééééé", 10) == "éééééé…ééé");
  CHECK(shortened("éééééééééé", 10) == "éééééééééé");
  CHECK(printableName(std::string(5000, 'x')).size() < 120);
  CHECK(printableName(std::string(5000, '\x1b')).size() < 120);
}

TEST_CASE("printable: text of several lines keeps them") {
  CHECK(printableLines("a\tb\x1b\nc\n\n"s) == "a\tb\\x1b\nc\n\n");
  CHECK(printableLines("a") == "a");
  CHECK(printableLines("").empty());
}

TEST_CASE("printable: markup cannot be left") {
  CHECK(escapeMarkup("</script><a b=\"c\" d='e'>&\n") ==
        "&lt;/script&gt;&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\\n");
}

TEST_CASE("diagnostics: names cannot forge lines, and a message stays short") {
  const auto text = [](std::string message) {
    return formatDiagnostic({DiagId::BadAttr, Severity::Error, {}, std::move(message), {}}, "tool");
  };
  CHECK(text("op 'a\ntool: error: b\x1b[31m' is bad") ==
        "tool: error: op 'a\\ntool: error: b\\x1b[31m' is bad [bad-attr]\n");
  CHECK(text("op 'it's' doesn't fit 'b'") == "tool: error: op 'it's' doesn't fit 'b' [bad-attr]\n");
  const std::string name(5000, 'n');
  const std::string message = text("op '" + name + "': tensor '" + name + "' has 3 values");
  CHECK(message.size() < 500);
  CHECK(message.ends_with("nnn' has 3 values [bad-attr]\n"));
  CHECK(text("op '" + name + "' '" + name + name).size() < 2500);
  std::string quotes;
  for (int i = 0; i < 5000; ++i)
    quotes += "' ";
  CHECK(text("op '" + quotes + "'").size() < 2500);
  Diagnostic noted{
      DiagId::BadAttr, Severity::Warning, {"dir\x1b/x.yaml", 3, 1}, "m", {"n\n '" + name + "'"}};
  const std::string lines = formatDiagnostic(noted, "tool");
  CHECK(lines.starts_with("dir\\x1b/x.yaml:3:1: warning: m [bad-attr]\n"));
  CHECK(lines.size() < 500);
}
