// Parses --input-shape and its relatives and calls the importer.
#include "tigris/Driver/Tools/ImportFlags.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// NAME:1x3x96x96. Names may hold colons themselves ("input:0"), so the last one separates.
Status parseInputShape(const std::string& value, const std::string& spelling,
                       std::map<std::string, Shape>& shapes) {
  const size_t colon = value.rfind(':');
  const auto malformed = [&] {
    return makeError(DiagId::Usage, "option '", spelling, "': '", value,
                     "' is not of the form NAME:SHAPE; example: input:1x3x96x96");
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

/// NAME:NUMBER, the last colon separates.
Status parseInputValue(const std::string& value, const std::string& spelling,
                       std::map<std::string, double>& values) {
  const size_t colon = value.rfind(':');
  const std::optional<double> number = colon == std::string::npos || colon == 0
                                           ? std::nullopt
                                           : parseDouble(std::string_view(value).substr(colon + 1));
  if (!number)
    return makeError(DiagId::Usage, "option '", spelling, "': '", value,
                     "' is not of the form NAME:NUMBER; example: rate:16000");
  if (!values.emplace(value.substr(0, colon), *number).second)
    return makeError(DiagId::Usage, "option '", spelling, "': input '", value.substr(0, colon),
                     "' is given twice");
  return {};
}

std::string listNames(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports)
    names.push_back("'" + port.name + "'");
  return join(names, ", ");
}

std::optional<size_t> indexOf(const std::vector<Port>& ports, std::string_view name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  if (found == ports.end())
    return std::nullopt;
  return static_cast<size_t>(found - ports.begin());
}

/// INPUT=OUTPUT. Names may hold '=' themselves, so every one is tried.
Status bindState(Graph& graph, const std::string& text) {
  const auto fail = [&](const auto&... why) {
    return makeError(DiagId::Usage, "option '--state': '", text, "' ", why...);
  };
  std::optional<size_t> input;
  std::optional<size_t> output;
  for (size_t at = text.find('='); at != std::string::npos && !(input && output);
       at = text.find('=', at + 1)) {
    input = indexOf(graph.inputs(), std::string_view(text).substr(0, at));
    output = indexOf(graph.outputs(), std::string_view(text).substr(at + 1));
  }
  if (!input || !output)
    return fail("is not INPUT=OUTPUT with one of the inputs ", listNames(graph.inputs()),
                " and one of the outputs ", listNames(graph.outputs()));
  const Port& in = graph.inputs()[*input];
  const Port& out = graph.outputs()[*output];
  if (in.type != out.type || in.shape != out.shape)
    return fail("binds ", dtypeName(in.type), " ", in.shape.str(), " to ", dtypeName(out.type), " ",
                out.shape.str(), "; both ends of a state must have the same type and shape");
  for (const Port& other : graph.outputs())
    if (other.state == in.name || (&other == &out && !other.state.empty()))
      return fail("conflicts with a state that is already bound: '", other.state, "' to '",
                  other.name, "'");
  graph.editOutput(*output).state = in.name;
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
      .add("input-value", "NAME:NUMBER", "replace a model input by a constant; may be repeated",
           [&flags](const std::string& value, const std::string& spelling) {
             return parseInputValue(value, spelling, flags.options.inputValues);
           })
      .record()
      .repeats = true;
  table
      .texts("state", flags.states, "INPUT=OUTPUT",
             "pass OUTPUT as INPUT of the next run; may be repeated")
      .record();
  table
      .choice("rounding", flags.rounding, {"auto", "once", "twice"},
              "rounding of int8 results: once as ONNX Runtime, twice as TensorFlow Lite, or as the "
              "tool that produced the model (default: auto)")
      .record();
}

void declareUnknownOps(OptionTable& table, ImportFlags& flags) {
  table
      .flag("allow-unknown-ops", flags.options.allowUnknownOps,
            "keep unknown operators for a pass that replaces them")
      .record();
}

Expected<Graph> importModel(ToolContext& context, std::string_view bytes, ImportFlags& flags,
                            DiagnosticEngine& diagnostics) {
  flags.options.modelPath = context.input();
  flags.options.rounding = parseIntegerRounding(flags.rounding);
  flags.options.onFileRead = [&](const std::string& path) { context.reads(path, "external data"); };
  const SourceLoc where{context.inputName(), 0, 0};
  DiagnosticEngine located([&](Diagnostic diagnostic) {
    diagnostic.loc = where;
    diagnostics.report(std::move(diagnostic));
  });
  Expected<Graph> graph = importOnnx(bytes, flags.options, located);
  for (size_t i = 0; graph && i < flags.states.size(); ++i)
    if (Status status = bindState(*graph, flags.states[i]); !status)
      return status.takeError();
  if (graph)
    return graph;
  // A wrong command line is not the model's fault.
  Error error = graph.takeError();
  return error.id() == DiagId::Usage ? std::move(error) : std::move(error).at(where);
}

} // namespace tigris
