// Parses the value of --weights.
#include "tigris/Driver/Tools/WeightsOption.h"

namespace tigris {

namespace {

constexpr std::string_view FilePrefix = "file:";

std::string sideFileOf(const std::string& value) {
  return value.starts_with(FilePrefix) ? value.substr(FilePrefix.size()) : std::string();
}

} // namespace

void addWeightsOption(OptionTable& table, WriteOptions& options) {
  OptionTable::Entry& entry =
      table.add("weights", "inline|file:PATH|splat",
                "write weights inline (default), to a side file, or as a pattern",
                [&options](const std::string& value, const std::string& spelling) -> Status {
                  if (value == "inline") {
                    options.weights = WeightsMode::Inline;
                  } else if (value == "splat") {
                    options.weights = WeightsMode::Splat;
                  } else if (const std::string path = sideFileOf(value); !path.empty()) {
                    options.weights = WeightsMode::File;
                    options.weightsFile = path;
                  } else {
                    return makeError(DiagId::Usage, "option '", spelling, "': '", value,
                                     "' is not one of inline, file:PATH, splat");
                  }
                  return {};
                });
  entry.writes(sideFileOf);
}

Status outputModule(ToolContext& context, const Graph& graph, WriteOptions options) {
  options.moduleFile = context.outputPath();
  options.writeSideFile = [&](const std::string& path, std::string bytes) -> Status {
    context.outputFile(path, std::move(bytes));
    return {};
  };
  Expected<TextPieces> module = writeModulePieces(graph, options);
  if (!module)
    return module.takeError();
  context.output(std::move(*module));
  return {};
}

} // namespace tigris
