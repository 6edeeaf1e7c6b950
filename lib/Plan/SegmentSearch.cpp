// Dynamic programming from the end of the order: the best way to run what is left from each cut on.
#include "tigris/Plan/SegmentSearch.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tigris {

namespace {

/// A longer run of ops may fit where a shorter one does not: its wide middle has been left behind.
constexpr size_t Patience = 6;
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
    cuts_[count].best[0] = {0, 0, count, 0, StageMode::Whole};
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

  /// Fast bytes a stage has for itself.
  std::optional<uint64_t> roomBeside(const Residents& residents) const {
    if (residents.empty())
      return options_.budget;
    const uint64_t taken = residentBytes(residents) + options_.slack;
    return taken <= options_.budget ? std::optional(options_.budget - taken) : std::nullopt;
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
    uint64_t room;
  };

  std::vector<Transition> transitions(size_t begin, size_t end) const {
    std::vector<Transition> result;
    for (size_t state = 0; state < cuts_[begin].masks.size(); ++state)
      for (size_t next = 0; next < cuts_[end].masks.size(); ++next) {
        if (!cuts_[end].best[next].isReached() || !agree(begin, state, end, next))
          continue;
        Residents all = residents(cuts_[begin], cuts_[begin].masks[state]);
        all.merge(residents(cuts_[end], cuts_[end].masks[next]));
        if (const auto room = roomBeside(all))
          result.push_back({state, next, std::move(all), *room});
      }
    return result;
  }

  /// Keeps the stage when it and the best continuation cost less than what is known.
  void offer(size_t begin, size_t end, const Transition& way, const StageDraft& stage) {
    if (stage.height > way.room || (options_.stay && traffic(stage) != 0))
      return;
    const Entry& rest = cuts_[end].best[way.next];
    Entry& entry = cuts_[begin].best[way.state];
    const uint64_t cost = draftCost(stage) + rest.cost;
    const uint64_t calls = stage.stats.kernelCalls + rest.calls;
    if (std::tie(cost, calls) < std::tie(entry.cost, entry.calls))
      entry = {cost, calls, end, way.next, stage.mode};
  }

  static uint64_t traffic(const StageDraft& stage) {
    return stage.stats.slowReadBytes + stage.stats.slowWriteBytes;
  }

  bool canGain(size_t begin, size_t end, const Transition& way) const {
    return cuts_[end].best[way.next].cost <= cuts_[begin].best[way.state].cost;
  }

  /// False when what lives between the cuts exceeds the budget, and so does any longer run.
  bool tryWhole(size_t begin, size_t end) {
    if (drafter_.bound(drafter_.whole(begin, end)) > options_.budget)
      return false;
    for (const Transition& way : transitions(begin, end)) {
      if (!canGain(begin, end, way))
        continue;
      StageDraft stage = drafter_.whole(begin, end, way.residents);
      // A view and its source cannot both be resident: they are one buffer.
      const auto isShared = [&](const LiveBuffer& buffer) {
        return std::count_if(buffer.tensors.begin(), buffer.tensors.end(),
                             [&](TensorId id) { return way.residents.count(id) != 0; }) > 1;
      };
      if (std::any_of(stage.pinned.begin(), stage.pinned.end(), isShared) ||
          drafter_.bound(stage) > way.room)
        continue;
      drafter_.layOut(stage);
      offer(begin, end, way, stage);
    }
    return true;
  }

  void tryAlone(size_t begin) {
    const std::vector<TensorId> touched = drafter_.touched(begin);
    for (const Transition& way : transitions(begin, begin + 1)) {
      if (const auto stage = drafter_.tiled(begin, begin + 1, way.room, way.residents))
        offer(begin, begin + 1, way, *stage);
      const bool isHome = std::none_of(touched.begin(), touched.end(),
                                       [&](TensorId id) { return way.residents.count(id) != 0; });
      if (const auto stage = drafter_.direct(begin); stage && isHome && !options_.stay)
        offer(begin, begin + 1, way, *stage);
    }
  }

  /// False when no way has room.
  bool tryStreamed(size_t begin, size_t end) {
    const std::optional<StageDraft> finest = drafter_.finestStream(begin, end);
    if (!finest || finest->height > options_.budget)
      return false;
    bool fits = false;
    for (const Transition& way : transitions(begin, end)) {
      if (finest->height > way.room)
        continue;
      fits = true;
      if (!canGain(begin, end, way))
        continue;
      StageDraft stage = *finest;
      drafter_.makeResident(stage, way.residents);
      offer(begin, end, way, stage);
    }
    return fits;
  }

  void searchFrom(size_t begin) {
    const size_t count = drafter_.order().size();
    for (size_t end = begin + 1; end <= count && tryWhole(begin, end);)
      ++end;
    tryAlone(begin);
    size_t failures = 0;
    for (size_t end = begin + 1;
         end <= count && end - begin <= MaxStreamedOps && failures < Patience; ++end)
      failures = tryStreamed(begin, end) ? 0 : failures + 1;
    TIGRIS_CHECK_MSG(options_.stay || cuts_[begin].best[0].isReached(),
                     "an op fits in no way, although the budget allows all");
  }

  /// The stage an entry stands for, in as few steps as fit.
  StageDraft draft(size_t begin, size_t state, const Entry& entry) {
    Residents all = residents(cuts_[begin], cuts_[begin].masks[state]);
    all.merge(residents(cuts_[entry.end], cuts_[entry.end].masks[entry.nextState]));
    const uint64_t room = *roomBeside(all);
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
      stage = drafter_.tiled(begin, entry.end, room, all);
      break;
    case StageMode::Streamed:
      stage = drafter_.streamed(begin, entry.end, room, all);
      break;
    }
    TIGRIS_CHECK_MSG(stage, "a stage that was found does not fit any more");
    return std::move(*stage);
  }

  StageDrafter& drafter_;
  SegmentOptions options_;
  std::vector<std::vector<TensorId>> crossing_;
  std::vector<Cut> cuts_;
};

} // namespace

std::optional<std::vector<StageDraft>> searchSegments(StageDrafter& drafter,
                                                      const SegmentOptions& options) {
  return SegmentSearch(drafter, options).run();
}

} // namespace tigris
