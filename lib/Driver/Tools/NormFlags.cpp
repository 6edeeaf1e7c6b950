// Runs the normalization pipeline and checks what it promises.
#include "tigris/Driver/Tools/NormFlags.h"

#include "tigris/IR/Verifier.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

/// Only a pipeline that runs `default` to its end promises a normalized graph.
bool isPartial(const NormFlags& flags, const PassFlags& running) {
  return running.stopAfter || running.passLimit >= 0 ||
         (flags.passes && flags.passes->find("default") == std::string::npos);
}

} // namespace

void declareNormalizing(OptionTable& table, NormFlags& flags) {
  table
      .text("passes", flags.passes, "PIPELINE",
            "passes to run, as in 'a,b{k=v},fixpoint(c,d),repeat{n=2}(e)' (default: 'default')")
      .record();
  table.texts("skip-pass", flags.skip, "NAME", "skip this pass; may be repeated").record();
}

Expected<Pipeline> normPipeline(const NormFlags& flags, const PassRegistry& registry) {
  Expected<Pipeline> pipeline = parsePipeline(flags.passes.value_or("default"), registry);
  if (!pipeline)
    return pipeline;
  if (Status status = skipPasses(*pipeline, flags.skip, registry); !status)
    return status.takeError();
  return pipeline;
}

Expected<bool> normalizeGraph(ToolContext& context, const NormFlags& flags,
                              const PassFlags& running, const Pipeline& pipeline, Graph& graph) {
  if (graph.stage() == GraphStage::Planned)
    return makeError(DiagId::BadGraph,
                     "the graph is already planned; run tigris-norm before tigris-plan");
  Expected<bool> passed = runPipeline(context, running, pipeline, graph);
  if (!passed || !*passed)
    return passed;
  return isPartial(flags, running) || (finishNormalization(graph, context.diagnostics()) &&
                                       verifyGraph(graph, context.diagnostics()));
}

} // namespace tigris
