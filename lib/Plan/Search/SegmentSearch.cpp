// Dynamic programming from the end of the order: the cheapest stages for the ops after each cut.
// Over 500 lines: one class tries every kind of stage at every cut.
#include "tigris/Plan/Search/SegmentSearch.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/OperandReads.h"
#include "tigris/Plan/Search/CutStates.h"
#include "tigris/Plan/Search/ResidentChain.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

namespace tigris {

namespace {

constexpr size_t MaxChoices = 4;
/// Without slow memory every tensor must stay. Only the width of the mask limits their number.
constexpr size_t MaxStays = 63;

class SegmentSearch {
public:
  SegmentSearch(const StageDrafter& drafter, const SegmentOptions& options)
      : drafter_(drafter), options_(options), cuts_(drafter.order().size() + 1) {}

  std::optional<std::vector<StageDraft>> run() {
    const size_t count = drafter_.order().size();
    for (size_t at = 0; at <= count; ++at)
      if (!openCut(at))
        return std::nullopt;
    findOpenCuts();
    if (!isOpen_[0] || !isOpen_[count])
      return std::nullopt;
    findRowUsers();
    countCalls();
    cuts_[count].best[0] = {0, 0, count, 0};
    for (size_t begin = count; begin-- > 0;)
      if (isOpen_[begin])
        searchFrom(begin);
    if (!cuts_[0].best[0].isReached())
      return std::nullopt;
    std::vector<StageDraft> stages;
    for (size_t at = 0, state = 0; at < count;) {
      const Entry& entry = cuts_[at].best[state];
      stages.push_back(draft(at, state, entry));
      state = entry.nextState;
      at = entry.end;
    }
    return stages;
  }

private:
  static constexpr uint64_t Unreached = std::numeric_limits<uint64_t>::max();

  /// The cheapest stages from a cut to the end.
  struct Entry {
    uint64_t cost = Unreached;
    uint64_t calls = 0;
    size_t end = 0;
    size_t nextState = 0;
    StageMode mode = StageMode::Whole;
    int64_t stripes = 1;
    /// Whether the op alone uses tensors in slow memory.
    bool overflows = false;
    ResidentChain chain = {};

    bool isReached() const { return cost != Unreached; }
  };

  /// A cut, with the cheapest stages from each of its states to the end.
  struct Cut : CutStates {
    std::vector<Entry> best;
  };

