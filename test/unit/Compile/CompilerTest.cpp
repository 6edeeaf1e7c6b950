// The whole sequence and its steps: the same bytes, whoever calls them.
#include "tigris/Compile/Compiler.h"
#include "PassTesting.h"
#include "tigris/Serialize/Module.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Imported: channels first, a constant that folds, an output that is also read.
const char* const Model = R"(tigris: graph/1
form: imported
layout: channels-first
inputs:
  - {name: x}
outputs:
  - {name: y}
  - {name: z}
tensors:
  - {name: x, type: float32, shape: [1, 4, 8, 8]}
  - {name: a, type: float32, shape: [1, 4, 8, 8]}
  - {name: y, type: float32, shape: [1, 4, 8, 8]}
  - {name: z, type: float32, shape: [1, 4, 4, 4]}
ops:
  - {op: Sigmoid, name: first, in: [x], out: [a]}
  - {op: Relu, name: second, in: [a], out: [y]}
  - {op: MaxPool, name: third, in: [y], out: [z], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
)";

CompileOptions smallOptions() {
  CompileOptions options;
  options.plan.budget = {2048, 1 << 16, {}};
  return options;
}

/// What a tool hands to the next one.
Graph throughStream(const Graph& graph) {
  const Expected<std::string> text = writeModule(graph);
  REQUIRE(bool(text));
  Expected<Graph> read = readModule(std::make_shared<const std::string>(*text), "-");
  REQUIRE(bool(read));
  return std::move(*read);
}

std::string compiled(const CompileOptions& options, const std::string& input) {
  DiagnosticEngine diagnostics;
  Compiler compiler(options, diagnostics);
  Expected<std::optional<std::string>> file = compiler.compile(input);
  REQUIRE(bool(file));
  REQUIRE(file->has_value());
  CHECK(diagnostics.errorCount() == 0);
  return **file;
}

Error refusal(const CompileOptions& options, const std::string& input) {
  DiagnosticEngine diagnostics;
  Compiler compiler(options, diagnostics);
  Expected<std::optional<std::string>> file = compiler.compile(input);
  REQUIRE(!file);
  return file.takeError();
}

} // namespace

TEST_CASE("compiler: single steps give the bytes of the whole") {
  const CompileOptions options = smallOptions();
  DiagnosticEngine diagnostics;
  Compiler reader(options, diagnostics);
  Expected<Graph> graph = reader.read(Model);
  REQUIRE(bool(graph));
  REQUIRE(*reader.normalize(*graph));
  *graph = throughStream(*graph);
  CHECK(graph->form() == GraphForm::Normalized);

  Compiler planner(options, diagnostics);
  REQUIRE(*planner.preparePlanning(*graph));
  Expected<Plan> plan = planner.plan(*graph);
  REQUIRE(bool(plan));
  REQUIRE(*planner.adoptPlan(*graph, std::move(*plan)));
  *graph = throughStream(*graph);
  CHECK(graph->form() == GraphForm::Planned);

  const Expected<std::string> file = Compiler(options, diagnostics).emit(*graph);
  REQUIRE(bool(file));
  CHECK(*file == compiled(options, Model));
  CHECK(diagnostics.all().empty());
}

TEST_CASE("compiler: a graph may enter after any step") {
  const CompileOptions options = smallOptions();
  const std::string whole = compiled(options, Model);
  DiagnosticEngine diagnostics;
  Compiler compiler(options, diagnostics);
  Expected<Graph> graph = compiler.read(Model);
  REQUIRE(bool(graph));
  REQUIRE(*compiler.normalize(*graph));
  CHECK(compiled(options, *writeModule(*graph)) == whole);
  REQUIRE(*compiler.planInto(*graph));
  CHECK(compiled(options, *writeModule(*graph)) == whole);
}

TEST_CASE("compiler: models of registered formats, told by their content") {
  CompileOptions options = smallOptions();
  options.inputPath = "folder/m.toy";
  std::string path;
  // A binary file, whose text is a stream.
  REQUIRE(bool(options.importers.add(
      {.name = "toy",
       .matches = [](std::string_view bytes) { return bytes.starts_with("\1TOY"); },
       .importModel = [&](std::string_view bytes, const ImportOptions& import,
                          DiagnosticEngine&) -> Expected<Graph> {
         path = import.modelPath;
         import.onFileRead("weights.bin");
         return readModule(std::make_shared<const std::string>(bytes.substr(4)), "-");
       }})));
  std::vector<std::string> files;
  options.onFileRead = [&](const std::string& file, const std::string& what) {
    files.push_back(file + ", " + what);
  };
  CHECK(compiled(options, std::string("\1TOY") + Model) == compiled(smallOptions(), Model));
  CHECK(path == "folder/m.toy");
  CHECK(files == std::vector<std::string>{"weights.bin, external data"});
}

