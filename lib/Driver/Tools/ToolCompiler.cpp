// Connects a compiler to the context with callbacks.
#include "tigris/Driver/Tools/ToolCompiler.h"

namespace tigris {

CompileOptions toolCompileOptions(ToolContext& context) {
  CompileOptions options;
  options.inputPath = context.input();
  options.onFileRead = [&context](const std::string& path, const std::string& what) {
    context.reads(path, what);
  };
  options.log = [&context](std::string_view text) { context.log(std::string(text)); };
  return options;
}

Status loadPlugins(ToolContext& context, Compiler& compiler) {
  if (Status status = compiler.loadPlugins(); !status)
    return status;
  for (const LoadedPlugin& plugin : compiler.plugins())
    context.addToHistory("--load-pass-plugin=" + plugin.name);
  return {};
}

Expected<Graph> readGraphInput(ToolContext& context, Compiler& compiler) {
  Expected<std::string> text = context.readInput();
  return text ? compiler.readGraph(std::move(*text)) : Expected<Graph>(text.takeError());
}

Expected<Graph> readGraphInput(ToolContext& context) {
  Compiler compiler(toolCompileOptions(context), context.diagnostics());
  return readGraphInput(context, compiler);
}

} // namespace tigris
