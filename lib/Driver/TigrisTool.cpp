// Hands the command line to a subcommand.
#include "tigris/Driver/TigrisTool.h"

#include "tigris/Driver/AnalyzeTool.h"
#include "tigris/Driver/CompileTool.h"
#include "tigris/Driver/DumpTool.h"
#include "tigris/Driver/RunTool.h"
#include "tigris/Driver/ToolMain.h"

#include <algorithm>

namespace tigris {

namespace {

int runCommand(int argc, const char* const* argv) { return runMain(argc, argv, "tigris run"); }
int dumpCommand(int argc, const char* const* argv) { return dumpMain(argc, argv, "tigris dump"); }

struct Command {
  const char* name;
  const char* summary;
  int (*main)(int argc, const char* const* argv);
};

constexpr Command Commands[] = {
    {"analyze", "say whether a model fits a memory budget, what it costs, what blocks it",
     analyzeMain},
    {"compile", "compile a model for a memory budget into a .tgrs file", compileMain},
    {"run", "run a .tgrs file on this computer with arrays from .npy files", runCommand},
    {"dump", "show a .tgrs file or a graph stream: text, JSON, HTML, SVG, hex", dumpCommand},
};

const Command* findCommand(const std::string& name) {
  for (const Command& command : Commands)
    if (name == command.name)
      return &command;
  return nullptr;
}

Status refuse(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : Commands)
    names.emplace_back(command.name);
  if (name.empty() || name == "-")
    return makeError(DiagId::Usage, "no command given; commands are ", join(names, ", "));
  const auto near = nearestSpelling(name, names);
  return makeError(DiagId::Usage, "unknown command '", name, "'; ",
                   near ? strCat("did you mean '", *near, "'?")
                        : strCat("commands are ", join(names, ", ")));
}

} // namespace

int tigrisMain(int argc, const char* const* argv) {
  if (argc > 1)
    if (const Command* command = findCommand(argv[1]))
      return command->main(argc - 1, argv + 1);
  if (argc > 2 && std::string_view(argv[1]) == "help")
    if (const Command* command = findCommand(argv[2])) {
      const char* const help[] = {command->name, "--help"};
      return command->main(2, help);
    }
  ToolSpec spec;
  spec.name = "tigris";
  spec.summary = "Compiles neural networks for microcontrollers, in one program.";
  spec.input = "COMMAND";
  spec.needsInput = [] { return false; };
  spec.details = "COMMANDS\n";
  constexpr size_t SummaryColumn = 12;
  for (const Command& command : Commands) {
    std::string left = strCat("  ", command.name);
    left.resize(SummaryColumn, ' ');
    spec.details += strCat(left, command.summary, "\n");
    spec.commands.emplace_back(command.name);
  }
  spec.details +=
      "\ntigris COMMAND --help lists the options of a command. The tools tigris-import,\n"
      "tigris-quantize, tigris-norm, tigris-plan and tigris-emit do the steps one by one.\n";
  spec.examples = "tigris analyze model.onnx -m 256K -f 4M\n"
                  "tigris compile model.onnx -m 256K -f 4M --xip -o model.tgrs\n"
                  "tigris run model.tgrs --input image.npy --output scores.npy\n"
                  "tigris dump model.tgrs --format=html -o model.html\n";
  spec.run = [](ToolContext& context) -> Status {
    if (context.input() != "help")
      return refuse(context.input());
    return makeError(DiagId::Usage, "help about which command? tigris COMMAND --help");
  };
  // What follows a wrong command is not looked at.
  const bool isOption = argc > 1 && argv[1][0] == '-';
  return toolMain(isOption ? argc : std::min(argc, 2), argv, spec);
}

} // namespace tigris
