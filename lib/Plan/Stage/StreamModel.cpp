// Simulates the steps of the runtime (runtime/src/exec/stream.c) with row numbers alone.
#include "tigris/Plan/Stage/StreamModel.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

void StreamModel::Buffer::setRow(const Box& box, uint64_t elementBytes) {
  row = box;
  rowSize = static_cast<uint64_t>(box.elements()) * elementBytes;
  columnSize = rowSize / static_cast<uint64_t>(columns());
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
      buffer.setRow(rowStrip(shape, model.outer_, 0, 1), dtypeSize(graph.tensor(id).type));
      buffer.rows = shape[RowAxis];
      buffer.rounds = static_cast<uint64_t>(shape[0]);
      model.buffers_.push_back(buffer);
    }
    model.buffers_[entry->second].lastOp = step;
    return entry->second;
  };
  std::vector<const RowAccess*> accesses;
  for (size_t step = 0; step < ops.size(); ++step) {
    const Op& op = graph.op(ops[step]);
    const RowAccess* access = table.find(ops[step]);
    accesses.push_back(access);
    if (access == nullptr || graph.tensor(op.output()).shape[0] != model.outer_)
      return std::nullopt;
    Step next;
    next.rules = access->rules;
    next.macs = macCount(graph, op);
    for (const RowAccess::Input& input : access->inputs) {
      const size_t buffer = touch(input.tensor, step);
      model.buffers_[buffer].whole &= input.whole;
      next.inputs.push_back({buffer, &input});
    }
    next.output = touch(op.output(), step);
    model.ops_.push_back(std::move(next));
  }
  model.findSinks(accesses);
  model.findWaits();
  for (const Buffer& buffer : model.buffers_) {
    if ((buffer.load && !buffer.whole) || buffer.store)
      model.mostSteps_ = std::max(model.mostSteps_, buffer.rows);
    // Loads that do not follow the outermost axis must stay whole; otherwise they would be loaded
    // again.
    if (buffer.load && !buffer.whole && buffer.rounds != static_cast<uint64_t>(model.outer_))
      return std::nullopt;
  }
  model.addPairs();
  return model;
}

void StreamModel::findSinks(std::span<const RowAccess* const> accesses) {
  for (size_t k = 0; k < ops_.size(); ++k) {
    if (accesses[k]->sumBytes == 0)
      continue;
    Buffer& x = buffers_[ops_[k].inputs[0].buffer];
    const auto rows = static_cast<uint64_t>(x.rows);
    if (isReadAfter(k) || accesses[k]->sumBytes + x.rowBytes() > rows * x.rowBytes())
      continue;
    buffers_[ops_[k].output].sumBytes = accesses[k]->sumBytes;
    x.whole = false;
  }
}

/// Whether the operand of an op is read again by one that needs the op's result.
bool StreamModel::isReadAfter(size_t op) const {
  std::vector<bool> follows(buffers_.size(), false);
  follows[ops_[op].output] = true;
  for (size_t k = op + 1; k < ops_.size(); ++k) {
    const auto reads = [&](const auto& is) {
      return std::any_of(ops_[k].inputs.begin(), ops_[k].inputs.end(),
                         [&](const Input& input) { return is(input.buffer); });
    };
    if (!reads([&](size_t buffer) { return follows[buffer]; }))
      continue;
    if (reads([&](size_t buffer) { return buffer == ops_[op].inputs[0].buffer; }))
      return true;
    follows[ops_[k].output] = true;
  }
  return false;
}

void StreamModel::addPairs() {
  for (size_t load = 0; load < buffers_.size(); ++load)
    for (size_t store = 0; store < buffers_.size(); ++store) {
      if (!buffers_[load].load || !buffers_[store].store ||
          buffers_[load].rounds != buffers_[store].rounds)
        continue;
      Pair pair = {load, store, {}};
      for (size_t k = buffers_[load].firstOp; k <= buffers_[load].lastOp; ++k)
        for (const Input& input : ops_[k].inputs)
          if (input.buffer == load)
            pair.readers.emplace_back(k, input.access);
      pairs_.push_back(std::move(pair));
    }
}

