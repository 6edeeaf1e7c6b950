// Runs passes: loads plugins, parses the pipeline of normalization, and adds instrumentations.
#include "tigris/Compile/Compiler.h"

#include "tigris/IR/Verifier.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

/// The graph document, with patterns in place of weights. It is readable, and tools accept it as
/// input.
std::string graphText(std::string_view banner, const Graph& graph) {
  WriteOptions options;
  options.weights = WeightsMode::Splat;
  const Expected<std::string> text = writeModule(graph, options);
  return strCat("# ", banner, "\n", text ? *text : strCat("# ", text.error().message(), "\n"));
}

/// A module that contains the command that runs the pass on it.
Expected<std::string> reproducerText(const PassRun& run, const Graph& graph,
                                     const PassRunOptions& options) {
  Expected<std::string> stream = writeModule(graph, {});
  if (!stream)
    return stream;
  std::string plugins;
  for (const std::string& plugin : options.plugins)
    plugins += strCat(" --load-pass-plugin='", plugin, "'");
  return strCat("# before pass ", run.index, "; to run it: tigris-norm", plugins, " --passes='",
                run.spelling, "' THIS-FILE\n", *stream);
}

/// Adds the instrumentations that shorten the pipeline first, so that the others do not see skipped
/// passes.
void addInstrumentations(PassManager& manager, const PassRunOptions& options, const TextSink& log) {
  if (options.passLimit)
    manager.addInstrumentation(makePassLimit(*options.passLimit));
  if (options.stopAfter)
    manager.addInstrumentation(makeStopAfter(*options.stopAfter));
  if (!options.reproducer.empty())
    manager.addInstrumentation(makeReproducer([&options](const PassRun& run, const Graph& before) {
      const Expected<std::string> text = reproducerText(run, before, options);
      return text ? writeFile(options.reproducer, *text) : Status(text.error());
    }));
  if (options.verifyNumerics)
    manager.addInstrumentation(makeVerifyNumerics(options.numericTolerance, log));
  if (options.verifyEach)
    manager.addInstrumentation(makeVerifyEach());
  const PrintGraphOptions& print = options.print;
  if (print.afterAll || print.changed || !print.before.empty() || !print.after.empty())
    manager.addInstrumentation(makePrintGraph(
        print, [log](std::string_view banner, const Graph& at) { log(graphText(banner, at)); }));
  if (options.timePasses)
    manager.addInstrumentation(makeTimePasses(log));
}

/// Whether the passes need not produce a normalized graph: only a complete pipeline with a
/// normalizing one in it does.
bool isPartial(const NormOptions& norm, const PassRunOptions& passes) {
  const std::span<const NamedPipeline> all = normalizingPipelines();
  return passes.stopAfter || passes.passLimit ||
         std::none_of(all.begin(), all.end(), [&](const NamedPipeline& pipeline) {
           return norm.pipeline.find(pipeline.name) != std::string::npos;
         });
}

} // namespace

Status Compiler::loadPlugins() {
  if (loaded_)
    return {};
  loaded_ = true;
  if (Status status = registerTransforms(passes_); !status)
    return status;
  PluginLoader loader(passes_);
  for (const std::string& plugin : options_.passes.plugins)
    if (Status status = loader.load(plugin); !status)
      return status;
  plugins_ = loader.loaded();
  if (options_.onFileRead)
    for (const LoadedPlugin& plugin : plugins_)
      options_.onFileRead(plugin.path, strCat("plugin '", plugin.name, "'"));
  return {};
}

Expected<Pipeline> Compiler::normPipeline() {
  if (Status status = loadPlugins(); !status)
    return status.takeError();
  std::vector<std::string> names = options_.passes.print.before;
  names.insert(names.end(), options_.passes.print.after.begin(), options_.passes.print.after.end());
  if (options_.passes.stopAfter)
    names.push_back(*options_.passes.stopAfter);
  for (const std::string& name : names)
    if (!passes_.find(name))
      return passes_.unknownPass(name);
  Expected<Pipeline> pipeline = parsePipeline(options_.norm.pipeline, passes_);
  if (!pipeline)
    return pipeline;
  if (Status status = skipPasses(*pipeline, options_.norm.skip, passes_); !status)
    return status.takeError();
  return pipeline;
}

Expected<bool> Compiler::normalize(Graph& graph) {
  const Expected<Pipeline> pipeline = normPipeline();
  if (!pipeline)
    return pipeline.error();
  if (graph.form() == GraphForm::Planned)
    return makeError(DiagId::BadGraph,
                     "the graph is already planned; run tigris-norm before tigris-plan");
  if (Expected<bool> passed = runPipeline(*pipeline, graph, diagnostics_); !passed || !*passed)
    return passed;
  return isPartial(options_.norm, options_.passes) ||
         (finishNormalization(graph, diagnostics_) && verifyGraph(graph, diagnostics_));
}

Expected<bool> Compiler::runPipeline(const Pipeline& pipeline, Graph& graph,
                                     DiagnosticEngine& diagnostics) {
  const TextSink log = [this](std::string_view text) {
    if (options_.log)
      options_.log(text);
  };
  PassManager manager(pipeline);
  manager.setLog(log);
  addInstrumentations(manager, options_.passes, log);
  if (manager.run(graph, diagnostics) == PassStatus::Failed)
    return false;
  if (!options_.passes.reproducer.empty())
    removeFile(options_.passes.reproducer);
  return true;
}

} // namespace tigris
