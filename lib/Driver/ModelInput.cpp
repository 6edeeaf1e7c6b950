// ONNX is told from a stream by its first bytes: a stream is text.
#include "tigris/Driver/ModelInput.h"

#include "tigris/Driver/GraphInput.h"
#include "tigris/Object/PlanFile.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

/// The first field of an ONNX file is a number, whose tag and value are control characters.
bool looksLikeText(std::string_view bytes) {
  constexpr size_t Head = 256;
  bytes = bytes.substr(0, Head);
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
  });
}

} // namespace

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
    return makeError(DiagId::BadStream, "this is a compiled plan; tigris dump shows it, tigris run "
                                        "executes it")
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
