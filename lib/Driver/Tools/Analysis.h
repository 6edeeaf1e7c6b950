// Answers an engineer's first questions about a model and a budget: whether it fits, what it costs,
// and what blocks it.
#pragma once

#include "tigris/Compile/Compiler.h"
#include "tigris/Inspect/PlanContent.h"
#include "tigris/Support/Json.h"

namespace tigris {

/// A tensor or op that determines a figure.
struct NamedBytes {
  std::string name;
  /// "int8 [1, 16, 16, 8]" or the operator's kind.
  std::string what;
  uint64_t bytes = 0;
};

/// What a model needs with or without slow memory, for the options of the analysis.
struct MemoryAnswer {
  /// Whether a plan exists within the fast budget, whatever the slow budget.
  bool fits = false;
  /// The smallest fast memory of any plan; with slow memory, of any that runs all ops in fast
  /// memory.
  uint64_t smallestFast = 0;
  /// Slow memory that the plan for the fast budget needs; nullopt if there is none.
  std::optional<uint64_t> slowBytes;
};

struct Analysis {
  /// Why the model cannot be executed at all. If not empty, all other members but the warnings are
  /// empty.
  std::vector<Diagnostic> refused;
  std::vector<Diagnostic> warnings;
  /// Why the model does not fit, with notes on what would fit; nullopt if it fits.
  std::optional<Diagnostic> misfit;
  /// Figures of the plan file if there is a plan, otherwise of the graph.
  Report report;
  size_t ops = 0;
  /// With slow memory only if it is in the budget.
  std::optional<BudgetNeeds> needs;
  /// nullopt if the options exclude the answer: inputs and outputs do not move by rows with slow
  /// memory.
  std::optional<MemoryAnswer> withoutSlow, withSlow;
  /// If there is no plan: the plan with as much slow memory as it needs, in the fast budget or, if
  /// that is too small, in the smallest one. If the options exclude slow memory: the plan in the
  /// smallest fast memory.
  std::optional<Report> nearest;
  /// Schedule, lifetimes and timeline of the plan or, if there is none, of the nearest one or of
  /// the graph.
  PlanContent content;
  std::optional<NamedBytes> largestTensor;
  /// The plan's peak; the tensors that are alive then, largest first, each with the bytes that it
  /// adds to the preceding ones; and the gaps between them, which account for the rest of the peak.
  /// Empty without a plan.
  std::optional<NamedBytes> peak;
  std::vector<NamedBytes> peakTensors;
  uint64_t peakGaps = 0;
  /// The size of the compressed plan in bytes; set if the uncompressed plan exceeds its flash
  /// budget.
  std::optional<uint64_t> compressedBytes;
  std::vector<SizingRow> budgets;

  bool fits() const { return refused.empty() && !misfit; }
};

/// Plans the normalized graph and fills in everything except refusals and warnings. Returns errors
/// that do not concern the budget (DiagId::Usage, a plugin's), and false if a plugin has reported
/// errors.
Expected<bool> analyzeGraph(Compiler& compiler, Graph graph, Analysis& analysis);

/// The analysis as text, with the stages of the plan or, if there is none, of the nearest plan;
/// `verbose` adds the lifetime of each tensor and the timeline.
std::string analysisText(const Analysis& analysis, bool verbose);

/// One object: the report's fields, then those of the analysis.
std::string analysisJson(const Analysis& analysis);

} // namespace tigris
