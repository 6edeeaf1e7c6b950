// One set of figures: modules, plan files, text and JSON agree, and what is unknown is not
// invented.
#include "tigris/Inspect/Figures.h"

#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/PlanPicture.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Two pools whose tiles share rows.
const char* const Pools = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 24, 8, 4]}
  - {name: t, type: float32, shape: [1, 24, 8, 4]}
  - {name: y, type: float32, shape: [1, 24, 8, 4]}
ops:
  - {op: MaxPool, name: a, in: [x], out: [t], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: b, in: [t], out: [y], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
)";

Graph plannedFor(Graph graph, uint64_t fast, Strategy planner = Strategy::Optimal) {
  insertPortCopies(graph);
  PlanOptions options;
  options.budget = {fast, 1 << 20, {}};
  options.planner = planner;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  return graph;
}

PlanFile fileOf(const Graph& graph, bool strip = false) {
  EmitOptions options;
  options.strip = strip;
  const Expected<std::string> bytes = emitPlan(graph, options);
  REQUIRE(bytes);
  Expected<PlanFile> file = PlanFile::open(*bytes, "p.tgrs");
  REQUIRE(file);
  return std::move(*file);
}

std::string statsJson(const Report& report) {
  JsonWriter json;
  json.beginObject();
  writeStats(json, report.planStats());
  writeCounts(json, report.counts ? &*report.counts : nullptr);
  json.endObject();
  return json.text();
}

std::string stagesJson(const Report& report) {
  JsonWriter json;
  json.beginObject();
  writeStages(json, report);
  json.endObject();
  return json.text();
}

} // namespace

TEST_CASE("the figures of a planned module are those of its plan file") {
  for (const Strategy planner : {Strategy::Optimal, Strategy::Greedy})
    for (const uint64_t fast : {1500, 3000, 65536}) {
      const Graph graph = plannedFor(parseGraph(Pools), fast, planner);
      const Report ofModule = reportOf(graph);
      const Report ofFile = reportOf(fileOf(graph));
      CHECK(statsJson(ofModule) == statsJson(ofFile));
      CHECK(stagesJson(ofModule) == stagesJson(ofFile));
      CHECK(stageTable(ofModule).text() == stageTable(ofFile).text());
      CHECK(missingStatsNote(ofFile).empty());
      const std::vector<FigureLine> lines = figureLines(ofFile);
      for (const FigureLine& line : figureLines(ofModule))
        if (line.label != "weights" && line.label != "unscheduled")
          CHECK(std::any_of(lines.begin(), lines.end(), [&](const FigureLine& other) {
            return other.label == line.label && other.text == line.text;
          }));
    }
}

TEST_CASE("the parts of the RAM add up, and a module's are those of its file") {
  const auto ramOf = [](PlanOptions options) {
    Graph graph = parseGraph(Pools);
    Expected<Plan> plan = planGraph(graph, options);
    REQUIRE(plan);
    applyPlan(graph, std::move(*plan));
    const RamUse ram = *reportOf(graph).ram;
    CHECK(ram == *reportOf(fileOf(graph)).ram);
    CHECK(ram == *reportOf(fileOf(graph, true)).ram);
    CHECK(ram.context == 296);
    CHECK(ram.total() ==
          ram.arena + ram.scratch + ram.inputs + ram.outputs + ram.context + ram.slow);
    CHECK(ram.arena >= graph.plan()->stats.fastPeakBytes);
    CHECK(ram.slow == graph.plan()->stats.slowPeakBytes);
    return ram;
  };
  constexpr uint64_t Map = 24 * 8 * 4 * 4;
  PlanOptions options;
  options.budget = {3000, std::nullopt, {}};
  RamUse ram = ramOf(options);
  CHECK(ram.inputs == Map);
  CHECK(ram.outputs == Map);
  options.inputRows = true;
  ram = ramOf(options);
  CHECK(ram.inputs == 0);
  CHECK(ram.outputs == Map);
  options.outputRows = true;
  CHECK(ramOf(options).outputs == 0);
  options = {};
  options.budget = {3000, 1 << 20, {}};
  ram = ramOf(options);
  CHECK(ram.inputs + ram.outputs == 0);
  CHECK(ram.slow == 2 * Map);
  options.budget = {4 * Map + 102, std::nullopt, {}};
  options.io = IoMode::Arena;
  options.scratch = 100;
  ram = ramOf(options);
  CHECK(ram.inputs + ram.outputs + ram.slow == 0);
  CHECK(ram.scratch == 100);
  CHECK(ram.arena % 8 == 0);
}

