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
    findRowUsers();
    cuts_[count].best[0] = {0, 0, count, 0};
    for (size_t begin = count; begin-- > 0;)
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
    return std::tie(entry.cost, entry.calls) < std::tie(known.cost, known.calls);
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
    return !options_.stay &&
           (!cuts_[begin].best[0].isReached() || (worksInOnePass(kind) && !onlyMovesBytes(kind)));
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

  /// Kernel calls of streamed stages, by the masks of residents and the number of stripes.
  using FewestCalls = std::map<std::tuple<uint64_t, uint64_t, int64_t>, uint64_t>;

  /// Kernel calls of a stage with the stripes of `stream`, in as few steps as fit.
  uint64_t fewestCalls(const Transition& transition, size_t begin, size_t end,
                       const StreamCandidate::Variant& stream, FewestCalls& known) {
    const auto [calls, isNew] =
        known.try_emplace({transition.before, transition.after, stream.stripes});
    if (!isNew)
      return calls->second;
    const Residents all = residents(begin, end, transition);
    calls->second = drafter_.streamCandidate(begin, end)
                        ->kernelCalls(stream.stripes, capacityOf(begin, end, transition),
                                      drafter_.streamResidents(all))
                        .value_or(stream.stats.kernelCalls);
    return calls->second;
  }

  /// A longer run of ops may fit although shorter ones do not, if the wide tensors are inside it.
  void tryStreamed(size_t begin, size_t end, std::span<const Transition> transitions) {
    // The lowest cost possible: each op is called once, and nothing is moved.
    const auto isHopeless = [&](const Transition& transition) {
      const Entry& rest = cuts_[end].best[transition.next];
      return !improves(begin, transition, {rest.cost, rest.calls + (end - begin)});
    };
    std::vector<bool> done;
    for (const Transition& transition : transitions)
      done.push_back(isHopeless(transition));
    auto left = static_cast<size_t>(std::count(done.begin(), done.end(), false));
    StreamCandidate* streams = left == 0 ? nullptr : drafter_.streamCandidate(begin, end);
    if (streams == nullptr)
      return;
    const bool countsCalls = drafter_.costs().countsCalls();
    Price price = priceOf(streams->stage());
    FewestCalls known;
    const bool movesRows = !mayRun(begin, end, false);
    for (size_t k = 0; left > 0 && streams->variant(k) != nullptr; ++k) {
      const StreamCandidate::Variant& stream = *streams->variant(k);
      // Stripes load or compute columns near their borders twice, but a callback provides each row
      // only once.
      if (stream.stripes > 1 && (movesRows || !options_.recompute))
        break;
      std::optional<Savings> savings;
      price.stats = stream.stats;
      price.lacking = drafter_.costs().lackingCost(drafter_.view().graph(), streams->stage().ops,
                                                   streams->finestCut(stream.stripes));
      if (countsCalls)
        price.stats.kernelCalls = (end - begin) * static_cast<uint64_t>(stream.stripes);
      for (size_t i = 0; i < transitions.size(); ++i) {
        const Transition& transition = transitions[i];
        if (done[i])
          continue;
        uint64_t saved = stream.stats.trafficBytes();
        bool isBetter = improves(begin, transition, entryFor(end, transition, price, saved));
        if (isBetter) {
          if (!savings)
            savings.emplace(savingsOf(streams->stage(), stream, begin, end));
          saved = savings->of(transition);
          isBetter = (!options_.stay || saved == stream.stats.trafficBytes()) &&
                     improves(begin, transition, entryFor(end, transition, price, saved));
        }
        std::optional<ResidentChain> chain;
        if (isBetter) {
          const Residents all = residents(begin, end, transition);
          const StreamResidents streamed = drafter_.streamResidents(all);
          const StreamCandidate::Need& needed = streams->need(k, streamed);
          const auto capacity = streamCapacity(needed.overlaps, begin, end, transition);
          const auto height =
              capacity ? streams->heightWithin(*capacity, k, streamed) : std::nullopt;
          if (height)
            chain = streamChain(begin, end, transition, *height, needed.overlaps);
        }
        // Variants with more stripes cost more.
        done[i] = !isBetter || chain;
        left -= done[i] ? 1 : 0;
        if (!chain)
          continue;
        Price real = price;
        if (countsCalls)
          real.stats.kernelCalls = fewestCalls(transition, begin, end, stream, known);
        offer(begin, transition, entryFor(end, transition, real, saved, stream.stripes),
              std::move(chain));
      }
    }
  }

  void searchFrom(size_t begin) {
    const size_t count = drafter_.order().size();
    bool mayBeWhole = true;
    for (size_t end = begin + 1; end <= std::min(count, begin + MaxSegmentOps); ++end) {
      const std::vector<Transition> transitions = transitionsBetween(begin, end);
      mayBeWhole = mayBeWhole && mayRun(begin, end, false) && tryWhole(begin, end, transitions);
      if (end == begin + 1 && mayRun(begin, end, false))
        tryAlone(begin, transitions);
      if (mayRun(begin, end, true))
        tryStreamed(begin, end, transitions);
    }
    if (mayOverflow(begin))
      tryOverflow(begin);
  }

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
};

} // namespace

std::optional<std::vector<StageDraft>> searchSegments(const StageDrafter& drafter,
                                                      const SegmentOptions& options) {
  return SegmentSearch(drafter, options).run();
}

} // namespace tigris
