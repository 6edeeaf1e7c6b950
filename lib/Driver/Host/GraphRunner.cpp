// Every observed tensor becomes a model output in the arena, so that its bytes are kept until the
// run ends.
#include "tigris/Driver/Host/GraphRunner.h"

#include "tigris/Compile/Compiler.h"

#include <algorithm>

namespace tigris {

namespace {

/// The plan file of the graph, with everything in one arena. Returns the first error reported.
Expected<std::string> compileForHost(Graph& graph) {
  CompileOptions options;
  options.passes.verifyEach = false;
  options.plan.io = IoMode::Arena;
  options.plan.budget.fast = UINT32_MAX;
  DiagnosticEngine diagnostics;
  Compiler compiler(std::move(options), diagnostics);
  Expected<std::optional<std::string>> file = compiler.compile(graph);
  if (!file)
    return file.takeError();
  if (*file)
    return std::move(**file);
  const auto first = std::find_if(
      diagnostics.all().begin(), diagnostics.all().end(),
      [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  TIGRIS_CHECK(first != diagnostics.all().end());
  return Error(*first);
}

} // namespace

Expected<std::unique_ptr<GraphRunner>> GraphRunner::create(const Graph& imported,
                                                           const std::vector<TensorId>& observed) {
  Graph graph = imported;
  for (const TensorId id : observed) {
    const Tensor& tensor = graph.tensor(id);
    graph.addOutput({strCat("observed ", tensor.name), id, tensor.type, tensor.shape, {}});
  }
  const Expected<std::string> bytes = compileForHost(graph);
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
