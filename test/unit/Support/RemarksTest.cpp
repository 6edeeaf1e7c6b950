// Remarks: collected only on request, filtered by origin, and without repetitions.
#include "tigris/Support/Remarks.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

struct FakeOp {
  std::string name;
  std::string kindName() const { return "Conv"; }
};

void fold(const std::string& reason) {
  const RemarkOrigin origin("some-fold");
  remarkOn(FakeOp{"conv1"}, "not-folded", reason);
  remarkOn(FakeOp{"conv1"}, "not-folded", reason);
}

} // namespace

TEST_CASE("remarks: nothing is collected unless somebody does") {
  CHECK(RemarkCollector::current() == nullptr);
  fold("of no interest");
  const RemarkCollector collector(".*");
  CHECK(RemarkCollector::current() == &collector);
  CHECK(collector.all().empty());
}

TEST_CASE("remarks: repetitions count once, and a pass that runs again replaces its remarks") {
  const RemarkCollector collector(".*");
  fold("a first reason");
  fold("a second reason");
  REQUIRE(collector.all().size() == 1);
  CHECK(collector.all()[0] ==
        Remark{"some-fold", "not-folded", "conv1", "Conv", "a second reason"});
}

TEST_CASE("remarks: the pattern matches an origin, or an origin and a name") {
  for (const char* pattern : {"some-fold", "some-.*", "some-fold:not-folded", ".*:not-.*"}) {
    const RemarkCollector collector(pattern);
    fold("x");
    CHECK(collector.all().size() == 1);
  }
  for (const char* pattern : {"fold", "planner", "some-fold:not-fused", "not-folded"}) {
    const RemarkCollector collector(pattern);
    fold("x");
    CHECK(collector.all().empty());
  }
}

TEST_CASE("remarks: text and JSON") {
  const RemarkCollector collector(".*");
  fold("it has \"quotes\"");
  CHECK(remarksText(collector.all()) ==
        "remark: some-fold: not-folded: op 'conv1' (Conv): it has \"quotes\"\n");
  CHECK(remarksJson(collector.all()).find(R"("reason": "it has \"quotes\"")") != std::string::npos);
  CHECK(remarksText({}).empty());
}