/// The first row of the load that is read in place while the op that produces the store computes
/// its new rows, or later. nullopt if there is none.
std::optional<int64_t> StreamModel::nextRead(const std::vector<Progress>& progress,
                                             const Pair& pair) const {
  std::optional<int64_t> first;
  for (const auto& [reader, access] : pair.readers) {
    const size_t output = ops_[reader].output;
    const int64_t row =
        reader < buffers_[pair.store].firstOp ? progress[output].end : progress[output].fresh;
    if (row == buffers_[output].rows)
      continue;
    if (const int64_t begin = access->need[static_cast<size_t>(row)].begin;
        begin < first.value_or(begin + 1))
      first = begin;
  }
  return first;
}

/// Raises the displacements of the pairs to those that the current step requires in the first and
/// in the last image, an index of the outermost axis. A load is copied just before its first
/// reader, so loads of later ops are not present yet.
void StreamModel::addDisplacements(const std::vector<Progress>& progress, Rows& rows) const {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Buffer& from = buffers_[pairs_[i].load];
    const Buffer& to = buffers_[pairs_[i].store];
    const auto raise = [&](Displacement& pair, int64_t read) {
      for (const int64_t image : {int64_t{0}, outer_ - 1}) {
        const auto written = static_cast<uint64_t>(image * to.rows + progress[pairs_[i].store].end);
        const auto passed = static_cast<uint64_t>(image * from.rows + read);
        const uint64_t past = written * to.rowBytes();
        pair.bytes = std::max(pair.bytes, past - std::min(past, passed * from.rowBytes()));
      }
    };
    // After the last row of an image follow those of the next one.
    const auto read = nextRead(progress, pairs_[i]);
    if (read || outer_ > 1)
      raise(rows.inPlace[i], read.value_or(from.rows));
    const Progress& come = progress[pairs_[i].load];
    const int64_t passed = from.firstOp <= to.firstOp ? come.end : come.fresh;
    if (passed < from.rows || outer_ > 1)
      raise(rows.copied[i], passed);
  }
}

const StreamModel::Rows& StreamModel::rows(int64_t steps) const {
  const auto [entry, isNew] = rowsOf_.try_emplace(steps);
  if (isNew) {
    entry->second = simulate(steps);
    entry->second.keepTight();
  }
  return entry->second;
}

StreamModel::Rows StreamModel::simulate(int64_t steps) const {
  Rows result;
  std::vector<Progress> progress(buffers_.size());
  result.buffers.resize(buffers_.size());
  result.calls.resize(ops_.size());
  for (const Pair& pair : pairs_)
    result.copied.push_back({buffers_[pair.load].tensor, buffers_[pair.store].tensor, 0});
  result.inPlace = result.copied;
  std::vector<int64_t> lowest(buffers_.size());
  std::vector<int64_t> next(buffers_.size());
  std::vector<Rows::Held> held(buffers_.size());
  const auto isDone = [&] {
    for (size_t i = 0; i < buffers_.size(); ++i)
      if (progress[i].end < buffers_[i].rows)
        return false;
    return true;
  };
  const auto isSink = [&](const Step& op) {
    return hasSums(steps) && buffers_[op.output].sumBytes != 0;
  };
  for (int64_t step = 0; step < steps || !isDone(); ++step) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      progress[i].fresh = progress[i].end;
      if (buffers_[i].whole)
        progress[i].end = buffers_[i].rows;
      else if (buffers_[i].load)
        progress[i].end = partOf(buffers_[i].rows, steps, std::min(step, steps - 1)).end;
    }
    for (size_t k = 0; k < ops_.size(); ++k) {
      const Step& op = ops_[k];
      Progress& made = progress[op.output];
      const auto hasCome = [&](int64_t row) {
        return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const Input& input) {
          const int64_t wanted = input.access->need[static_cast<size_t>(row)].end + op.wait;
          return std::min(wanted, buffers_[input.buffer].rows) <= progress[input.buffer].end;
        });
      };
      const int64_t rows = buffers_[op.output].rows;
      const int64_t most = std::min(rows, made.fresh + ceilDiv(rows, steps));
      while (made.end < most && hasCome(made.end))
        ++made.end;
      const Progress& worked = isSink(op) ? progress[op.inputs[0].buffer] : made;
      result.calls[k] += worked.end > worked.fresh ? 1 : 0;
    }
    for (size_t i = 0; i < buffers_.size(); ++i)
      next[i] = buffers_[i].whole ? 0 : progress[i].end;
    for (const Step& op : ops_)
      if (const int64_t row = progress[op.output].end;
          row < buffers_[op.output].rows && !isSink(op))
        for (const Input& input : op.inputs)
          next[input.buffer] =
              std::min(next[input.buffer], input.access->need[static_cast<size_t>(row)].begin);
    const auto count = [](int64_t rows) { return static_cast<uint16_t>(rows); };
    for (size_t i = 0; i < buffers_.size(); ++i) {
      held[i] = {count(progress[i].fresh - lowest[i]), count(progress[i].end - lowest[i]),
                 count(next[i] - lowest[i])};
      result.buffers[i].most = std::max<int64_t>(result.buffers[i].most, held[i].all);
    }
    std::swap(lowest, next);
    result.add(held);
    addDisplacements(progress, result);
  }
  return result;
}

