// Dynamic programming from the end of the order: the best way to run what is left from each cut on.
#include "tigris/Plan/SegmentSearch.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tigris {

namespace {

constexpr size_t MaxChoices = 4;
/// Without slow memory there is no choice, and no limit but the mask's.
constexpr size_t MaxStays = 63;

bool contains(const std::vector<TensorId>& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

class SegmentSearch {
public:
  SegmentSearch(StageDrafter& drafter, const SegmentOptions& options)
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

  /// Addresses from `least` to `most`.
  struct Span {
    uint64_t least = 0;
    uint64_t most = 0;
  };

  /// A tensor that crosses a cut and is written over later on, by what is written over in turn: where it may lie so that
  /// all of these, each below the one before, find a place. No tensor: nothing is written over.
  struct Chain {
    TensorId tensor;
    std::vector<Span> offsets;
  };

  /// The best way from a cut on.
  struct Entry {
    uint64_t cost = Unreached;
    uint64_t calls = 0;
    size_t end = 0;
    size_t nextState = 0;
    StageMode mode = StageMode::Whole;
    int64_t stripes = 1;
    Chain chain = {};

    bool isReached() const { return cost != Unreached; }
  };

  /// Tensors that may stay, and for each state which of them do: bit k for tensors[k].
  struct Cut {
    std::vector<TensorId> tensors;
    std::vector<uint64_t> masks;
    std::vector<Entry> best;

    /// Of a tensor in the masks; none when it cannot stay.
    uint64_t bit(TensorId id) const {
      const auto found = std::find(tensors.begin(), tensors.end(), id);
      return found == tensors.end() ? 0 : uint64_t{1} << (found - tensors.begin());
    }
  };

  bool openCut(size_t at) {
    Cut& cut = cuts_[at];
    crossing_.push_back(drafter_.crossing(at));
    if (options_.keep)
      cut.tensors = crossing_.back();
    if (options_.stay) {
      if (cut.tensors.size() > MaxStays)
        return false;
      cut.masks = {(uint64_t{1} << cut.tensors.size()) - 1};
    } else {
      const auto bytes = [&](TensorId id) { return drafter_.bytes(id); };
      std::stable_sort(cut.tensors.begin(), cut.tensors.end(),
                       [&](TensorId a, TensorId b) { return bytes(a) < bytes(b); });
      cut.tensors.resize(std::min(cut.tensors.size(), MaxChoices));
      for (uint64_t mask = 0; mask < uint64_t{1} << cut.tensors.size(); ++mask)
        if (residentBytes(residents(cut, mask)) <= options_.budget)
          cut.masks.push_back(mask);
    }
    cut.best.resize(cut.masks.size());
    return true;
  }

  /// First and last op that touches a tensor which is moved by rows.
  void findRowUsers() {
    for (const TensorId id : options_.rows) {
      std::optional<std::pair<size_t, size_t>> span;
      for (size_t step = 0; step < drafter_.order().size(); ++step) {
        const std::vector<TensorId> touched = drafter_.touched(step);
        if (std::find(touched.begin(), touched.end(), id) != touched.end())
          span = {span ? span->first : step, step};
      }
      if (span)
        rowUsers_.push_back(*span);
    }
  }

  /// Whether ops [begin, end) may be a stage that moves tensors by rows, or one that does not.
  bool mayRun(size_t begin, size_t end, bool byRows) const {
    return std::all_of(rowUsers_.begin(), rowUsers_.end(), [&](const auto& span) {
      const bool touches = span.first < end && begin <= span.second;
      return !touches || (byRows && begin <= span.first && span.second < end);
    });
  }

  static Residents residents(const Cut& cut, uint64_t mask) {
    Residents result;
    for (size_t k = 0; k < cut.tensors.size(); ++k)
      if ((mask >> k & 1U) != 0)
        result.insert(cut.tensors[k]);
    return result;
  }

  uint64_t residentBytes(const Residents& residents) const {
    uint64_t sum = 0;
    for (const TensorId id : residents)
      sum += alignUp(drafter_.bytes(id), drafter_.align());
    return sum;
  }

  /// Fast bytes a stage has for itself if residents leave `saved` of theirs to each other.
  std::optional<uint64_t> roomBeside(const Residents& residents, uint64_t saved = 0) const {
    if (residents.empty())
      return options_.budget;
    const uint64_t taken = residentBytes(residents) - saved + options_.slack;
    return taken <= options_.budget ? std::optional(options_.budget - taken) : std::nullopt;
  }

  /// The overlap of what dies between two cuts with what is born there that saves most.
  std::optional<Overlap> bestOverlap(const std::vector<Overlap>& overlaps, size_t begin, size_t end,
                                     const Residents& residents) const {
    std::optional<Overlap> best;
    uint64_t most = 0;
    for (const Overlap& overlap : overlaps) {
      if (residents.count(overlap.from) == 0 || residents.count(overlap.to) == 0 ||
          contains(crossing_[end], overlap.from) || contains(crossing_[begin], overlap.to))
        continue;
      if (const uint64_t saved = drafter_.saved(overlap); saved > most) {
        most = saved;
        best = overlap;
      }
    }
    return best;
  }

  struct Transition {
    size_t state;
    size_t next;
    Residents residents;
    /// Without overlaps; nullopt when the residents alone exceed the budget.
    std::optional<uint64_t> room;
  };

  /// Where a block of `bytes` may lie, of `offsets`, when another one of `height` bytes needs a place beside it.
  static std::vector<Span> beside(const std::vector<Span>& offsets, uint64_t bytes, uint64_t height,
                                  uint64_t budget) {
    std::vector<Span> result;
    if (bytes + height > budget)
      return result;
    const uint64_t below = budget - bytes - height; // the other one lies above
    const uint64_t above = height;
    const uint64_t top = budget - bytes;
    const std::vector<Span> allowed = above <= below + 1
                                          ? std::vector<Span>{{0, top}}
                                          : std::vector<Span>{{0, below}, {above, top}};
    for (const Span& span : offsets)
      for (const Span& part : allowed) {
        const Span both = {std::max(span.least, part.least), std::min(span.most, part.most)};
        if (both.least <= both.most)
          result.push_back(both);
      }
    return result;
  }

  /// The chain that crosses the cut `begin` if the next stage has `height` bytes of its own and is followed by the best
  /// way. What else is resident is taken to lie at the very ends. nullopt when the chain finds no place.
  std::optional<Chain> chainBefore(size_t begin, size_t end, const Transition& way, uint64_t height,
                                   const std::optional<Overlap>& overlap) const {
    const Chain& next = cuts_[end].best[way.next].chain;
    const TensorId last = overlap ? overlap->to : next.tensor;
    if (!options_.follow || !last)
      return Chain();
    uint64_t budget = options_.budget;
    const auto size = [&](TensorId id) { return alignUp(drafter_.bytes(id), drafter_.align()); };
    for (const TensorId id : way.residents)
      if (id != last && !(overlap && id == overlap->from))
        budget -= std::min(budget, size(id));
    const uint64_t bytes =
        overlap ? std::max(size(last), size(overlap->from) + overlap->lead) : size(last);
    const std::vector<Span> anywhere = {{0, budget}};
    Chain chain = {last,
                   beside(last == next.tensor ? next.offsets : anywhere, bytes, height, budget)};
    if (chain.offsets.empty())
      return std::nullopt;
    if (overlap) {
      chain.tensor = overlap->from;
      for (Span& span : chain.offsets)
        span = {span.least + overlap->lead, span.most + overlap->lead};
    }
    return contains(crossing_[begin], chain.tensor) ? chain : Chain();
  }

  /// Of a streamed stage, which overlaps residents only where it must.
  std::optional<Chain> streamChain(size_t begin, size_t end, const Transition& way, uint64_t height,
                                   const std::vector<Overlap>& overlaps) const {
    std::optional<Overlap> overlap;
    if (!way.room || height > *way.room)
      overlap = bestOverlap(overlaps, begin, end, way.residents);
    return chainBefore(begin, end, way, height, overlap);
  }

  std::optional<uint64_t> streamRoom(const std::vector<Overlap>& overlaps, size_t begin, size_t end,
                                     const Residents& residents) const {
    const std::optional<Overlap> overlap = bestOverlap(overlaps, begin, end, residents);
    return roomBeside(residents, overlap ? drafter_.saved(*overlap) : 0);
  }

  /// What crosses both of two cuts has been kept at both or at neither.
  class Agreement {
  public:
    Agreement(const Cut& from, const std::vector<TensorId>& before, const Cut& to,
              const std::vector<TensorId>& later) {
      for (size_t k = 0; k < from.tensors.size(); ++k)
        if (contains(later, from.tensors[k]))
          pairs_.emplace_back(uint64_t{1} << k, to.bit(from.tensors[k]));
      for (size_t k = 0; k < to.tensors.size(); ++k)
        if (contains(before, to.tensors[k]))
          pairs_.emplace_back(from.bit(to.tensors[k]), uint64_t{1} << k);
    }
    uint64_t kept(uint64_t from) const { return keptOf(from, &Bits::first); }
    uint64_t keptNext(uint64_t to) const { return keptOf(to, &Bits::second); }

  private:
    /// Of the same tensor at either cut; none where it cannot stay.
    using Bits = std::pair<uint64_t, uint64_t>;

    uint64_t keptOf(uint64_t mask, uint64_t Bits::*bit) const {
      uint64_t result = 0;
      for (const Bits& pair : pairs_)
        result = result << 1U | ((mask & pair.*bit) != 0 ? 1U : 0U);
      return result;
    }

    std::vector<Bits> pairs_;
  };

  std::vector<Transition> transitions(size_t begin, size_t end) const {
    const Cut& from = cuts_[begin];
    const Cut& to = cuts_[end];
    const Agreement agreement(from, crossing_[begin], to, crossing_[end]);
    std::vector<uint64_t> keptNext;
    for (const uint64_t mask : to.masks)
      keptNext.push_back(agreement.keptNext(mask));
    std::vector<Transition> result;
    for (size_t state = 0; state < from.masks.size(); ++state) {
      const uint64_t kept = agreement.kept(from.masks[state]);
      const Residents before = residents(from, from.masks[state]);
      for (size_t next = 0; next < to.masks.size(); ++next) {
        if (keptNext[next] != kept || !to.best[next].isReached())
          continue;
        Residents all = before;
        all.merge(residents(to, to.masks[next]));
        const std::optional<uint64_t> room = roomBeside(all);
        result.push_back({state, next, std::move(all), room});
      }
    }
    return result;
  }

  /// What going this way with such a stage costs.
  Entry entryFor(size_t end, const Transition& way, const StageDraft& stage, uint64_t savedTraffic,
                 int64_t stripes = 1, Chain chain = {}) const {
    const Entry& rest = cuts_[end].best[way.next];
    return {drafter_.cost(stage, savedTraffic) + rest.cost,
            stage.stats.kernelCalls + rest.calls,
            end,
            way.next,
            stage.mode,
            stripes,
            std::move(chain)};
  }

  bool improves(size_t begin, const Transition& way, const Entry& entry) const {
    const Entry& known = cuts_[begin].best[way.state];
    return std::tie(entry.cost, entry.calls) < std::tie(known.cost, known.calls);
  }

  void offer(size_t begin, const Transition& way, const Entry& entry) {
    if (improves(begin, way, entry))
      cuts_[begin].best[way.state] = entry;
  }

  /// Slow bytes of a stage, drafted without residents, that are none when these are resident.
  uint64_t savedTraffic(const StageDraft& stage, const Residents& residents) const {
    uint64_t bytes = 0;
    for (const TensorId id : stage.loads)
      if (residents.count(id) != 0)
        bytes += stage.mode == StageMode::Whole ? drafter_.bytes(id) : stage.loadedBytes.at(id);
    for (const TensorId id : stage.spills)
      bytes += residents.count(id) != 0 ? drafter_.bytes(id) : 0;
    return bytes;
  }

  static uint64_t traffic(const StageDraft& stage) {
    return stage.stats.slowReadBytes + stage.stats.slowWriteBytes;
  }

  /// False when what lives between the cuts exceeds the budget, and so does any longer run.
  bool tryWhole(size_t begin, size_t end, std::span<const Transition> ways) {
    const StageDraft plain = drafter_.whole(begin, end);
    if (drafter_.bound(plain) > options_.budget)
      return false;
    for (const Transition& way : ways) {
      if (!way.room)
        continue;
      const uint64_t saved = savedTraffic(plain, way.residents);
      const Entry entry = entryFor(end, way, plain, saved);
      if (!improves(begin, way, entry) || (options_.stay && saved != traffic(plain)))
        continue;
      StageDraft stage = drafter_.whole(begin, end, way.residents);
      // A view and its source cannot both be resident: they are one buffer.
      const auto isShared = [&](const LiveBuffer& buffer) {
        return std::count_if(buffer.tensors.begin(), buffer.tensors.end(),
                             [&](TensorId id) { return way.residents.count(id) != 0; }) > 1;
      };
      if (std::any_of(stage.pinned.begin(), stage.pinned.end(), isShared) ||
          drafter_.bound(stage) > *way.room)
        continue;
      drafter_.layOut(stage);
      if (stage.height > *way.room)
        continue;
      if (std::optional<Chain> chain = chainBefore(begin, end, way, stage.height, {}))
        offer(begin, way, entryFor(end, way, plain, saved, 1, std::move(*chain)));
    }
    return true;
  }

  void tryAlone(size_t begin, std::span<const Transition> ways) {
    const std::vector<TensorId> touched = drafter_.touched(begin);
    const std::optional<StageDraft> direct = options_.stay ? std::nullopt : drafter_.direct(begin);
    const StageDraft plain = drafter_.whole(begin, begin + 1);
    const bool mayLeaveOut = onlyMovesBytes(drafter_.op(begin).kind);
    for (const Transition& way : ways) {
      if (!way.room)
        continue;
      // Tiles of other ops load everything at least once, as the whole op does, which may have fitted.
      const uint64_t saved = savedTraffic(plain, way.residents);
      if (!mayLeaveOut && !improves(begin, way, entryFor(begin + 1, way, plain, saved)))
        continue;
      const auto tiled = drafter_.tiled(begin, begin + 1, *way.room, way.residents);
      if (tiled && !(options_.stay && traffic(*tiled) != 0))
        if (std::optional<Chain> chain = chainBefore(begin, begin + 1, way, tiled->height, {}))
          offer(begin, way, entryFor(begin + 1, way, *tiled, 0, 1, std::move(*chain)));
      const bool isHome = std::none_of(touched.begin(), touched.end(),
                                       [&](TensorId id) { return way.residents.count(id) != 0; });
      if (direct && isHome)
        if (std::optional<Chain> chain = chainBefore(begin, begin + 1, way, 0, {}))
          offer(begin, way, entryFor(begin + 1, way, *direct, 0, 1, std::move(*chain)));
    }
  }

  using FewestCalls = std::map<std::pair<Residents, int64_t>, uint64_t>;

  /// Kernel calls of `stream`, the finest from cut to cut in its stripes, in as few steps as there is room for.
  uint64_t fewestCalls(const Residents& residents, size_t begin, size_t end,
                       const StreamWays::Way& stream, FewestCalls& known) {
    const auto [calls, isNew] = known.try_emplace({residents, stream.stripes});
    if (!isNew)
      return calls->second;
    const std::optional<StageDraft> stage = drafter_.streamed(
        begin, end, stream.stripes,
        [&](const std::vector<Overlap>& overlaps) {
          return streamRoom(overlaps, begin, end, residents).value_or(0);
        },
        residents);
    calls->second = (stage ? *stage : stream.stage).stats.kernelCalls;
    return calls->second;
  }

  /// A longer run of ops may fit where shorter ones do not: their wide ends are in its middle.
  void tryStreamed(size_t begin, size_t end, std::span<const Transition> ways) {
    StreamWays* streams = drafter_.streamWays(begin, end);
    if (streams == nullptr)
      return;
    const bool countsCalls = drafter_.objective().countsCalls();
    FewestCalls known;
    std::vector<bool> done(ways.size(), false);
    size_t left = ways.size();
    const bool movesRows = !mayRun(begin, end, false);
    for (size_t k = 0; left > 0 && streams->at(k) != nullptr; ++k) {
      const StreamWays::Way& stream = *streams->at(k);
      // Rows come and go once; stripes make those near their borders twice.
      if (stream.stripes > 1 && (movesRows || !options_.recompute))
        break;
      std::optional<StageDraft> counted;
      if (countsCalls)
        counted = stream.stage;
      const auto withCalls = [&](uint64_t calls) -> const StageDraft& {
        if (!counted)
          return stream.stage;
        counted->stats.kernelCalls = calls;
        return *counted;
      };
      const uint64_t least = stream.stage.ops.size() * static_cast<uint64_t>(stream.stripes);
      for (size_t i = 0; i < ways.size(); ++i) {
        const Transition& way = ways[i];
        if (done[i])
          continue;
        const uint64_t saved = savedTraffic(stream.stage, way.residents);
        const bool isBetter = (!options_.stay || saved == traffic(stream.stage)) &&
                              improves(begin, way, entryFor(end, way, withCalls(least), saved));
        std::optional<Chain> chain;
        if (isBetter) {
          StreamWays::Room& needed = streams->room(k, way.residents);
          const auto room = streamRoom(needed.overlaps, begin, end, way.residents);
          if (room && needed.lowerBound <= *room && streams->height(needed) <= *room)
            chain = streamChain(begin, end, way, streams->height(needed), needed.overlaps);
        }
        // More stripes cost more.
        done[i] = !isBetter || chain;
        left -= done[i] ? 1 : 0;
        if (!chain)
          continue;
        const uint64_t calls =
            countsCalls ? fewestCalls(way.residents, begin, end, stream, known) : 0;
        offer(begin, way,
              entryFor(end, way, withCalls(calls), saved, stream.stripes, std::move(*chain)));
      }
    }
  }

  void searchFrom(size_t begin) {
    const size_t count = drafter_.order().size();
    bool mayBeWhole = true;
    for (size_t end = begin + 1; end <= std::min(count, begin + MaxSegmentOps); ++end) {
      const std::vector<Transition> ways = transitions(begin, end);
      mayBeWhole = mayBeWhole && mayRun(begin, end, false) && tryWhole(begin, end, ways);
      if (end == begin + 1 && mayRun(begin, end, false))
        tryAlone(begin, ways);
      if (mayRun(begin, end, true))
        tryStreamed(begin, end, ways);
    }
    TIGRIS_CHECK_MSG(options_.stay || cuts_[begin].best[0].isReached(),
                     "an op fits in no way, although the budget allows all");
  }

  /// The stage an entry stands for, in as few steps as fit.
  StageDraft draft(size_t begin, size_t state, const Entry& entry) {
    Residents all = residents(cuts_[begin], cuts_[begin].masks[state]);
    all.merge(residents(cuts_[entry.end], cuts_[entry.end].masks[entry.nextState]));
    const std::optional<uint64_t> room = roomBeside(all);
    std::optional<StageDraft> stage;
    switch (entry.mode) {
    case StageMode::Whole:
      stage = drafter_.whole(begin, entry.end, all);
      drafter_.layOut(*stage);
      break;
    case StageMode::Direct:
      stage = drafter_.direct(begin);
      break;
    case StageMode::Tiled:
      stage = drafter_.tiled(begin, entry.end, *room, all);
      break;
    case StageMode::Streamed:
      stage = drafter_.streamed(
          begin, entry.end, entry.stripes,
          [&](const std::vector<Overlap>& overlaps) {
            return streamRoom(overlaps, begin, entry.end, all).value_or(0);
          },
          all);
      if (stage)
        stage->overlap = bestOverlap(stage->overlaps, begin, entry.end, all);
      break;
    }
    TIGRIS_CHECK_MSG(stage, "a stage that was found does not fit any more");
    return std::move(*stage);
  }

  StageDrafter& drafter_;
  SegmentOptions options_;
  std::vector<std::vector<TensorId>> crossing_;
  std::vector<Cut> cuts_;
  std::vector<std::pair<size_t, size_t>> rowUsers_;
};

} // namespace

std::optional<std::vector<StageDraft>> searchSegments(StageDrafter& drafter,
                                                      const SegmentOptions& options) {
  return SegmentSearch(drafter, options).run();
}

} // namespace tigris
