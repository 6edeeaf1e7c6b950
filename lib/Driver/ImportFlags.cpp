// Parses --input-shape and calls the importer.
#include "tigris/Driver/ImportFlags.h"

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

void declareImporting(OptionTable& table, ImportFlags& flags) {
  table
      .add("input-shape", "NAME:1x3x96x96",
           "shape of a model input with free dimensions (default: 1 each); may be repeated",
           [&flags](const std::string& value, const std::string& spelling) {
             return parseInputShape(value, spelling, flags.options.inputShapes);
           })
      .record()
      .repeats = true;
  table
      .choice("rounding", flags.rounding, {"auto", "once", "twice"},
              "of int8 results: once as ONNX Runtime, twice as TensorFlow Lite, or as the tool "
              "that made the model (default: auto)")
      .record();
}

void declareUnknownOps(OptionTable& table, ImportFlags& flags) {
  table
      .flag("allow-unknown-ops", flags.options.allowUnknownOps,
            "keep operators nobody here knows, for a pass that replaces them")
      .record();
}

Expected<Graph> importModel(ToolContext& context, std::string_view bytes, ImportFlags& flags,
                            DiagnosticEngine& diagnostics) {
  flags.options.modelPath = context.input();
  flags.options.rounding = parseIntegerRounding(flags.rounding);
  flags.options.onFileRead = [&](const std::string& path) { context.addDependency(path); };
  const SourceLoc where{context.inputName(), 0, 0};
  DiagnosticEngine located([&](Diagnostic diagnostic) {
    diagnostic.loc = where;
    diagnostics.report(std::move(diagnostic));
  });
  Expected<Graph> graph = importOnnx(bytes, flags.options, located);
  if (graph)
    return graph;
  // A wrong command line is not the model's fault.
  Error error = graph.takeError();
  return error.id() == DiagId::Usage ? std::move(error) : std::move(error).at(where);
}

} // namespace tigris