std::vector<Box> StreamModel::needsOfRows() const {
  std::vector<Box> needs;
  for (const Step& op : ops_)
    for (const Input& input : op.inputs)
      needs.push_back(op.rules->need(input.access->operand, buffers_[op.output].row));
  return needs;
}

bool StreamModel::stripe(int64_t stripes, int64_t index, const std::vector<Box>& uncut,
                         std::vector<Range>& held, std::vector<bool>& single) const {
  held.assign(buffers_.size(), {0, 0});
  single.assign(ops_.size(), false);
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].store)
      held[i] = partOf(buffers_[i].columns(), stripes, index);
  std::vector<Range> needs(uncut.size());
  size_t at = uncut.size();
  for (size_t k = ops_.size(); k-- > 0;) {
    const Step& op = ops_[k];
    Box result = buffers_[op.output].row;
    result.axes[ColumnAxis] = held[op.output];
    if (result.empty() || !op.rules->allows(result))
      return false;
    for (size_t i = op.inputs.size(); i-- > 0;) {
      const Input& input = op.inputs[i];
      Box need = op.rules->need(input.access->operand, result);
      needs[--at] = need.axes[ColumnAxis];
      held[input.buffer] = hull(held[input.buffer], needs[at]);
      // No other axis may depend on the columns.
      need.axes[ColumnAxis] = uncut[at].axes[ColumnAxis];
      if (needs[at].size() == 0 || need != uncut[at])
        return false;
    }
  }
  for (size_t k = 0; k < ops_.size(); ++k)
    for (const Input& input : ops_[k].inputs) {
      if (needs[at++] == held[input.buffer])
        continue;
      single[k] = true;
      if (!input.access->single)
        return false;
    }
  return true;
}

std::vector<int64_t> StreamModel::leastColumns(std::optional<int64_t> stripes) const {
  std::vector<Range> held(buffers_.size(), {0, 0});
  std::optional<int64_t> size; // columns of stores of another size are in other stripes
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const int64_t own = buffers_[i].columns();
    if (!buffers_[i].store || (!stripes && own != size.value_or(own)))
      continue;
    size = own;
    // The stripe in the middle, or every stripe that has the column in the middle.
    held[i] = stripes ? partOf(own, *stripes, *stripes / 2) : Range{own / 2, own / 2 + 1};
  }
  for (size_t k = ops_.size(); k-- > 0;) {
    const Step& op = ops_[k];
    Box result = buffers_[op.output].row;
    result.axes[ColumnAxis] = held[op.output];
    for (const Input& input : op.inputs)
      if (!result.empty())
        held[input.buffer] = hull(held[input.buffer],
                                  op.rules->need(input.access->operand, result).axes[ColumnAxis]);
  }
  std::vector<int64_t> columns;
  for (size_t i = 0; i < buffers_.size(); ++i)
    columns.push_back(stripes == 1 ? buffers_[i].columns() : held[i].size());
  return columns;
}

