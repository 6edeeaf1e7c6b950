// The shared edits of passes.
#include "tigris/Pass/Rewrite.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("origins add up without repetition, and not without end") {
  Op into;
  into.origin = {"a", "b"};
  Op from;
  from.origin = {"b", "c"};
  addOrigin(into, from);
  CHECK(into.origin == std::vector<std::string>{"a", "b", "c"});
  for (int i = 0; i < 1000; ++i) {
    from.origin = {"n" + std::to_string(i)};
    addOrigin(into, from);
  }
  CHECK(into.origin.size() == 64);
}
