// Frame of tigris compile.
#include "tigris/Driver/Tools/CompileTool.h"

#include "tigris/Driver/Tools/EmitFlags.h"
#include "tigris/Driver/Tools/ModelFlags.h"
#include "tigris/Driver/Tools/RemarkFlags.h"
#include "tigris/Inspect/Figures.h"

namespace tigris {

namespace {

struct CompileFlags {
  ModelFlags model;
  EmitFlags emit;
  RemarkFlags remarks;
  bool verbose = false;
};

Status compile(ToolContext& context, CompileFlags& flags) {
  Expected<CompileOptions> options = modelCompileOptions(context, flags.model);
  if (!options)
    return options.takeError();
  options->emit = emitOptions(flags.emit);
  Compiler compiler(std::move(*options), context.diagnostics());
  if (Status status = loadPlugins(context, compiler); !status)
    return status;
  Expected<std::string> input = context.readInput();
  if (!input)
    return input.takeError();
  Expected<Graph> graph = compiler.read(std::move(*input));
  if (!graph)
    return graph.takeError();
  Expected<std::optional<std::string>> file = compiler.compile(*graph);
  if (!file)
    return file.takeError();
  // The errors have been reported.
  if (!*file)
    return {};
  if (flags.verbose) {
    const Expected<PlanFile> plan = PlanFile::open(**file, "the plan");
    if (!plan)
      return plan.error();
    const Report report = reportOf(*plan, *graph);
    context.log(figureText(report) + "\n" + stageTable(report).text());
  }
  return outputEmitted(context, std::move(**file), flags.emit);
}

} // namespace

int withCompileSpec(const SpecUser& use) {
  CompileFlags flags;
  ToolSpec spec;
  spec.name = "tigris compile";
  spec.summary =
      "Compiles a model for a memory budget into the .tgrs file that the runtime executes.";
  spec.input = "MODEL";
  spec.output = true;
  spec.outputRequired = true;
  spec.options = [&](OptionTable& table) {
    declarePlanning(table, flags.model.plan);
    declareEmitting(table, flags.emit);
    declareModelInput(table, flags.model);
    declareRemarks(table, flags.remarks);
    table.flag("verbose,v", flags.verbose, "print the plan's memory use and its stages");
  };
  spec.details =
      "MODEL is an ONNX file or a module of any form. The output has the same bytes as that of\n"
      "tigris-import | tigris-norm | tigris-plan | tigris-emit with the same options.\n"
      "Exit code 3 means that the model does not fit; tigris analyze reports why.\n";
  spec.examples = "tigris compile model.onnx -m 256K -o model.tgrs\n"
                  "tigris compile model.onnx -m 256K -m 8M -f 4M --xip -o model.tgrs\n"
                  "tigris compile model.onnx -m 256K --compress=lz4 -o model.tgrs\n";
  spec.run = [&](ToolContext& context) {
    return withRemarks(context, flags.remarks, [&] { return compile(context, flags); });
  };
  return use(spec);
}

} // namespace tigris
