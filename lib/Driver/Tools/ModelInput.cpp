// ONNX is told from a stream by its first bytes: a stream is text.
#include "tigris/Driver/Tools/ModelInput.h"

#include "tigris/Driver/Tools/GraphInput.h"
#include "tigris/Inspect/PlanFile.h"
#include "tigris/Support/FileKind.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

void declareModelInput(OptionTable& table, ModelFlags& flags) {
  declareImporting(table, flags.import);
  declareUnknownOps(table, flags.import);
  declareNormalizing(table, flags.norm);
  declarePlugins(table, flags.passes);
}

Expected<PassRegistry> passRegistry(ToolContext& context, const ModelFlags& flags) {
  PassRegistry registry;
  if (Status status = registerTransforms(registry); !status)
    return status.takeError();
  if (Status status = loadPlugins(context, flags.passes, registry); !status)
    return status.takeError();
  return registry;
}

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

Expected<std::optional<Graph>> readModel(ToolContext& context, ModelFlags& flags,
                                         const PassRegistry& registry,
                                         DiagnosticEngine& diagnostics) {
  Expected<std::string> bytes = context.readInput();
  if (!bytes)
    return bytes.takeError();
  if (looksLikePlan(*bytes))
    return makeError(
               DiagId::BadStream,
               "this is a compiled plan; use tigris dump to show it or tigris run to execute it")
        .at({context.inputName(), 0, 0});
  Expected<Graph> graph = looksLikeText(*bytes)
                              ? parseGraphInput(context, std::move(*bytes))
                              : importModel(context, *bytes, flags.import, diagnostics);
  if (!graph && isRefusal(graph.error().id())) {
    diagnostics.report(graph.error().diagnostic());
    return std::optional<Graph>();
  }
  if (!graph)
    return graph.takeError();
  if (graph->stage() != GraphStage::Imported)
    return std::optional<Graph>(std::move(*graph));
  const Expected<Pipeline> pipeline = normPipeline(flags.norm, registry);
  if (!pipeline)
    return pipeline.error();
  ToolContext inside("tigris", diagnostics);
  const Expected<bool> good = normalizeGraph(inside, flags.norm, flags.passes, *pipeline, *graph);
  if (!good)
    return good.error();
  return *good ? std::optional<Graph>(std::move(*graph)) : std::nullopt;
}

} // namespace tigris
