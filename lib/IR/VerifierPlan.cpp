// Verifier: the structural rules of plans. Whether the transfers and ops of a plan find their bytes
// is checked by PlanChecker, which relies on these rules.
#include "tigris/IR/Verifier.h"
#include "tigris/IR/VerifierRules.h"

#include <algorithm>
#include <set>

namespace tigris::verify {

namespace {

class PlanVerifier {
public:
  PlanVerifier(const Graph& graph, DiagnosticEngine& diagnostics)
      : graph_(graph), plan_(*graph.plan()), diagnostics_(diagnostics) {
    for (const TensorId id : graph.tensors())
      live_.insert(id);
  }

  void run() {
    if (plan_.align == 0 || (plan_.align & (plan_.align - 1)) != 0)
      return fail("the alignment ", plan_.align, " is not a power of two");
    if (plan_.scratch > plan_.budget.fast)
      return fail("kernels need ", plan_.scratch, " bytes of scratch, the budget is ",
                  plan_.budget.fast);
    checkCoverage();
    for (const Placement& placement : plan_.slow)
      slowTensors_.insert(placement.tensor);
    if (!plan_.slow.empty() && !plan_.budget.slow)
      fail("tensors have places in slow memory, but there is none");
    else
      checkPlacements(plan_.slow, "slow memory", {plan_.budget.slow.value_or(0), 0});
    for (size_t i = 0; i < plan_.stages.size(); ++i)
      checkStage(i, plan_.stages[i]);
  }

private:
  /// What stages may use of a memory: its budget without the scratch of kernels.
  struct Capacity {
    uint64_t budget = 0;
    uint64_t scratch = 0;

    uint64_t bytes() const { return budget - scratch; }
    std::string text() const {
      return strCat("the budget is ", budget,
                    scratch != 0 ? strCat(", of which kernels need ", scratch) : std::string());
    }
  };
  Capacity fastCapacity() const { return {plan_.budget.fast, plan_.scratch}; }

  template <typename... Args> void fail(const Args&... text) {
    diagnostics_.error(DiagId::BadPlan, text...);
  }

  void checkCoverage() {
    std::vector<OpId> covered;
    for (const Stage& stage : plan_.stages)
      covered.insert(covered.end(), stage.ops.begin(), stage.ops.end());
    const std::vector<OpId>& order = graph_.order();
    if (covered == order)
      return;
    const auto difference =
        std::mismatch(covered.begin(), covered.end(), order.begin(), order.end());
    const auto at = difference.first - covered.begin();
    const auto name = [&](bool there, auto position) {
      return there && graph_.contains(*position) ? strCat("'", graph_.op(*position).name, "'")
                                                 : std::string("nothing");
    };
    fail("the stages do not follow the execution order: at position ", at, " they have ",
         name(difference.first != covered.end(), difference.first), ", the order has ",
         name(difference.second != order.end(), difference.second));
  }

  /// False if the id is not an activation of the graph.
  bool checkActivation(TensorId id, const std::string& where) {
    if (live_.count(id) == 0) {
      fail(where, " names a tensor the graph does not have");
      return false;
    }
    if (graph_.tensor(id).isConstant()) {
      fail(where, " names tensor '", graph_.tensor(id).name, "', which is a constant");
      return false;
    }
    return true;
  }

  void checkPlacements(std::span<const Placement> placements, const std::string& where,
                       const Capacity& capacity) {
    std::set<TensorId> seen;
    for (const Placement& placement : placements) {
      if (!checkActivation(placement.tensor, where))
        continue;
      const Tensor& tensor = graph_.tensor(placement.tensor);
      if (!seen.insert(placement.tensor).second)
        fail(where, " places tensor '", tensor.name, "' twice");
      if (placement.offset % plan_.align != 0)
        fail(where, ": tensor '", tensor.name, "' is at offset ", placement.offset,
             ", not a multiple of ", plan_.align);
      const uint64_t end = placement.offset + tensor.bytes();
      if (end > capacity.bytes() || end < placement.offset)
        fail(where, ": tensor '", tensor.name, "' ends at byte ", end, ", ", capacity.text());
    }
  }

  void checkParts(const Stage& stage, const std::string& where) {
    for (const int64_t count : stage.counts())
      if (count < 1 || count > PartStage::MaxParts)
        fail(where, " cuts an axis into ", count, " tiles, expected 1 to ", PartStage::MaxParts);
    std::set<TensorId> seen;
    const auto use = [&](const std::string& what, uint64_t offset, uint64_t bytes) {
      if (offset % plan_.align != 0)
        fail(where, ": ", what, " is at offset ", offset, ", not a multiple of ", plan_.align);
      if (offset + bytes > fastCapacity().bytes() || offset + bytes < offset)
        fail(where, ": ", what, " ends at byte ", offset + bytes, ", ", fastCapacity().text());
    };
    use("the executor's bookkeeping", stage.parts()->bookkeeping, stage.bookkeepingBytes());
    stage.eachBuffer([&](const PartBuffer& buffer) {
      if (!checkActivation(buffer.tensor, where))
        return;
      const Tensor& tensor = graph_.tensor(buffer.tensor);
      if (!seen.insert(buffer.tensor).second)
        fail(where, " has two buffers for tensor '", tensor.name, "'");
      if (tensor.shape.rank() < 1 || tensor.shape.rank() > PartStage::MaxRank)
        fail(where, " cuts tensor '", tensor.name, "' of rank ", tensor.shape.rank(),
             ", expected 1 to ", PartStage::MaxRank);
      use(strCat("the buffer of tensor '", tensor.name, "'"), buffer.offset, buffer.bytes);
    });
  }

