// Frame of tigris analyze: the answer goes to standard output even when it is no.
#include "tigris/Driver/Tools/AnalyzeTool.h"

#include "tigris/Driver/Tools/Analysis.h"
#include "tigris/Driver/Tools/ModelInput.h"
#include "tigris/Driver/Tools/RemarkFlags.h"

namespace tigris {

namespace {

struct AnalyzeFlags {
  ModelFlags model;
  PlanFlags plan;
  RemarkFlags remarks;
  bool verbose = false;
  bool json = false;
};

/// Where there is no analysis to say it in.
void report(ToolContext& context, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics)
    context.diagnostics().report(diagnostic);
}

Status analyze(ToolContext& context, AnalyzeFlags& flags) {
  if (const Expected<PlanOptions> options = planOptions(flags.plan); !options)
    return options.error();
  const Expected<PassRegistry> registry = passRegistry(context, flags.model);
  if (!registry)
    return registry.error();
  DiagnosticEngine found;
  Expected<std::optional<Graph>> graph = readModel(context, flags.model, *registry, found);
  if (!graph) {
    report(context, found.all());
    return graph.takeError();
  }
  Analysis analysis;
  for (const Diagnostic& diagnostic : found.all())
    (diagnostic.severity == Severity::Error ? analysis.refused : analysis.warnings)
        .push_back(diagnostic);
  if (graph->has_value()) {
    const Expected<bool> good = analyzeGraph(context, flags.plan, flags.model.passes, *registry,
                                             std::move(**graph), analysis);
    if (!good || !*good) {
      report(context, analysis.warnings);
      return good ? Status() : Status(good.error());
    }
  }
  context.print(flags.json ? analysisJson(analysis) : analysisText(analysis, flags.verbose));
  if (!analysis.refused.empty())
    context.setVerdict(
        makeError(analysis.refused[0].id,
                  "the model cannot be executed: ", analysis.refused[0].message,
                  analysis.refused.size() == 1
                      ? std::string()
                      : strCat("; and ", analysis.refused.size() - 1, " more, listed above"))
            .at({context.inputName(), 0, 0}));
  else if (analysis.misfit)
    context.setVerdict(Error(*analysis.misfit));
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
    declarePlanning(table, flags.plan);
    declareModelInput(table, flags.model);
    declareRemarks(table, flags.remarks);
    table.flag("verbose,v", flags.verbose, "print one line per stage");
    table.flag("json", flags.json, "print one JSON object instead of text");
  };
  spec.details =
      "MODEL is an ONNX file or a module of any form. The report goes to standard output, also\n"
      "when the model cannot be executed (exit code 1) or does not fit (exit code 3).\n";
  spec.examples = "tigris analyze model.onnx -m 256K\n"
                  "tigris analyze model.onnx -m 256K -m 8M -f 4M -v\n"
                  "tigris analyze model.onnx -m 64K -m 8M --json > analysis.json\n";
  spec.run = [&](ToolContext& context) {
    return withRemarks(context, flags.remarks, [&] { return analyze(context, flags); });
  };
  return use(spec);
}

} // namespace tigris
