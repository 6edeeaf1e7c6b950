// Every observed tensor becomes a model output inside the arena, which keeps its bytes to the end of the run.
#include "tigris/Driver/Host/GraphRunner.h"

#include "tigris/Emit/Emitter.h"
#include "tigris/Pass/PassManager.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

Status normalize(Graph& graph) {
  PassRegistry registry;
  if (Status status = registerTransforms(registry); !status)
    return status;
  Expected<Pipeline> pipeline = parsePipeline("default", registry);
  if (!pipeline)
    return pipeline.takeError();
  std::optional<Diagnostic> first;
  DiagnosticEngine diagnostics([&](Diagnostic diagnostic) {
    if (!first && diagnostic.severity == Severity::Error)
      first = std::move(diagnostic);
  });
  const bool good =
      PassManager(std::move(*pipeline)).run(graph, diagnostics) != PassStatus::Failed &&
      finishNormalization(graph, diagnostics);
  if (good)
    return {};
  TIGRIS_CHECK(first.has_value());
  return Error(std::move(*first));
}

Expected<std::string> planAndEmit(Graph& graph) {
  insertPortCopies(graph);
  PlanOptions options;
  options.io = IoMode::Arena;
  options.budget.fast = UINT32_MAX;
  Expected<Plan> plan = planGraph(graph, options);
  if (!plan)
    return plan.takeError();
  applyPlan(graph, std::move(*plan));
  return emitPlan(graph);
}

} // namespace

Expected<std::unique_ptr<GraphRunner>> GraphRunner::create(const Graph& imported,
                                                           const std::vector<TensorId>& observed) {
  Graph graph = imported;
  for (const TensorId id : observed) {
    const Tensor& tensor = graph.tensor(id);
    graph.addOutput({strCat("observed ", tensor.name), id, tensor.type, tensor.shape, {}});
  }
  if (Status status = normalize(graph); !status)
    return status.takeError();
  const Expected<std::string> bytes = planAndEmit(graph);
  if (!bytes)
    return bytes.error();
  Expected<PlanFile> file = PlanFile::open(*bytes, "the plan made for calibration");
  if (!file)
    return file.takeError();
  std::unique_ptr<GraphRunner> result(new GraphRunner(std::move(*file)));
  Expected<PlanRunner> runner =
      PlanRunner::create(result->file_, tigris_backend_reference, std::nullopt, std::nullopt);
  if (!runner)
    return runner.takeError();
  result->runner_.emplace(std::move(*runner));
  for (const tigris_port& port : result->file_.inputs())
    result->inputs_.push_back(viewPort(result->file_, port, result->inputs_.size(), false));
  for (const tigris_port& port : result->file_.outputs())
    result->results_.push_back(viewPort(result->file_, port, result->results_.size(), false));
  return result;
}

Status GraphRunner::run(const std::vector<NpyArray>& arrays) {
  TIGRIS_CHECK(arrays.size() == inputs_.size());
  std::vector<std::vector<uint8_t>> stored;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Expected<std::vector<uint8_t>> bytes = toStored(inputs_[i], arrays[i]);
    if (!bytes)
      return bytes.takeError();
    stored.push_back(std::move(*bytes));
  }
  return runner_->run(stored);
}

NpyArray GraphRunner::result(size_t index) const {
  return fromStored(results_.at(index), runner_->output(index));
}

std::span<const float> GraphRunner::floats(size_t index) const {
  const PortView& view = results_.at(index);
  TIGRIS_CHECK(view.storedType == DType::Float32);
  return {reinterpret_cast<const float*>(runner_->output(index)),
          static_cast<size_t>(view.storedShape.elements())};
}

} // namespace tigris
