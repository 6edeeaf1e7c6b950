// States of cuts, and the prices and places of stages between them.
#include "tigris/Plan/Search/SegmentTable.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <tuple>

namespace tigris {

namespace {

/// With slow memory, the states of a cut are the subsets of the smallest tensors.
constexpr size_t MaxChoices = 4;
/// Without slow memory every tensor must stay. Only the width of the mask limits their number.
constexpr size_t MaxStays = 63;

} // namespace

bool SegmentTable::open() {
  for (size_t at = 0; at < cuts_.size(); ++at)
    if (!openCut(at))
      return false;
  findOpenCuts();
  if (!isOpen_.front() || !isOpen_.back())
    return false;
  findRowUsers();
  countCalls();
  cuts_.back().best[0] = {0, 0, ops(), 0};
  return true;
}

bool SegmentTable::openCut(size_t at) {
  Cut& cut = cuts_[at];
  cut.crossing = drafter_.view().crossing(at);
  if (options_.keep)
    cut.tensors = cut.crossing;
  if (!options_.stay) {
    const auto bytes = [&](TensorId id) { return drafter_.bytes(id); };
    std::stable_sort(cut.tensors.begin(), cut.tensors.end(),
                     [&](TensorId a, TensorId b) { return bytes(a) < bytes(b); });
    cut.tensors.resize(std::min(cut.tensors.size(), MaxChoices));
  }
  if (cut.tensors.size() > MaxStays)
    return false;
  for (const TensorId id : cut.tensors)
    cut.bytes.push_back(alignUp(drafter_.bytes(id), drafter_.align()));
  const uint64_t all = (uint64_t{1} << cut.tensors.size()) - 1;
  if (options_.stay)
    cut.add(all, std::numeric_limits<uint64_t>::max());
  for (uint64_t mask = 0; !options_.stay && mask <= all; ++mask)
    cut.add(mask, options_.budget);
  cut.best.resize(cut.masks.size());
  return true;
}

/// The tensors that stay at a cut share no bytes there, so they must fit together.
void SegmentTable::findOpenCuts() {
  isOpen_.assign(cuts_.size(), false);
  size_t last = 0; // the last open cut so far
  for (size_t at = 0; at < cuts_.size(); ++at) {
    const std::vector<uint64_t>& taken = cuts_[at].taken;
    isOpen_[at] = at - last <= MaxSegmentOps &&
                  std::any_of(taken.begin(), taken.end(),
                              [&](uint64_t bytes) { return bytes <= options_.budget; });
    if (isOpen_[at])
      last = at;
  }
}

void SegmentTable::findRowUsers() {
  for (const TensorId id : options_.rows) {
    std::optional<std::pair<size_t, size_t>> span;
    for (size_t step = 0; step < ops(); ++step) {
      const std::vector<TensorId> touched = drafter_.view().touched(step);
      if (std::find(touched.begin(), touched.end(), id) != touched.end())
        span = {span ? span->first : step, step};
    }
    if (span)
      rowUsers_.push_back(*span);
  }
}

void SegmentTable::countCalls() {
  const OrderView& view = drafter_.view();
  leastCalls_ = {0};
  for (size_t step = 0; step < ops(); ++step)
    leastCalls_.push_back(leastCalls_.back() + (view.aliases().isView(view.op(step)) ? 0 : 1));
}

bool SegmentTable::mayRun(size_t begin, size_t end, bool byRows) const {
  return std::all_of(rowUsers_.begin(), rowUsers_.end(), [&](const auto& span) {
    const bool touches = span.first < end && begin <= span.second;
    return !touches || (byRows && begin <= span.first && span.second < end);
  });
}

std::vector<Transition> SegmentTable::transitions(size_t begin, size_t end) const {
  const Cut& from = cuts_[begin];
  const Cut& to = cuts_[end];
  const Agreement agreement(from, to);
  std::vector<uint64_t> keptNext;
  for (const uint64_t mask : to.masks)
    keptNext.push_back(agreement.keptNext(mask));
  std::vector<Transition> result;
  for (size_t state = 0; state < from.masks.size(); ++state) {
    const uint64_t kept = agreement.kept(from.masks[state]);
    const uint64_t own = from.taken[state] - agreement.keptBytes(from.masks[state]);
    for (size_t next = 0; next < to.masks.size(); ++next) {
      if (keptNext[next] != kept || !to.best[next].isReached())
        continue;
      Transition transition = {state, next, from.masks[state], to.masks[next],
                               own + to.taken[next]};
      transition.available = availableBeside(transition);
      if (transition.available || mostAvailable(transition, true) != 0)
        result.push_back(transition);
    }
  }
  return result;
}

bool SegmentTable::holds(size_t begin, size_t end, const Transition& transition,
                         TensorId id) const {
  return (transition.before & cuts_[begin].bit(resident(id))) != 0 ||
         (transition.after & cuts_[end].bit(resident(id))) != 0;
}

Residents SegmentTable::residents(size_t begin, size_t end, const Transition& transition) const {
  Residents result;
  const auto add = [&](const Cut& cut, uint64_t mask) {
    for (size_t k = 0; k < cut.tensors.size(); ++k)
      if ((mask >> k & 1U) != 0)
        for (const TensorId id : drafter_.view().views(cut.tensors[k]))
          result.insert(id);
  };
  add(cuts_[begin], transition.before);
  add(cuts_[end], transition.after);
  return result;
}

/// Fast bytes available to a stage if overlaps of residents save `saved` bytes.
std::optional<uint64_t> SegmentTable::availableBeside(const Transition& transition,
                                                      uint64_t saved) const {
  if (transition.before == 0 && transition.after == 0)
    return options_.budget;
  const uint64_t taken = transition.taken - saved + options_.slack;
  return taken <= options_.budget ? std::optional(options_.budget - taken) : std::nullopt;
}

uint64_t SegmentTable::mostAvailable(const Transition& transition, bool mayOverlap) const {
  const uint64_t saved = mayOverlap ? transition.taken / 2 : 0;
  return availableBeside(transition, saved).value_or(0);
}

StreamCapacity SegmentTable::capacity(size_t begin, size_t end,
                                      const Transition& transition) const {
  return [this, begin, end, &transition](const std::vector<Overlap>& overlaps) {
    const std::optional<Overlap> overlap = bestOverlap(overlaps, begin, end, transition);
    return availableBeside(transition, overlap ? drafter_.saved(*overlap) : 0).value_or(0);
  };
}

std::optional<Overlap> SegmentTable::bestOverlap(const std::vector<Overlap>& overlaps, size_t begin,
                                                 size_t end, const Transition& transition) const {
  std::optional<Overlap> best;
  uint64_t most = 0;
  for (const Overlap& overlap : overlaps) {
    if (!holds(begin, end, transition, overlap.from) ||
        !holds(begin, end, transition, overlap.to) ||
        cuts_[end].isCrossedBy(resident(overlap.from)) ||
        cuts_[begin].isCrossedBy(resident(overlap.to)))
      continue;
    if (const uint64_t saved = drafter_.saved(overlap); saved > most) {
      most = saved;
      best = overlap;
    }
  }
  return best;
}

std::optional<ResidentChain> SegmentTable::chain(size_t begin, size_t end,
                                                 const Transition& transition, uint64_t height,
                                                 const std::optional<Overlap>& overlap) const {
  const ResidentChain& next = cuts_[end].best[transition.next].chain;
  const TensorId last = overlap ? resident(overlap->to) : next.tensor;
  if (!options_.follow || !last)
    return ResidentChain();
  const auto size = [&](TensorId id) { return alignUp(drafter_.bytes(id), drafter_.align()); };
  ChainLink link;
  link.height = height;
  link.bytes = size(last);
  if (overlap) {
    link.overlap = {resident(overlap->from), last, overlap->distance};
    link.fromBytes = size(overlap->from);
  }
  link.others = transition.taken - link.bytes - link.fromBytes;
  link.budget = options_.budget;
  std::optional<ResidentChain> before = chainBefore(next, link);
  if (before && !cuts_[begin].isCrossedBy(before->tensor))
    return ResidentChain();
  return before;
}

std::optional<ResidentChain> SegmentTable::streamChain(size_t begin, size_t end,
                                                       const Transition& transition,
                                                       uint64_t height,
                                                       const std::vector<Overlap>& overlaps) const {
  std::optional<Overlap> overlap;
  if (!transition.available || height > *transition.available)
    overlap = bestOverlap(overlaps, begin, end, transition);
  return chain(begin, end, transition, height, overlap);
}

SegmentTable::Entry SegmentTable::entry(size_t end, const Transition& transition,
                                        const Price& price, uint64_t savedTraffic,
                                        int64_t stripes) const {
  const Entry& rest = cuts_[end].best[transition.next];
  const StageStats& stats = price.stats;
  const uint64_t cost = price.lacking + price.weights.of(stats.trafficBytes() - savedTraffic,
                                                         stats.recomputeMacs, stats.kernelCalls);
  return {cost + rest.cost, stats.kernelCalls + rest.calls, end, transition.next, price.mode,
          stripes};
}

bool SegmentTable::improves(size_t begin, const Transition& transition, const Entry& entry) const {
  const Entry& known = cuts_[begin].best[transition.state];
  return std::tie(entry.cost, entry.calls) < std::tie(known.cost, known.calls) &&
         (!options_.limit ||
          CutCost(entry.cost, entry.calls + leastCalls_[begin]) < *options_.limit);
}

void SegmentTable::offer(size_t begin, const Transition& transition, Entry entry,
                         std::optional<ResidentChain> chain) {
  if (!chain || !improves(begin, transition, entry))
    return;
  entry.chain = std::move(*chain);
  cuts_[begin].best[transition.state] = std::move(entry);
}

} // namespace tigris
