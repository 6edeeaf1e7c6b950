// Help, manual page and completions of a small table.
#include "tigris/Driver/CommandLine/HelpText.h"
#include "tigris/Driver/CommandLine/Completions.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

struct Fixture {
  std::string mode;
  std::string file;
  bool fast = false;
  std::optional<std::string> list;
  OptionTable table;
  ToolSpec spec;

  Fixture() {
    table.choice("mode", mode, {"one", "two-b"}, "how; 'one' or [two]");
    table.text("log,l", file, "FILE", "where");
    table.flag("fast", fast, ".quick");
    table.optionalText("list", list, "text", "md", "list");
    spec.name = "tigris-x";
    spec.summary = "Does x.";
    spec.input = "IN";
    spec.examples = "tigris-x -l a\\b in\n";
  }

  bool contains(const std::string& format, const std::string& text) const {
    const std::string all =
        format == "man" ? manPage(spec, table) : completionScript(spec, table, format, {});
    INFO(all);
    return all.find(text) != std::string::npos;
  }
};

} // namespace

TEST_CASE("the manual page escapes troff requests") {
  const Fixture f;
  CHECK(f.contains("man", ".TH TIGRIS\\-X 1"));
  CHECK(f.contains("man", "tigris\\-x \\- Does x\n"));
  CHECK(f.contains("man", ".B \\-l, \\-\\-log=FILE\nwhere\n"));
  CHECK(f.contains("man", ".B \\-\\-fast\n\\&.quick\n"));
  CHECK(f.contains("man", "\\-l a\\eb in\n"));
  CHECK_FALSE(f.contains("man", "TIGRIS_PLUGIN_PATH"));
}

TEST_CASE("completions know words, files and options without values") {
  const Fixture f;
  CHECK(f.contains("bash", "--mode) COMPREPLY=($(compgen -W 'one two-b' -- \"$cur\")) ;;"));
  CHECK(f.contains("bash", "--log|-l) COMPREPLY=($(compgen -f -- \"$cur\")) ;;"));
  CHECK(f.contains("bash", "compgen -W '--mode= --log= -l --fast --list'"));
  CHECK(f.contains("zsh", "'--mode=[how; '\\''one'\\'' or \\[two\\]]:one|two-b:(one two-b)'"));
  CHECK(f.contains("zsh", "'-l+[where]:FILE:_files'"));
  CHECK(f.contains("zsh", "'--list=-[list]::md:(md)'"));
  CHECK(f.contains("fish",
                   "complete -c tigris-x -l mode -x -a 'one two-b' -d 'how; \\'one\\' or [two]'"));
  CHECK(f.contains("fish", "complete -c tigris-x -l log -s l -r -F -d 'where'"));
  CHECK(f.contains("fish", "complete -c tigris-x -l fast -d '.quick'"));
}

TEST_CASE("every diagnostic can be explained, and others cannot") {
  for (const DiagId id : allDiagIds()) {
    const Expected<std::string> text = explainDiagnostic(diagSpelling(id));
    REQUIRE(text);
    CHECK(text->find(diagHelp(id)) != std::string::npos);
  }
  const Expected<std::string> wrong = explainDiagnostic("nonsense");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().id() == DiagId::Usage);
}
