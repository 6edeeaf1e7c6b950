// Searches execution orders for the lowest peak of live memory: best-first search over down-sets,
// then a beam search for sections that are too large.
//
// A state is the set of ops executed so far, a down-set: with each op it contains all its
// producers. Its live bytes do not depend on the order in which the ops ran; only the peak does.
// The search therefore keeps one state per set, the one with the lowest peak. Expanding states by
// rising peak (Dijkstra's algorithm with max in place of +) makes the first complete state optimal.
//
// Example: x (10 bytes) feeds a branch a1 (100), a2 (10) and a branch b1 (80), b2 (20); c joins
// them into y (10).
//   op     reads    writes      state after it     live   peak of the best path
//   a1     x        100         {a1}               110    110
//   b1     x         80         {b1}                90     90
//   a2     a1        10         {a1,a2}             20    120
//   b2     b1        20         {b1,b2}             30    110
//   a1                          {b1,b2,a1}         120    130     x dies here
//   b1                          {a1,a2,b1}          90    120
// The order a1 a2 b1 b2 c has the peak 120, b1 b2 a1 a2 c has 130, and interleaved orders have
// more.
//
// The graph is first split into sections at ops that every order passes (orderSections). Three
// rules keep searches short:
//  - A section whose best known order meets its lower bound (sectionBound) is not searched.
//  - A state whose peak is not below the best known one is dropped.
//  - If an op does not raise the peak and frees at least what it writes, no other successor is
//    tried: moving this op to the front of any order raises nothing.
#include "tigris/Analysis/OrderSearch.h"

#include "tigris/Analysis/OpGraph.h"
#include "tigris/Analysis/OpOrder.h"
#include "tigris/Analysis/PeakBound.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_set>

namespace tigris {

namespace {

using Bits = std::vector<uint64_t>;

bool test(const Bits& bits, size_t index) { return (bits[index / 64] >> (index % 64) & 1U) != 0; }
void set(Bits& bits, size_t index) { bits[index / 64] |= uint64_t{1} << (index % 64); }
bool contains(const Bits& all, const Bits& some) {
  for (size_t word = 0; word < some.size(); ++word)
    if ((some[word] & ~all[word]) != 0)
      return false;
  return true;
}

struct BitsHash {
  size_t operator()(const Bits& bits) const {
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (const uint64_t word : bits)
      hash = (hash ^ word ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    return static_cast<size_t>(hash ^ hash >> 32);
  }
};

constexpr size_t None = SIZE_MAX;
constexpr size_t FlowsPerSection = 64;
constexpr size_t MaxBeam = 64;
/// Ops of the largest section that is searched. Memory and time of a search grow at least
/// quadratically.
constexpr size_t MaxSearched = 2048;

/// A set of executed ops, with the peak and the live bytes of the path by which it was reached.
struct State {
  Bits done;
  uint64_t live = 0;
  uint64_t peak = 0;
  size_t parent = None;
  size_t op = None;
  size_t count = 0;
};

/// One section with its ops renumbered from 0.
class SectionSearch {
public:
  SectionSearch(const OrderProblem& problem, OrderSection section) : size_(section.size()) {
    needs_.assign(size_, Bits((size_ + 63) / 64));
    made_.resize(size_);
    reads_.resize(size_);
    places_.resize(size_);
    std::vector<size_t> local(problem.buffers.size(), None);
    const auto isHere = [&](size_t op) { return op >= section.begin && op < section.end; };
    for (size_t op = section.begin; op < section.end; ++op)
      for (const size_t producer : problem.producers[op])
        if (isHere(producer))
          set(needs_[op - section.begin], producer - section.begin);
    for (size_t index = 0; index < problem.buffers.size(); ++index) {
      const OrderProblem::Buffer& buffer = problem.buffers[index];
      const bool isThere = !buffer.maker || *buffer.maker < section.begin;
      if (!isThere && !isHere(*buffer.maker))
        continue;
      if (!isThere)
        made_[*buffer.maker - section.begin] += buffer.bytes;
      Buffer here{buffer.bytes, Bits((size_ + 63) / 64)};
      bool leaves = buffer.staysToEnd;
      bool isRead = false;
      for (const size_t reader : buffer.readers) {
        leaves = leaves || reader >= section.end;
        if (isHere(reader)) {
          set(here.users, reader - section.begin);
          isRead = true;
        }
      }
      if (isThere && (leaves || isRead))
        initial_ += buffer.bytes;
      if (leaves)
        continue;
      if (!isThere)
        set(here.users, *buffer.maker - section.begin);
      for (size_t op = 0; op < size_; ++op)
        if (test(here.users, op))
          reads_[op].push_back(buffers_.size());
      local[index] = buffers_.size();
      buffers_.push_back(std::move(here));
    }
    for (const OrderProblem::Buffer& buffer : problem.buffers)
      for (const size_t operand : buffer.over)
        if (isHere(*buffer.maker) && local[operand] != None)
          places_[*buffer.maker - section.begin].push_back(local[operand]);
  }

