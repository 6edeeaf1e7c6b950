// Dynamic programming from the end of the order: tries every kind of stage at every cut.
#include "tigris/Plan/Search/SegmentSearch.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/OperandReads.h"
#include "tigris/Plan/Search/StreamTrials.h"
#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

namespace {

class SegmentSearch {
public:
  SegmentSearch(const StageDrafter& drafter, const SegmentOptions& options)
      : drafter_(drafter), options_(options), table_(drafter, options) {}

  std::optional<std::vector<StageDraft>> run() {
    if (!table_.open())
      return std::nullopt;
    for (size_t begin = table_.ops(); begin-- > 0;)
      if (table_.isOpen(begin))
        searchFrom(begin);
    if (!table_.best(0, 0).isReached())
      return std::nullopt;
    std::vector<StageDraft> stages;
    for (size_t at = 0, state = 0; at < table_.ops();) {
      const Entry& entry = table_.best(at, state);
      stages.push_back(draft(at, state, entry));
      state = entry.nextState;
      at = entry.end;
    }
    return stages;
  }

private:
  using Entry = SegmentTable::Entry;
  using Price = SegmentTable::Price;

  /// Finds the cheapest stages from a cut to the end.
  void searchFrom(size_t begin) {
    const size_t last = std::min(table_.ops(), begin + MaxSegmentOps);
    std::vector<std::vector<Transition>> transitions;
    bool mayBeWhole = true;
    for (size_t end = begin + 1; end <= last; ++end) {
      transitions.push_back(table_.transitions(begin, end));
      const bool mayRun = table_.mayRun(begin, end, false);
      mayBeWhole = mayBeWhole && mayRun && tryWhole(begin, end, transitions.back());
      if (end == begin + 1 && mayRun)
        tryAlone(begin, transitions.back());
    }
    StreamTrials(table_, begin, transitions).run();
    if (mayOverflow(begin))
      tryOverflow(begin);
  }

  /// Savings of a stage that was drafted without residents.
  Savings savingsOf(const StageDraft& whole, size_t begin, size_t end) const {
    Savings savings = table_.savings(begin, end);
    for (const auto* moved : {&whole.loads, &whole.spills})
      for (const TensorId id : *moved)
        savings.add(drafter_.view().resident(id), drafter_.bytes(id));
    return savings;
  }

  /// Returns false if the tensors between the cuts exceed the budget. Then those of any longer run
  /// do, too.
  bool tryWhole(size_t begin, size_t end, std::span<const Transition> transitions) {
    WholeCandidate& whole = drafter_.wholeCandidate(begin, end);
    if (whole.bound() > options_.budget)
      return false;
    const StageDraft& plain = whole.stage();
    const Savings savings = savingsOf(plain, begin, end);
    const Price price = table_.price(plain);
    for (const Transition& transition : transitions) {
      if (!transition.available)
        continue;
      const uint64_t saved = savings.of(transition);
      const Entry entry = table_.entry(end, transition, price, saved);
      if (!table_.improves(begin, transition, entry) ||
          (options_.stay && saved != plain.stats.trafficBytes()))
        continue;
      if (const auto height =
              whole.heightWithin(*transition.available, table_.residents(begin, end, transition)))
        table_.offer(begin, transition, entry, table_.chain(begin, end, transition, *height));
    }
    return true;
  }

  void tryAlone(size_t begin, std::span<const Transition> transitions) {
    const size_t end = begin + 1;
    const std::vector<TensorId> touched = drafter_.view().touched(begin);
    const std::optional<StageDraft> direct = options_.stay ? std::nullopt : drafter_.direct(begin);
    const StageDraft& plain = drafter_.wholeCandidate(begin, end).stage();
    const Savings savings = savingsOf(plain, begin, end);
    Price price = table_.price(plain);
    price.lacking = 0; // tiles may need less scratch
    const bool mayLeaveOut = onlyMovesBytes(drafter_.op(begin).kind);
    for (const Transition& transition : transitions) {
      if (!transition.available)
        continue;
      // Tiles load every operand at least once, as the whole op does, unless the op only moves
      // bytes. Tiles are therefore no improvement if the whole op would be none.
      if (!mayLeaveOut &&
          !table_.improves(begin, transition,
                           table_.entry(end, transition, price, savings.of(transition))))
        continue;
      const auto tiled = drafter_.tiled(begin, end, *transition.available,
                                        table_.residents(begin, end, transition));
      if (tiled && !(options_.stay && tiled->stats.trafficBytes() != 0))
        table_.offer(begin, transition, table_.entry(end, transition, table_.price(*tiled), 0),
                     table_.chain(begin, end, transition, tiled->height));
      const bool isOutside = std::none_of(touched.begin(), touched.end(), [&](TensorId id) {
        return table_.holds(begin, end, transition, id);
      });
      if (direct && isOutside)
        table_.offer(begin, transition, table_.entry(end, transition, table_.price(*direct), 0),
                     table_.chain(begin, end, transition, 0));
    }
  }

  /// The last resort, for an op with which no other stage begins. An op that works in one pass
  /// costs no more in slow memory than on copies, and keeps results that tiles would store.
  bool mayOverflow(size_t begin) const {
    const OpKind kind = drafter_.op(begin).kind;
    return !options_.stay && ((!options_.limit && !table_.best(begin, 0).isReached()) ||
                              (worksInOnePass(kind) && !onlyMovesBytes(kind)));
  }

  void tryOverflow(size_t begin) {
    const size_t end = begin + 1;
    for (const Transition& transition : table_.transitions(begin, end)) {
      if (!transition.available)
        continue;
      const StageDraft overflow = drafter_.overflow(begin, end, *transition.available,
                                                    table_.residents(begin, end, transition));
      Entry entry = table_.entry(end, transition, table_.price(overflow), 0);
      entry.overflows = true;
      table_.offer(begin, transition, entry, table_.chain(begin, end, transition, overflow.height));
    }
  }

  /// The stage for an entry, in as few steps as fit.
  StageDraft draft(size_t begin, size_t state, const Entry& entry) {
    const std::vector<Transition> transitions = table_.transitions(begin, entry.end);
    const auto found =
        std::find_if(transitions.begin(), transitions.end(), [&](const Transition& transition) {
          return transition.state == state && transition.next == entry.nextState;
        });
    TIGRIS_CHECK_MSG(found != transitions.end(), "a transition that was found is gone");
    const Transition& transition = *found;
    const Residents all = table_.residents(begin, entry.end, transition);
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
                  ->draft(entry.stripes, table_.capacity(begin, entry.end, transition),
                          drafter_.streamResidents(all));
      if (stage) {
        auto& streamed = std::get<StreamedDraft>(stage->execution);
        streamed.overlap = table_.bestOverlap(streamed.overlaps, begin, entry.end, transition);
      }
      break;
    }
    TIGRIS_CHECK_MSG(stage, "a stage that was found no longer fits");
    return std::move(*stage);
  }

  const StageDrafter& drafter_;
  const SegmentOptions& options_;
  SegmentTable table_;
};

} // namespace

std::optional<std::vector<StageDraft>> searchSegments(const StageDrafter& drafter,
                                                      const SegmentOptions& options) {
  return SegmentSearch(drafter, options).run();
}

} // namespace tigris
