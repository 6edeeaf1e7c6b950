// Frame of tigris-emit.
#include "tigris/Driver/Tools/EmitTool.h"

#include "tigris/Driver/Tools/EmitFlags.h"
#include "tigris/Driver/Tools/ToolCompiler.h"

namespace tigris {

namespace {

Status emit(ToolContext& context, EmitFlags& flags) {
  CompileOptions options = toolCompileOptions(context);
  options.emit = emitOptions(flags);
  Compiler compiler(std::move(options), context.diagnostics());
  const Expected<Graph> graph = readGraphInput(context, compiler);
  if (!graph)
    return graph.error();
  Expected<std::string> file = compiler.emit(*graph);
  if (!file)
    return file.takeError();
  return outputEmitted(context, std::move(*file), flags);
}

} // namespace

int emitMain(int argc, const char* const* argv) {
  EmitFlags flags;
  ToolSpec spec;
  spec.name = "tigris-emit";
  spec.summary = "Writes a planned module as the .tgrs file that the runtime executes.";
  spec.input = "IN";
  spec.output = true;
  spec.outputRequired = true;
  spec.options = [&](OptionTable& table) {
    declareEmitting(table, flags);
    declareCompression(table, flags);
  };
  spec.examples = "tigris-emit planned.yaml -o model.tgrs\n"
                  "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K | tigris-emit "
                  "--xip -o model.tgrs\n"
                  "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K "
                  "--weight-memory=copy | tigris-emit --weights-file=model.weights -o "
                  "model.tgrs\n";
  spec.run = [&](ToolContext& context) { return emit(context, flags); };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
