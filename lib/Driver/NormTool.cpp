// Options of tigris-norm, and how they become a pipeline with instrumentations.
#include "tigris/Driver/NormTool.h"

#include "tigris/Driver/WeightsOption.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <cctype>

namespace tigris {

namespace {

struct NormOptions {
  std::optional<std::string> passes;
  std::vector<std::string> skip;
  std::optional<std::string> printPasses;
  bool dumpPipeline = false;
  PrintGraphOptions print;
  bool timePasses = false;
  std::string verifyEach = "on";
  std::optional<std::string> stopAfter;
  int64_t passLimit = -1;
  WriteOptions write;

  /// Only a pipeline that runs `default` to its end promises a normalized graph.
  bool isPartial() const {
    return stopAfter || passLimit >= 0 || (passes && passes->find("default") == std::string::npos);
  }
};

void declare(OptionTable& table, NormOptions& options) {
  table
      .text("passes", options.passes, "PIPELINE",
            "passes to run (default: 'default'); 'a,b{k=v},fixpoint(c,d),repeat{n=2}(e)'")
      .record();
  table.texts("skip-pass", options.skip, "NAME", "leave this pass out; may be repeated").record();
  table.optionalText("print-passes", options.printPasses, "text", "md",
                     "list the passes, or with =md print their manual, and stop");
  table.flag("dump-pipeline", options.dumpPipeline,
             "print the pipeline with names resolved and stop");
  table.texts("print-before", options.print.before, "NAME", "print the graph before this pass");
  table.texts("print-after", options.print.after, "NAME", "print the graph after this pass");
  table.flag("print-after-all", options.print.afterAll, "print the graph after every pass");
  table.flag("print-changed", options.print.changed,
             "print the graph after every pass that changed it");
  table.flag("time-passes", options.timePasses, "print how long each pass took");
  table.choice("verify-each", options.verifyEach, {"on", "off"},
               "check the graph after every pass (default: on)");
  table.text("stop-after", options.stopAfter, "NAME", "end the pipeline after this pass").record();
  table.integer("pass-limit", options.passLimit, "N", "run only the first N passes", 0, UINT32_MAX)
      .record();
  addWeightsOption(table, options.write);
}

Status checkNames(const NormOptions& options, const PassRegistry& registry) {
  std::vector<std::string> names = options.print.before;
  names.insert(names.end(), options.print.after.begin(), options.print.after.end());
  if (options.stopAfter)
    names.push_back(*options.stopAfter);
  for (const std::string& name : names)
    if (!registry.find(name))
      return registry.unknownPass(name);
  return {};
}

/// The graph document with patterns for weights: enough to read, and to feed to a tool again.
std::string graphText(std::string_view banner, const Graph& graph) {
  WriteOptions options;
  options.weights = WeightsMode::Splat;
  const Expected<std::string> text = writeStream(graph, options);
  return strCat("# ", banner, "\n", text ? *text : strCat("# ", text.error().message(), "\n"));
}

void instrument(PassManager& manager, const NormOptions& options, ToolContext& context) {
  if (options.passLimit >= 0)
    manager.addInstrumentation(makePassLimit(static_cast<unsigned>(options.passLimit)));
  if (options.stopAfter)
    manager.addInstrumentation(makeStopAfter(*options.stopAfter));
  if (options.verifyEach == "on")
    manager.addInstrumentation(makeVerifyEach());
  const PrintGraphOptions& print = options.print;
  if (print.afterAll || print.changed || !print.before.empty() || !print.after.empty())
    manager.addInstrumentation(
        makePrintGraph(print, [&context](std::string_view banner, const Graph& graph) {
          context.log(graphText(banner, graph));
        }));
  if (options.timePasses)
    manager.addInstrumentation(
        makeTimePasses([&context](std::string_view text) { context.log(std::string(text)); }));
}

Status normalize(ToolContext& context, NormOptions& options, Pipeline pipeline) {
  Expected<std::string> text = context.readInput();
  if (!text)
    return text.takeError();
  Expected<Graph> graph =
      readStream(std::make_shared<const std::string>(std::move(*text)), context.input());
  if (!graph)
    return graph.takeError();
  if (graph->stage() == GraphStage::Planned)
    return makeError(DiagId::BadGraph,
                     "the graph is planned already; normalize before tigris-plan");
  PassManager manager(std::move(pipeline));
  instrument(manager, options, context);
  // Errors reported to the context's diagnostics fail the tool by themselves.
  if (manager.run(*graph, context.diagnostics()) == PassStatus::Failed)
    return {};
  if (!options.isPartial() && (!finishNormalization(*graph, context.diagnostics()) ||
                               !verifyGraph(*graph, context.diagnostics())))
    return {};
  graph->addHistory(context.historyEntry());
  options.write.streamFile = context.outputPath();
  Expected<std::string> stream = writeStream(*graph, options.write);
  if (!stream)
    return stream.takeError();
  context.output(std::move(*stream));
  return {};
}

} // namespace

std::string listPasses(const PassRegistry& registry) {
  size_t width = 0;
  for (const PassInfo* info : registry.passes())
    width = std::max(width, info->name.size());
  std::string out;
  for (const PassInfo* info : registry.passes())
    out += strCat(info->name, std::string(width + 2 - info->name.size(), ' '), info->summary, "\n");
  for (const std::string& name : registry.pipelineNames())
    out += strCat("\n", name, " = ", *registry.findPipeline(name), "\n");
  return out;
}

std::string documentPasses(const PassRegistry& registry) {
  std::string out = "# Passes\n\n"
                    "Generated by `tigris-norm --print-passes=md`; do not edit.\n\n"
                    "A pipeline is written as `--passes='a,b{option=value},fixpoint(c,d)'`.\n";
  for (const std::string& name : registry.pipelineNames()) {
    out += strCat("\n## Pipeline `", name, "`\n\n");
    const Expected<Pipeline> pipeline = parsePipeline(name, registry);
    unsigned number = 0;
    for (const PipelineElement& element : *pipeline)
      out += strCat(++number, ". `", printPipeline({element}), "`\n");
  }
  for (const PassInfo* info : registry.passes()) {
    std::string summary = info->summary;
    summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
    out += strCat("\n## ", info->name, "\n\n", summary, ".\n\n", info->doc, "\n");
    if (!info->options.empty())
      out += "\n| option | meaning |\n|---|---|\n";
    for (const PassOptionInfo& option : info->options)
      out += strCat("| `", option.name, "` | ", option.help, " |\n");
  }
  return out;
}

int normMain(int argc, const char* const* argv) {
  NormOptions options;
  ToolSpec spec;
  spec.name = "tigris-norm";
  spec.summary =
      "Rewrites an imported graph into the operators, layout and types the runtime executes.";
  spec.input = "IN";
  spec.output = true;
  spec.needsInput = [&] { return !options.printPasses && !options.dumpPipeline; };
  spec.options = [&](OptionTable& table) { declare(table, options); };
  spec.details =
      "Graphs, times and lists of --print-before and the like go to standard error.\n"
      "Always put single quotes around a pipeline: braces and parentheses mean something\n"
      "to the shell.\n";
  spec.examples = "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K -o planned.yaml\n"
                  "tigris-norm --passes='default,fixpoint(constant-fold,dead-code)' in.yaml\n"
                  "tigris-norm --stop-after=qdq-fold --print-before=qdq-fold in.yaml -o half.yaml\n"
                  "tigris-norm --print-passes=md\n";
  spec.run = [&](ToolContext& context) -> Status {
    PassRegistry registry;
    if (Status status = registerTransforms(registry); !status)
      return status;
    if (options.printPasses) {
      context.print(*options.printPasses == "md" ? documentPasses(registry) : listPasses(registry));
      return {};
    }
    if (Status status = checkNames(options, registry); !status)
      return status;
    Expected<Pipeline> pipeline = parsePipeline(options.passes.value_or("default"), registry);
    if (!pipeline)
      return pipeline.takeError();
    if (Status status = skipPasses(*pipeline, options.skip, registry); !status)
      return status;
    if (options.dumpPipeline) {
      context.print(printPipeline(*pipeline) + "\n");
      return {};
    }
    return normalize(context, options, std::move(*pipeline));
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
