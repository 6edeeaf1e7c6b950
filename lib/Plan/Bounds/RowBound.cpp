// Expands ops into rows and computes minimum cuts.
#include "tigris/Plan/Bounds/RowBound.h"

#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/Overflow.h"
#include "tigris/Analysis/PeakBound.h"
#include "tigris/Plan/Stage/RowAccess.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tigris {

namespace {

constexpr size_t MaxRows = 12'000;
constexpr size_t None = SIZE_MAX;

/// An OrderProblem in which every op computes one row.
class RowProblem {
public:
  RowProblem(const Graph& graph, IoMode io, const std::set<TensorId>& byRows)
      : graph_(graph), access_(graph), table_(access_), aliases_(graph, graph.order()), io_(io),
        byRows_(byRows) {}

  bool build() {
    for (const Port& port : graph_.inputs())
      if (!graph_.users(port.tensor).empty() && !addInput(port.tensor))
        return false;
    for (const OpId id : graph_.order()) {
      if (!addOp(id) || problem_.ops() > MaxRows)
        return false;
      groups_.push_back(targets_);
    }
    if (io_ == IoMode::Arena)
      for (const Port& port : graph_.outputs())
        if (!graph_.tensor(port.tensor).isConstant())
          for (const Row& row : rows_.at(port.tensor))
            if (row.buffer != None)
              problem_.buffers[row.buffer].staysToEnd = true;
    return true;
  }

  const OrderProblem& problem() const { return problem_; }
  /// The nodes of each op.
  const std::vector<std::vector<size_t>>& groups() const { return groups_; }

  /// An order that computes a row only when another one needs it, as a stream does. Its memory is
  /// close to the minimum at every step.
  std::vector<size_t> pullOrder() const {
    std::vector<size_t> order;
    std::vector<bool> isDone(problem_.ops());
    std::vector<size_t> open(problem_.ops());
    std::vector<std::vector<size_t>> releases(problem_.ops());
    for (size_t op = 0; op < problem_.ops(); ++op)
      if (isFree_[op]) {
        open[op] = problem_.producers[op].size();
        for (const size_t producer : problem_.producers[op])
          releases[producer].push_back(op);
      }
    const auto finish = [&](size_t op) {
      isDone[op] = true;
      order.push_back(op);
      for (const size_t next : releases[op])
        if (--open[next] == 0 && !isDone[next]) {
          isDone[next] = true;
          order.push_back(next);
        }
    };
    for (const size_t target : targets_) {
      std::vector<size_t> stack = {target};
      while (!stack.empty()) {
        const size_t op = stack.back();
        const auto missing =
            std::find_if(problem_.producers[op].begin(), problem_.producers[op].end(),
                         [&](size_t producer) { return !isDone[producer]; });
        if (!isDone[op] && missing != problem_.producers[op].end()) {
          stack.push_back(*missing);
          continue;
        }
        stack.pop_back();
        if (!isDone[op])
          finish(op);
      }
    }
    for (size_t op = 0; op < problem_.ops(); ++op)
      if (!isDone[op])
        finish(op);
    return order;
  }

private:
  struct Row {
    /// The op that computes or copies the row; None if the row exists from the start.
    size_t maker = None;
    /// None if the row takes no memory that counts.
    size_t buffer = None;
  };

  /// Number of rows into which a tensor is split; 0 if it cannot be split.
  size_t rowCount(TensorId id) const {
    const Shape& shape = graph_.tensor(id).shape;
    if (shape.rank() < 2)
      return 1;
    return shape[0] == 1 ? static_cast<size_t>(std::max<int64_t>(shape[1], 1)) : 0;
  }

  bool counts(TensorId id) const {
    const OpId producer = graph_.producer(id);
    return !(producer && graph_.op(producer).kind == OpKind::Reshape) &&
           !(io_ == IoMode::Caller && aliases_.interfaceTensor(id) && byRows_.count(id) == 0);
  }

