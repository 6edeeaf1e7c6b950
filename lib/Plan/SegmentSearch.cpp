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

  /// The best way from a cut on.
  struct Entry {
    uint64_t cost = Unreached;
    uint64_t calls = 0;
    size_t end = 0;
    size_t nextState = 0;
    StageMode mode = StageMode::Whole;
    int64_t stripes = 1;

    bool isReached() const { return cost != Unreached; }
  };

  /// Tensors that may stay, and for each state which of them do: bit k for tensors[k].
  struct Cut {
    std::vector<TensorId> tensors;
    std::vector<uint64_t> masks;
    std::vector<Entry> best;

    std::optional<bool> stays(size_t state, TensorId id) const {
      const auto found = std::find(tensors.begin(), tensors.end(), id);
      if (found == tensors.end())
        return std::nullopt;
      return (masks[state] >> (found - tensors.begin()) & 1U) != 0;
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
    const auto crosses = [&](size_t at, TensorId id) {
      return std::find(crossing_[at].begin(), crossing_[at].end(), id) != crossing_[at].end();
    };
    for (const Overlap& overlap : overlaps) {
      if (residents.count(overlap.from) == 0 || residents.count(overlap.to) == 0 ||
          crosses(end, overlap.from) || crosses(begin, overlap.to))
        continue;
      if (const uint64_t saved = drafter_.saved(overlap); saved > most) {
        most = saved;
        best = overlap;
      }
    }
    return best;
  }

  std::optional<uint64_t> streamRoom(const std::vector<Overlap>& overlaps, size_t begin, size_t end,
                                     const Residents& residents) const {
    const std::optional<Overlap> overlap = bestOverlap(overlaps, begin, end, residents);
    return roomBeside(residents, overlap ? drafter_.saved(*overlap) : 0);
  }

  /// What crosses both cuts has been kept at both or at neither.
  bool agree(size_t begin, size_t state, size_t end, size_t next) const {
    const Cut& from = cuts_[begin];
    const Cut& to = cuts_[end];
    const auto consistent = [&](TensorId id) {
      return from.stays(state, id).value_or(false) == to.stays(next, id).value_or(false);
    };
    const auto& later = crossing_[end];
    const auto& before = crossing_[begin];
    for (const TensorId id : to.tensors)
      if (std::find(before.begin(), before.end(), id) != before.end() && !consistent(id))
        return false;
    for (const TensorId id : from.tensors)
      if (std::find(later.begin(), later.end(), id) != later.end() && !consistent(id))
        return false;
    return true;
  }

  struct Transition {
    size_t state;
    size_t next;
    Residents residents;
    /// Without overlaps; nullopt when the residents alone exceed the budget.
    std::optional<uint64_t> room;
  };

  std::vector<Transition> transitions(size_t begin, size_t end) const {
    std::vector<Transition> result;
    for (size_t state = 0; state < cuts_[begin].masks.size(); ++state)
      for (size_t next = 0; next < cuts_[end].masks.size(); ++next) {
        if (!cuts_[end].best[next].isReached() || !agree(begin, state, end, next))
          continue;
        Residents all = residents(cuts_[begin], cuts_[begin].masks[state]);
        all.merge(residents(cuts_[end], cuts_[end].masks[next]));
        const std::optional<uint64_t> room = roomBeside(all);
        result.push_back({state, next, std::move(all), room});
      }
    return result;
  }

  /// What going this way with such a stage costs.
  Entry entryFor(size_t end, const Transition& way, const StageDraft& stage, uint64_t savedTraffic,
                 int64_t stripes = 1) const {
    const Entry& rest = cuts_[end].best[way.next];
    return {drafter_.cost(stage, savedTraffic) + rest.cost,
            stage.stats.kernelCalls + rest.calls,
            end,
            way.next,
            stage.mode,
            stripes};
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
      if (stage.height <= *way.room)
        offer(begin, way, entry);
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
        offer(begin, way, entryFor(begin + 1, way, *tiled, 0));
      const bool isHome = std::none_of(touched.begin(), touched.end(),
                                       [&](TensorId id) { return way.residents.count(id) != 0; });
      if (direct && isHome)
        offer(begin, way, entryFor(begin + 1, way, *direct, 0));
    }
  }

  using Coarsest = std::map<std::pair<Residents, int64_t>, StageDraft>;

  /// What `stream`, the finest from cut to cut in its stripes, is with as few calls as there is room for.
  const StageDraft& coarsest(const Residents& residents, size_t begin, size_t end,
                             const StreamWays::Way& stream, Coarsest& known) {
    const std::pair key(residents, stream.stripes);
    const auto found = known.find(key);
    if (found != known.end())
      return found->second;
    std::optional<StageDraft> stage =
        drafter_.streamed(begin, end, stream.stripes, [&](const std::vector<Overlap>& overlaps) {
          return streamRoom(overlaps, begin, end, residents).value_or(0);
        });
    return known.emplace(key, std::move(stage).value_or(stream.stage)).first->second;
  }

  /// A longer run of ops may fit where shorter ones do not: their wide ends are in its middle.
  void tryStreamed(size_t begin, size_t end, std::span<const Transition> ways) {
    std::optional<StreamWays> streams = drafter_.streamWays(begin, end);
    if (!streams)
      return;
    const bool countsCalls = drafter_.objective().countsCalls();
    Coarsest known;
    std::vector<bool> done(ways.size(), false);
    size_t left = ways.size();
    const bool movesRows = !mayRun(begin, end, false);
    for (size_t k = 0; left > 0 && streams->at(k) != nullptr; ++k) {
      const StreamWays::Way& stream = *streams->at(k);
      // Rows come and go once; stripes make those near their borders twice.
      if (stream.stripes > 1 && (movesRows || !options_.recompute))
        break;
      StageDraft least = stream.stage;
      if (countsCalls)
        least.stats.kernelCalls = least.ops.size() * static_cast<uint64_t>(stream.stripes);
      for (size_t i = 0; i < ways.size(); ++i) {
        const Transition& way = ways[i];
        if (done[i])
          continue;
        const uint64_t saved = savedTraffic(stream.stage, way.residents);
        const bool isBetter = (!options_.stay || saved == traffic(stream.stage)) &&
                              improves(begin, way, entryFor(end, way, least, saved));
        const auto room = streamRoom(stream.stage.overlaps, begin, end, way.residents);
        const bool hasRoom = room && stream.stage.height <= *room;
        // More stripes cost more.
        done[i] = !isBetter || (hasRoom && streams->height(k) <= *room);
        left -= done[i] ? 1 : 0;
        if (isBetter && done[i])
          offer(begin, way,
                entryFor(end, way,
                         countsCalls ? coarsest(way.residents, begin, end, stream, known)
                                     : stream.stage,
                         saved, stream.stripes));
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
