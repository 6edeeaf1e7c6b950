// All tests on one random graph.
#pragma once

#include <cstdint>
#include <string>

namespace tigris::property {

/// The options of property_plans.
struct Options {
  uint64_t seed = 1;
  uint64_t count = 100;
  unsigned budgets = 7;
  unsigned ops = 0;
  uint64_t budget = 0;
  uint64_t damage = 0;
  bool unfilled = false;
  bool print = false;
  bool verbose = false;
};

/// What the tests have seen, over all graphs.
struct Totals {
  uint64_t plans = 0;
  uint64_t stages = 0;
  uint64_t tiled = 0;
  uint64_t chains = 0;
  uint64_t direct = 0;
  uint64_t streamed = 0;
  uint64_t bounded = 0;
  uint64_t overlapping = 0;
  uint64_t inPlace = 0;
  uint64_t overOperands = 0;
  uint64_t byRows = 0;
  /// Plans of several stages with inputs and outputs in the arena.
  uint64_t inArena = 0;
  uint64_t striped = 0;
  uint64_t sinks = 0;
  uint64_t stripedSinks = 0;
  uint64_t repeating = 0;
  uint64_t packed = 0;
  uint64_t overflowing = 0;
  uint64_t damaged = 0;
  uint64_t damagedRuns = 0;
  uint64_t unsupported = 0;
  uint64_t failures = 0;
};

/// The failure of the graph of a seed, cut to its first `ops` ops (0: all); empty if there is none.
std::string checkSeed(uint64_t seed, unsigned ops, const Options& options, Totals& totals);

} // namespace tigris::property
