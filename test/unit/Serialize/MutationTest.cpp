// Damaged modules: for every changed, dropped or truncated byte, reading gives an error or a graph
// that prints and reads back; never a crash, an internal error or a hang.
#include "ModuleTesting.h"

#include <fstream>
#include <sstream>

using namespace tigris;

namespace {

constexpr const char* Goldens[] = {"graph-1.yaml", "graph-1-imported.yaml"};

std::string goldenText(const std::string& name) {
  std::ifstream file(std::string(TIGRIS_COMPAT_DIR "/") + name);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void survive(const std::string& text) {
  const Expected<Graph> graph = parse(text);
  if (!graph) {
    CHECK_FALSE(graph.error().message().empty());
    return;
  }
  const auto printed = writeModule(*graph);
  if (!printed) {
    CHECK(printed.error().id() == DiagId::BadWeights);
    return;
  }
  const Expected<Graph> again = parse(*printed);
  REQUIRE_MESSAGE(
      again, strCat(again.error().message(), "\nread from:\n", text, "\nprinted as:\n", *printed));
  const auto twice = writeModule(*again);
  REQUIRE(twice);
  CHECK(*twice == *printed);
}

} // namespace

TEST_CASE("the golden modules of schema 1 print as they were read") {
  for (const char* name : Goldens) {
    const std::string text = goldenText(name);
    const Expected<Graph> graph = parse(text);
    REQUIRE_MESSAGE(graph, formatDiagnostic(graph.error().diagnostic(), ""));
    CHECK(print(*graph) == text);
    for (const TensorId id : graph->tensors())
      if (graph->tensor(id).isConstant())
        CHECK(graph->tensor(id).data->bytes().size() == graph->tensor(id).bytes());
  }
}

TEST_CASE("a golden module with keys in their old spelling reads as the current one") {
  CHECK(print(*parse(goldenText("graph-1-old-keys.yaml"))) == goldenText("graph-1.yaml"));
}

TEST_CASE("a module cut at any byte") {
  for (const char* name : Goldens) {
    const std::string text = goldenText(name);
    for (size_t size = 0; size < text.size(); ++size)
      survive(text.substr(0, size));
  }
}

TEST_CASE("a module with any byte changed or dropped") {
  for (const char* name : Goldens) {
    const std::string text = goldenText(name);
    static constexpr std::string_view Replacements = "\0\n -:,[]{}\"0\xFF";
    for (size_t at = 0; at < text.size(); ++at) {
      for (const char c : {Replacements[at % 13], Replacements[(at * 7 + 5) % 13],
                           static_cast<char>(text[at] ^ 1)}) {
        std::string bad = text;
        bad[at] = c;
        survive(bad);
      }
      std::string bad = text;
      bad.erase(at, 1 + at % 3);
      survive(bad);
    }
  }
}

TEST_CASE("a module with any line dropped or doubled") {
  for (const char* name : Goldens) {
    const std::string text = goldenText(name);
    size_t start = 0;
    while (start < text.size()) {
      const size_t end = text.find('\n', start) + 1;
      survive(text.substr(0, start) + text.substr(end));
      survive(text.substr(0, end) + text.substr(start));
      start = end;
    }
  }
}