const std::optional<StreamModel::Columns>& StreamModel::columns(int64_t stripes) const {
  auto known = columnsOf_.find(stripes);
  if (known == columnsOf_.end())
    known = columnsOf_.emplace(stripes, findColumns(stripes)).first;
  return known->second;
}

std::optional<StreamModel::Columns> StreamModel::findColumns(int64_t stripes) const {
  Columns result;
  result.buffers.resize(buffers_.size());
  result.single.resize(ops_.size());
  if (stripes == 1) {
    for (size_t i = 0; i < buffers_.size(); ++i)
      result.buffers[i].most = result.buffers[i].least = result.buffers[i].total =
          buffers_[i].columns();
    return result;
  }
  const std::vector<Box> uncut = needsOfRows();
  std::vector<Range> held;
  std::vector<bool> single;
  for (int64_t index = 0; index < stripes; ++index) {
    if (!stripe(stripes, index, uncut, held, single))
      return std::nullopt;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      Columns::PerBuffer& buffer = result.buffers[i];
      buffer.most = std::max(buffer.most, held[i].size());
      buffer.least = index == 0 ? held[i].size() : std::min(buffer.least, held[i].size());
      buffer.total += held[i].size();
      buffer.narrow |= held[i].size() < buffers_[i].columns();
    }
    for (size_t k = 0; k < ops_.size(); ++k)
      result.single[k] += single[k] ? 1 : 0;
  }
  return result;
}

std::optional<StreamCost> StreamModel::cost(int64_t steps, int64_t stripes,
                                            const std::set<TensorId>& whole) const {
  const std::optional<Columns>& columns = this->columns(stripes);
  if (!columns)
    return std::nullopt;
  const Rows& rows = this->rows(steps);
  const auto rounds = static_cast<uint64_t>(outer_);
  StreamCost cost;
  cost.steps = steps;
  cost.stripes = stripes;
  cost.loads.reserve(buffers_.size());
  cost.buffers.reserve(buffers_.size() + 1);
  cost.reloadAxes.reserve(buffers_.size());
  // With several stripes, a row that one stripe has read may be read again by the next one.
  for (size_t pair = 0; stripes == 1 && pair < rows.copied.size(); ++pair)
    cost.displacements.push_back(whole.count(rows.copied[pair].load) != 0 ? rows.inPlace[pair]
                                                                          : rows.copied[pair]);
  for (size_t k = 0; k < ops_.size(); ++k) {
    const Buffer& result = buffers_[ops_[k].output];
    const int64_t twice = columns->buffers[ops_[k].output].total - result.columns();
    if (twice > 0)
      cost.recomputeMacs +=
          ops_[k].macs * static_cast<uint64_t>(twice) / static_cast<uint64_t>(result.columns());
    cost.kernelCalls +=
        rounds * (columns->single[k] * static_cast<uint64_t>(result.rows) +
                  (static_cast<uint64_t>(stripes) - columns->single[k]) * rows.calls[k]);
  }
  const auto last = static_cast<uint32_t>(ops_.size() - 1);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    const Columns::PerBuffer& width = columns->buffers[i];
    const uint64_t columnBytes = buffer.columnBytes();
    LiveBuffer live;
    const uint64_t sums = hasSums(steps) ? buffer.sumBytes : 0;
    const bool stays = buffer.whole || sums != 0;
    live.birth = stays ? 0 : static_cast<uint32_t>(buffer.firstOp);
    live.death = stays ? last : static_cast<uint32_t>(buffer.lastOp);
    cost.inPlace.push_back(stripes == 1 && (buffer.load || buffer.store) && sums == 0 &&
                           whole.count(buffer.tensor) != 0);
    if (!cost.inPlace.back())
      live.bytes =
          std::max(sums, static_cast<uint64_t>(rows.buffers[i].most * width.most) * columnBytes);
    const bool byRows = !buffer.whole && sums == 0 && !cost.inPlace.back();
    cost.rows.push_back(byRows
                            ? StreamCost::RowBytes{static_cast<uint64_t>(width.most) * columnBytes,
                                                   static_cast<uint64_t>(width.least) * columnBytes}
                            : StreamCost::RowBytes());
    cost.buffers.push_back(std::move(live));
    // A part that changes from stripe to stripe is loaded again in every round, too.
    const bool again = !buffer.whole || width.narrow;
    const auto columnRows = static_cast<uint64_t>(
        buffer.rows *
        (again ? outer_ * width.total : static_cast<int64_t>(buffer.rounds) * width.most));
    cost.loads.push_back(buffer.load ? columnRows * columnBytes : 0);
    cost.loadBytes += cost.loads.back();
    cost.storeBytes +=
        buffer.store ? static_cast<uint64_t>(buffer.rows) * buffer.rounds * buffer.rowBytes() : 0;
    uint32_t mask = 0;
    if (buffer.load && !buffer.whole)
      mask = PartStage::EveryAxis;
    else if (buffer.load)
      mask = (buffer.rounds > 1 ? 1U : 0U) | (width.narrow ? 1U << ColumnAxis : 0U);
    cost.reloadAxes.push_back(mask);
  }
  LiveBuffer bookkeeping;
  bookkeeping.bytes = StreamedStage::bookkeepingBytes(buffers_.size(), stripes);
  bookkeeping.death = last;
  cost.buffers.push_back(std::move(bookkeeping));
  return cost;
}

