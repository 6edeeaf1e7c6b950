// What an engineer asks first about a model and a budget: does it fit, what does it cost, what
// blocks it.
#pragma once

#include "tigris/Compile/Compiler.h"
#include "tigris/Inspect/PlanPicture.h"
#include "tigris/Support/Json.h"

namespace tigris {

/// A tensor or op that stands out.
struct NamedBytes {
  std::string name;
  /// "int8 [1, 16, 16, 8]" or the operator's kind.
  std::string what;
  uint64_t bytes = 0;
};

struct Analysis {
  /// Why the model cannot be executed at all; everything else is empty then.
  std::vector<Diagnostic> refused;
  std::vector<Diagnostic> warnings;
  /// Why it does not fit, with what would fit in the notes; nullopt when it does.
  std::optional<Diagnostic> misfit;
  /// Figures of the plan file if there is a plan, of the graph if not.
  Report report;
  size_t ops = 0;
  std::optional<BudgetNeeds> needs;
  /// The op at which live bytes peak in the model's own order, nothing tiled.
  std::optional<NamedBytes> unscheduledPeak;
  std::optional<NamedBytes> largestTensor;
  /// The plan's peak; the tensors that are alive then, largest first, each with the bytes it adds
  /// to those before it; and the gaps between them, which make up the rest of the peak. Empty
  /// without a plan.
  std::optional<NamedBytes> peak;
  std::vector<NamedBytes> peakTensors;
  uint64_t peakGaps = 0;
  size_t wholeStages = 0, directStages = 0;
  /// Bytes of the plan compressed; set where it exceeds its flash uncompressed.
  std::optional<uint64_t> compressedBytes;
  std::vector<SizingRow> budgets;
  /// A line per stage.
  std::string stages;

  bool fits() const { return refused.empty() && !misfit; }
};

/// Plans the normalized graph and fills in everything but refusals and warnings. Errors that are
/// not about the budget (DiagId::Usage, a plugin's) are returned. False when a plugin has reported
/// errors.
Expected<bool> analyzeGraph(Compiler& compiler, Graph graph, Analysis& analysis);

/// For people; `verbose` adds the stages.
std::string analysisText(const Analysis& analysis, bool verbose);

/// One object: the report's fields, then those of the analysis.
std::string analysisJson(const Analysis& analysis);

} // namespace tigris
