// The runtime's forward steps (runtime/src/stream.c), on row numbers alone.
#include "tigris/Plan/StreamModel.h"

#include "tigris/Analysis/MemoryTimeline.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr size_t Rows = 1;

/// One index of the outermost axis, some rows, all of the rest. What has no such axis is whole there.
Box strip(const Shape& shape, int64_t outer, int64_t begin, int64_t end) {
  Box box = wholeBox(shape);
  if (shape[0] == outer)
    box.axes[0] = {0, 1};
  box.axes[Rows] = {begin, end};
  return box;
}

} // namespace

const RowAccess* RowTable::find(OpId op) {
  auto found = entries_.find(op);
  if (found == entries_.end())
    found = entries_.emplace(op, make(op)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<RowAccess> RowTable::make(OpId id) const {
  const Op& op = graph().op(id);
  const BoxAccess* rules = access_->find(id);
  if (rules == nullptr || op.outputs.size() != 1 || graph().tensor(op.output()).shape.rank() < 2)
    return std::nullopt;
  const Shape& result = graph().tensor(op.output()).shape;
  const int64_t outer = result[0];
  if ((result[Rows] > 1 || outer > 1) && !rules->allows(strip(result, outer, 0, 1)))
    return std::nullopt;
  RowAccess access;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i] || graph().tensor(op.inputs[i]).isConstant())
      continue;
    const Shape& shape = graph().tensor(op.inputs[i]).shape;
    if (shape.rank() < 2 || (shape[0] != outer && shape[0] != 1))
      return std::nullopt;
    const Box whole = strip(shape, outer, 0, shape[Rows]);
    // An axis of the operand may have the outermost extent by chance, and be another one.
    Box last = strip(result, outer, 0, 1);
    last.axes[0] = {outer - 1, outer};
    const Range lastOuter = shape[0] == outer ? last.axes[0] : Range{0, 1};
    if (rules->need(i, last).axes[0] != lastOuter)
      return std::nullopt;
    RowAccess::Input input;
    input.tensor = op.inputs[i];
    for (int64_t row = 0; row < result[Rows]; ++row) {
      const Box need = rules->need(i, strip(result, outer, row, row + 1));
      if (need.empty() || need.axes[0] != whole.axes[0] || need.axes[2] != whole.axes[2] ||
          need.axes[3] != whole.axes[3])
        return std::nullopt;
      const Range rows = need.axes[Rows];
      if (!input.need.empty() &&
          (rows.begin < input.need.back().begin || rows.end < input.need.back().end))
        return std::nullopt;
      input.whole &= rows.size() == shape[Rows];
      input.need.push_back(rows);
    }
    access.inputs.push_back(std::move(input));
  }
  return access;
}

