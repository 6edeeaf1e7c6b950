// The steps of the pipe, one after the other, on one graph in memory.
#include "tigris/Driver/Tools/CompileTool.h"

#include "tigris/Driver/Tools/EmitFlags.h"
#include "tigris/Driver/Tools/ModelInput.h"
#include "tigris/Driver/Tools/PlanFlags.h"
#include "tigris/Driver/Tools/RemarkFlags.h"
#include "tigris/Inspect/Dump.h"

namespace tigris {

namespace {

struct CompileFlags {
  ModelFlags model;
  PlanFlags plan;
  EmitFlags emit;
  RemarkFlags remarks;
  bool verbose = false;
};

Status compile(ToolContext& context, CompileFlags& flags) {
  const Expected<PlanOptions> options = planOptions(flags.plan);
  if (!options)
    return options.error();
  const Expected<PassRegistry> registry = passRegistry(context, flags.model);
  if (!registry)
    return registry.error();
  Expected<std::optional<Graph>> graph =
      readModel(context, flags.model, *registry, context.diagnostics());
  if (!graph)
    return graph.takeError();
  // What is wrong has been reported.
  if (!graph->has_value())
    return {};
  const Expected<bool> planned =
      planInto(context, flags.plan, flags.model.passes, *registry, **graph);
  if (!planned || !*planned)
    return planned ? Status() : Status(planned.error());
  Expected<std::string> file = emitFile(**graph, flags.emit);
  if (!file)
    return file.takeError();
  if (flags.verbose)
    context.log(strCat(describePlan(**graph), "flash ", formatExactBytes(file->size()), "\n\n",
                       stageTable(**graph)));
  return outputEmitted(context, std::move(*file), flags.emit);
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
    declarePlanning(table, flags.plan);
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
                  "tigris compile model.onnx -m 256K --reserve=64K --compress=lz4 -o model.tgrs\n";
  spec.run = [&](ToolContext& context) {
    return withRemarks(context, flags.remarks, [&] { return compile(context, flags); });
  };
  return use(spec);
}

} // namespace tigris
