// The order search against an exhaustive search, and the bound against both.
#include "tigris/Analysis/OrderSearch.h"
#include "tigris/Analysis/PeakBound.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>

using namespace tigris;

namespace {

/// Every op writes one buffer of 4 to 64 bytes and reads some of the six buffers before it. With an
/// odd seed the result may take the place of operands of its size.
OrderProblem randomProblem(uint32_t seed, size_t ops, uint32_t percent = 25) {
  std::mt19937 random(seed);
  OrderProblem problem;
  problem.producers.resize(ops);
  for (size_t op = 0; op < ops; ++op) {
    const uint64_t sizes[] = {4, 8, 16, 24, 32, 48, 64};
    problem.buffers.push_back({sizes[random() % 7], op, {}, false});
    const size_t first = op > 6 ? op - 6 : 0;
    for (size_t before = first; before < op; ++before)
      if (random() % 100 < percent)
        problem.producers[op].push_back(before);
    if (problem.producers[op].empty() && op > 0)
      problem.producers[op].push_back(first + random() % (op - first));
    for (const size_t before : problem.producers[op]) {
      problem.buffers[before].readers.push_back(op);
      if (seed % 2 != 0 && problem.buffers[before].bytes == problem.buffers[op].bytes)
        problem.buffers[op].over.push_back(before);
    }
  }
  for (OrderProblem::Buffer& buffer : problem.buffers)
    buffer.staysToEnd = buffer.readers.empty();
  return problem;
}

/// The lowest peak, over all sets of ops that can have been executed.
uint64_t exhaustivePeak(const OrderProblem& problem) {
  const size_t ops = problem.ops();
  std::unordered_map<uint32_t, uint64_t> layer = {{0, 0}};
  const auto live = [&](uint32_t done) {
    uint64_t bytes = 0;
    for (const OrderProblem::Buffer& buffer : problem.buffers) {
      bool isLive = buffer.staysToEnd;
      for (const size_t reader : buffer.readers)
        isLive = isLive || (done >> reader & 1U) == 0;
      bytes += isLive && (done >> *buffer.maker & 1U) != 0 ? buffer.bytes : 0;
    }
    return bytes;
  };
  const auto isRead = [&](uint32_t done, size_t buffer) {
    const std::vector<size_t>& readers = problem.buffers[buffer].readers;
    return std::all_of(readers.begin(), readers.end(),
                       [&](size_t reader) { return (done >> reader & 1U) != 0; });
  };
  /// Bytes that the op writes in a place of their own.
  const auto written = [&](uint32_t done, size_t op) {
    const OrderProblem::Buffer& buffer = problem.buffers[op];
    return std::any_of(buffer.over.begin(), buffer.over.end(),
                       [&](size_t operand) { return isRead(done | 1U << op, operand); })
               ? 0
               : buffer.bytes;
  };
  for (size_t count = 0; count < ops; ++count) {
    std::unordered_map<uint32_t, uint64_t> next;
    for (const auto& [done, peak] : layer)
      for (size_t op = 0; op < ops; ++op) {
        bool isReady = (done >> op & 1U) == 0;
        for (const size_t producer : problem.producers[op])
          isReady = isReady && (done >> producer & 1U) != 0;
        if (!isReady)
          continue;
        const uint64_t here = std::max(peak, live(done) + written(done, op));
        const auto [entry, isNew] = next.emplace(done | 1U << op, here);
        entry->second = isNew ? here : std::min(entry->second, here);
      }
    layer = std::move(next);
  }
  return layer.begin()->second;
}

std::vector<size_t> givenOrder(const OrderProblem& problem) {
  std::vector<size_t> order(problem.ops());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

uint64_t peakOf(const OrderProblem& problem, const std::vector<size_t>& order) {
  const std::vector<uint64_t> during = bytesDuring(problem, order);
  return *std::max_element(during.begin(), during.end());
}

uint64_t cutBound(const OrderProblem& problem, const std::vector<size_t>& order) {
  uint64_t best = 0;
  size_t flows = SIZE_MAX;
  for (const OrderSection section : orderSections(problem))
    best = std::max(best, sectionBound(problem, section, bytesDuring(problem, order), flows));
  return best;
}

void checkOrder(const OrderProblem& problem, const std::vector<size_t>& order) {
  std::vector<bool> done(problem.ops());
  REQUIRE(order.size() == problem.ops());
  for (const size_t op : order) {
    CHECK_FALSE(done[op]);
    for (const size_t producer : problem.producers[op])
      CHECK(done[producer]);
    done[op] = true;
  }
}

} // namespace

TEST_CASE("the order found has the least peak of all, and the bound does not exceed it") {
  double given = 0;
  double bound = 0;
  for (uint32_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const OrderProblem problem = randomProblem(seed, 24);
    const std::vector<size_t> start = givenOrder(problem);
    const OrderResult found = searchOrder(problem, {{start}});
    checkOrder(problem, found.order);
    const uint64_t best = exhaustivePeak(problem);
    CHECK(found.peak == best);
    CHECK(found.bound == best);
    CHECK(peakOf(problem, found.order) == found.peak);
    const uint64_t least = cutBound(problem, found.order);
    CHECK(least <= best);
    CHECK(least == cutBound(problem, start));
    given += static_cast<double>(peakOf(problem, start)) / static_cast<double>(best) / 12;
    bound += static_cast<double>(best) / static_cast<double>(least) / 12;
  }
  MESSAGE("given order ", given, " of the best, best ", bound, " of the bound");
  CHECK(given > 1.05);
  CHECK(bound < 1.2);
}

TEST_CASE(
    "with next to no work the order is close to the best, with none not worse than the known") {
  double loss = 0;
  for (uint32_t seed = 100; seed < 112; ++seed) {
    CAPTURE(seed);
    const OrderProblem problem = randomProblem(seed, 24);
    const std::vector<size_t> start = givenOrder(problem);
    const OrderResult beam = searchOrder(problem, {{start}}, 0);
    checkOrder(problem, beam.order);
    const uint64_t best = searchOrder(problem, {{start}}).peak;
    CHECK(beam.peak <= peakOf(problem, start));
    CHECK(beam.peak >= best);
    CHECK(beam.bound <= best);
    loss += static_cast<double>(beam.peak) / static_cast<double>(best) / 12;
  }
  CHECK(loss <= 1.02);
}

TEST_CASE("bounds of groups hold for every order") {
  for (uint32_t seed = 20; seed < 32; ++seed) {
    CAPTURE(seed);
    const OrderProblem problem = randomProblem(seed, 18);
    const auto dependsOn = [&](size_t op, size_t other) {
      std::vector<size_t> open = {op};
      while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        if (at == other)
          return true;
        open.insert(open.end(), problem.producers[at].begin(), problem.producers[at].end());
      }
      return false;
    };
    std::vector<std::vector<size_t>> groups; // adjacent ops that do not depend on each other
    for (size_t op = 0; op < problem.ops(); ++op) {
      if (groups.empty() || std::any_of(groups.back().begin(), groups.back().end(),
                                        [&](size_t other) { return dependsOn(op, other); }))
        groups.emplace_back();
      groups.back().push_back(op);
    }
    size_t flows = SIZE_MAX;
    const std::vector<size_t> start = givenOrder(problem);
    const uint64_t bound = groupBound(problem, groups, start, flows);
    CHECK(bound > 0);
    CHECK(bound <= exhaustivePeak(problem));
    flows = 0;
    CHECK(groupBound(problem, groups, start, flows) == 0);
  }
}

