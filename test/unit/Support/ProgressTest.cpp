// The progress line: its text, when it is hidden, and what remains on the terminal.
#include "tigris/Support/Progress.h"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

using namespace tigris;

namespace {

constexpr const char* Erase = "\r\033[K";
constexpr ProgressLine::Timing AtOnce = {std::chrono::seconds(0), std::chrono::seconds(0)};
constexpr ProgressLine::Timing Never = {std::chrono::hours(1), std::chrono::seconds(0)};

struct Terminal {
  std::vector<std::string> written;
  auto sink() {
    return [this](const std::string& text) { written.push_back(text); };
  }
};

} // namespace

TEST_CASE("pieces of work are shown from the outside in") {
  Terminal terminal;
  {
    ProgressLine line("tool", 80, terminal.sink(), AtOnce);
    Progress outer("pass");
    outer.step("fold");
    {
      Progress inner("op", 7);
      inner.step();
      inner.step("conv");
      CHECK(inner.count() == 2);
    }
    outer.step("sink");
  }
  const std::vector<std::string> want = {"tool: pass",
                                         "tool: pass 1 (fold)",
                                         "tool: pass 1 (fold), op",
                                         "tool: pass 1 (fold), op 1 of 7",
                                         "tool: pass 1 (fold), op 2 of 7 (conv)",
                                         "tool: pass 2 (sink)",
                                         ""};
  REQUIRE(terminal.written.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i)
    CHECK(terminal.written[i] == Erase + want[i]);
}

TEST_CASE("short work shows nothing, and so does work without a line") {
  Progress before("nobody listens");
  before.step();
  Terminal terminal;
  {
    ProgressLine line("tool", 80, terminal.sink(), Never);
    Progress work("op", 2);
    work.step();
    ProgressLine::makeRoom();
  }
  CHECK(terminal.written.empty());
}

TEST_CASE("a line changes no more often than its interval allows") {
  Terminal terminal;
  ProgressLine line("tool", 80, terminal.sink(), {std::chrono::seconds(0), std::chrono::hours(1)});
  Progress work("op");
  for (int i = 0; i < 1000; ++i)
    work.step();
  CHECK(terminal.written.size() == 1);
}

TEST_CASE("a line is cut to the terminal and carries no control characters") {
  Terminal terminal;
  ProgressLine line("tool", 14, terminal.sink(), AtOnce);
  Progress work("op");
  work.step("\033[2Jx");
  CHECK(terminal.written.back() == Erase + std::string("tool: op 1 (\\"));
}

TEST_CASE("a line never ends in half a character") {
  Terminal terminal;
  // Two bytes each: eleven bytes end in the middle of the second one.
  ProgressLine line("tool", 12, terminal.sink(), AtOnce);
  Progress work("ab\u00e4\u00e4");
  CHECK(terminal.written.back() == Erase + std::string("tool: ab\u00e4"));
}

TEST_CASE("other output finds an empty line, and the next step shows it again") {
  Terminal terminal;
  ProgressLine line("tool", 80, terminal.sink(), AtOnce);
  Progress work("op");
  ProgressLine::makeRoom();
  ProgressLine::makeRoom();
  work.step();
  CHECK(terminal.written == std::vector<std::string>{Erase + std::string("tool: op"), Erase,
                                                     Erase + std::string("tool: op 1")});
}

TEST_CASE("an exception leaves a clean line and a usable stack") {
  Terminal terminal;
  ProgressLine line("tool", 80, terminal.sink(), AtOnce);
  try {
    Progress work("op");
    throw 1;
  } catch (int) {
  }
  Progress next("pass");
  CHECK(terminal.written.back() == Erase + std::string("tool: pass"));
}

TEST_CASE("a piece that outlives the line does no harm") {
  Terminal terminal;
  std::optional<ProgressLine> line;
  line.emplace("tool", 80, terminal.sink(), AtOnce);
  Progress work("op");
  line.reset();
  work.step();
  CHECK(terminal.written.size() == 2);
}