std::optional<StreamModel> StreamModel::make(RowTable& table, std::span<const OpId> ops,
                                             std::span<const TensorId> loads,
                                             std::span<const TensorId> stores) {
  const Graph& graph = table.graph();
  StreamModel model;
  if (stores.empty() || graph.tensor(stores[0]).shape.rank() < 2)
    return std::nullopt;
  model.outer_ = graph.tensor(stores[0]).shape[0];
  std::map<TensorId, size_t> index;
  const auto isIn = [](std::span<const TensorId> list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  const auto touch = [&](TensorId id, size_t step) {
    const Shape& shape = graph.tensor(id).shape;
    const auto [entry, isNew] = index.emplace(id, model.buffers_.size());
    if (isNew) {
      Buffer buffer;
      buffer.tensor = id;
      buffer.load = buffer.whole = isIn(loads, id);
      buffer.store = isIn(stores, id);
      buffer.firstOp = step;
      buffer.rows = shape[Rows];
      buffer.rowBytes = static_cast<uint64_t>(strip(shape, model.outer_, 0, 1).elements()) *
                        dtypeSize(graph.tensor(id).type);
      buffer.rounds = static_cast<uint64_t>(shape[0]);
      model.buffers_.push_back(buffer);
    }
    model.buffers_[entry->second].lastOp = step;
    return entry->second;
  };
  for (size_t step = 0; step < ops.size(); ++step) {
    const Op& op = graph.op(ops[step]);
    const RowAccess* access = table.find(ops[step]);
    if (access == nullptr || graph.tensor(op.output()).shape[0] != model.outer_)
      return std::nullopt;
    Step next;
    for (const RowAccess::Input& input : access->inputs) {
      const size_t buffer = touch(input.tensor, step);
      model.buffers_[buffer].whole &= input.whole;
      next.inputs.push_back({buffer, &input.need});
    }
    next.output = touch(op.output(), step);
    model.ops_.push_back(std::move(next));
  }
  for (const Buffer& buffer : model.buffers_) {
    if (buffer.load && !buffer.whole)
      model.mostSteps_ = std::max(model.mostSteps_, buffer.rows);
    // Loads that do not follow the outermost axis stay whole or would have to be loaded again.
    if (buffer.load && !buffer.whole && buffer.rounds != static_cast<uint64_t>(model.outer_))
      return std::nullopt;
  }
  return model;
}

/// What the step at hand asks of the pairs. Rows are stored when their op is done; loads come before their first
/// reader, so those of later ops have not come yet.
void StreamModel::addLeads(const std::vector<State>& states, std::vector<Lead>& leads) const {
  if (outer_ != 1)
    return;
  size_t pair = 0;
  for (size_t load = 0; load < buffers_.size(); ++load)
    for (size_t store = 0; store < buffers_.size(); ++store) {
      if (!buffers_[load].load || !buffers_[store].store)
        continue;
      if (pair == leads.size())
        leads.push_back({buffers_[load].tensor, buffers_[store].tensor, 0});
      Lead& lead = leads[pair++];
      const bool isEarly = buffers_[load].firstOp <= buffers_[store].firstOp;
      const int64_t read = isEarly ? states[load].end : states[load].fresh;
      if (read == buffers_[load].rows)
        continue;
      const uint64_t written = static_cast<uint64_t>(states[store].end) * buffers_[store].rowBytes;
      const uint64_t passed = static_cast<uint64_t>(read) * buffers_[load].rowBytes;
      lead.bytes = std::max(lead.bytes, written - std::min(written, passed));
    }
}

TileCost StreamModel::cost(int64_t steps) const {
  std::vector<State> states(buffers_.size());
  TileCost cost;
  cost.tiles = {outer_, steps, 1, 1};
  uint64_t calls = 0;
  for (int64_t step = 0; step < steps; ++step) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      states[i].fresh = states[i].end;
      if (buffers_[i].whole)
        states[i].end = buffers_[i].rows;
      else if (buffers_[i].load)
        states[i].end = partOf(buffers_[i].rows, steps, step).end;
    }
    for (const Step& op : ops_) {
      State& result = states[op.output];
      const auto hasCome = [&](int64_t row) {
        return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const Input& input) {
          return (*input.need)[static_cast<size_t>(row)].end <= states[input.buffer].end;
        });
      };
      while (result.end < buffers_[op.output].rows && hasCome(result.end))
        ++result.end;
      calls += result.end > result.fresh ? 1 : 0;
    }
    std::vector<int64_t> lowest;
    for (size_t i = 0; i < buffers_.size(); ++i)
      lowest.push_back(buffers_[i].whole ? 0 : states[i].fresh);
    for (const Step& op : ops_)
      if (const int64_t row = states[op.output].fresh; row < buffers_[op.output].rows)
        for (const Input& input : op.inputs)
          lowest[input.buffer] =
              std::min(lowest[input.buffer], (*input.need)[static_cast<size_t>(row)].begin);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      states[i].most = std::max(states[i].most, states[i].end - lowest[i]);
      states[i].rolls |= lowest[i] < states[i].fresh;
    }
    addLeads(states, cost.leads);
  }
  cost.kernelCalls = calls * static_cast<uint64_t>(outer_);
  const auto last = static_cast<uint32_t>(ops_.size() - 1);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    const uint64_t bytes = static_cast<uint64_t>(buffer.rows) * buffer.rowBytes * buffer.rounds;
    LiveBuffer live;
    const bool stays = buffer.whole || states[i].rolls;
    live.birth = stays ? 0 : static_cast<uint32_t>(buffer.firstOp);
    live.death = stays ? last : static_cast<uint32_t>(buffer.lastOp);
    live.bytes = static_cast<uint64_t>(states[i].most) * buffer.rowBytes;
    cost.buffers.push_back(std::move(live));
    cost.loads.push_back(buffer.load ? bytes : 0);
    cost.loadBytes += cost.loads.back();
    cost.storeBytes += buffer.store ? bytes : 0;
    uint32_t mask = 0;
    if (buffer.load)
      mask = !buffer.whole ? (1U << Tiling::MaxRank) - 1 : buffer.rounds > 1 ? 1U : 0U;
    cost.reloadAxes.push_back(mask);
  }
  LiveBuffer state;
  state.bytes = Tiling::StreamStateBytes * buffers_.size();
  state.death = last;
  cost.buffers.push_back(std::move(state));
  return cost;
}

std::optional<TileCost> StreamModel::search(const std::function<uint64_t(const TileCost&)>& room,
                                            uint64_t align) const {
  std::optional<TileCost> found;
  const auto fits = [&](int64_t steps) {
    TileCost cost = this->cost(steps);
    const uint64_t budget = room(cost);
    if (computeTimeline(cost.buffers, ops_.size(), align).bound > budget ||
        layOut(cost, align).height > budget)
      return false;
    found = std::move(cost);
    return true;
  };
  int64_t low = 1;
  int64_t high = mostSteps_;
  if (!fits(high))
    return std::nullopt;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (fits(middle))
      high = middle;
    else
      low = middle + 1;
  }
  if (found->tiles[Rows] != high)
    fits(high);
  return found;
}

ArenaLayout StreamModel::layOut(const TileCost& cost, uint64_t align) const {
  return layoutArena(cost.buffers, align, computeTimeline(cost.buffers, ops_.size(), align).bound);
}

Tiling StreamModel::tiling(const TileCost& cost, const ArenaLayout& layout) const {
  Tiling result;
  result.tiles = cost.tiles;
  result.state = layout.offsets.back();
  for (size_t i = 0; i < buffers_.size(); ++i)
    result.buffers.push_back(
        {buffers_[i].tensor, layout.offsets[i], cost.buffers[i].bytes, cost.reloadAxes[i]});
  return result;
}

} // namespace tigris
