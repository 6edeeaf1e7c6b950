// Checksums, checked arithmetic, diagnostics and Expected.
#include "tigris/Support/Crc32.h"
#include "tigris/Support/Expected.h"
#include "tigris/Support/MathUtils.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <set>

using namespace tigris;

TEST_CASE("crc32: zlib's values, whole or in pieces") {
  CHECK(crc32("", 0) == 0);
  CHECK(crc32("123456789", 9) == 0xCBF43926U);
  CHECK(crc32("The quick brown fox jumps over the lazy dog", 43) == 0x414FA339U);
  const std::string text(100000, 'x');
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{7}, size_t{99999}})
    CHECK(crc32(text.data() + cut, text.size() - cut, crc32(text.data(), cut)) ==
          crc32(text.data(), text.size()));
  // Pieces below 64 bytes take another way than the whole.
  std::string varied;
  for (int i = 0; i < 1000; ++i)
    varied += static_cast<char>(i * i >> 3);
  uint32_t pieces = 0;
  for (size_t at = 0; at < varied.size(); at += 10)
    pieces = crc32(varied.data() + at, 10, pieces);
  CHECK(pieces == crc32(varied.data(), varied.size()));
}

TEST_CASE("checked arithmetic reports overflow") {
  CHECK(checkedMul(1 << 20, 1 << 20) == int64_t{1} << 40);
  CHECK(!checkedMul(INT64_MAX, 2));
  CHECK(checkedAdd(INT64_MAX, -1) == INT64_MAX - 1);
  CHECK(!checkedAdd(INT64_MAX, 1));
  CHECK(alignUp(0, 8) == 0);
  CHECK(alignUp(9, 8) == 16);
  CHECK(alignUp(10, 3) == 12);
  CHECK(ceilDiv(7, 2) == 4);
  CHECK(ceilDiv(-7, 2) == -3);
  CHECK(floorDiv(7, 2) == 3);
  CHECK(floorDiv(-7, 2) == -4);
  CHECK(floorDiv(-8, 2) == -4);
}

TEST_CASE("diagnostics: the printed form is the one editors jump to") {
  Diagnostic diagnostic{DiagId::BadAttr, Severity::Error, {"model.yaml", 42, 5}, "op 'a': no", {}};
  CHECK(formatDiagnostic(diagnostic, "tool") == "model.yaml:42:5: error: op 'a': no [bad-attr]\n");
  diagnostic.notes = {"imported from '/a'"};
  CHECK(formatDiagnostic(diagnostic, "tool") == "model.yaml:42:5: error: op 'a': no [bad-attr]\n"
                                                "model.yaml:42:5: note: imported from '/a'\n");
  CHECK(formatDiagnostic({DiagId::OverBudget, Severity::Warning, {}, "tight", {}}, "tigris-plan") ==
        "tigris-plan: warning: tight [over-budget]\n");
}

TEST_CASE("diagnostics: every id has its own spelling and help") {
  std::set<std::string> spellings;
  for (const DiagId id : allDiagIds()) {
    CHECK(spellings.insert(diagSpelling(id)).second);
    CHECK(std::string(diagHelp(id)).size() > 10);
  }
}

TEST_CASE("diagnostics: the engine counts errors and forwards everything") {
  std::vector<std::string> seen;
  DiagnosticEngine engine([&](const Diagnostic& d) { seen.push_back(d.message); });
  engine.warn(DiagId::FreeDimension, "free ", 1);
  engine.error(DiagId::BadShape, "shape ", 2);
  CHECK(engine.errorCount() == 1);
  CHECK(engine.all().size() == 2);
  CHECK(seen == std::vector<std::string>{"free 1", "shape 2"});
}

TEST_CASE("expected: a value or an error, never both") {
  const auto half = [](int number) -> Expected<int> {
    if (number % 2 != 0)
      return makeError(DiagId::BadValue, number, " is odd");
    return number / 2;
  };
  Expected<int> good = half(8);
  REQUIRE(good);
  CHECK(*good == 4);
  CHECK_THROWS_AS(static_cast<void>(good.error()), InternalError const&);
  Expected<int> bad = half(7);
  REQUIRE(!bad);
  CHECK(bad.error().message() == "7 is odd");
  CHECK_THROWS_AS(static_cast<void>(*bad), InternalError const&);
  const Error located = bad.takeError().note("try 8").at({"f", 1, 2});
  CHECK(located.diagnostic().notes == std::vector<std::string>{"try 8"});
  CHECK(located.diagnostic().loc.line == 1);
  const Status ok;
  CHECK(ok);
  const Status failed = makeError(DiagId::IoError, "no");
  CHECK(!failed);
}