  size_t addNode(bool isFree) {
    problem_.producers.emplace_back();
    isFree_.push_back(isFree);
    return problem_.ops() - 1;
  }

  void depend(size_t op, size_t producer) {
    std::vector<size_t>& list = problem_.producers[op];
    const auto at = std::lower_bound(list.begin(), list.end(), producer);
    if (producer != None && (at == list.end() || *at != producer))
      list.insert(at, producer);
  }

  void addRow(TensorId id, size_t rows, size_t maker) {
    Row row{maker, None};
    if (counts(id)) {
      row.buffer = problem_.buffers.size();
      OrderProblem::Buffer buffer;
      buffer.bytes = graph_.tensor(id).bytes() / rows;
      if (maker != None)
        buffer.maker = maker;
      problem_.buffers.push_back(buffer);
    }
    rows_[id].push_back(row);
  }

  void read(size_t op, const Row& row) {
    if (row.buffer == None)
      return;
    std::vector<size_t>& readers = problem_.buffers[row.buffer].readers;
    if (readers.empty() || readers.back() != op)
      readers.push_back(op);
  }

  /// With IoMode::Arena, all rows exist from the start. Otherwise each row is copied when it is
  /// needed.
  bool addInput(TensorId id) {
    const size_t rows = rowCount(id);
    for (size_t row = 0; row < rows; ++row)
      addRow(id, rows, io_ == IoMode::Arena ? None : addNode(false));
    return rows != 0 && problem_.ops() <= MaxRows;
  }

  /// A node that runs after all rows of a tensor exist. It replaces the edges from each row to each
  /// op that needs all rows.
  size_t complete(TensorId id) {
    const std::vector<Row>& rows = rows_.at(id);
    if (rows.size() == 1)
      return rows[0].maker;
    const auto found = complete_.find(id);
    if (found != complete_.end())
      return found->second;
    const size_t node = addNode(true);
    for (const Row& row : rows)
      depend(node, row.maker);
    complete_.emplace(id, node);
    return node;
  }

