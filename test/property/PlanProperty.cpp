// Any model with any budget. For random graphs, and budgets from the smallest feasible one to that
// of a single stage, the plan is accepted, runs in exactly its memory, matches its predicted counts
// and gives the bytes of the untiled plan. With less fast memory than planned it still runs.
//
//   property_plans [--seed N] [--count N] [--budgets N] [--ops N] [--budget BYTES] [--damage N]
//                  [--unfilled] [--print] [--verbose]
//
// --ops: only the first N operators of each graph. --budget: this budget only. --damage: the number
// of damaged files per plan that are opened and run. --unfilled: memories are uninitialized before
// a run, for valgrind. --print: prints the graph.
#include "PlanSubject.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

using namespace tigris::property;

namespace {

/// The shortest prefix of the graph that also fails.
void reportFailure(uint64_t seed, std::string problem, const Options& options) {
  unsigned ops = options.ops;
  Totals ignored;
  for (unsigned shorter = 1; options.ops == 0 && shorter < 14; ++shorter)
    if (std::string found = checkSeed(seed, shorter, options, ignored); !found.empty()) {
      ops = shorter;
      problem = std::move(found);
      break;
    }
  std::printf("FAILED: %s\n  again: property_plans --seed %llu --count 1", problem.c_str(),
              static_cast<unsigned long long>(seed));
  if (ops != 0)
    std::printf(" --ops %u", ops);
  std::printf("\n");
  std::fflush(stdout);
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--print" || name == "--verbose" || name == "--unfilled") {
      (name == "--print"     ? options.print
       : name == "--verbose" ? options.verbose
                             : options.unfilled) = true;
      continue;
    }
    if (i + 1 == argc)
      return false;
    const uint64_t value = std::strtoull(argv[++i], nullptr, 10);
    if (name == "--seed")
      options.seed = value;
    else if (name == "--count")
      options.count = value;
    else if (name == "--budgets")
      options.budgets = static_cast<unsigned>(value);
    else if (name == "--ops")
      options.ops = static_cast<unsigned>(value);
    else if (name == "--budget")
      options.budget = value;
    else if (name == "--damage")
      options.damage = value;
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: property_plans [--seed N] [--count N] [--budgets N] [--ops N] "
                         "[--budget BYTES] [--damage N] [--unfilled] [--print] [--verbose]\n");
    return 2;
  }
  Totals totals;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    if (options.verbose) {
      std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    const std::string problem = checkSeed(seed, options.ops, options, totals);
    if (problem.empty())
      continue;
    ++totals.failures;
    reportFailure(seed, problem, options);
  }
  std::printf(
      "%llu graphs, %llu plans, %llu stages: %llu tiled (%llu of them chains), %llu streamed "
      "(%llu in place, %llu with overlaps, %llu in stripes, %llu with sinks, %llu with both), %llu "
      "direct; %llu ops over operands; %llu "
      "plans with a bound by rows, %llu in stages with inputs and outputs in the arena, %llu "
      "graphs by rows; %llu with repeats; %llu plans with packed weights; %llu with overflow; %llu "
      "damaged plans, "
      "%llu of them run; "
      "%llu graphs without kernels; %llu failed\n",
      static_cast<unsigned long long>(options.count), static_cast<unsigned long long>(totals.plans),
      static_cast<unsigned long long>(totals.stages), static_cast<unsigned long long>(totals.tiled),
      static_cast<unsigned long long>(totals.chains),
      static_cast<unsigned long long>(totals.streamed),
      static_cast<unsigned long long>(totals.inPlace),
      static_cast<unsigned long long>(totals.overlapping),
      static_cast<unsigned long long>(totals.striped),
      static_cast<unsigned long long>(totals.sinks),
      static_cast<unsigned long long>(totals.stripedSinks),
      static_cast<unsigned long long>(totals.direct),
      static_cast<unsigned long long>(totals.overOperands),
      static_cast<unsigned long long>(totals.bounded),
      static_cast<unsigned long long>(totals.inArena),
      static_cast<unsigned long long>(totals.byRows),
      static_cast<unsigned long long>(totals.repeating),
      static_cast<unsigned long long>(totals.packed),
      static_cast<unsigned long long>(totals.overflowing),
      static_cast<unsigned long long>(totals.damaged),
      static_cast<unsigned long long>(totals.damagedRuns),
      static_cast<unsigned long long>(totals.unsupported),
      static_cast<unsigned long long>(totals.failures));
  return totals.failures == 0 ? 0 : 1;
}