std::vector<int64_t> StreamModel::stripeCounts() const {
  // At most as many stripes as the narrowest stored result has columns, and at most as many tiles
  // as the largest tensor has elements.
  int64_t most = PartStage::MaxParts;
  int64_t elements = 1;
  for (const Buffer& buffer : buffers_) {
    if (buffer.columns() > StreamedStage::MaxRows)
      most = 1;
    if (buffer.store)
      most = std::min(most, buffer.columns());
    if (buffer.store || buffer.load)
      elements = std::max(elements, buffer.row.elements() * buffer.rows *
                                        static_cast<int64_t>(buffer.rounds));
  }
  most = std::min(most, elements / (outer_ * mostSteps_));
  std::vector<int64_t> counts = {1};
  for (int64_t count = 2; count <= most; count = count + std::max<int64_t>(1, count / 4))
    counts.push_back(count);
  return counts;
}

std::optional<StreamCost>
StreamModel::search(const std::function<uint64_t(const StreamCost&)>& capacity, uint64_t align,
                    int64_t stripes, const std::set<TensorId>& whole, bool lowest, int64_t least,
                    int64_t first) const {
  std::optional<StreamCost> found;
  const auto fits = [&](int64_t steps) {
    std::optional<StreamCost> cost = this->cost(steps, stripes, whole);
    if (!cost)
      return false;
    const uint64_t budget = capacity(*cost);
    if (lowest && steps == mostSteps_ ? lowerBound(*cost) > budget || height(*cost, align) > budget
                                      : !heightWithin(*cost, align, budget))
      return false;
    found = std::move(cost);
    return true;
  };
  int64_t low = std::clamp<int64_t>(least, 1, mostSteps_);
  int64_t high = mostSteps_;
  if (fits(std::clamp(first, low, high)))
    return found;
  if (first >= high || !fits(high))
    return std::nullopt;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (fits(middle))
      high = middle;
    else
      low = middle + 1;
  }
  if (found->steps != high)
    fits(high);
  return found;
}

StreamedStage StreamModel::stage(const StreamCost& cost, const ArenaLayout& layout) const {
  StreamedStage result;
  result.outer = outer_;
  result.steps = cost.steps;
  result.stripes = cost.stripes;
  result.bookkeeping = layout.offsets.back();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    StreamBuffer next = {
        {buffer.tensor, layout.offsets[i], cost.buffers[i].bytes, cost.reloadAxes[i]},
        cost.inPlace[i]};
    if (next.inPlace)
      next.bytes = static_cast<uint64_t>(buffer.rows) * buffer.rounds * buffer.rowBytes();
    next.sink = hasSums(cost.steps) && buffer.sumBytes != 0;
    result.buffers.push_back(next);
  }
  for (const Step& op : ops_)
    result.buffers[op.output].wait = static_cast<uint32_t>(op.wait);
  return result;
}

} // namespace tigris