TEST_CASE("figures of stages add up in plans of random graphs") {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    Graph graph = test::randomGraph(seed, 4 + seed * 2);
    insertPortCopies(graph);
    PlanOptions options;
    options.budget = {1 << 20, 1 << 20, {}};
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    REQUIRE(needs);
    const Graph with = plannedFor(graph, std::max<uint64_t>(needs->smallest, 1));
    const Report report = reportOf(fileOf(with));
    REQUIRE(report.stages.size() == with.plan()->stages.size());
    StageStats sum;
    for (size_t i = 0; i < report.stages.size(); ++i) {
      const StageReport& stage = report.stages[i];
      REQUIRE(stage.stats);
      CHECK(*stage.stats == with.plan()->stages[i].stats);
      CHECK(stage.peak == with.plan()->stages[i].peak);
      sum.slowReadBytes += stage.stats->slowReadBytes;
      sum.slowWriteBytes += stage.stats->slowWriteBytes;
      sum.kernelCalls += stage.stats->kernelCalls;
    }
    CHECK(sum.slowReadBytes == report.stats->slowReadBytes);
    CHECK(sum.slowWriteBytes == report.stats->slowWriteBytes);
    CHECK(sum.kernelCalls == report.stats->kernelCalls);
  }
}

TEST_CASE("a stripped file says which figures it lacks") {
  const Graph graph = plannedFor(parseGraph(Pools), 3000);
  const PlanFile file = fileOf(graph, true);
  CHECK(file.stageStats().empty());
  const Report report = reportOf(file);
  CHECK(file.figures() == nullptr);
  CHECK(!report.stats);
  CHECK(statsJson(reportOf(file, graph)) == statsJson(reportOf(graph)));
  REQUIRE(!report.stages.empty());
  CHECK(!report.stages[0].stats);
  CHECK(!report.stages[0].peak);
  CHECK(stagesJson(report).find("\"kernel_calls\": null") != std::string::npos);
  const std::string note = missingStatsNote(report);
  CHECK(note.find("has no stats of its stages") != std::string::npos);
  CHECK(dumpPlan(file, {}).find(note) != std::string::npos);
  CHECK(htmlOf(pictureOf(file)).find(note) != std::string::npos);
}

TEST_CASE("the page shows the figures of the text") {
  const Graph graph = plannedFor(parseGraph(Pools), 3000);
  const std::string page = htmlOf(*pictureOf(graph));
  const std::string text = dumpGraph(graph, {});
  for (const FigureLine& line : figureLines(reportOf(graph))) {
    CHECK(text.find(labeledLine(line.label, line.text)) != std::string::npos);
    CHECK(page.find(strCat("[\"", line.label, "\", ")) != std::string::npos);
  }
  CHECK(text.find(stageTable(reportOf(graph)).text()) != std::string::npos);
}

TEST_CASE("a module without a plan has no figures but those of the model") {
  Graph graph = parseGraph(Pools);
  Report report = reportOf(graph);
  CHECK(report.planStats() == nullptr);
  CHECK(statsJson(report).find("\"macs\": null") != std::string::npos);
  CHECK(stagesJson(report).find("\"stage_stats\": null") != std::string::npos);
  const Graph free = plannedFor(graph, 65536);
  report.setStats(free, free.plan()->stats);
  report.modelOnly = true;
  JsonWriter json;
  json.beginObject();
  writeStats(json, &*report.stats, report.modelOnly);
  json.endObject();
  CHECK(json.text().find("\"kernel_calls\": null") != std::string::npos);
  CHECK(json.text().find("\"unscheduled_peak_bytes\": null") == std::string::npos);
  const std::string lines = figureText(report);
  CHECK(lines.find("unscheduled") != std::string::npos);
  CHECK(lines.find("fast memory") == std::string::npos);
}
