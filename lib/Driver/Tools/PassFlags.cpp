// Turns the options into instrumentations. All they print goes to standard error.
#include "tigris/Driver/Tools/PassFlags.h"

#include "tigris/Serialize/Stream.h"
#include "tigris/Support/FileIO.h"

namespace tigris {

namespace {

/// The graph document with patterns for weights: enough to read, and to feed to a tool again.
std::string graphText(std::string_view banner, const Graph& graph) {
  WriteOptions options;
  options.weights = WeightsMode::Splat;
  const Expected<std::string> text = writeStream(graph, options);
  return strCat("# ", banner, "\n", text ? *text : strCat("# ", text.error().message(), "\n"));
}

/// A stream that says by itself how to run the pass on it.
Expected<std::string> reproducerText(const PassRun& run, const Graph& graph,
                                     const PassFlags& flags) {
  Expected<std::string> stream = writeStream(graph, {});
  if (!stream)
    return stream;
  std::string plugins;
  for (const std::string& plugin : flags.plugins)
    plugins += strCat(" --load-pass-plugin='", plugin, "'");
  return strCat("# before pass ", run.index, "; to run it: tigris-norm", plugins, " --passes='",
                run.spelling, "' THIS-FILE\n", *stream);
}

/// A share of the largest magnitude of an output that two graphs may differ by.
Expected<std::optional<double>> toleranceOf(const std::string& text) {
  if (text == "auto")
    return std::optional<double>();
  const std::optional<double> tolerance = parseDouble(text);
  if (!tolerance || !(*tolerance >= 0))
    return makeError(DiagId::Usage, "option '--verify-numerics': '", text,
                     "' is not a number of 0 or more");
  return tolerance;
}

} // namespace

void declarePlugins(OptionTable& table, PassFlags& flags) {
  table.texts("load-pass-plugin", flags.plugins, "LIB",
              "load a pass plugin: a path with a slash, or a name to look up");
}

void declarePassWatching(OptionTable& table, PassFlags& flags) {
  table.texts("print-before", flags.print.before, "NAME", "print the graph before this pass");
  table.texts("print-after", flags.print.after, "NAME", "print the graph after this pass");
  table.flag("print-after-all", flags.print.afterAll, "print the graph after every pass");
  table.flag("print-changed", flags.print.changed,
             "print the graph after every pass that changed it");
  table.flag("time-passes", flags.timePasses, "print the time taken by each pass");
  table.choice("verify-each", flags.verifyEach, {"on", "off"},
               "verify the graph after every pass (default: on)");
  table.optionalText("verify-numerics", flags.verifyNumerics, "auto", "X",
                     "execute the graph before and after every pass; stop if an output changes by "
                     "more than X of its largest magnitude");
  table.text("stop-after", flags.stopAfter, "NAME", "stop after this pass").record();
  table.integer("pass-limit", flags.passLimit, "N", "run only the first N passes", 0, UINT32_MAX)
      .record();
  table
      .text("reproducer", flags.reproducer, "FILE",
            "write the graph before each pass to FILE; remove it on success")
      .writes();
}

Status loadPlugins(ToolContext& context, const PassFlags& flags, PassRegistry& registry) {
  PluginLoader loader(registry);
  for (const std::string& plugin : flags.plugins)
    if (Status status = loader.load(plugin); !status)
      return status;
  for (const LoadedPlugin& plugin : loader.loaded()) {
    context.addToHistory("--load-pass-plugin=" + plugin.name);
    context.reads(plugin.path, strCat("plugin '", plugin.name, "'"));
  }
  return {};
}

Status checkPassNames(const PassFlags& flags, const PassRegistry& registry) {
  std::vector<std::string> names = flags.print.before;
  names.insert(names.end(), flags.print.after.begin(), flags.print.after.end());
  if (flags.stopAfter)
    names.push_back(*flags.stopAfter);
  for (const std::string& name : names)
    if (!registry.find(name))
      return registry.unknownPass(name);
  return {};
}

Expected<bool> runPipeline(ToolContext& context, const PassFlags& flags, const Pipeline& pipeline,
                           Graph& graph) {
  // The reproducer is written while the passes run.
  if (Status status = context.checkFiles(); !status)
    return status.takeError();
  PassManager manager(pipeline);
  const auto log = [&context](std::string_view text) { context.log(std::string(text)); };
  manager.setLog(log);
  if (flags.passLimit >= 0)
    manager.addInstrumentation(makePassLimit(static_cast<unsigned>(flags.passLimit)));
  if (flags.stopAfter)
    manager.addInstrumentation(makeStopAfter(*flags.stopAfter));
  if (!flags.reproducer.empty())
    manager.addInstrumentation(makeReproducer([&](const PassRun& run, const Graph& before) {
      const Expected<std::string> text = reproducerText(run, before, flags);
      return text ? writeFile(flags.reproducer, *text) : Status(text.error());
    }));
  if (flags.verifyNumerics) {
    const Expected<std::optional<double>> tolerance = toleranceOf(*flags.verifyNumerics);
    if (!tolerance)
      return tolerance.error();
    manager.addInstrumentation(makeVerifyNumerics(*tolerance, log));
  }
  if (flags.verifyEach == "on")
    manager.addInstrumentation(makeVerifyEach());
  const PrintGraphOptions& print = flags.print;
  if (print.afterAll || print.changed || !print.before.empty() || !print.after.empty())
    manager.addInstrumentation(
        makePrintGraph(print, [&context](std::string_view banner, const Graph& at) {
          context.log(graphText(banner, at));
        }));
  if (flags.timePasses)
    manager.addInstrumentation(makeTimePasses(log));
  if (manager.run(graph, context.diagnostics()) == PassStatus::Failed)
    return false;
  if (!flags.reproducer.empty())
    removeFile(flags.reproducer);
  return true;
}

} // namespace tigris