  bool openCut(size_t at) {
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

  /// Finds the cuts that a sequence of stages from the first op on can reach. The tensors that stay
  /// at a cut share no bytes there, so they must fit together.
  void findOpenCuts() {
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

  /// Finds the first and the last op that use each tensor that is moved by rows.
  void findRowUsers() {
    for (const TensorId id : options_.rows) {
      std::optional<std::pair<size_t, size_t>> span;
      for (size_t step = 0; step < drafter_.order().size(); ++step) {
        const std::vector<TensorId> touched = drafter_.view().touched(step);
        if (std::find(touched.begin(), touched.end(), id) != touched.end())
          span = {span ? span->first : step, step};
      }
      if (span)
        rowUsers_.push_back(*span);
    }
  }

  void countCalls() {
    const OrderView& view = drafter_.view();
    leastCalls_ = {0};
    for (size_t step = 0; step < drafter_.order().size(); ++step)
      leastCalls_.push_back(leastCalls_.back() + (view.aliases().isView(view.op(step)) ? 0 : 1));
  }

  /// Whether ops [begin, end) may be a stage; `byRows`: one that moves tensors by rows.
  bool mayRun(size_t begin, size_t end, bool byRows) const {
    return std::all_of(rowUsers_.begin(), rowUsers_.end(), [&](const auto& span) {
      const bool touches = span.first < end && begin <= span.second;
      return !touches || (byRows && begin <= span.first && span.second < end);
    });
  }

  TensorId resident(TensorId id) const { return drafter_.view().resident(id); }

  bool holds(size_t begin, size_t end, const Transition& transition, TensorId id) const {
    return (transition.before & cuts_[begin].bit(resident(id))) != 0 ||
           (transition.after & cuts_[end].bit(resident(id))) != 0;
  }

  Residents residents(size_t begin, size_t end, const Transition& transition) const {
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
  std::optional<uint64_t> availableBeside(const Transition& transition, uint64_t saved = 0) const {
    if (transition.before == 0 && transition.after == 0)
      return options_.budget;
    const uint64_t taken = transition.taken - saved + options_.slack;
    return taken <= options_.budget ? std::optional(options_.budget - taken) : std::nullopt;
  }

  /// An upper bound for the fast bytes available to a stage. An overlap saves at most the bytes of
  /// the smaller of two residents.
  uint64_t mostAvailable(const Transition& transition, bool mayOverlap) const {
    const uint64_t saved = mayOverlap ? transition.taken / 2 : 0;
    return availableBeside(transition, saved).value_or(0);
  }

  /// The overlap that saves the most, between a tensor that dies and one that is born between two
  /// cuts.
  std::optional<Overlap> bestOverlap(const std::vector<Overlap>& overlaps, size_t begin, size_t end,
                                     const Transition& transition) const {
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

  /// The chain that crosses the cut `begin` if the stage after it has `height` bytes of its own and
  /// is followed by the cheapest stages. nullopt if the chain has no place.
  std::optional<ResidentChain> chainOf(size_t begin, size_t end, const Transition& transition,
                                       uint64_t height,
                                       const std::optional<Overlap>& overlap = {}) const {
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
    std::optional<ResidentChain> chain = chainBefore(next, link);
    if (chain && !cuts_[begin].isCrossedBy(chain->tensor))
      return ResidentChain();
    return chain;
  }

  /// chainOf() for a streamed stage, in which residents overlap only if they must.
  std::optional<ResidentChain> streamChain(size_t begin, size_t end, const Transition& transition,
                                           uint64_t height,
                                           const std::vector<Overlap>& overlaps) const {
    std::optional<Overlap> overlap;
    if (!transition.available || height > *transition.available)
      overlap = bestOverlap(overlaps, begin, end, transition);
    return chainOf(begin, end, transition, height, overlap);
  }

  std::optional<uint64_t> streamCapacity(const std::vector<Overlap>& overlaps, size_t begin,
                                         size_t end, const Transition& transition) const {
    const std::optional<Overlap> overlap = bestOverlap(overlaps, begin, end, transition);
    return availableBeside(transition, overlap ? drafter_.saved(*overlap) : 0);
  }

  StreamCapacity capacityOf(size_t begin, size_t end, const Transition& transition) const {
    return [this, begin, end, &transition](const std::vector<Overlap>& overlaps) {
      return streamCapacity(overlaps, begin, end, transition).value_or(0);
    };
  }

  std::vector<Transition> transitionsBetween(size_t begin, size_t end) const {
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

  /// Savings of a stage that was drafted without residents.
  Savings savingsOf(const StageDraft& whole, size_t begin, size_t end) const {
    Savings savings(cuts_[begin], cuts_[end]);
    for (const auto* moved : {&whole.loads, &whole.spills})
      for (const TensorId id : *moved)
        savings.add(resident(id), drafter_.bytes(id));
    return savings;
  }

  Savings savingsOf(const StageDraft& stage, const StreamCandidate::Variant& stream, size_t begin,
                    size_t end) const {
    Savings savings(cuts_[begin], cuts_[end]);
    for (size_t i = 0; i < stage.loads.size(); ++i)
      savings.add(resident(stage.loads[i]), stream.loadedBytes[i]);
    for (const TensorId id : stage.spills)
      savings.add(resident(id), drafter_.bytes(id));
    return savings;
  }

  /// The cost of a stage itself, in any transition.
  struct Price {
    StageMode mode = StageMode::Whole;
    StageStats stats;
    CostWeights weights;
    uint64_t lacking = 0; // for lack of scratch
  };
  Price priceOf(const StageDraft& stage) const {
    return {stage.mode(), stage.stats, drafter_.weights(stage), drafter_.lackingCost(stage)};
  }

  /// The entry for a stage of this price in this transition, followed by the cheapest stages.
  Entry entryFor(size_t end, const Transition& transition, const Price& price,
                 uint64_t savedTraffic, int64_t stripes = 1) const {
    const Entry& rest = cuts_[end].best[transition.next];
    const StageStats& stats = price.stats;
    const uint64_t cost = price.lacking + price.weights.of(stats.trafficBytes() - savedTraffic,
                                                           stats.recomputeMacs, stats.kernelCalls);
    return {cost + rest.cost, stats.kernelCalls + rest.calls, end, transition.next, price.mode,
            stripes};
  }

  bool improves(size_t begin, const Transition& transition, const Entry& entry) const {
    const Entry& known = cuts_[begin].best[transition.state];
    return std::tie(entry.cost, entry.calls) < std::tie(known.cost, known.calls) &&
           (!options_.limit ||
            CutCost(entry.cost, entry.calls + leastCalls_[begin]) < *options_.limit);
  }

  /// Stores the entry, with its chain, if it is better than the known one.
  void offer(size_t begin, const Transition& transition, Entry entry,
             std::optional<ResidentChain> chain) {
    if (!chain || !improves(begin, transition, entry))
      return;
    entry.chain = std::move(*chain);
    cuts_[begin].best[transition.state] = std::move(entry);
  }

  /// Returns false if the tensors between the cuts exceed the budget. Then those of any longer run
  /// do, too.
  bool tryWhole(size_t begin, size_t end, std::span<const Transition> transitions) {
    WholeCandidate& whole = drafter_.wholeCandidate(begin, end);
    if (whole.bound() > options_.budget)
      return false;
    const StageDraft& plain = whole.stage();
    const Savings savings = savingsOf(plain, begin, end);
    const Price price = priceOf(plain);
    for (const Transition& transition : transitions) {
      if (!transition.available)
        continue;
      const uint64_t saved = savings.of(transition);
      const Entry entry = entryFor(end, transition, price, saved);
      if (!improves(begin, transition, entry) ||
          (options_.stay && saved != plain.stats.trafficBytes()))
        continue;
      if (const auto height =
              whole.heightWithin(*transition.available, residents(begin, end, transition)))
        offer(begin, transition, entry, chainOf(begin, end, transition, *height));
    }
    return true;
  }

  void tryAlone(size_t begin, std::span<const Transition> transitions) {
    const size_t end = begin + 1;
    const std::vector<TensorId> touched = drafter_.view().touched(begin);
    const std::optional<StageDraft> direct = options_.stay ? std::nullopt : drafter_.direct(begin);
    const StageDraft& plain = drafter_.wholeCandidate(begin, end).stage();
    const Savings savings = savingsOf(plain, begin, end);
    Price price = priceOf(plain);
    price.lacking = 0; // tiles may need less scratch
    const bool mayLeaveOut = onlyMovesBytes(drafter_.op(begin).kind);
    for (const Transition& transition : transitions) {
      if (!transition.available)
        continue;
      // Tiles load every operand at least once, as the whole op does, unless the op only moves
      // bytes. Tiles are therefore no improvement if the whole op would be none.
      if (!mayLeaveOut &&
          !improves(begin, transition, entryFor(end, transition, price, savings.of(transition))))
        continue;
      const auto tiled =
          drafter_.tiled(begin, end, *transition.available, residents(begin, end, transition));
      if (tiled && !(options_.stay && tiled->stats.trafficBytes() != 0))
        offer(begin, transition, entryFor(end, transition, priceOf(*tiled), 0),
              chainOf(begin, end, transition, tiled->height));
      const bool isOutside = std::none_of(touched.begin(), touched.end(), [&](TensorId id) {
        return holds(begin, end, transition, id);
      });
      if (direct && isOutside)
        offer(begin, transition, entryFor(end, transition, priceOf(*direct), 0),
              chainOf(begin, end, transition, 0));
    }
  }

  /// The last resort, for an op with which no other stage begins. An op that works in one pass
  /// costs no more in slow memory than on copies, and keeps results that tiles would store.
  bool mayOverflow(size_t begin) const {
    const OpKind kind = drafter_.op(begin).kind;
    return !options_.stay && ((!options_.limit && !cuts_[begin].best[0].isReached()) ||
                              (worksInOnePass(kind) && !onlyMovesBytes(kind)));
  }

  void tryOverflow(size_t begin) {
    const size_t end = begin + 1;
    for (const Transition& transition : transitionsBetween(begin, end)) {
      if (!transition.available)
        continue;
      const StageDraft overflow =
          drafter_.overflow(begin, end, *transition.available, residents(begin, end, transition));
      Entry entry = entryFor(end, transition, priceOf(overflow), 0);
      entry.overflows = true;
      offer(begin, transition, entry, chainOf(begin, end, transition, overflow.height));
    }
  }

  /// A streamed stage that is still to be tried, and a lower bound for its entry.
  struct Attempt {
    uint64_t cost = 0;
    uint64_t calls = 0;
    size_t end = 0;
    size_t transition = 0;
    /// The variant of the stage. The bound holds for later ones, too.
    size_t variant = 0;
    /// What the bound counts: any variant; this one, with one call per op and stripe; the calls of
    /// as few steps as may fit.
    enum class Level { Any, Cost, Calls } level = Level::Any;

    bool operator>(const Attempt& other) const {
      return std::tie(cost, calls, end, transition) >
             std::tie(other.cost, other.calls, other.end, other.transition);
    }
  };
  using Attempts = std::priority_queue<Attempt, std::vector<Attempt>, std::greater<>>;

  /// The price of a variant of a streamed stage in its fewest calls, and what residents save.
  struct StreamPrice {
    Price price;
    Savings savings;
  };

  StreamPrice priceOf(size_t begin, size_t end, StreamCandidate& streams, size_t index) const {
    const StreamCandidate::Variant& stream = *streams.variant(index);
    StreamPrice result = {priceOf(streams.stage()), savingsOf(streams.stage(), stream, begin, end)};
    result.price.stats = stream.stats;
    result.price.stats.kernelCalls = (end - begin) * static_cast<uint64_t>(stream.stripes);
    result.price.lacking = drafter_.costs().lackingCost(
        drafter_.view().graph(), streams.stage().ops, streams.finestCut(stream.stripes));
    return result;
  }

  class StreamTrials;
  /// Finds the cheapest stages from a cut to the end.
  void searchFrom(size_t begin);

  /// The stage for an entry, in as few steps as fit.
  StageDraft draft(size_t begin, size_t state, const Entry& entry) {
    const std::vector<Transition> transitions = transitionsBetween(begin, entry.end);
    const auto found =
        std::find_if(transitions.begin(), transitions.end(), [&](const Transition& transition) {
          return transition.state == state && transition.next == entry.nextState;
        });
    TIGRIS_CHECK_MSG(found != transitions.end(), "a transition that was found is gone");
    const Transition& transition = *found;
    const Residents all = residents(begin, entry.end, transition);
    if (entry.overflows)
      return drafter_.overflow(begin, entry.end, *transition.available, all);
    std::optional<StageDraft> stage;
    switch (entry.mode) {
    case StageMode::Whole:
      return drafter_.whole(begin, entry.end, all);
    case StageMode::Direct:
      stage = drafter_.direct(begin);
      break;
    case StageMode::Tiled:
      stage = drafter_.tiled(begin, entry.end, *transition.available, all);
      break;
    case StageMode::Streamed:
      stage = drafter_.streamCandidate(begin, entry.end)
                  ->draft(entry.stripes, capacityOf(begin, entry.end, transition),
                          drafter_.streamResidents(all));
      if (stage) {
        auto& streamed = std::get<StreamedDraft>(stage->execution);
        streamed.overlap = bestOverlap(streamed.overlaps, begin, entry.end, transition);
      }
      break;
    }
    TIGRIS_CHECK_MSG(stage, "a stage that was found no longer fits");
    return std::move(*stage);
  }

  const StageDrafter& drafter_;
  SegmentOptions options_;
  std::vector<Cut> cuts_;
  std::vector<std::pair<size_t, size_t>> rowUsers_;
  /// Per cut: whether stages from the first op on can end there.
  std::vector<bool> isOpen_;
  /// Of the ops before a cut: one of each that is not a view.
  std::vector<uint64_t> leastCalls_;
};

/// Streamed stages from one cut. A longer run of ops may fit although shorter ones do not, if the
/// wide tensors are inside it. Layouts take the most time, so the stages with the lowest bounds
/// are tried first.
class SegmentSearch::StreamTrials {
public:
  StreamTrials(SegmentSearch& search, size_t begin,
               std::span<const std::vector<Transition>> transitions)
      : search_(search), begin_(begin), transitions_(transitions) {}

  void run() {
    for (size_t i = 0; i < transitions_.size(); ++i) {
      const size_t end = begin_ + i + 1;
      if (!search_.mayRun(begin_, end, true))
        continue;
      addRuns(end);
    }
    while (!attempts_.empty()) {
      Attempt next = attempts_.top();
      attempts_.pop();
      if (improves(next) && refine(next))
        attempts_.push(next);
    }
  }

private:
  /// The lowest cost possible: each op is called once, and each tensor is moved once.
  void addRuns(size_t end) {
    const StageDraft& stage = search_.drafter_.interface(begin_, end);
    Price least = search_.priceOf(stage);
    least.mode = StageMode::Streamed;
    least.stats.kernelCalls = end - begin_;
    Savings savings(search_.cuts_[begin_], search_.cuts_[end]);
    const OrderView& view = search_.drafter_.view();
    for (const TensorId id : stage.loads)
      if (view.isSlow(id)) {
        least.stats.slowReadBytes += view.bytes(id);
        savings.add(view.resident(id), view.bytes(id));
      }
    for (const TensorId id : stage.spills)
      if (view.isSlow(id)) {
        least.stats.slowWriteBytes += view.bytes(id);
        savings.add(view.resident(id), view.bytes(id));
      }
    const std::vector<Transition>& transitions = transitions_[end - begin_ - 1];
    for (size_t k = 0; k < transitions.size(); ++k) {
      const uint64_t saved = savings.of(transitions[k]);
      const Entry bound = search_.entryFor(end, transitions[k], least, saved);
      if (search_.improves(begin_, transitions[k], bound) &&
          !(search_.options_.stay && saved != least.stats.trafficBytes()))
        attempts_.push({bound.cost, bound.calls, end, k});
    }
  }

  const Transition& transition(const Attempt& attempt) const {
    return transitions_[attempt.end - begin_ - 1][attempt.transition];
  }

  bool improves(const Attempt& attempt) const {
    return search_.improves(begin_, transition(attempt), {attempt.cost, attempt.calls});
  }

  const StreamPrice& price(const Attempt& attempt, StreamCandidate& streams) {
    auto known = prices_.find({attempt.end, attempt.variant});
    if (known == prices_.end())
      known = prices_
                  .emplace(std::pair(attempt.end, attempt.variant),
                           search_.priceOf(begin_, attempt.end, streams, attempt.variant))
                  .first;
    return known->second;
  }

  /// The entry in a number of calls per stripe; nullopt if tensors are moved that must stay.
  std::optional<Entry> entry(const Attempt& attempt, StreamCandidate& streams,
                             std::optional<uint64_t> calls = {}) {
    const StreamPrice& known = price(attempt, streams);
    Price price = known.price;
    if (calls)
      price.stats.kernelCalls = *calls;
    const uint64_t saved = known.savings.of(transition(attempt));
    if (search_.options_.stay && saved != price.stats.trafficBytes())
      return std::nullopt;
    return search_.entryFor(attempt.end, transition(attempt), price, saved,
                            streams.variant(attempt.variant)->stripes);
  }

  /// Raises the bound of the attempt, or offers its entry. False if nothing is left to try.
  bool refine(Attempt& attempt) {
    StreamCandidate* streams = search_.drafter_.streamCandidate(begin_, attempt.end);
    if (streams == nullptr)
      return false;
    if (attempt.level == Attempt::Level::Any)
      return addCost(attempt, *streams);
    const Residents all = search_.residents(begin_, attempt.end, transition(attempt));
    const StreamResidents residents = search_.drafter_.streamResidents(all);
    if (attempt.level == Attempt::Level::Cost && addCalls(attempt, *streams, residents))
      return true;
    if (attempt.level == Attempt::Level::Calls && take(attempt, *streams, residents))
      return false;
    ++attempt.variant;
    attempt.level = Attempt::Level::Any;
    return true;
  }

  /// The next variant that may fit, from that of the attempt on; false if there is none.
  bool findVariant(Attempt& attempt, StreamCandidate& streams) {
    for (; attempt.variant < streams.variants(); ++attempt.variant) {
      const bool inStripes = streams.stripes(attempt.variant) > 1;
      const uint64_t most = search_.mostAvailable(transition(attempt), !inStripes);
      // Stripes load or compute columns near their borders twice, but a callback provides each row
      // only once.
      if (inStripes && (!search_.mayRun(begin_, attempt.end, false) ||
                        !search_.options_.recompute || streams.leastBytesInStripes() > most))
        return false;
      if (streams.leastBytes(attempt.variant) <= most && streams.variant(attempt.variant))
        return true;
    }
    return false;
  }

  bool addCost(Attempt& attempt, StreamCandidate& streams) {
    if (!findVariant(attempt, streams))
      return false;
    const std::optional<Entry> bound = entry(attempt, streams);
    if (!bound)
      return false;
    attempt.cost = bound->cost;
    attempt.calls = bound->calls;
    attempt.level = Attempt::Level::Cost;
    return true;
  }

  /// False if the variant does not fit.
  bool addCalls(Attempt& attempt, StreamCandidate& streams, const StreamResidents& residents) {
    const StreamCapacity capacity = search_.capacityOf(begin_, attempt.end, transition(attempt));
    const StreamCandidate::Need& need = streams.need(attempt.variant, residents);
    if (need.lowerBound > capacity(need.overlaps))
      return false;
    const int64_t stripes = streams.variant(attempt.variant)->stripes;
    const std::optional<Entry> bound =
        entry(attempt, streams, streams.leastCalls(stripes, capacity, residents));
    attempt.cost = bound->cost;
    attempt.calls = bound->calls;
    attempt.level = Attempt::Level::Calls;
    return true;
  }

  /// Offers the entry, in as few steps as fit. False if the variant does not fit.
  bool take(const Attempt& attempt, StreamCandidate& streams, const StreamResidents& residents) {
    const Transition& transition = this->transition(attempt);
    const StreamCapacity capacity = search_.capacityOf(begin_, attempt.end, transition);
    const std::vector<Overlap>& overlaps = streams.need(attempt.variant, residents).overlaps;
    const auto height = streams.heightWithin(capacity(overlaps), attempt.variant, residents);
    if (!height)
      return false;
    std::optional<ResidentChain> chain =
        search_.streamChain(begin_, attempt.end, transition, *height, overlaps);
    if (!chain)
      return false;
    const StreamCandidate::Variant& stream = *streams.variant(attempt.variant);
    const uint64_t calls =
        streams.kernelCalls(stream.stripes, capacity, residents).value_or(stream.stats.kernelCalls);
    search_.offer(begin_, transition, *entry(attempt, streams, calls), std::move(chain));
    return true;
  }

  SegmentSearch& search_;
  size_t begin_;
  /// By the number of ops of the stage, from 1 on.
  std::span<const std::vector<Transition>> transitions_;
  Attempts attempts_;
  /// By the end of the stage and the variant.
  std::map<std::pair<size_t, size_t>, StreamPrice> prices_;
};

void SegmentSearch::searchFrom(size_t begin) {
  const size_t last = std::min(drafter_.order().size(), begin + MaxSegmentOps);
  std::vector<std::vector<Transition>> transitions;
  bool mayBeWhole = true;
  for (size_t end = begin + 1; end <= last; ++end) {
    transitions.push_back(transitionsBetween(begin, end));
    mayBeWhole =
        mayBeWhole && mayRun(begin, end, false) && tryWhole(begin, end, transitions.back());
    if (end == begin + 1 && mayRun(begin, end, false))
      tryAlone(begin, transitions.back());
  }
  StreamTrials(*this, begin, transitions).run();
  if (mayOverflow(begin))
    tryOverflow(begin);
}

} // namespace

std::optional<std::vector<StageDraft>> searchSegments(const StageDrafter& drafter,
                                                      const SegmentOptions& options) {
  return SegmentSearch(drafter, options).run();
}

} // namespace tigris
