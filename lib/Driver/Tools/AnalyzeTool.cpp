// Frame of tigris analyze. The report goes to standard output even if the model does not fit.
#include "tigris/Driver/Tools/AnalyzeTool.h"

#include "tigris/Driver/Tools/Analysis.h"
#include "tigris/Driver/Tools/ModelFlags.h"
#include "tigris/Driver/Tools/RemarkFlags.h"

namespace tigris {

namespace {

struct AnalyzeFlags {
  ModelFlags model;
  RemarkFlags remarks;
  bool verbose = false;
  bool json = false;
};

/// Whether the error means that the model contains something that cannot be executed, as opposed to
/// a broken file or command line.
bool isRefusal(DiagId id) {
  switch (id) {
  case DiagId::UnsupportedOp:
  case DiagId::UnsupportedType:
  case DiagId::DynamicShape:
  case DiagId::BadAttr:
  case DiagId::BadShape:
    return true;
  default:
    return false;
  }
}

/// The normalized graph, or nullopt if it cannot be executed: `found` then contains the reasons.
Expected<std::optional<Graph>> readModel(ToolContext& context, Compiler& compiler,
                                         DiagnosticEngine& found) {
  Expected<std::string> input = context.readInput();
  if (!input)
    return input.takeError();
  Expected<Graph> graph = compiler.read(std::move(*input));
  if (!graph && isRefusal(graph.error().id())) {
    found.report(graph.error().diagnostic());
    return std::optional<Graph>();
  }
  if (!graph)
    return graph.takeError();
  if (graph->form() != GraphForm::Imported)
    return std::optional<Graph>(std::move(*graph));
  const Expected<bool> good = compiler.normalize(*graph);
  if (!good)
    return good.error();
  return *good ? std::optional<Graph>(std::move(*graph)) : std::nullopt;
}

/// Analyzes as far as possible. False if there is nothing to show: `found` then contains the
/// reasons.
Expected<bool> fillAnalysis(ToolContext& context, Compiler& compiler, DiagnosticEngine& found,
                            Analysis& analysis) {
  if (Status status = loadPlugins(context, compiler); !status)
    return status.takeError();
  Expected<std::optional<Graph>> graph = readModel(context, compiler, found);
  if (!graph)
    return graph.takeError();
  for (const Diagnostic& diagnostic : found.all())
    (diagnostic.severity == Severity::Error ? analysis.refused : analysis.warnings)
        .push_back(diagnostic);
  return graph->has_value() ? analyzeGraph(compiler, std::move(**graph), analysis)
                            : Expected<bool>(true);
}

void setVerdict(ToolContext& context, const Analysis& analysis) {
  const std::vector<Diagnostic>& refused = analysis.refused;
  if (!refused.empty())
    context.setVerdict(
        makeError(refused[0].id, "the model cannot be executed: ", refused[0].message,
                  refused.size() == 1 ? std::string()
                                      : strCat("; and ", refused.size() - 1, " more, listed above"))
            .at({context.inputName(), 0, 0}));
  else if (analysis.misfit)
    context.setVerdict(Error(*analysis.misfit));
}

Status analyze(ToolContext& context, const AnalyzeFlags& flags) {
  Expected<CompileOptions> options = modelCompileOptions(context, flags.model);
  if (!options)
    return options.takeError();
  DiagnosticEngine found;
  Compiler compiler(std::move(*options), found);
  Analysis analysis;
  const Expected<bool> good = fillAnalysis(context, compiler, found, analysis);
  if (!good || !*good) {
    // There is no analysis that could contain the diagnostics.
    for (const Diagnostic& diagnostic : found.all())
      context.diagnostics().report(diagnostic);
    return good ? Status() : Status(good.error());
  }
  context.print(flags.json ? analysisJson(analysis) : analysisText(analysis, flags.verbose));
  setVerdict(context, analysis);
  return {};
}

} // namespace

int withAnalyzeSpec(const SpecUser& use) {
  AnalyzeFlags flags;
  ToolSpec spec;
  spec.name = "tigris analyze";
  spec.summary = "Reports whether a model fits a memory budget, what it costs, and what blocks it.";
  spec.input = "MODEL";
  spec.options = [&](OptionTable& table) {
    declarePlanning(table, flags.model.plan);
    declareModelInput(table, flags.model);
    declareRemarks(table, flags.remarks);
    table.flag("verbose,v", flags.verbose, "print the lifetime of each tensor and the timeline");
    table.flag("json", flags.json, "print one JSON object instead of text");
  };
  spec.details =
      "MODEL is an ONNX file or a module of any form. The report goes to standard output, also\n"
      "when the model cannot be executed (exit code 1) or does not fit (exit code 3). With one "
      "-m,\n"
      "the plan uses slow memory only if none exists without, as compile does.\n";
  spec.examples = "tigris analyze model.onnx -m 256K\n"
                  "tigris analyze model.onnx -m 256K -m 8M -f 4M -v\n"
                  "tigris analyze model.onnx -m 64K -m 8M --json > analysis.json\n";
  spec.run = [&](ToolContext& context) {
    return withRemarks(context, flags.remarks, [&] { return analyze(context, flags); });
  };
  return use(spec);
}

} // namespace tigris