TEST_CASE("a thousand ops are ordered in bounded work") {
  const OrderProblem problem = randomProblem(7, 1000, 10);
  const std::vector<size_t> start = givenOrder(problem);
  const OrderResult found = searchOrder(problem, {{start}});
  checkOrder(problem, found.order);
  CHECK(found.peak <= peakOf(problem, start));
  CHECK(found.bound <= found.peak);
}

TEST_CASE("sections end at articulations") {
  OrderProblem problem;
  problem.producers = {{}, {0}, {1}, {1}, {2, 3}, {4}};
  std::vector<std::pair<size_t, size_t>> sections;
  for (const OrderSection section : orderSections(problem))
    sections.emplace_back(section.begin, section.end);
  CHECK(sections == std::vector<std::pair<size_t, size_t>>{{0, 1}, {1, 2}, {2, 4}, {4, 5}, {5, 6}});
  problem.producers.push_back(
      {2}); // a result of its own: everything after op 2 can come before or after it
  sections.clear();
  for (const OrderSection section : orderSections(problem))
    sections.emplace_back(section.begin, section.end);
  CHECK(sections == std::vector<std::pair<size_t, size_t>>{{0, 1}, {1, 2}, {2, 7}});
}

TEST_CASE("a section too large to search keeps the best of the known orders") {
  // `width` pairs of ops side by side, between one op that all read and one that reads all.
  constexpr size_t Width = 3000;
  constexpr size_t End = 2 * Width + 1;
  OrderProblem problem;
  problem.producers.resize(End + 1);
  const auto add = [&](size_t op, uint64_t bytes) {
    problem.buffers.push_back({bytes, op, {}, false});
  };
  const auto read = [&](size_t op, size_t producer) {
    problem.producers[op].push_back(producer);
    problem.buffers[producer].readers.push_back(op);
  };
  add(0, 8);
  for (size_t i = 0; i < Width; ++i) {
    add(1 + 2 * i, 100);
    add(2 + 2 * i, 1);
    read(1 + 2 * i, 0);
    read(2 + 2 * i, 1 + 2 * i);
  }
  add(End, 4);
  for (size_t i = 0; i < Width; ++i)
    read(End, 2 + 2 * i);
  // All wide results first, or each pair for itself.
  std::vector<std::vector<size_t>> known(2);
  for (size_t op = 0; op <= End; ++op)
    known[1].push_back(op);
  known[0] = known[1];
  std::stable_partition(known[0].begin(), known[0].end(),
                        [](size_t op) { return op == 0 || (op % 2 == 1 && op != End); });
  const OrderResult result = searchOrder(problem, known);
  CHECK(result.order == known[1]);
  CHECK(result.peak == 8 + (Width - 2) + 100 + 1);
  CHECK(result.bound <= result.peak);
}
