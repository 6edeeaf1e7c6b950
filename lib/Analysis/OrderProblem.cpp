// Joins reshapes, collects producers and readers, and finds articulations.
#include "tigris/Analysis/OrderProblem.h"

#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/OpGraph.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// The tensors that one or more Reshapes derive from the root of `tensor`.
class ReshapeSets {
public:
  explicit ReshapeSets(const Graph& graph) {
    for (const OpId id : graph.order()) {
      const Op& op = graph.op(id);
      if (op.kind == OpKind::Reshape && !graph.tensor(op.input(0)).isConstant())
        root_.emplace(op.output(), root(op.input(0)));
    }
  }

  TensorId root(TensorId tensor) const {
    const auto found = root_.find(tensor);
    return found == root_.end() ? tensor : found->second;
  }

private:
  std::map<TensorId, TensorId> root_;
};

void insertSorted(std::vector<size_t>& list, size_t value) {
  const auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value)
    list.insert(at, value);
}

/// For each op: whether it depends on every earlier op. It does if every earlier op that has had no
/// successor so far is one of its producers.
std::vector<bool> followsAll(const std::vector<std::vector<size_t>>& producers) {
  std::vector<bool> result(producers.size());
  std::vector<bool> hasSuccessor(producers.size());
  size_t ends = 0;
  for (size_t op = 0; op < producers.size(); ++op) {
    for (const size_t producer : producers[op])
      if (!hasSuccessor[producer]) {
        hasSuccessor[producer] = true;
        --ends;
      }
    result[op] = ends == 0;
    ++ends;
  }
  return result;
}

} // namespace

OrderProblem makeOrderProblem(const Graph& graph, IoMode io, uint64_t align) {
  OrderProblem problem;
  const ReshapeSets sets(graph);
  const OpGraph ops(graph);
  std::map<TensorId, size_t> bufferOf;
  const auto indexOf = [&](TensorId tensor) {
    const auto [entry, isNew] = bufferOf.emplace(sets.root(tensor), problem.buffers.size());
    if (isNew)
      problem.buffers.push_back({alignUp(graph.tensor(tensor).bytes(), align), {}, {}, false});
    return entry->second;
  };
  const auto buffer = [&](TensorId tensor) -> OrderProblem::Buffer& {
    return problem.buffers[indexOf(tensor)];
  };

  const auto isRead = [&](TensorId tensor) { return !graph.users(tensor).empty(); };
  for (const Port& port : graph.inputs())
    if (io == IoMode::Arena || isRead(port.tensor))
      buffer(port.tensor);
  problem.producers.resize(num_vertices(ops));
  for (size_t vertex = 0; vertex < problem.ops(); ++vertex) {
    const Op& op = graph.op(ops.op(vertex));
    for (const OpGraph::Edge& edge : ops.inEdges(vertex))
      insertSorted(problem.producers[vertex], edge.source);
    for (const TensorId input : op.inputs)
      if (input && !graph.tensor(input).isConstant())
        insertSorted(buffer(input).readers, vertex);
    for (const TensorId output : op.outputs)
      if (output && sets.root(output) == output)
        buffer(output).maker = vertex;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (mayOverwrite(graph, op, i)) {
        const size_t operand = indexOf(op.input(i));
        insertSorted(buffer(op.output()).over, operand);
      }
  }
  for (const Port& port : graph.outputs())
    if (bufferOf.count(sets.root(port.tensor)) != 0)
      buffer(port.tensor).staysToEnd = true;
  if (io == IoMode::Caller)
    for (const auto* ports : {&graph.inputs(), &graph.outputs()})
      for (const Port& port : *ports)
        if (const auto found = bufferOf.find(sets.root(port.tensor)); found != bufferOf.end())
          problem.buffers[found->second].bytes = 0;
  for (OrderProblem::Buffer& result : problem.buffers)
    std::erase_if(result.over,
                  [&](size_t operand) { return problem.buffers[operand].bytes != result.bytes; });
  return problem;
}

std::vector<uint64_t> bytesDuring(const OrderProblem& problem, std::span<const size_t> order) {
  std::vector<size_t> step(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    step[order[k]] = k;
  std::vector<uint64_t> born(order.size() + 1), freed(order.size() + 1), shared(order.size());
  const auto deathOf = [&](const OrderProblem::Buffer& buffer) {
    size_t death = buffer.maker ? step[*buffer.maker] : 0;
    for (const size_t reader : buffer.readers)
      death = std::max(death, step[reader]);
    return death;
  };
  for (const OrderProblem::Buffer& buffer : problem.buffers) {
    const size_t birth = buffer.maker ? step[*buffer.maker] : 0;
    const size_t last = order.empty() ? 0 : order.size() - 1;
    born[birth] += buffer.bytes;
    freed[(buffer.staysToEnd ? last : deathOf(buffer)) + 1] += buffer.bytes;
    if (std::any_of(buffer.over.begin(), buffer.over.end(), [&](size_t index) {
          const OrderProblem::Buffer& operand = problem.buffers[index];
          return !operand.staysToEnd && deathOf(operand) == birth;
        }))
      shared[birth] += buffer.bytes;
  }
  std::vector<uint64_t> result(order.size());
  uint64_t live = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    live = live + born[k] - freed[k];
    result[order[k]] = live - shared[k];
  }
  return result;
}

std::vector<OrderSection> orderSections(const OrderProblem& problem) {
  const size_t count = problem.ops();
  std::vector<std::vector<size_t>> mirrored(count);
  for (size_t op = 0; op < count; ++op)
    for (const size_t producer : problem.producers[op])
      mirrored[count - 1 - producer].push_back(count - 1 - op);
  const std::vector<bool> afterAll = followsAll(problem.producers);
  const std::vector<bool> beforeAll = followsAll(mirrored);

  std::vector<OrderSection> sections;
  size_t begin = 0;
  for (size_t op = 0; op < count; ++op)
    if (afterAll[op] && beforeAll[count - 1 - op]) {
      if (begin < op)
        sections.push_back({begin, op});
      sections.push_back({op, op + 1});
      begin = op + 1;
    }
  if (begin < count)
    sections.push_back({begin, count});
  return sections;
}

} // namespace tigris
