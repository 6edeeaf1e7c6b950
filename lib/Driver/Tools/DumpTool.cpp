// Distinguishes modules from plans by their first bytes and passes them to the dumpers.
#include "tigris/Driver/Tools/DumpTool.h"

#include "tigris/Driver/Tools/ToolCompiler.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/PlanContent.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Support/FileIO.h"

#include <variant>

namespace tigris {

namespace {

struct DumpFlags {
  std::string format = "text";
  std::string diff;
  DumpOptions parts;
};

using Content = std::variant<PlanFile, Graph>;

Expected<Content> parse(ToolContext& context, std::string bytes, const std::string& path) {
  if (looksLikePlan(bytes)) {
    Expected<PlanFile> file = PlanFile::open(bytes, displayName(path));
    return file ? Expected<Content>(std::move(*file)) : Expected<Content>(file.takeError());
  }
  CompileOptions options = toolCompileOptions(context);
  options.inputPath = path;
  Expected<Graph> graph =
      Compiler(std::move(options), context.diagnostics()).readGraph(std::move(bytes));
  if (!graph)
    return graph.takeError();
  if (Status status = checkWeights(*graph); !status)
    return status.takeError().at({displayName(path), 0, 0});
  return Content(std::move(*graph));
}

Report reportOf(const Content& content) {
  return std::visit([](const auto& model) { return reportOf(model); }, content);
}

std::string textOf(const Content& content, const DumpOptions& parts) {
  if (const auto* file = std::get_if<PlanFile>(&content))
    return dumpPlan(*file, parts);
  return dumpGraph(std::get<Graph>(content), parts);
}

Expected<PlanPicture> pictureOf(const Content& content) {
  if (const auto* file = std::get_if<PlanFile>(&content))
    return pictureOf(*file);
  return pictureOf(std::get<Graph>(content));
}

std::string jsonOf(const Content& content, const DumpOptions& parts) {
  JsonWriter json;
  json.beginObject();
  writeReport(json, reportOf(content));
  const auto contentOfAny = [](const auto& model) { return contentOf(model); };
  writeContent(json, std::visit(contentOfAny, content), parts);
  json.endObject();
  return json.text();
}

/// Dumps the whole file byte by byte, and then reports its errors.
Status dumpBytes(ToolContext& context, const std::string& bytes) {
  if (!looksLikePlan(bytes))
    return makeError(DiagId::BadPlan, "--format=hex needs a .tgrs plan; a module is text already")
        .at({context.inputName(), 0, 0});
  context.output(hexDump(bytes));
  if (Expected<PlanFile> file = PlanFile::open(bytes, context.inputName()); !file)
    context.setVerdict(file.takeError());
  return {};
}

/// The operators and the tensors between them.
Status dumpOperators(ToolContext& context, const Content& content) {
  const auto* graph = std::get_if<Graph>(&content);
  if (graph == nullptr)
    return makeError(DiagId::BadPlan, "--format=dot needs a module; a .tgrs plan has addresses "
                                      "instead of the tensors between its operators")
        .at({context.inputName(), 0, 0});
  context.output(dotOf(*graph));
  return {};
}

Status dumpPicture(ToolContext& context, const DumpFlags& flags, const Content& content) {
  const Expected<PlanPicture> picture = pictureOf(content);
  if (!picture)
    return picture.error();
  if (flags.format == "svg") {
    context.output(svgOf(*picture));
    return {};
  }
  if (flags.diff.empty()) {
    context.output(htmlOf(*picture));
    return {};
  }
  Expected<std::string> bytes = readFile(flags.diff);
  if (!bytes)
    return bytes.takeError();
  const Expected<Content> other = parse(context, std::move(*bytes), flags.diff);
  if (!other)
    return other.error();
  const Expected<PlanPicture> second = pictureOf(*other);
  if (!second)
    return second.error();
  context.output(htmlOf(*picture, &*second));
  return {};
}

Status dump(ToolContext& context, const DumpFlags& flags) {
  if (!flags.diff.empty() && flags.format != "html")
    return makeError(DiagId::Usage, "option '--diff' needs --format=html");
  Expected<std::string> bytes = context.readInput();
  if (!bytes)
    return bytes.takeError();
  if (flags.format == "hex")
    return dumpBytes(context, *bytes);
  const Expected<Content> content = parse(context, std::move(*bytes), context.input());
  if (!content)
    return content.error();
  if (flags.format == "html" || flags.format == "svg")
    return dumpPicture(context, flags, *content);
  if (flags.format == "dot")
    return dumpOperators(context, *content);
  context.output(flags.format == "json" ? jsonOf(*content, flags.parts)
                                        : textOf(*content, flags.parts));
  return {};
}

} // namespace

int withDumpSpec(const char* name, const SpecUser& use) {
  DumpFlags flags;
  ToolSpec spec;
  spec.name = name;
  spec.summary = "Shows a graph module or a .tgrs plan: interface, memory, stages, operators.";
  spec.input = "FILE";
  spec.output = true;
  spec.options = [&](OptionTable& table) {
    table.choice("format", flags.format, {"text", "json", "html", "svg", "dot", "hex"},
                 "text (default), everything as one JSON object, plan as HTML page or SVG picture, "
                 "operators of a module for Graphviz, or every byte of a .tgrs");
    table.flag("stages", flags.parts.stages, "add the loads, operators and spills of each stage");
    table.flag("memory", flags.parts.memory, "add the address and lifetime of every buffer");
    table.flag("ops", flags.parts.ops, "add every operator with its shapes and locations");
    table.text("diff", flags.diff, "FILE", "compare with this plan (HTML only)").reads();
  };
  spec.details =
      "The page of --format=html shows memory over time, live bytes against budget and bound,\n"
      "stages, operators and quantization; it needs no network. Halo rows and recomputed work of\n"
      "each stage are known for planned modules only, not for .tgrs files. JSON contains all "
      "parts;\n"
      "--stages, --memory and --ops select parts.\n";
  spec.examples = strCat(name, " model.tgrs\n", name, " --ops --memory model.tgrs | less\n", name,
                         " --format=html planned.yaml -o plan.html\n", name,
                         " --format=html 256K.tgrs --diff=128K.tgrs -o both.html\n",
                         "tigris-import model.onnx | tigris-norm | ", name, " --ops\n", name,
                         " --format=dot planned.yaml | dot -Tsvg > operators.svg\n", name,
                         " --format=json model.tgrs\n");
  spec.run = [&](ToolContext& context) { return dump(context, flags); };
  return use(spec);
}

int dumpMain(int argc, const char* const* argv) {
  return withDumpSpec("tigris-dump",
                      [&](const ToolSpec& spec) { return toolMain(argc, argv, spec); });
}

} // namespace tigris
