// Unique names, however many are taken.
#include "tigris/Support/FreeName.h"

#include <doctest/doctest.h>
#include <set>

using namespace tigris;

TEST_CASE("the first free name counts from one") {
  std::set<std::string> taken;
  for (const char* const expected : {"a", "a_1", "a_2", "a_3", "a_4", "a_5"}) {
    const std::string name =
        firstFreeName("a", [&](const std::string& one) { return taken.count(one) != 0; });
    CHECK(name == expected);
    taken.insert(name);
  }
}

TEST_CASE("few names are tried where many are taken") {
  constexpr uint64_t Taken = 1000000;
  unsigned tried = 0;
  const std::string name = firstFreeName("n", [&](const std::string& one) {
    ++tried;
    return one == "n" || parseInt(std::string_view(one).substr(2)).value() <= int64_t{Taken};
  });
  CHECK(name == "n_1000001");
  CHECK(tried < 50);
}
