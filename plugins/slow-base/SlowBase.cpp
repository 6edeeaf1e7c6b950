// Plugin slow-base: modifies the finished plan. It reserves the first bytes of slow memory for the
// firmware, e.g. for a frame buffer that DMA writes to.
#include "tigris/Pass/PassPlugin.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <cstdlib>

using namespace tigris;

namespace {

constexpr const char* Doc =
    R"(Moves all tensors in slow memory up by the same amount, so that its first BYTES are free. As
a plugin of tigris-plan, it runs when the plan is complete. The environment variable SLOW_BASE gives
the BYTES; without it, the plan does not change.

    slow: 0 x, 4096 y, 8192 spilled    ->    slow: 65536 x, 69632 y, 73728 spilled
)";

PassStatus moveUp(Graph& graph, uint64_t base, PassContext& context) {
  if (!graph.plan() || graph.plan()->slow.empty())
    return PassStatus::Unchanged;
  Plan plan = *graph.plan();
  const auto lowest =
      std::min_element(plan.slow.begin(), plan.slow.end(),
                       [](const Placement& a, const Placement& b) { return a.offset < b.offset; });
  if (lowest->offset >= base)
    return PassStatus::Unchanged;
  const uint64_t distance = alignUp(base - lowest->offset, plan.align);
  for (Placement& placement : plan.slow)
    placement.offset += distance;
  plan.stats.slowPeakBytes += distance;
  if (const uint64_t budget = plan.budget.slow.value_or(0); plan.stats.slowPeakBytes > budget)
    return context.fail(DiagId::OverBudget, "needs ", plan.stats.slowPeakBytes,
                        " bytes of slow memory after the first ", base, ", budget is ", budget);
  graph.setPlan(std::move(plan));
  graph.addHistory(strCat("slow-base ", base));
  return PassStatus::Changed;
}

class SlowBase : public Pass {
public:
  explicit SlowBase(uint64_t base) : base_(base) {}
  PassStatus run(Graph& graph, PassContext& context) override {
    return moveUp(graph, base_, context);
  }

private:
  uint64_t base_;
};

Status registerPasses(PluginRegistrar& registrar) {
  PassInfo info;
  info.name = "slow-base";
  info.summary = "The first bytes of slow memory stay free";
  info.doc = Doc;
  info.options = {{"bytes", PassOptionKind::Int, "how many; 0 by default"}};
  info.create = [](const PassOptions& options) {
    return std::make_unique<SlowBase>(
        static_cast<uint64_t>(std::max<int64_t>(options.integer("bytes", 0), 0)));
  };
  if (Status status = registrar.addPass(std::move(info)); !status)
    return status;
  if (const char* wanted = std::getenv("SLOW_BASE")) {
    const std::optional<uint64_t> bytes = parseSize(wanted);
    if (!bytes)
      return makeError(DiagId::PluginError, "SLOW_BASE is '", wanted, "', expected a size as 64K");
    registrar.extend(ExtensionPoint::PlanEnd, strCat("slow-base{bytes=", *bytes, "}"));
  }
  return {};
}

} // namespace

TIGRIS_PASS_PLUGIN("slow-base", "1.0.0", registerPasses)
