// Frame of tigris-import.
#include "tigris/Driver/Tools/ImportTool.h"

#include "tigris/Driver/Tools/ImportFlags.h"
#include "tigris/Driver/Tools/ToolCompiler.h"
#include "tigris/Driver/Tools/WeightsOption.h"
#include "tigris/Import/Importers.h"

namespace tigris {

namespace {

std::string listOperators(const ImporterRegistry& importers, bool asManual) {
  std::string text;
  for (const Importer& importer : importers.importers())
    if (const auto& list = asManual ? importer.operatorManual : importer.operatorNames)
      text += list();
  return text;
}

} // namespace

int importMain(int argc, const char* const* argv) {
  ImportFlags flags;
  WriteOptions write;
  std::optional<std::string> printOps;
  ToolSpec spec;
  spec.name = "tigris-import";
  spec.summary =
      "Converts an ONNX or TensorFlow Lite model to a graph module with every shape resolved.";
  spec.input = "MODEL";
  spec.output = true;
  spec.options = [&](OptionTable& table) {
    declareImporting(table, flags);
    declareUnknownOps(table, flags);
    addWeightsOption(table, write);
    table.optionalText("print-ops", printOps, "names", "md",
                       "list the operators, or with =md print their manual, and exit");
  };
  spec.needsInput = [&] { return !printOps; };
  spec.details =
      "MODEL is an ONNX file of opset 7 or newer, or a TensorFlow Lite file (.tflite), recognized "
      "by\n"
      "its content. External data of ONNX models must be regular files in the\n"
      "model's directory or below it; for a model on standard input, in the current directory.\n"
      "Symbolic links must not lead out of that directory.\n";
  spec.examples =
      "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K | tigris-emit -o model.tgrs\n"
      "tigris-import model.tflite | tigris-norm | tigris-plan -m 64K | tigris-emit -o model.tgrs\n"
      "tigris-import --input-shape input:1x3x96x96 model.onnx -o model.yaml\n"
      "tigris-import --input-value rate:16000 --state h=h_next vad.onnx -o vad.yaml\n"
      "tigris-import --weights=file:model.weights model.onnx -o model.yaml\n";
  spec.run = [&](ToolContext& context) -> Status {
    CompileOptions options = toolCompileOptions(context);
    options.importers = builtinImporters();
    options.import = importOptions(flags);
    if (printOps) {
      context.print(listOperators(options.importers, *printOps == "md"));
      return {};
    }
    Compiler compiler(std::move(options), context.diagnostics());
    Expected<std::string> bytes = context.readInput();
    if (!bytes)
      return bytes.takeError();
    Expected<Graph> graph = compiler.importModel(*bytes);
    if (!graph)
      return graph.takeError();
    graph->addHistory(context.historyEntry());
    return outputModule(context, *graph, write);
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
