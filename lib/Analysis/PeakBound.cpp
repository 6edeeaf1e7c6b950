// Computes one maximum flow per relevant op, with Boost.Graph.
#include "tigris/Analysis/PeakBound.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = Traits::vertex_descriptor;
using Edge = Traits::edge_descriptor;

struct VertexData {
  boost::default_color_type color = boost::white_color;
  int64_t distance = 0;
  Edge predecessor;
};
struct EdgeData {
  int64_t capacity = 0;
  int64_t residual = 0;
  Edge reverse;
};
using Network =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexData, EdgeData>;

constexpr int64_t Unlimited = int64_t{1} << 52;

bool within(OrderSection section, size_t op) { return op >= section.begin && op < section.end; }

/// The network of a section. The left side of a cut contains the executed ops. An op on the left
/// with a producer on the right has unlimited cost; a buffer costs its bytes if its maker is on the
/// left and a reader on the right.
class CutNetwork {
public:
  CutNetwork(const OrderProblem& problem, OrderSection section) : section_(section) {
    network_ = Network(section.size() + 2);
    for (size_t op = section.begin; op < section.end; ++op) {
      fromLeft_.push_back(connect(left(), vertex(op), 0));
      toRight_.push_back(connect(vertex(op), right(), 0));
      for (const size_t producer : problem.producers[op])
        if (within(section, producer))
          connect(vertex(op), vertex(producer), Unlimited);
    }
    for (const OrderProblem::Buffer& buffer : problem.buffers)
      addBuffer(buffer);
  }

  /// Minimum bytes in memory when `lefts` and everything they need have run, and `rights` and
  /// everything that needs them has not.
  uint64_t cut(std::span<const size_t> lefts, std::span<const size_t> rights) {
    const auto force = [&](int64_t capacity) {
      for (const size_t op : rights)
        network_[toRight_[vertex(op)]].capacity = capacity;
      for (const size_t op : lefts)
        if (within(section_, op))
          network_[fromLeft_[vertex(op)]].capacity = capacity;
    };
    force(Unlimited);
    const int64_t flow = boost::boykov_kolmogorov_max_flow(
        network_, boost::get(&EdgeData::capacity, network_),
        boost::get(&EdgeData::residual, network_), boost::get(&EdgeData::reverse, network_),
        boost::get(&VertexData::predecessor, network_), boost::get(&VertexData::color, network_),
        boost::get(&VertexData::distance, network_), boost::get(boost::vertex_index, network_),
        left(), right());
    force(0);
    return constant_ + static_cast<uint64_t>(flow);
  }

private:
  Vertex left() const { return section_.size(); }
  Vertex right() const { return section_.size() + 1; }
  Vertex vertex(size_t op) const { return op - section_.begin; }

  Edge connect(Vertex from, Vertex to, int64_t capacity) {
    const Edge there = boost::add_edge(from, to, {capacity, capacity, {}}, network_).first;
    const Edge back = boost::add_edge(to, from, {0, 0, there}, network_).first;
    network_[there].reverse = back;
    return there;
  }

  void addBuffer(const OrderProblem::Buffer& buffer) {
    if (buffer.bytes == 0)
      return;
    const bool isThere = !buffer.maker || *buffer.maker < section_.begin;
    if (!isThere && !within(section_, *buffer.maker))
      return;
    std::vector<size_t> readers;
    bool isLeft = buffer.staysToEnd;
    for (const size_t reader : buffer.readers) {
      if (within(section_, reader))
        readers.push_back(reader);
      isLeft = isLeft || reader >= section_.end;
    }
    if (isThere && isLeft)
      constant_ += buffer.bytes;
    else if (isLeft) // its bytes count from its maker on
      connect(vertex(*buffer.maker), right(), static_cast<int64_t>(buffer.bytes));
    else if (!readers.empty()) {
      const Vertex pays = boost::add_vertex(network_);
      connect(isThere ? left() : vertex(*buffer.maker), pays, static_cast<int64_t>(buffer.bytes));
      for (const size_t reader : readers)
        connect(pays, vertex(reader), Unlimited);
    }
  }

  OrderSection section_;
  Network network_;
  /// Per op: the edges that force it to one side.
  std::vector<Edge> fromLeft_, toRight_;
  uint64_t constant_ = 0;
};

/// The least memory while an op of a section runs.
class OpBounds {
public:
  OpBounds(const OrderProblem& problem, OrderSection section)
      : problem_(problem), network_(problem, section), made_(problem.ops()) {
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      if (problem.buffers[i].maker)
        made_[*problem.buffers[i].maker].push_back(i);
  }

