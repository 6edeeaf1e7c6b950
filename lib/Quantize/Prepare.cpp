// Derives its pipeline from the default pipeline, so that passes added there are included.
#include "tigris/Quantize/Prepare.h"

#include "tigris/Pass/PassManager.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <array>

namespace tigris {

Expected<Pipeline> preparePipeline(const PassRegistry& registry) {
  constexpr std::array<std::string_view, 4> Folding = {"quant-annotate", "qdq-move", "qdq-fold",
                                                       "quant-interface"};
  Expected<Pipeline> pipeline = parsePipeline("default", registry);
  if (!pipeline)
    return pipeline;
  const auto isPass = [](const PipelineElement& element, std::string_view name) {
    return element.kind == PipelineElement::Kind::Pass && element.info->name == name;
  };
  const auto layout =
      std::find_if(pipeline->begin(), pipeline->end(), [&](const PipelineElement& element) {
        return isPass(element, "layout-assign");
      });
  TIGRIS_CHECK(layout != pipeline->end());
  pipeline->erase(layout, pipeline->end());
  std::erase_if(*pipeline, [&](const PipelineElement& element) {
    return std::any_of(Folding.begin(), Folding.end(),
                       [&](std::string_view name) { return isPass(element, name); });
  });
  return pipeline;
}

Expected<bool> prepareForQuantization(Graph& graph, DiagnosticEngine& diagnostics) {
  PassRegistry registry;
  if (Status status = registerTransforms(registry); !status)
    return status.takeError();
  Expected<Pipeline> pipeline = preparePipeline(registry);
  if (!pipeline)
    return pipeline.takeError();
  return PassManager(std::move(*pipeline)).run(graph, diagnostics) != PassStatus::Failed;
}

} // namespace tigris
