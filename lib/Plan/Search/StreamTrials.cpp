// Raises the bounds of streamed stages until the cheapest one fits.
#include "tigris/Plan/Search/StreamTrials.h"

namespace tigris {

void StreamTrials::run() {
  for (size_t i = 0; i < transitions_.size(); ++i) {
    const size_t end = begin_ + i + 1;
    if (table_.mayRun(begin_, end, true))
      addRuns(end);
  }
  while (!attempts_.empty()) {
    Attempt next = attempts_.top();
    attempts_.pop();
    if (improves(next) && refine(next))
      attempts_.push(next);
  }
}

/// The lowest cost possible: each op is called once, and each tensor is moved once.
void StreamTrials::addRuns(size_t end) {
  const StageDraft& stage = drafter_.interface(begin_, end);
  Price least = table_.price(stage);
  least.mode = StageMode::Streamed;
  least.stats.kernelCalls = end - begin_;
  Savings savings = table_.savings(begin_, end);
  const OrderView& view = drafter_.view();
  const auto count = [&](TensorId id, uint64_t& bytes) {
    if (!view.isSlow(id))
      return;
    bytes += view.bytes(id);
    savings.add(view.resident(id), view.bytes(id));
  };
  for (const TensorId id : stage.loads)
    count(id, least.stats.slowReadBytes);
  for (const TensorId id : stage.spills)
    count(id, least.stats.slowWriteBytes);
  const std::vector<Transition>& transitions = transitions_[end - begin_ - 1];
  for (size_t k = 0; k < transitions.size(); ++k) {
    const uint64_t saved = savings.of(transitions[k]);
    const Entry bound = table_.entry(end, transitions[k], least, saved);
    if (table_.improves(begin_, transitions[k], bound) &&
        !(table_.options().stay && saved != least.stats.trafficBytes()))
      attempts_.push({bound.cost, bound.calls, end, k});
  }
}

StreamTrials::VariantPrice StreamTrials::priceOf(size_t end, StreamCandidate& streams,
                                                 size_t index) const {
  const StreamCandidate::Variant& stream = *streams.variant(index);
  const StageDraft& stage = streams.stage();
  const OrderView& view = drafter_.view();
  VariantPrice result = {table_.price(stage), table_.savings(begin_, end)};
  result.price.stats = stream.stats;
  result.price.stats.kernelCalls = (end - begin_) * static_cast<uint64_t>(stream.stripes);
  result.price.lacking =
      drafter_.costs().lackingCost(view.graph(), stage.ops, streams.finestCut(stream.stripes));
  for (size_t i = 0; i < stage.loads.size(); ++i)
    result.savings.add(view.resident(stage.loads[i]), stream.loadedBytes[i]);
  for (const TensorId id : stage.spills)
    result.savings.add(view.resident(id), drafter_.bytes(id));
  return result;
}

const StreamTrials::VariantPrice& StreamTrials::price(const Attempt& attempt,
                                                      StreamCandidate& streams) {
  auto known = prices_.find({attempt.end, attempt.variant});
  if (known == prices_.end())
    known = prices_
                .emplace(std::pair(attempt.end, attempt.variant),
                         priceOf(attempt.end, streams, attempt.variant))
                .first;
  return known->second;
}

/// The entry in a number of calls per stripe; nullopt if tensors are moved that must stay.
std::optional<StreamTrials::Entry> StreamTrials::entry(const Attempt& attempt,
                                                       StreamCandidate& streams,
                                                       std::optional<uint64_t> calls) {
  const VariantPrice& known = price(attempt, streams);
  Price price = known.price;
  if (calls)
    price.stats.kernelCalls = *calls;
  const uint64_t saved = known.savings.of(transition(attempt));
  if (table_.options().stay && saved != price.stats.trafficBytes())
    return std::nullopt;
  return table_.entry(attempt.end, transition(attempt), price, saved,
                      streams.variant(attempt.variant)->stripes);
}

/// Raises the bound of the attempt, or offers its entry. False if nothing is left to try.
bool StreamTrials::refine(Attempt& attempt) {
  StreamCandidate* streams = drafter_.streamCandidate(begin_, attempt.end);
  if (streams == nullptr)
    return false;
  if (attempt.level == Attempt::Level::Any)
    return addCost(attempt, *streams);
  const Residents all = table_.residents(begin_, attempt.end, transition(attempt));
  const StreamResidents residents = drafter_.streamResidents(all);
  if (attempt.level == Attempt::Level::Cost && addCalls(attempt, *streams, residents))
    return true;
  if (attempt.level == Attempt::Level::Calls && take(attempt, *streams, residents))
    return false;
  ++attempt.variant;
  attempt.level = Attempt::Level::Any;
  return true;
}

/// The next variant that may fit, from that of the attempt on; false if there is none.
bool StreamTrials::findVariant(Attempt& attempt, StreamCandidate& streams) const {
  for (; attempt.variant < streams.variants(); ++attempt.variant) {
    const bool inStripes = streams.stripes(attempt.variant) > 1;
    const uint64_t most = table_.mostAvailable(transition(attempt), !inStripes);
    // Stripes load or compute columns near their borders twice, but a callback provides each row
    // only once.
    if (inStripes && (!table_.mayRun(begin_, attempt.end, false) || !table_.options().recompute ||
                      streams.leastBytesInStripes() > most))
      return false;
    if (streams.leastBytes(attempt.variant) <= most && streams.variant(attempt.variant))
      return true;
  }
  return false;
}

bool StreamTrials::addCost(Attempt& attempt, StreamCandidate& streams) {
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
bool StreamTrials::addCalls(Attempt& attempt, StreamCandidate& streams,
                            const StreamResidents& residents) {
  const StreamCapacity capacity = table_.capacity(begin_, attempt.end, transition(attempt));
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
bool StreamTrials::take(const Attempt& attempt, StreamCandidate& streams,
                        const StreamResidents& residents) {
  const Transition& transition = this->transition(attempt);
  const StreamCapacity capacity = table_.capacity(begin_, attempt.end, transition);
  const std::vector<Overlap>& overlaps = streams.need(attempt.variant, residents).overlaps;
  const auto height = streams.heightWithin(capacity(overlaps), attempt.variant, residents);
  if (!height)
    return false;
  std::optional<ResidentChain> chain =
      table_.streamChain(begin_, attempt.end, transition, *height, overlaps);
  if (!chain)
    return false;
  const StreamCandidate::Variant& stream = *streams.variant(attempt.variant);
  const uint64_t calls =
      streams.kernelCalls(stream.stripes, capacity, residents).value_or(stream.stats.kernelCalls);
  table_.offer(begin_, transition, *entry(attempt, streams, calls), std::move(chain));
  return true;
}

} // namespace tigris