  uint64_t peakOf(std::span<const size_t> order) const {
    State state = start();
    for (const size_t op : order)
      state = after(state, None, op);
    return state.peak;
  }

  /// Returns an order with a peak below `limit`, or nullopt. `exhausted`: the returned order is
  /// optimal, or there is none.
  std::optional<std::vector<size_t>> search(uint64_t limit, size_t& work, bool& exhausted) {
    states_ = {start()};
    std::unordered_set<Bits, BitsHash> visited;
    // Lowest peak first, then the state with the most ops.
    using Key = std::tuple<uint64_t, size_t, size_t>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> open;
    open.push({0, size_, 0});
    while (!open.empty()) {
      const size_t index = std::get<2>(open.top());
      open.pop();
      if (!visited.insert(states_[index].done).second)
        continue;
      if (states_[index].count == size_) {
        exhausted = true;
        return wayTo(index);
      }
      if (work < size_)
        return std::nullopt;
      work -= size_;
      for (State& next : successors(index)) {
        if (next.peak >= limit || visited.count(next.done) != 0)
          continue;
        open.push({next.peak, size_ - next.count, states_.size()});
        states_.push_back(std::move(next));
      }
    }
    exhausted = true;
    return std::nullopt;
  }

  /// The same search, limited to a few states per number of executed ops.
  std::optional<std::vector<size_t>> searchBeam(uint64_t limit, size_t width) {
    states_ = {start()};
    std::vector<size_t> layer = {0};
    for (size_t count = 0; count < size_; ++count) {
      std::unordered_set<Bits, BitsHash> visited;
      std::vector<State> found;
      for (const size_t index : layer)
        for (State& next : successors(index))
          if (next.peak < limit)
            found.push_back(std::move(next));
      std::stable_sort(found.begin(), found.end(), [](const State& a, const State& b) {
        return std::tie(a.peak, a.live) < std::tie(b.peak, b.live);
      });
      layer.clear();
      for (State& state : found) {
        if (layer.size() == width)
          break;
        if (!visited.insert(state.done).second)
          continue;
        layer.push_back(states_.size());
        states_.push_back(std::move(state));
      }
    }
    return layer.empty() ? std::nullopt : std::optional(wayTo(layer.front()));
  }

private:
  /// Dies when all of these ops have run: its readers, and its maker if that is in the section.
  struct Buffer {
    uint64_t bytes = 0;
    Bits users;
  };

  State start() const {
    State state;
    state.done.resize((size_ + 63) / 64);
    state.live = state.peak = initial_;
    return state;
  }

  State after(const State& before, size_t parent, size_t op) const {
    State state = before;
    state.parent = parent;
    state.op = op;
    ++state.count;
    set(state.done, op);
    state.live += made_[op];
    state.peak = std::max(state.peak, state.live - sharedBy(op, state.done));
    for (const size_t buffer : reads_[op])
      if (contains(state.done, buffers_[buffer].users))
        state.live -= buffers_[buffer].bytes;
    return state;
  }

  /// Bytes that the op writes where it reads something for the last time. Ops that can have one
  /// result.
  uint64_t sharedBy(size_t op, const Bits& done) const {
    for (const size_t buffer : places_[op])
      if (contains(done, buffers_[buffer].users))
        return buffers_[buffer].bytes;
    return 0;
  }

  std::vector<State> successors(size_t index) const {
    const State& state = states_[index];
    std::vector<State> result;
    for (size_t op = 0; op < size_; ++op) {
      if (test(state.done, op) || !contains(state.done, needs_[op]))
        continue;
      State next = after(state, index, op);
      if (next.peak == state.peak && next.live <= state.live) {
        result.clear();
        result.push_back(std::move(next));
        return result;
      }
      result.push_back(std::move(next));
    }
    return result;
  }

