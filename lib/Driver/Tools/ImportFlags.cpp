// Parses --input-shape and similar options.
#include "tigris/Driver/Tools/ImportFlags.h"

#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

/// Parses NAME:1x3x96x96. A name may contain colons ("input:0"), so the last colon is the
/// separator.
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
    if (!dim || *dim < 0)
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

/// Parses NAME:NUMBER. The last colon is the separator.
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
      .texts("output-tensor", flags.options.outputs, "NAME",
             "end the model at this tensor: it becomes an output instead of the declared ones; may "
             "be repeated")
      .record();
  table
      .text("signature", flags.options.signature, "NAME",
            "import this entry point of a TensorFlow Lite model (default: its first subgraph)")
      .record();
  table
      .texts("state", flags.options.states, "INPUT=OUTPUT",
             "pass OUTPUT as INPUT of the next run; may be repeated")
      .record();
  table
      .choice("rounding", flags.rounding, {"auto", "once", "twice", "micro"},
              "rounding of int8 results: once as ONNX Runtime, twice as TensorFlow Lite, micro as "
              "TensorFlow Lite Micro, or as the tool that produced the model (default: auto)")
      .record();
}

void declareUnknownOps(OptionTable& table, ImportFlags& flags) {
  table
      .flag("allow-unknown-ops", flags.options.allowUnknownOps,
            "keep unknown operators for a pass that replaces them")
      .record();
}

ImportOptions importOptions(const ImportFlags& flags) {
  ImportOptions options = flags.options;
  options.rounding = parseIntegerRounding(flags.rounding);
  return options;
}

} // namespace tigris