  /// When `lefts` and the producers of the op have run and `rights`, the op among them, have not.
  uint64_t bytesDuring(size_t op, std::vector<size_t> lefts, std::span<const size_t> rights,
                       size_t& flows) {
    lefts.insert(lefts.end(), problem_.producers[op].begin(), problem_.producers[op].end());
    uint64_t made = 0;
    uint64_t shared = 0;
    for (const size_t result : made_[op]) {
      made += problem_.buffers[result].bytes;
      shared += problem_.buffers[result].over.empty() ? 0 : problem_.buffers[result].bytes;
    }
    const uint64_t apart = cut(lefts, rights, flows) + made;
    if (shared == 0 || made_[op].size() != 1)
      return apart - shared;
    uint64_t least = apart;
    for (const size_t operand : problem_.buffers[made_[op].front()].over)
      least = std::min(least, bytesOver(op, operand, lefts, rights, apart, made, flows));
    return least;
  }

private:
  uint64_t cut(std::span<const size_t> lefts, std::span<const size_t> rights, size_t& flows) {
    flows -= flows == 0 ? 0 : 1;
    return network_.cut(lefts, rights);
  }

  /// When the op writes its `made` bytes over an operand, whose other readers have run. If one of
  /// them needs the op, the cut is unlimited. `apart`: the bytes if it does not.
  uint64_t bytesOver(size_t op, size_t operand, std::vector<size_t> lefts,
                     std::span<const size_t> rights, uint64_t apart, uint64_t made, size_t& flows) {
    const size_t known = lefts.size();
    for (const size_t reader : problem_.buffers[operand].readers)
      if (reader != op)
        lefts.push_back(reader);
    return lefts.size() == known ? apart - made : cut(lefts, rights, flows);
  }

  const OrderProblem& problem_;
  CutNetwork network_;
  /// The buffers that each op writes.
  std::vector<std::vector<size_t>> made_;
};

/// Orders the two ends first: the minimum cut of windows is often there, and then no further cut is
/// computed.
std::vector<size_t> endsFirst(const std::vector<size_t>& group) {
  std::vector<size_t> result = group;
  if (group.size() > 2)
    std::rotate(result.begin() + 1, result.end() - 1, result.end());
  return result;
}

} // namespace

uint64_t sectionBound(const OrderProblem& problem, OrderSection section,
                      std::span<const uint64_t> during, size_t& flows) {
  // A section of one op has one order only.
  if (section.size() == 1)
    return during[section.begin];
  std::vector<size_t> ops(section.size());
  std::iota(ops.begin(), ops.end(), section.begin);
  std::stable_sort(ops.begin(), ops.end(),
                   [&](size_t a, size_t b) { return during[a] > during[b]; });
  OpBounds bounds(problem, section);
  uint64_t best = 0;
  for (const size_t op : ops) {
    if (during[op] <= best || flows == 0)
      break;
    best = std::max(best, bounds.bytesDuring(op, {}, {{op}}, flows));
  }
  return best;
}

uint64_t groupBound(const OrderProblem& problem, std::span<const std::vector<size_t>> groups,
                    std::span<const size_t> order, size_t& flows) {
  const std::vector<uint64_t> during = bytesDuring(problem, order);
  std::vector<size_t> step(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    step[order[k]] = k;
  // A group's first and last op in the order bound the value of its cuts.
  struct Case {
    uint64_t limit = 0;
    const std::vector<size_t>* group = nullptr;
    bool isFirst = true;
  };
  std::vector<Case> cases;
  for (const std::vector<size_t>& group : groups) {
    const auto earlier = [&](size_t a, size_t b) { return step[a] < step[b]; };
    const auto [first, last] = std::minmax_element(group.begin(), group.end(), earlier);
    cases.push_back({during[*first], &group, true});
    if (group.size() > 1)
      cases.push_back({during[*last], &group, false});
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.limit > b.limit; });
  OpBounds bounds(problem, {0, problem.ops()});
  uint64_t best = 0;
  for (const Case& one : cases) {
    if (one.limit <= best)
      break;
    uint64_t least = UINT64_MAX;
    for (const size_t op : endsFirst(*one.group)) {
      if (flows == 0)
        return best;
      std::vector<size_t> lefts;
      if (!one.isFirst)
        std::copy_if(one.group->begin(), one.group->end(), std::back_inserter(lefts),
                     [&](size_t other) { return other != op; });
      const std::span<const size_t> rights =
          one.isFirst ? std::span<const size_t>(*one.group) : std::span<const size_t>(&op, 1);
      least = std::min(least, bounds.bytesDuring(op, std::move(lefts), rights, flows));
      if (least <= best)
        break;
    }
    best = std::max(best, least);
  }
  return best;
}

} // namespace tigris