  void checkStage(size_t index, const Stage& stage) {
    const std::string where = strCat("stage ", index);
    const bool inParts = stage.parts() != nullptr;
    checkPlacements(stage.wholeTensors(), where, fastCapacity());
    if (inParts)
      checkParts(stage, where);
    std::set<TensorId> placed;
    for (const Placement& placement : stage.wholeTensors())
      placed.insert(placement.tensor);
    const std::set<TensorId> residents = inParts ? placed : std::set<TensorId>();
    stage.eachBuffer([&](const PartBuffer& buffer) { placed.insert(buffer.tensor); });
    for (const auto* moved : {&stage.loads, &stage.spills})
      for (const TensorId id : *moved) {
        const std::string what = where + (moved == &stage.loads ? ": load" : ": spill");
        if (!checkActivation(id, what))
          continue;
        const bool isCallers = stage.mode() != StageMode::Whole && plan_.io == IoMode::Caller &&
                               canBeInCallerBuffer(id);
        if (slowTensors_.count(id) == 0 && residents.count(id) == 0 && !isCallers)
          fail(what, " of tensor '", graph_.tensor(id).name,
               "', which has no place in slow memory");
        if (placed.count(id) == 0 && inParts)
          fail(what, " of tensor '", graph_.tensor(id).name,
               "', which has no place in fast memory");
      }
    for (const OpId id : stage.ops)
      if (graph_.contains(id))
        checkTouched(where, graph_.op(id), placed);
  }

  /// Every tensor that an op uses has a placement, unless the caller owns it.
  void checkTouched(const std::string& where, const Op& op, const std::set<TensorId>& placed) {
    for (const auto* tensors : {&op.inputs, &op.outputs})
      for (const TensorId id : *tensors) {
        if (!id || graph_.tensor(id).isConstant() || placed.count(id) != 0)
          continue;
        const bool outside = plan_.io == IoMode::Caller ? canBeInCallerBuffer(id)
                                                        : plan_.io == IoMode::Slow && isPort(id);
        if (!outside && slowTensors_.count(id) == 0)
          fail(where, ": tensor '", graph_.tensor(id).name, "' of op '", op.name,
               "' has no place in fast memory");
      }
  }

  bool isPort(TensorId id) const { return graph_.isGraphInput(id) || graph_.isGraphOutput(id); }

  /// Whether the tensor is a model input or output, or a view of one through Reshapes.
  bool canBeInCallerBuffer(TensorId id) const {
    std::set<TensorId> seen = {id};
    for (std::vector<TensorId> pending = {id}; !pending.empty();) {
      const TensorId next = pending.back();
      pending.pop_back();
      if (isPort(next))
        return true;
      const auto visit = [&](OpId reshape, TensorId other) {
        if (graph_.op(reshape).kind == OpKind::Reshape && seen.insert(other).second)
          pending.push_back(other);
      };
      if (const OpId producer = graph_.producer(next);
          producer && !graph_.op(producer).inputs.empty())
        visit(producer, graph_.op(producer).input(0));
      for (const OpId user : graph_.users(next))
        visit(user, graph_.op(user).output());
    }
    return false;
  }

  const Graph& graph_;
  const Plan& plan_;
  DiagnosticEngine& diagnostics_;
  std::set<TensorId> live_;
  std::set<TensorId> slowTensors_;
};

} // namespace

void checkPlan(const Graph& graph, DiagnosticEngine& diagnostics) {
  if (graph.form() != GraphForm::Planned) {
    if (graph.plan())
      diagnostics.error(DiagId::BadPlan, "a graph of form '", graphFormName(graph.form()),
                        "' has a plan");
    return;
  }
  if (!graph.plan())
    return diagnostics.error(DiagId::BadPlan, "a graph of form 'planned' has no plan");
  PlanVerifier(graph, diagnostics).run();
}

} // namespace tigris::verify

namespace tigris {

Status verifyPlan(const Graph& graph) {
  DiagnosticEngine diagnostics;
  verify::checkPlan(graph, diagnostics);
  return diagnostics.errorCount() == 0 ? Status() : Status(Error(diagnostics.all().front()));
}

} // namespace tigris
