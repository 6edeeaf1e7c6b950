// Edited modules are rejected with a reason, or run. The test changes single numbers of planned
// modules and passes each module through reader, checker, emitter, loader and executor. No edit may
// take more than about a second.
//
//   property_edits [--seed N] [--count N] [--edits N] [--edit N] [--verbose]
//
// --edits: the number of edits per module, spread evenly; 0: all. --edit: only the edit with this
// number.
#include "PlanRun.h"
#include "RandomModel.h"
#include "StreamEdits.h"

#include "tigris/Emit/Emitter.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/StringUtils.h"
#include "tigris/Target/Target.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <span>

using namespace tigris;
using namespace tigris::property;

namespace {

constexpr uint64_t Ample = uint64_t{1} << 26;
/// Allows for a busy machine and for sanitizers, but is far below the time of a plan executed tile
/// by tile.
constexpr double MostSeconds = 3;

struct Options {
  uint64_t seed = 1;
  uint64_t count = 10;
  uint64_t edits = 0;
  std::optional<uint64_t> edit;
  bool verbose = false;
};

struct Totals {
  std::map<std::string, uint64_t> stages;
  uint64_t streams = 0;
  uint64_t states = 0;
  uint64_t packed = 0;
  uint64_t edits = 0;
  uint64_t refused = 0;
  uint64_t run = 0;
  uint64_t failures = 0;
  double slowest = 0;
};

PlanOptions randomOptions(Random& random) {
  PlanOptions options;
  const int64_t io = random.below(100);
  options.io = io < 40 ? IoMode::Slow : io < 85 ? IoMode::Caller : IoMode::Arena;
  const std::span<const Target> targets = allTargets();
  if (random.percent(50))
    options.target =
        targets[static_cast<size_t>(random.below(static_cast<int64_t>(targets.size())))].name;
  options.budget = {Ample, Ample, {}};
  options.planner = random.percent(30) ? Strategy::Greedy : Strategy::Optimal;
  if (options.io != IoMode::Slow && options.planner == Strategy::Optimal && random.percent(50))
    options.budget.slow.reset();
  return options;
}

/// Makes the first output with a matching input the state of that input.
bool addState(Graph& graph) {
  for (const Port& input : graph.inputs())
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      Port& output = graph.editOutput(i);
      const Tensor& from = graph.tensor(output.tensor);
      const Tensor& to = graph.tensor(input.tensor);
      if (output.tensor == input.tensor || from.type != to.type || from.shape != to.shape ||
          from.quant != to.quant || output.perm != input.perm)
        continue;
      output.state = input.name;
      return true;
    }
  return false;
}

/// A planned module and the results of its edits.
class Subject {
public:
  Subject(uint64_t seed, const Options& options, Totals& totals)
      : seed_(seed), options_(options), totals_(totals), random_(seed * 6151 + 7) {}

  void check() {
    const Expected<Graph> graph = planned();
    if (!graph)
      return;
    inputs_ = randomInputs(*graph, seed_);
    const bool isPacked = random_.percent(25);
    emission_.compress = isPacked ? Compression::Lz4 : Compression::None;
    totals_.packed += isPacked ? 1 : 0;
    ++totals_.streams;
    for (const Stage& stage : graph->plan()->stages)
      ++totals_.stages[std::string(stageModeName(stage.mode()))];
    const Expected<std::string> text = writeModule(*graph);
    TIGRIS_CHECK(text);
    const StreamEdits edits(*text);
    const uint64_t count = edits.size();
    const uint64_t step =
        options_.edits == 0 || options_.edits > count ? 1 : count / options_.edits;
    for (uint64_t i = step > 1 ? seed_ % step : 0; i < count; i += step)
      if (!options_.edit || *options_.edit == i)
        tryEdit(edits, i);
  }

private:
  Expected<Graph> planned() {
    Graph graph = randomModel(seed_);
    insertPortCopies(graph);
    PlanOptions options = randomOptions(random_);
    if (options.io != IoMode::Arena && random_.percent(50) && addState(graph))
      ++totals_.states;
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    if (!needs)
      return needs.error();
    const uint64_t smallest = std::max<uint64_t>(needs->smallest, 1);
    options.budget.fast =
        smallest + static_cast<uint64_t>(random_.below(static_cast<int64_t>(smallest) / 2 + 1));
    if (random_.percent(15))
      options.budget.fast = Ample;
    Expected<Plan> plan = planGraph(graph, options);
    if (!plan)
      return plan.takeError();
    applyPlan(graph, std::move(*plan));
    return graph;
  }

  void tryEdit(const StreamEdits& edits, uint64_t index) {
    const auto start = std::chrono::steady_clock::now();
    std::string problem;
    try {
      problem = outcome(edits.edited(index));
    } catch (const DataError&) {
      ++totals_.refused;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    totals_.slowest = std::max(totals_.slowest, seconds);
    if (problem.empty() && seconds > MostSeconds)
      problem = strCat("takes ", seconds, " s");
    ++totals_.edits;
    if (!problem.empty()) {
      ++totals_.failures;
      std::printf("FAILED: %s\n  %s\n  again: property_edits --seed %llu --count 1 --edit %llu\n",
                  problem.c_str(), edits.describe(index).c_str(),
                  static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(index));
      std::fflush(stdout);
    }
  }

  /// Empty if the edit is rejected with a reason, or runs.
  std::string outcome(std::string text) {
    const Expected<Graph> graph =
        readModule(std::make_shared<const std::string>(std::move(text)), "-");
    if (!graph)
      return refusal(graph.error());
    const Expected<std::string> file = emitPlan(*graph, emission_);
    if (!file)
      return refusal(file.error());
    const RunResult run = runPlan(*file, inputs_, {100, 0, 0x5A});
    ++totals_.run;
    return run.status == TIGRIS_E_INDEX && !run.escaped ? "" : run.error;
  }

  std::string refusal(const Error& error) {
    ++totals_.refused;
    if (options_.verbose)
      std::printf("%s\n", error.message().c_str());
    return error.message().empty() ? "refused without a reason" : "";
  }

  uint64_t seed_;
  const Options& options_;
  Totals& totals_;
  Random random_;
  EmitOptions emission_;
  std::vector<std::vector<uint8_t>> inputs_;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (i + 1 == argc)
      return false;
    const uint64_t value = std::strtoull(argv[++i], nullptr, 10);
    if (name == "--seed")
      options.seed = value;
    else if (name == "--count")
      options.count = value;
    else if (name == "--edits")
      options.edits = value;
    else if (name == "--edit")
      options.edit = value;
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: property_edits [--seed N] [--count N] [--edits N] [--edit N] "
                         "[--verbose]\n");
    return 2;
  }
  Totals totals;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed)
    Subject(seed, options, totals).check();
  for (const auto& [mode, count] : totals.stages)
    std::printf("%llu %s stages, ", static_cast<unsigned long long>(count), mode.c_str());
  std::printf(
      "%llu streams (%llu with states, %llu with packed weights), %llu edits: %llu refused, "
      "%llu run, the slowest %.2f s; %llu failed\n",
      static_cast<unsigned long long>(totals.streams),
      static_cast<unsigned long long>(totals.states),
      static_cast<unsigned long long>(totals.packed), static_cast<unsigned long long>(totals.edits),
      static_cast<unsigned long long>(totals.refused), static_cast<unsigned long long>(totals.run),
      totals.slowest, static_cast<unsigned long long>(totals.failures));
  return totals.failures == 0 ? 0 : 1;
}
