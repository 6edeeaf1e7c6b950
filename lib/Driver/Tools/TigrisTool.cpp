// Passes the command line to a command.
#include "tigris/Driver/Tools/TigrisTool.h"

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Driver/Tools/AnalyzeTool.h"
#include "tigris/Driver/Tools/CodegenTool.h"
#include "tigris/Driver/Tools/CompileTool.h"
#include "tigris/Driver/Tools/DumpTool.h"
#include "tigris/Driver/Tools/RunTool.h"

#include <algorithm>

namespace tigris {

namespace {

std::vector<ToolCommand> allCommands() {
  return {
      {"analyze", "report whether a model fits a memory budget and what it costs", withAnalyzeSpec},
      {"compile", "compile a model for a memory budget into a .tgrs file", withCompileSpec},
      {"run", "run a .tgrs file on this host with arrays from .npy files",
       [](const SpecUser& use) { return withRunSpec("tigris run", use); }},
      {"dump", "show a .tgrs file or a graph module: text, JSON, HTML, SVG, hex",
       [](const SpecUser& use) { return withDumpSpec("tigris dump", use); }},
      {"codegen", "write a .tgrs file as C sources for firmware", withCodegenSpec}};
}

/// Runs the command with this name and returns its exit code; nullopt if there is no such command.
std::optional<int> runCommand(const std::vector<ToolCommand>& commands, std::string_view name,
                              int argc, const char* const* argv) {
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const ToolCommand& c) { return c.name == name; });
  if (command == commands.end())
    return std::nullopt;
  return command->withSpec([&](const ToolSpec& spec) { return toolMain(argc, argv, spec); });
}

Status refuse(const std::string& name, const std::vector<ToolCommand>& commands) {
  std::vector<std::string> names;
  for (const ToolCommand& command : commands)
    names.push_back(command.name);
  const auto near = nearestSpelling(name, names);
  return makeError(DiagId::Usage, "unknown command '", name, "'; ",
                   near ? strCat("did you mean '", *near, "'?")
                        : strCat("commands are ", join(names, ", ")));
}

/// Describes `tigris` itself, for command lines without an existing command. `wrong` is the unknown
/// command, if any.
ToolSpec overview(const std::vector<ToolCommand>& commands, const std::string& wrong) {
  ToolSpec spec;
  spec.name = "tigris";
  spec.summary = "Compiles neural networks for microcontrollers.";
  spec.input = "COMMAND";
  spec.needsInput = [] { return false; };
  spec.details = "COMMANDS\n";
  constexpr size_t SummaryColumn = 12;
  for (const ToolCommand& command : commands) {
    std::string left = strCat("  ", command.name);
    left.resize(SummaryColumn, ' ');
    spec.details += strCat(left, command.summary, "\n");
  }
  spec.commands = commands;
  spec.details +=
      "\n"
      "tigris help COMMAND prints the options of a command. The tools tigris-import, "
      "tigris-quantize, tigris-norm, tigris-plan and tigris-emit perform the steps one by one.\n";
  spec.examples = "tigris analyze model.onnx -m 256K -f 4M\n"
                  "tigris compile model.onnx -m 256K -f 4M --xip -o model.tgrs\n"
                  "tigris run model.tgrs --input image.npy --output scores.npy\n"
                  "tigris dump model.tgrs --format=html -o model.html\n";
  spec.run = [&commands, wrong](ToolContext&) { return refuse(wrong, commands); };
  return spec;
}

/// `help COMMAND` is `COMMAND --help`; `help`, and nothing at all, is `--help`.
std::vector<const char*> spelledOut(int argc, const char* const* argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  if (arguments.empty())
    arguments.push_back("tigris");
  bool isHelp = arguments.size() == 1;
  while (arguments.size() > 1 && std::string_view(arguments[1]) == "help") {
    arguments.erase(arguments.begin() + 1);
    isHelp = true;
  }
  if (isHelp)
    arguments.insert(arguments.begin() + std::min<std::ptrdiff_t>(2, std::ssize(arguments)),
                     "--help");
  return arguments;
}

} // namespace

int tigrisMain(int argc, const char* const* argv) {
  const std::vector<ToolCommand> commands = allCommands();
  const std::vector<const char*> arguments = spelledOut(argc, argv);
  const std::string name = arguments.at(1);
  const int count = static_cast<int>(arguments.size());
  if (const auto code = runCommand(commands, name, count - 1, arguments.data() + 1))
    return *code;
  // Arguments after an unknown command are ignored.
  return toolMain(name.starts_with('-') ? count : 2, arguments.data(), overview(commands, name));
}

} // namespace tigris
