// Plans for the given budget and for neighboring budgets, with and without slow memory.
#include "tigris/Driver/Tools/Analysis.h"

#include "tigris/Plan/Search/PlanDrafts.h"

namespace tigris {

namespace {

std::optional<NamedBytes> largestActivation(const Graph& graph) {
  std::optional<NamedBytes> largest;
  for (const TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    if (!tensor.isConstant() && (!largest || tensor.bytes() > largest->bytes))
      largest = {tensor.name, strCat(dtypeName(tensor.type), " ", tensor.shape.str()),
                 tensor.bytes()};
  }
  return largest;
}

/// Adds the figures of the plan file, which is emitted without regard to the flash budget.
Status addFile(const Graph& planned, Analysis& analysis) {
  Graph graph = planned;
  Plan plan = *graph.plan();
  const std::optional<uint64_t> flash = plan.budget.flash;
  plan.budget.flash.reset();
  graph.setPlan(std::move(plan));
  const Expected<std::string> bytes = Compiler::emit(graph, {});
  if (!bytes)
    return bytes.error();
  const Expected<PlanFile> file = PlanFile::open(*bytes, "the plan");
  if (!file)
    return file.error();
  analysis.report = reportOf(*file, planned);
  analysis.report.budgetFlash = flash;
  if (!flash || bytes->size() <= *flash)
    return {};
  const Expected<std::string> compressed = Compiler::emit(graph, {.compress = Compression::Lz4});
  if (!compressed)
    return compressed.error();
  analysis.compressedBytes = compressed->size();
  Error error = makeError(DiagId::OverBudget, "the plan takes ", formatExactBytes(bytes->size()),
                          " of flash, budget is ", formatExactBytes(*flash), ", ",
                          formatExactBytes(bytes->size() - *flash), " over budget");
  std::string note =
      strCat("compressed (--compress=lz4) it takes ", formatExactBytes(compressed->size()),
             compressed->size() <= *flash ? ", which fits" : ", still over budget");
  analysis.misfit = std::move(error).note(std::move(note)).diagnostic();
  return {};
}

/// The peak of the plan in `analysis.content`.
void addPeak(Analysis& analysis) {
  const PlanPicture& picture = *analysis.content.picture;
  if (picture.steps.empty())
    return;
  const PictureStep& step = picture.steps[picture.peakStep];
  analysis.peak = {step.name, step.kind, step.top};
  for (const PeakPart& part : picture.peakParts) {
    const PictureBlock& block = picture.fast[part.block];
    analysis.peakTensors.push_back({block.name, block.type, part.bytes});
  }
  analysis.peakGaps = picture.peakGaps();
}

/// Plans a prepared graph with more memory than granted, or with less.
class Alternatives {
public:
  Alternatives(const Graph& graph, const PlanOptions& options)
      : graph_(graph), options_(options), drafts_(graph) {}

  std::optional<BudgetNeeds> needs(const PlanOptions& options) {
    const Expected<BudgetNeeds> needs = budgetNeeds(graph_, options, drafts_);
    return needs ? std::optional(*needs) : std::nullopt;
  }

  /// The answer for options with or without slow memory, as far as it is known without a plan.
  std::optional<MemoryAnswer> answer(const PlanOptions& options) {
    const std::optional<BudgetNeeds> found = needs(options);
    if (!found)
      return std::nullopt;
    MemoryAnswer answer;
    answer.smallestFast = found->smallest;
    answer.fits = found->smallest + options.reserve <= options.budget.fast;
    return answer;
  }

  /// The plan in the fast budget or, if that is too small, in the smallest one.
  std::optional<Plan> nearest(PlanOptions options) {
    if (Expected<Plan> plan = planGraph(graph_, options, drafts_))
      return std::move(*plan);
    options.recompute.reset();
    if (const std::optional<BudgetNeeds> found = needs(options))
      options.budget.fast =
          std::max(options.budget.fast, std::max<uint64_t>(found->smallest, 1) + options.reserve);
    Expected<Plan> plan = planGraph(graph_, options, drafts_);
    return plan ? std::optional(std::move(*plan)) : std::nullopt;
  }

private:
  const Graph& graph_;
  const PlanOptions& options_;
  PlanDrafts drafts_;
};

/// Answers for both cases. `plan` is null if the model does not fit.
void addAnswers(const Graph& graph, const PlanOptions& options, const Plan* plan,
                Analysis& analysis) {
  Alternatives others(graph, options);
  const PlanOptions slowOptions = withSlowAsNeeded(options);
  analysis.needs = others.needs(options);
  analysis.withoutSlow = others.answer(withoutSlow(options));
  analysis.withSlow = others.answer(slowOptions);
  if (analysis.withoutSlow && analysis.withoutSlow->fits)
    analysis.withoutSlow->slowBytes = 0;
  std::optional<Plan> nearest;
  if (plan == nullptr)
    nearest = others.nearest(analysis.withSlow ? slowOptions : withoutSlow(options));
  const Plan* const known = plan != nullptr ? plan : nearest ? &*nearest : nullptr;
  if (analysis.withSlow) {
    analysis.withSlow->fits = known != nullptr && known->budget.fast <= options.budget.fast;
    if (analysis.withSlow->fits)
      analysis.withSlow->slowBytes = known->stats.slowPeakBytes;
  }
  if (!nearest)
    return;
  Graph planned = graph;
  applyPlan(planned, std::move(*nearest));
  analysis.nearest = reportOf(planned);
  analysis.content = contentOf(planned);
  if (analysis.nearest->budgetSlow)
    analysis.nearest->budgetSlow = analysis.nearest->stats->slowPeakBytes;
}

} // namespace

Expected<bool> analyzeGraph(Compiler& compiler, Graph graph, Analysis& analysis) {
  const Expected<bool> planned = compiler.planInto(graph);
  if (!planned && planned.error().id() != DiagId::OverBudget)
    return planned.error();
  if (planned && !*planned)
    return false;
  const PlanningOptions& options = compiler.options().plan;
  analysis.ops = graph.order().size();
  analysis.largestTensor = largestActivation(graph);
  Expected<std::vector<SizingRow>> budgets = compiler.sizingTable(graph);
  if (!budgets)
    return budgets.takeError();
  analysis.budgets = std::move(*budgets);
  if (planned) {
    addAnswers(graph, options, &*graph.plan(), analysis);
    if (Status status = addFile(graph, analysis); !status)
      return status.takeError();
    analysis.content = contentOf(graph);
    addPeak(analysis);
    return true;
  }
  analysis.misfit = planned.error().diagnostic();
  graph.setPlan(std::nullopt);
  analysis.content = contentOf(graph);
  addAnswers(graph, options, nullptr, analysis);
  analysis.report = reportOf(graph);
  analysis.report.budgetFast = options.budget.fast;
  analysis.report.budgetSlow = options.budget.slow;
  analysis.report.budgetFlash = options.budget.flash;
  if (analysis.nearest) {
    analysis.report.stats = analysis.nearest->stats;
    analysis.report.peakOp = analysis.nearest->peakOp;
    analysis.report.modelOnly = true;
  }
  return true;
}

} // namespace tigris
