// Plugin live-bytes-schedule: proposes an execution order to tigris-plan, which uses it if it needs
// less fast memory than the depth-first order.
#include "tigris/Pass/PassPlugin.h"

#include <map>
#include <set>

using namespace tigris;

namespace {

constexpr const char* Doc =
    R"(A list scheduler. Of all ready operators, it runs the one that adds the fewest live bytes:
the bytes of its results, less those of the operands that it is the last to read. Ties keep the
order of the graph.

    a = Conv(x); b = Conv(a); c = Conv(x); d = Pool(c); y = Concat(b, d)

If c is large and d is small, the branch of d moves before or after that of b, whichever frees
more. Reshapes and other operators whose results share memory are counted as if they did not.)";

class Scheduler {
public:
  explicit Scheduler(const Graph& graph) : graph_(graph) {
    const std::vector<OpId>& order = graph.order();
    for (size_t i = 0; i < order.size(); ++i) {
      size_t waiting = 0;
      for (const TensorId id : operands(order[i])) {
        readers_[id] += 1;
        waiting += graph.producer(id) ? 1 : 0;
      }
      position_[order[i]] = i;
      waiting_[order[i]] = waiting;
      if (waiting == 0)
        ready_.insert(i);
    }
  }

  std::vector<OpId> run() {
    std::vector<OpId> result;
    while (!ready_.empty()) {
      size_t best = *ready_.begin();
      int64_t least = growth(best);
      for (const size_t candidate : ready_)
        if (const int64_t bytes = growth(candidate); bytes < least) {
          best = candidate;
          least = bytes;
        }
      ready_.erase(best);
      finish(graph_.order()[best]);
      result.push_back(graph_.order()[best]);
    }
    return result;
  }

private:
  /// The op's operands that are computed or fed, without duplicates.
  std::set<TensorId> operands(OpId op) const {
    std::set<TensorId> result;
    for (const TensorId id : graph_.op(op).inputs)
      if (id && !graph_.tensor(id).isConstant())
        result.insert(id);
    return result;
  }

  int64_t growth(size_t index) const {
    const OpId op = graph_.order()[index];
    int64_t bytes = 0;
    for (const TensorId id : graph_.op(op).outputs)
      bytes += id ? static_cast<int64_t>(graph_.tensor(id).bytes()) : 0;
    for (const TensorId id : operands(op))
      if (readers_.at(id) == 1 && !graph_.isGraphOutput(id))
        bytes -= static_cast<int64_t>(graph_.tensor(id).bytes());
    return bytes;
  }

  void finish(OpId op) {
    for (const TensorId id : operands(op))
      readers_[id] -= 1;
    std::set<OpId> readers;
    for (const TensorId id : graph_.op(op).outputs) {
      if (!id)
        continue;
      readers.clear();
      readers.insert(graph_.users(id).begin(), graph_.users(id).end());
      for (const OpId reader : readers)
        if (--waiting_[reader] == 0)
          ready_.insert(position_[reader]);
    }
  }

  const Graph& graph_;
  std::map<TensorId, size_t> readers_;
  std::map<OpId, size_t> waiting_;
  std::map<OpId, size_t> position_;
  std::set<size_t> ready_;
};

PassStatus run(Graph& graph, PassContext&) {
  std::vector<OpId> order = Scheduler(graph).run();
  if (order == graph.order())
    return PassStatus::Unchanged;
  graph.setOrder(std::move(order));
  return PassStatus::Changed;
}

Status registerPasses(PluginRegistrar& registrar) {
  if (Status status = registrar.addPass(functionPass(
          "live-bytes-schedule", "Next runs what adds the least to the bytes alive", Doc, run));
      !status)
    return status;
  registrar.extend(ExtensionPoint::PlanStart, "live-bytes-schedule");
  return {};
}

} // namespace

TIGRIS_PASS_PLUGIN("live-bytes-schedule", "1.0.0", registerPasses)
