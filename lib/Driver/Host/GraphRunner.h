// Runs a graph on the host: normalizes, plans and emits it, and executes it with the C runtime. Any
// of its tensors can be results.
#pragma once

#include "tigris/Driver/Host/PlanRunner.h"
#include "tigris/Driver/Host/PortData.h"
#include "tigris/IR/Graph.h"

namespace tigris {

/// Executes an imported graph on arrays in the model's interface form.
class GraphRunner {
public:
  /// Results are the model's outputs, then the tensors in `observed` (of the imported graph;
  /// float32, known shapes). Everything is in one arena of the host, so memory budgets do not
  /// apply. Errors are those of normalization and emission, e.g. DiagId::UnsupportedOp for an op
  /// without a kernel.
  static Expected<std::unique_ptr<GraphRunner>> create(const Graph& imported,
                                                       const std::vector<TensorId>& observed);

  const std::vector<PortView>& inputs() const { return inputs_; }
  const std::vector<PortView>& results() const { return results_; }

  /// One array per input.
  Status run(const std::vector<NpyArray>& arrays);
  /// A result of the last run in the model's interface form.
  NpyArray result(size_t index) const;
  /// A float32 result of the last run, in place and in stored order (PortView::storedShape and
  /// perm).
  std::span<const float> floats(size_t index) const;

private:
  explicit GraphRunner(PlanFile file) : file_(std::move(file)) {}

  PlanFile file_;
  std::optional<PlanRunner> runner_;
  std::vector<PortView> inputs_;
  std::vector<PortView> results_;
};

} // namespace tigris
