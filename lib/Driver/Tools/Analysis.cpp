// Plans for the given budget and for neighboring budgets. If the model does not fit, also plans
// without a limit.
#include "tigris/Driver/Tools/Analysis.h"

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

void addPicture(const Graph& graph, Analysis& analysis) {
  const Expected<PlanPicture> picture = pictureOf(graph);
  TIGRIS_CHECK(picture);
  if (picture->steps.empty())
    return;
  const PictureStep& step = picture->steps[picture->peakStep];
  analysis.peak = {step.name, step.kind, step.top};
  for (const PeakPart& part : picture->peakParts) {
    const PictureBlock& block = picture->fast[part.block];
    analysis.peakTensors.push_back({block.name, block.type, part.bytes});
  }
  analysis.peakGaps = picture->peakGaps();
}

} // namespace

Expected<bool> analyzeGraph(Compiler& compiler, Graph graph, Analysis& analysis) {
  const Expected<bool> planned = compiler.planInto(graph);
  if (!planned && planned.error().id() != DiagId::OverBudget)
    return planned.error();
  if (planned && !*planned)
    return false;
  PlanningOptions options = compiler.options().plan;
  analysis.ops = graph.order().size();
  analysis.largestTensor = largestActivation(graph);
  if (const Expected<BudgetNeeds> needs = budgetNeeds(graph, options))
    analysis.needs = *needs;
  Expected<std::vector<SizingRow>> budgets = compiler.sizingTable(graph);
  if (!budgets)
    return budgets.takeError();
  analysis.budgets = std::move(*budgets);

  if (planned) {
    if (Status status = addFile(graph, analysis); !status)
      return status.takeError();
    addPicture(graph, analysis);
    return true;
  }
  analysis.misfit = planned.error().diagnostic();
  graph.setPlan(std::nullopt);
  analysis.report = reportOf(graph);
  analysis.report.budgetFast = options.budget.fast;
  analysis.report.budgetSlow = options.budget.slow;
  analysis.report.budgetFlash = options.budget.flash;
  // A plan with enough memory still provides the peak and the work.
  options.budget.fast = UINT32_MAX;
  if (const Expected<Plan> free = planGraph(graph, options)) {
    analysis.report.setStats(graph, free->stats);
    analysis.report.modelOnly = true;
  }
  return true;
}

} // namespace tigris
