// Options of tigris-import; the work is in lib/Import and lib/Serialize.
#include "tigris/Driver/ImportTool.h"

#include "tigris/Driver/WeightsOption.h"
#include "tigris/Import/OnnxImporter.h"

namespace tigris {

namespace {

/// NAME:1x3x96x96. Names may hold colons themselves ("input:0"), so the last one separates.
Status parseInputShape(const std::string& value, const std::string& spelling,
                       std::map<std::string, Shape>& shapes) {
  const size_t colon = value.rfind(':');
  const auto malformed = [&] {
    return makeError(DiagId::Usage, "option '", spelling, "': '", value,
                     "' is not an input and its shape; example: input:1x3x96x96");
  };
  if (colon == std::string::npos || colon == 0)
    return malformed();
  std::vector<int64_t> dims;
  for (const std::string_view word : split(std::string_view(value).substr(colon + 1), 'x')) {
    const std::optional<int64_t> dim = parseInt(word);
    if (!dim || *dim < 1)
      return malformed();
    dims.push_back(*dim);
  }
  const Shape shape(std::move(dims));
  if (!shape.checkedElements())
    return makeError(DiagId::Usage, "option '", spelling, "': ", shape.str(), " has more than ",
                     Shape::MaxElements, " elements");
  if (!shapes.emplace(value.substr(0, colon), shape).second)
    return makeError(DiagId::Usage, "option '", spelling, "': input '", value.substr(0, colon),
                     "' is given twice");
  return {};
}

} // namespace

int importMain(int argc, const char* const* argv) {
  ImportOptions options;
  WriteOptions write;
  std::string rounding = "auto";
  ToolSpec spec;
  spec.name = "tigris-import";
  spec.summary = "Reads an ONNX model and writes it as a graph stream, with every shape resolved.";
  spec.input = "MODEL";
  spec.output = true;
  spec.options = [&](OptionTable& table) {
    table
        .add("input-shape", "NAME:1x3x96x96",
             "shape of a model input with free dimensions (default: 1 each); may be repeated",
             [&](const std::string& value, const std::string& spelling) {
               return parseInputShape(value, spelling, options.inputShapes);
             })
        .record()
        .repeats = true;
    addWeightsOption(table, write);
    table
        .choice("rounding", rounding, {"auto", "once", "twice"},
                "of int8 results: once as ONNX Runtime, twice as TensorFlow Lite, or as the tool "
                "that made the model (default: auto)")
        .record();
    table
        .flag("allow-unknown-ops", options.allowUnknownOps,
              "keep operators nobody here knows, for a pass that replaces them")
        .record();
  };
  spec.details =
      "MODEL is an ONNX file of opset 7 or newer. External data is read from the model's\n"
      "directory, or from the current one when the model comes from standard input.\n";
  spec.examples =
      "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K | tigris-emit -o model.tgrs\n"
      "tigris-import --input-shape input:1x3x96x96 model.onnx -o model.yaml\n"
      "tigris-import --weights=file:model.weights model.onnx -o model.yaml\n";
  spec.run = [&](ToolContext& context) -> Status {
    Expected<std::string> bytes = context.readInput();
    if (!bytes)
      return bytes.takeError();
    options.modelPath = context.input();
    options.rounding = parseIntegerRounding(rounding);
    options.onFileRead = [&](const std::string& path) { context.addDependency(path); };
    const SourceLoc where{context.inputName(), 0, 0};
    DiagnosticEngine located([&](Diagnostic diagnostic) {
      diagnostic.loc = where;
      context.diagnostics().report(std::move(diagnostic));
    });
    Expected<Graph> graph = importOnnx(*bytes, options, located);
    if (!graph) {
      // A wrong command line is not the model's fault.
      Error error = graph.takeError();
      return error.id() == DiagId::Usage ? std::move(error) : std::move(error).at(where);
    }
    graph->addHistory(context.historyEntry());
    write.streamFile = context.outputPath();
    Expected<std::string> stream = writeStream(*graph, write);
    if (!stream)
      return stream.takeError();
    context.output(std::move(*stream));
    return {};
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
