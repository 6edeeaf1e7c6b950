// Tries chains on copies of the graph. The budget search decides what fits.
#include "tigris/Plan/Remat/RepeatSearch.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Plan/BudgetSearch.h"
#include "tigris/Plan/Remat/ChannelSplit.h"
#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

namespace {

using Chains = std::vector<RepeatChain>;

/// A copy of the graph with repeats.
class Variant {
public:
  Variant(const Graph& graph, const Chains& chains, const PlanOptions& options)
      : graph_(withRepeats(graph, chains)), drafts_(graph_),
        request_(PlanRequest::make(drafts_, options)) {}

  static Graph withRepeats(Graph graph, const Chains& chains) {
    for (const RepeatChain& chain : chains)
      insertRepeats(graph, chain);
    return graph;
  }

  /// Whether the order of the graph fits. `parts`: also with halos and stripes.
  bool fits(uint64_t bytes, bool parts = false) const {
    return fitsWithoutSlow(*request_, request_->schedules().given(), bytes, parts);
  }

  /// The smallest number of bytes that fits, to within a grain; at most `most`, which is known to
  /// fit.
  uint64_t smallest(uint64_t most) const {
    for (uint64_t low = 0; low + grain(most) < most;) {
      const uint64_t middle = alignUp(low + (most - low) / 2, request_->align());
      (fits(middle) ? most : low) = middle;
    }
    return most;
  }

  /// The smallest difference of bytes that the search regards.
  uint64_t grain(uint64_t bytes) const { return alignUp(bytes / 128 + 1, request_->align()); }
  /// Bytes of the order as one stage.
  uint64_t height() const { return request_->schedules().given().layout.height; }

private:
  Graph graph_;
  PlanDrafts drafts_;
  Expected<PlanRequest> request_;
};

class RepeatSearch {
public:
  RepeatSearch(const Graph& graph, const PlanRequest& request)
      : graph_(graph), request_(request), options_(request.options()),
        most_(modelMacs(graph) * options_.recompute.value_or(100) / 100) {}

  Chains run(bool leastFast) {
    const uint64_t granted = request_.fastForStages();
    if (!leastFast && plainFits(granted))
      return {};
    goal_ = leastFast ? 0 : granted;
    const Variant plain(graph_, {}, options_);
    if (!plain.fits(plain.height())) // one stage cannot move rows
      return {};
    least_ = plain.smallest(plain.height());
    size_t trials = std::clamp(MostTrialOps / std::max<size_t>(graph_.order().size(), 1),
                               FewestTrials, MostTrials);
    for (const RepeatChain& chain : repeatChains(graph_, request_.io(), most_ * Parts)) {
      if (trials == 0 || least_ <= goal_)
        break;
      trials -= tryChain(chain) ? 1 : 0;
    }
    if (best_.empty() || least_ > granted || plainFits(least_))
      return {};
    prune();
    return std::move(best_);
  }

private:
  /// A chain beyond the limit repeats a number of such parts of its channels.
  static constexpr int64_t Parts = 4;
  static constexpr size_t MostTrialOps = 5000;
  static constexpr size_t FewestTrials = 4;
  static constexpr size_t MostTrials = 40;

  static uint64_t macsOf(const Chains& chains) {
    uint64_t sum = 0;
    for (const RepeatChain& chain : chains)
      sum += chain.macs;
    return sum;
  }

  /// If the last chain exceeds the limit, makes it repeat as many channels as the limit allows, in
  /// Parts. False if that is none.
  bool limit(Chains& chains) const {
    RepeatChain& last = chains.back();
    const uint64_t others = macsOf(chains) - last.macs;
    if (others + last.macs <= most_)
      return true;
    const int64_t channels = splittableChannels(graph_, last);
    for (int64_t parts = Parts - 1; parts > 0; --parts) {
      const int64_t part = channels * parts / Parts;
      const uint64_t macs =
          part == 0 ? 0 : last.macs * static_cast<uint64_t>(part) / static_cast<uint64_t>(channels);
      if (part == 0 || others + macs > most_)
        continue;
      last.channels = part;
      last.macs = macs;
      return true;
    }
    return false;
  }

  /// Whether a chain refers to ops that a split of another one replaces.
  bool collides(const Chains& chains) const {
    const auto uses = [&](const RepeatChain& chain, OpId id) {
      const auto contains = [&](const std::vector<OpId>& ops) {
        return std::find(ops.begin(), ops.end(), id) != ops.end();
      };
      return contains(chain.ops) || contains(chain.readers);
    };
    for (const RepeatChain& split : chains)
      for (const RepeatChain& other : chains) {
        if (split.channels == 0 || &split == &other)
          continue;
        const std::vector<OpId>& readers = graph_.users(split.tensor);
        const auto replaced = [&](OpId id) { return uses(other, id); };
        if (std::any_of(split.ops.begin(), split.ops.end(), replaced) ||
            std::any_of(readers.begin(), readers.end(), replaced))
          return true;
      }
    return false;
  }

  /// Whether some order of the graph fits without repeats.
  bool plainFits(uint64_t bytes) const {
    const auto& orders = request_.schedules().all();
    return std::any_of(orders.begin(), orders.end(), [&](const Schedule& schedule) {
      return fitsWithoutSlow(request_, schedule, bytes);
    });
  }

  /// False if the chain cannot be added.
  bool tryChain(const RepeatChain& chain) {
    Chains next = current_;
    std::erase_if(next, [&](const RepeatChain& other) { return other.tensor == chain.tensor; });
    const bool replaces = next.size() < current_.size();
    next.push_back(chain);
    if (!limit(next) || collides(next))
      return false;
    const Variant variant(graph_, next, options_);
    const uint64_t less = least_ - std::min(least_, variant.grain(least_));
    const bool isEnough = goal_ != 0 && variant.fits(goal_, true);
    if (isEnough || variant.fits(less)) {
      least_ = isEnough ? goal_ : variant.smallest(less);
      best_ = next;
      current_ = std::move(next);
    } else if (!replaces && variant.fits(least_ + variant.grain(least_))) {
      current_ = std::move(next);
    }
    return true;
  }

  /// Drops the chains without which the graph still fits.
  void prune() {
    for (size_t i = best_.size(); i-- > 0;) {
      Chains less = best_;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      if (Variant(graph_, less, options_).fits(std::max(least_, goal_), goal_ != 0))
        best_ = std::move(less);
    }
  }

  const Graph& graph_;
  const PlanRequest& request_;
  const PlanOptions& options_;
  /// Maximum of recomputed multiply-accumulates.
  uint64_t most_;
  /// The number of bytes that suffices; 0: the fewer the better.
  uint64_t goal_ = 0;
  /// The smallest number of bytes for stages, and the chains with which they fit it.
  uint64_t least_ = 0;
  Chains best_;
  /// These chains, and others that have made nothing much worse.
  Chains current_;
};

} // namespace

size_t insertRepeatsFor(Graph& graph, const PlanOptions& options, bool leastFast) {
  PlanDrafts drafts(graph);
  const Expected<PlanRequest> request = PlanRequest::make(drafts, withoutSlow(options));
  if (!request || !request->strategy().withoutSlow)
    return 0;
  const size_t ops = graph.order().size();
  try {
    const Chains chains = RepeatSearch(graph, *request).run(leastFast);
    if (!chains.empty())
      graph = Variant::withRepeats(graph, chains);
  } catch (const DataError&) { // damaged weights, which are reported where they are emitted
    return 0;
  }
  return graph.order().size() - ops;
}

} // namespace tigris
