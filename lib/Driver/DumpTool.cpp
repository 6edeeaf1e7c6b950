// Tells streams and plans apart by their first bytes and hands them to the dumpers.
#include "tigris/Driver/DumpTool.h"

#include "tigris/Driver/ToolMain.h"
#include "tigris/Object/Dump.h"
#include "tigris/Object/Report.h"
#include "tigris/Serialize/Stream.h"

namespace tigris {

namespace {

std::string jsonOf(const Report& report) {
  JsonWriter json;
  json.beginObject();
  writeReport(json, report);
  json.endObject();
  return json.text();
}

} // namespace

int dumpMain(int argc, const char* const* argv) {
  std::string format = "text";
  DumpOptions dump;
  ToolSpec spec;
  spec.name = "tigris-dump";
  spec.summary = "Shows what a graph stream or a .tgrs plan holds: interface, memory, stages, ops.";
  spec.input = "FILE";
  spec.output = true;
  spec.options = [&](OptionTable& table) {
    table.choice("format", format, {"text", "json"},
                 "for people (default), or one JSON object of the figures");
    table.flag("stages", dump.stages, "add what each stage moves and runs");
    table.flag("memory", dump.memory, "add every address and when it is in use");
    table.flag("ops", dump.ops, "add every operator with its shapes and places");
  };
  spec.examples = "tigris-dump model.tgrs\n"
                  "tigris-dump --ops --memory model.tgrs | less\n"
                  "tigris-import model.onnx | tigris-norm | tigris-dump --ops\n"
                  "tigris-dump --format=json model.tgrs\n";
  spec.run = [&](ToolContext& context) -> Status {
    Expected<std::string> bytes = context.readInput();
    if (!bytes)
      return bytes.takeError();
    if (looksLikePlan(*bytes)) {
      const Expected<PlanFile> file = PlanFile::open(*bytes, context.inputName());
      if (!file)
        return file.error();
      context.output(format == "json" ? jsonOf(reportOf(*file)) : dumpPlan(*file, dump));
      return {};
    }
    const Expected<Graph> graph =
        readStream(std::make_shared<const std::string>(std::move(*bytes)), context.input());
    if (!graph)
      return graph.error();
    context.output(format == "json" ? jsonOf(reportOf(*graph)) : dumpGraph(*graph, dump));
    return {};
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