  std::vector<size_t> wayTo(size_t index) const {
    std::vector<size_t> order;
    for (; states_[index].parent != None; index = states_[index].parent)
      order.push_back(states_[index].op);
    std::reverse(order.begin(), order.end());
    return order;
  }

  size_t size_;
  uint64_t initial_ = 0;
  std::vector<Bits> needs_;
  std::vector<uint64_t> made_;
  std::vector<std::vector<size_t>> reads_;
  /// Per op: the buffers whose place its result may take.
  std::vector<std::vector<size_t>> places_;
  std::vector<Buffer> buffers_;
  std::vector<State> states_;
};

std::vector<size_t> orderWithin(OrderSection section, const std::vector<size_t>& order) {
  std::vector<size_t> here;
  std::copy_if(order.begin(), order.end(), std::back_inserter(here),
               [&](size_t op) { return op >= section.begin && op < section.end; });
  return here;
}

/// The ops of a section in the known order that has the lowest peak there.
std::vector<size_t> bestKnown(const OrderProblem& problem, OrderSection section,
                              std::span<const std::vector<size_t>> known) {
  std::vector<size_t> best;
  uint64_t peak = UINT64_MAX;
  for (const std::vector<size_t>& order : known) {
    const std::vector<uint64_t> during = bytesDuring(problem, order);
    const uint64_t needed =
        *std::max_element(during.begin() + static_cast<std::ptrdiff_t>(section.begin),
                          during.begin() + static_cast<std::ptrdiff_t>(section.end));
    if (needed < peak) {
      peak = needed;
      best = orderWithin(section, order);
    }
  }
  return best;
}

} // namespace

OrderResult searchOrder(const OrderProblem& problem, std::span<const std::vector<size_t>> known,
                        size_t work) {
  OrderResult result;
  const std::vector<OrderSection> sections = orderSections(problem);
  for (const OrderSection section : sections) {
    if (section.size() == 1) {
      result.order.push_back(section.begin);
      continue;
    }
    if (section.size() > MaxSearched) {
      for (const size_t op : bestKnown(problem, section, known))
        result.order.push_back(op);
      continue;
    }
    SectionSearch search(problem, section);
    std::vector<size_t> best;
    uint64_t peak = UINT64_MAX;
    const auto offer = [&](std::vector<size_t> order) {
      const uint64_t needed = search.peakOf(order);
      if (needed < peak) {
        peak = needed;
        best = std::move(order);
      }
    };
    for (const std::vector<size_t>& order : known) {
      std::vector<size_t> here = orderWithin(section, order);
      for (size_t& op : here)
        op -= section.begin;
      offer(std::move(here));
    }
    std::vector<size_t> whole(problem.ops());
    for (size_t op = 0; op < whole.size(); ++op)
      whole[op] =
          op < section.begin || op >= section.end ? op : best[op - section.begin] + section.begin;
    size_t flows = FlowsPerSection;
    const uint64_t least = sectionBound(problem, section, bytesDuring(problem, whole), flows);
    bool isProven = least == peak;
    if (!isProven)
      if (auto better = search.search(peak, work, isProven))
        offer(std::move(*better));
    if (!isProven) {
      const size_t width =
          std::clamp<size_t>(4'000'000 / (section.size() * section.size()), 1, MaxBeam);
      if (auto better = search.searchBeam(peak, width))
        offer(std::move(*better));
    }
    result.bound = std::max(result.bound, isProven ? peak : least);
    for (const size_t op : best)
      result.order.push_back(op + section.begin);
  }
  const std::vector<uint64_t> during = bytesDuring(problem, result.order);
  for (const uint64_t bytes : during)
    result.peak = std::max(result.peak, bytes);
  for (const OrderSection section : sections)
    if (section.size() == 1)
      result.bound = std::max(result.bound, during[section.begin]);
  return result;
}

std::vector<OpId> leastPeakOrder(const Graph& graph, IoMode io, uint64_t align) {
  const OpGraph ops(graph);
  std::vector<std::vector<size_t>> known(2);
  for (size_t op = 0; op < num_vertices(ops); ++op)
    known[0].push_back(op);
  for (const OpId id : depthFirstOrder(graph))
    known[1].push_back(*ops.vertex(id));
  std::vector<OpId> order;
  for (const size_t op : searchOrder(makeOrderProblem(graph, io, align), known).order)
    order.push_back(ops.op(op));
  return order;
}

} // namespace tigris