  /// Result rows of ops that work in place may take the place of operand rows.
  void addInPlace(const Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!mayOverwrite(graph_, op, i))
        continue;
      const std::vector<Row>& operand = rows_.at(op.input(i));
      const std::vector<Row>& result = rows_.at(op.output());
      for (size_t row = 0; row < result.size(); ++row)
        if (result[row].buffer != None && operand[row].buffer != None)
          problem_.buffers[result[row].buffer].over.push_back(operand[row].buffer);
    }
  }

  bool addOp(OpId id) {
    const Op& op = graph_.op(id);
    if (!addNodes(id, op))
      return false;
    addInPlace(op);
    return true;
  }

  /// Whether the result may overwrite an operand of which every row is needed.
  bool overwritesWhole(const Op& op, const RowAccess& access) const {
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (mayOverwrite(graph_, op, i))
        for (const RowAccess::Input& input : access.inputs)
          if (input.tensor == op.input(i) && input.whole)
            return true;
    return false;
  }

  bool addNodes(OpId id, const Op& op) {
    targets_.clear();
    const RowAccess* access = table_.find(id);
    if (access == nullptr || overwritesWhole(op, *access))
      return addWhole(op);
    const size_t rows = rowCount(op.output());
    if (rows == 0)
      return false;
    if (access->sumBytes != 0)
      return addSink(op, access->inputs[0]);
    std::vector<size_t> whole; // nodes that complete the operands of which every row is needed
    for (const RowAccess::Input& input : access->inputs) {
      if (rows_.count(input.tensor) == 0 ||
          (!input.whole && rows_.at(input.tensor).size() != rowCount(input.tensor)))
        return false;
      if (input.whole)
        whole.push_back(complete(input.tensor));
    }
    for (size_t row = 0; row < rows; ++row) {
      const size_t node = addNode(false);
      for (const size_t producer : whole)
        depend(node, producer);
      for (const RowAccess::Input& input : access->inputs)
        if (!input.whole)
          for (int64_t k = input.need[row].begin; k < input.need[row].end; ++k) {
            const Row& needed = rows_.at(input.tensor)[static_cast<size_t>(k)];
            depend(node, needed.maker);
            read(node, needed);
          }
      addRow(op.output(), rows, node);
      targets_.push_back(node);
    }
    if (whole.empty())
      return true;
    // All rows of these operands are needed until the last row of the result is computed.
    const size_t done = addNode(true);
    for (const size_t node : targets_)
      depend(done, node);
    for (const RowAccess::Input& input : access->inputs)
      if (input.whole)
        for (const Row& row : rows_.at(input.tensor))
          read(done, row);
    return true;
  }

  /// Adds a node for each row of the operand; they may run in any order. The sums are not counted,
  /// because any row may be the first.
  bool addSink(const Op& op, const RowAccess::Input& input) {
    const auto rows = rows_.find(input.tensor);
    if (rows == rows_.end())
      return false;
    std::vector<size_t> nodes;
    for (const Row& row : rows->second) {
      nodes.push_back(addNode(false));
      depend(nodes.back(), row.maker);
      read(nodes.back(), row);
    }
    const size_t result = addNode(false);
    for (const size_t node : nodes)
      depend(result, node);
    addRow(op.output(), 1, result);
    targets_ = std::move(nodes);
    return true;
  }

  /// Adds one node that computes all rows at once.
  bool addWhole(const Op& op) {
    std::vector<size_t> producers;
    for (const TensorId input : op.inputs)
      if (input && !graph_.tensor(input).isConstant())
        producers.push_back(complete(input));
    const size_t node = addNode(false);
    for (const size_t producer : producers)
      depend(node, producer);
    for (const TensorId input : op.inputs)
      if (input && !graph_.tensor(input).isConstant())
        for (const Row& row : rows_.at(input))
          read(node, row);
    for (const TensorId output : op.outputs) {
      if (!output)
        continue;
      const size_t rows = rowCount(output);
      if (rows == 0)
        return false;
      for (size_t row = 0; row < rows; ++row)
        addRow(output, rows, node);
    }
    targets_.push_back(node);
    return true;
  }

  const Graph& graph_;
  AccessTable access_;
  RowTable table_;
  AliasSets aliases_;
  IoMode io_;
  const std::set<TensorId>& byRows_;
  OrderProblem problem_;
  /// Nodes that compute nothing.
  std::vector<bool> isFree_;
  std::map<TensorId, std::vector<Row>> rows_;
  std::map<TensorId, size_t> complete_;
  /// Nodes of the op added last, and of every op.
  std::vector<size_t> targets_;
  std::vector<std::vector<size_t>> groups_;
};

} // namespace

bool isRowPlan(const Plan& plan) {
  const bool movesOnce =
      plan.stats.trafficBytes() == (plan.io == IoMode::Slow ? plan.stats.compulsoryBytes : 0);
  return movesOnce && plan.stats.recomputeMacs == 0 &&
         std::all_of(plan.stages.begin(), plan.stages.end(), [&](const Stage& stage) {
           return (stage.mode() == StageMode::Whole && usedInSlow(plan, stage).empty()) ||
                  (stage.streamed() != nullptr && stage.streamed()->stripes == 1);
         });
}

std::optional<uint64_t> rowPeakBound(const Graph& graph, IoMode io,
                                     const std::set<TensorId>& byRows, size_t flows) {
  RowProblem rows(graph, io, byRows);
  if (!rows.build() || rows.problem().ops() == 0)
    return std::nullopt;
  const OrderProblem& problem = rows.problem();
  const std::vector<size_t> order = rows.pullOrder();
  size_t left = flows / 2;
  const uint64_t alone =
      sectionBound(problem, {0, problem.ops()}, bytesDuring(problem, order), left);
  left += flows - flows / 2;
  return std::max(alone, groupBound(problem, rows.groups(), order, left));
}

} // namespace tigris
