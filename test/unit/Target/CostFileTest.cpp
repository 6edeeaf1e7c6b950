// Costs fitted to samples, and the file format.
#include "tigris/Target/CostFile.h"

#include "tigris/Target/Target.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

KernelCosts figures() { return allTargets().front().costs; }

} // namespace

TEST_CASE("a fit finds the line that samples lie on") {
  std::vector<CostSample> samples;
  for (const double units : {100.0, 5000.0, 20000.0})
    samples.push_back({WorkClass::Conv, 2, units, 2 * 3000 + 1.5 * units});
  const KernelCosts costs = fitCosts(samples, figures());
  CHECK(costs.of(WorkClass::Conv).call == doctest::Approx(3000));
  CHECK(costs.of(WorkClass::Conv).unit == doctest::Approx(1.5));
}

TEST_CASE("what has no samples is in proportion") {
  const KernelCosts base = figures();
  const WorkCost& dense = base.of(WorkClass::Dense);
  std::vector<CostSample> samples;
  for (const double units : {10.0, 1000.0, 20000.0})
    samples.push_back({WorkClass::Dense, 1, units, 3 * (dense.call + dense.unit * units)});
  const KernelCosts costs = fitCosts(samples, base);
  CHECK(costs.of(WorkClass::Pool).unit == doctest::Approx(3 * base.of(WorkClass::Pool).unit));
  CHECK(costs.partCall == doctest::Approx(3 * base.partCall));
  CHECK(costs.slowByte == doctest::Approx(3 * base.slowByte));
}

TEST_CASE("nothing costs less than nothing") {
  // Falling with the work: all cost is per call. Rising more than proportionally: all cost is per
  // unit of work.
  const auto fit = [](double first, double second) {
    const std::vector<CostSample> samples = {{WorkClass::Pool, 1, 10, first},
                                             {WorkClass::Pool, 1, 100, second}};
    return fitCosts(samples, figures()).of(WorkClass::Pool);
  };
  CHECK(fit(100, 50).unit == 0);
  CHECK(fit(100, 50).call > 0);
  CHECK(fit(10, 1000).call == 0);
  CHECK(fit(10, 1000).unit > 0);
  // One sample does not separate the two costs.
  const std::vector<CostSample> one = {{WorkClass::Pool, 1, 10, 70}};
  CHECK(fitCosts(one, figures()).of(WorkClass::Pool).call == 0);
  CHECK(fitCosts(one, figures()).of(WorkClass::Pool).unit == doctest::Approx(7));
  CHECK(printCosts(fitCosts({}, figures())) == printCosts(figures()));
}

TEST_CASE("a cost file holds what was written") {
  for (const Target& target : allTargets()) {
    const std::string text = printCosts(target.costs);
    const Expected<KernelCosts> read = parseCosts(text, "f");
    REQUIRE(read);
    CHECK(printCosts(*read) == text);
  }
}

TEST_CASE("a cost file with anything else in it is refused") {
  const std::string good = printCosts(figures());
  const auto refused = [](const std::string& text) { return !parseCosts(text, "f"); };
  CHECK(refused(""));
  CHECK(refused(good + "conv 1 2\n"));
  CHECK(refused(good + "cnov 1 2\n"));
  CHECK(refused(good.substr(0, good.rfind("slow-byte"))));
  for (const char* slow :
       {"slow-byte\n", "slow-byte -1\n", "slow-byte x\n", "slow-byte 1 2\n", "slow-byte nan\n"})
    CHECK(refused(good.substr(0, good.rfind("slow-byte")) + slow));
}