TEST_CASE("compiler: failures of each step are returned") {
  CompileOptions options = smallOptions();
  CHECK(refusal(options, "TGRS and more").id() == DiagId::BadModule);
  CHECK(refusal(options, "tigris: graph/1\nform: odd\n").id() == DiagId::BadValue);

  options.norm.pipeline = "no-such-pass";
  CHECK(refusal(options, Model).id() == DiagId::BadPipeline);
  options.norm.pipeline = "dead-code";
  const Error partial = refusal(options, Model);
  CHECK(partial.id() == DiagId::BadGraph);
  CHECK(partial.message().find("not normalized") != std::string::npos);

  options = smallOptions();
  options.passes.plugins = {"no-such-plugin"};
  CHECK(refusal(options, Model).id() == DiagId::PluginError);
  options = smallOptions();
  options.plan.budget = {8, {}, {}};
  CHECK(refusal(options, Model).id() == DiagId::OverBudget);
  options = smallOptions();
  options.plan.reserve = 4096;
  CHECK(refusal(options, Model).id() == DiagId::Usage);
  options = smallOptions();
  options.plan.budget.flash = 100;
  CHECK(refusal(options, Model).id() == DiagId::OverBudget);
}

TEST_CASE("compiler: errors of passes are reported, and nothing is made") {
  DiagnosticEngine diagnostics;
  Compiler compiler(smallOptions(), diagnostics);
  std::string model = Model;
  // An unknown operator: the stream keeps it, and no pass lowers it.
  model.replace(model.find("op: Relu"), 8, "op: \"com.example::Odd\"");
  const Expected<std::optional<std::string>> file = compiler.compile(model);
  REQUIRE(bool(file));
  CHECK(!file->has_value());
  CHECK(diagnostics.errorCount() > 0);
}

TEST_CASE("compiler: what passes print goes to the log") {
  CompileOptions options = smallOptions();
  std::string log;
  options.log = [&](std::string_view text) { log += text; };
  options.passes.print.after = {"dead-code"};
  options.passes.timePasses = true;
  compiled(options, Model);
  CHECK(log.find("# after dead-code") != std::string::npos);
  CHECK(log.find("layout-assign") != std::string::npos);
}

TEST_CASE("compiler: slow memory that a plan adds is logged, and the smallest budget adds none") {
  const auto planned = [](const PlanningOptions& planning, std::string& log) {
    CompileOptions options;
    options.plan = planning;
    options.log = [&](std::string_view text) { log += text; };
    DiagnosticEngine diagnostics;
    Compiler compiler(options, diagnostics);
    Expected<Graph> graph = compiler.read(Model);
    REQUIRE(bool(graph));
    REQUIRE(*compiler.normalize(*graph));
    REQUIRE(*compiler.planInto(*graph));
    return *graph->plan();
  };
  std::string log;
  PlanningOptions planning;
  planning.slowAsNeeded = true;
  planning.budget = {1 << 16, {}, {}};
  planning.minFast = true;
  const Plan least = planned(planning, log);
  CHECK(!least.budget.slow);
  CHECK(log.empty());
  planning.minFast = false;
  planning.io = IoMode::Slow;
  const Plan slow = planned(planning, log);
  REQUIRE(slow.budget.slow);
  CHECK(log == strCat("needs ", formatBytes(*slow.budget.slow), " of slow memory (PSRAM)\n"));
}

TEST_CASE("compiler: the smallest fast budget, and what is kept free of it") {
  const auto planned = [](const PlanningOptions& planning) {
    CompileOptions options;
    options.plan = planning;
    DiagnosticEngine diagnostics;
    Compiler compiler(options, diagnostics);
    Expected<Graph> graph = compiler.read(Model);
    REQUIRE(bool(graph));
    REQUIRE(*compiler.normalize(*graph));
    REQUIRE(*compiler.planInto(*graph));
    return *graph->plan();
  };
  PlanningOptions planning;
  planning.budget = {1 << 16, {}, {}};
  const Plan ample = planned(planning);
  planning.minFast = true;
  const Plan least = planned(planning);
  CHECK(least.budget.fast < ample.budget.fast);
  CHECK(least.stats.recomputeMacs == 0);
  planning.reserve = 1000;
  const Plan reserved = planned(planning);
  CHECK(reserved.budget.fast == least.budget.fast + 1000);
  CHECK(reserved.stats.fastPeakBytes == least.stats.fastPeakBytes);
}
