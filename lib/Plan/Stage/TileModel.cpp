// Propagates boxes from the stored results back through the ops, as the runtime does for every
// tile.
#include "tigris/Plan/Stage/TileModel.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Analysis/MemoryTimeline.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr size_t NoBuffer = SIZE_MAX;

/// Maximum number of parts of one axis; each part is propagated separately.
constexpr int64_t MaxParts = int64_t{1} << 16;

/// Products of element counts of all four axes.
__extension__ using Wide = __int128;

} // namespace

const BoxAccess* AccessTable::find(OpId op) {
  const auto [entry, isNew] = entries_.try_emplace(op);
  if (isNew)
    entry->second = BoxAccess::make(*graph_, graph_->op(op));
  return entry->second ? &*entry->second : nullptr;
}

std::optional<TileModel> TileModel::make(AccessTable& access, std::span<const OpId> ops,
                                         std::span<const TensorId> loads,
                                         std::span<const TensorId> stores) {
  const Graph& graph = access.graph();
  TileModel model;
  std::map<TensorId, size_t> index;
  const auto isIn = [](std::span<const TensorId> list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  const auto touch = [&](TensorId id, size_t step) {
    const auto [entry, isNew] = index.emplace(id, model.buffers_.size());
    if (isNew) {
      const Tensor& tensor = graph.tensor(id);
      model.buffers_.push_back({id, isIn(loads, id), isIn(stores, id), step, step,
                                dtypeSize(tensor.type), wholeBox(tensor.shape)});
    }
    model.buffers_[entry->second].lastOp = step;
    return entry->second;
  };
  for (size_t step = 0; step < ops.size(); ++step) {
    const Op& op = graph.op(ops[step]);
    Step next;
    next.access = access.find(ops[step]);
    if (next.access == nullptr || (next.access->runsAlone() && ops.size() > 1))
      return std::nullopt;
    next.macs = macCount(graph, op);
    for (const TensorId input : op.inputs) {
      const bool isBuffer = input && !graph.tensor(input).isConstant();
      next.inputs.push_back(isBuffer ? touch(input, step) : NoBuffer);
    }
    // If one tensor is both operands of a product, they need different parts of it.
    const bool product = op.kind == OpKind::Gemm || op.kind == OpKind::MatMul;
    if (product && next.inputs[0] == next.inputs[1])
      return std::nullopt;
    for (const TensorId output : op.outputs)
      next.outputs.push_back(touch(output, step));
    model.ops_.push_back(std::move(next));
  }
  bool isFirst = true;
  for (const Buffer& buffer : model.buffers_) {
    for (size_t axis = 0; buffer.store && axis < Box::MaxRank; ++axis) {
      const int64_t size = std::min(buffer.whole.axes.at(axis).size(), MaxParts);
      model.extents_.at(axis) = isFirst ? size : std::min(size, model.extents_.at(axis));
    }
    isFirst = isFirst && !buffer.store;
  }
  for (size_t axis = 0; !model.isChain() && axis < Box::MaxRank; ++axis)
    model.extents_.at(axis) =
        std::min(model.ops_[0].access->space().axes.at(axis).size(), MaxParts);
  const auto runs = [&](int64_t outer) {
    const AxisSummary& axis = model.summary(0, outer);
    return axis.valid && axis.contiguous;
  };
  if (model.isChain() && !runs(1) && !runs(model.extents_[0]))
    return std::nullopt;
  return model;
}

template <typename Predicate>
bool TileModel::everyRead(const std::vector<Box>& boxes, Predicate holds) const {
  for (const Step& op : ops_) {
    const Box& result = boxes[op.outputs[0]];
    for (size_t input = 0; input < op.inputs.size(); ++input)
      if (op.inputs[input] != NoBuffer && !result.empty() &&
          !holds(op.access->need(input, result), boxes[op.inputs[input]]))
        return false;
  }
  return true;
}

bool TileModel::readsContiguously(const std::vector<Box>& boxes, bool cutsRows) const {
  return everyRead(boxes, [&](const Box& need, const Box& box) {
    return need.axes[2] == box.axes[2] && need.axes[3] == box.axes[3] &&
           (need.axes[0].size() == 1 || (!cutsRows && need.axes[1] == box.axes[1]));
  });
}

bool TileModel::readsRows(const std::vector<Box>& boxes) const {
  return everyRead(boxes, [](const Box& need, const Box& box) {
    return need.axes[2] == box.axes[2] && need.axes[3] == box.axes[3];
  });
}

void TileModel::widen(const Step& op, const Box& part, std::vector<Box>& boxes) {
  for (size_t input = 0; input < op.inputs.size() && !part.empty(); ++input)
    if (op.inputs[input] != NoBuffer)
      boxes[op.inputs[input]] = hull(boxes[op.inputs[input]], op.access->need(input, part));
}

bool TileModel::addNeeds(const Step& op, const Box& part, std::vector<Box>& boxes) {
  if (!op.access->allows(part))
    return false;
  for (size_t input = 0; input < op.inputs.size(); ++input) {
    if (op.inputs[input] == NoBuffer)
      continue;
    const Box need = op.access->need(input, part);
    if (need.empty())
      return false;
    boxes[op.inputs[input]] = hull(boxes[op.inputs[input]], need);
  }
  return true;
}

bool TileModel::propagate(size_t axis, int64_t parts, int64_t index,
                          std::vector<Box>& boxes) const {
  Box nothing;
  nothing.axes.fill({0, 0});
  boxes.assign(buffers_.size(), nothing);
  if (!isChain()) {
    const Step& op = ops_[0];
    Box part = op.access->space();
    part.axes[axis] = partOf(part.axes[axis].size(), parts, index);
    for (size_t result = 0; result < op.outputs.size(); ++result)
      boxes[op.outputs[result]] = op.access->made(result, part);
    return addNeeds(op, part, boxes);
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].store)
      continue;
    boxes[i] = buffers_[i].whole;
    boxes[i].axes[axis] = partOf(buffers_[i].whole.axes[axis].size(), parts, index);
  }
  for (size_t step = ops_.size(); step-- > 0;) {
    const Box result = boxes[ops_[step].outputs[0]];
    if (!result.empty() && !addNeeds(ops_[step], result, boxes))
      return false;
  }
  return true;
}

bool TileModel::seeReads(size_t axis, const std::vector<Box>& boxes, AxisSummary& summary) const {
  // If operands have fewer or more axes than their results, each of their axes can depend on either
  // cut.
  if (axis == 1 && summary.parts > 1)
    return readsRows(boxes);
  if (axis == 0 && summary.contiguousRows && !readsContiguously(boxes, true))
    summary.contiguousRows = false;
  if (axis == 0 && !summary.contiguousRows && summary.contiguous)
    summary.contiguous = readsContiguously(boxes, false);
  return true;
}

const TileModel::AxisSummary& TileModel::summary(size_t axis, int64_t parts) {
  const auto [entry, isNew] = summaries_.try_emplace({axis, parts});
  AxisSummary& result = entry->second;
  if (!isNew)
    return result;
  result.parts = parts;
  if (!isChain() && !ops_[0].access->canCut(axis, parts)) {
    result.valid = false;
    return result;
  }
  result.buffers.resize(buffers_.size());
  for (auto& buffer : result.buffers)
    buffer.largest = {0, 0, 0, 0};
  std::vector<Box> first;
  std::vector<Box> boxes;
  for (int64_t part = 0; part < parts; ++part) {
    if (!propagate(axis, parts, part, boxes)) {
      result.valid = false;
      return result;
    }
    if (isChain() && !seeReads(axis, boxes, result)) {
      result.valid = false;
      return result;
    }
    if (part == 0)
      first = boxes;
    for (size_t i = 0; i < boxes.size(); ++i) {
      AxisSummary::PerBuffer& buffer = result.buffers[i];
      for (size_t k = 0; k < Box::MaxRank; ++k)
        buffer.largest[k] = std::max(buffer.largest[k], boxes[i].axes[k].size());
      buffer.elements += boxes[i].elements();
      buffer.parts += boxes[i].empty() ? 0 : 1;
      buffer.depends |= boxes[i] != first[i];
      if (axis == RowAxis)
        buffer.rows.add(boxes[i].axes[RowAxis]);
    }
  }
  return result;
}

uint64_t TileModel::bytesOf(const TileCost& cost, TensorId tensor) const {
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].tensor == tensor)
      return cost.buffers[i].bytes;
  return 0;
}

std::optional<TileCost> TileModel::cost(const TileCounts& tiles) {
  if (!isChain() && !ops_[0].access->canCutTogether(tiles))
    return std::nullopt;
  const std::array<size_t, Box::MaxRank> order = ops_[0].access->order();
  std::array<const AxisSummary*, Box::MaxRank> axes = {};
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis] = &summary(axis, tiles[axis]);
    if (!axes[axis]->valid)
      return std::nullopt;
    if (axis == 0 && isChain() && !(tiles[1] > 1 ? axes[0]->contiguousRows : axes[0]->contiguous))
      return std::nullopt;
  }
  size_t innermost = 0; // position in `order`
  for (size_t at = 0; at < order.size(); ++at)
    if (tiles[order[at]] > 1)
      innermost = at;
  const AxisSummary& uncut = summary(0, 1);
  TileCost cost;
  cost.tiles = tiles;
  const auto last = static_cast<uint32_t>(ops_.size() - 1);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    LiveBuffer live;
    live.birth = static_cast<uint32_t>(buffer.firstOp);
    live.death = static_cast<uint32_t>(buffer.lastOp);
    live.bytes = buffer.elementSize;
    uint32_t mask = 0;
    size_t deepest = 0; // position of the innermost axis that the part depends on
    for (size_t at = 0; at < Box::MaxRank; ++at) {
      const size_t k = order[at];
      int64_t size = axes[0]->buffers[i].largest[k];
      for (const AxisSummary* axis : axes)
        size = std::min(size, axis->buffers[i].largest[k]);
      live.bytes *= static_cast<uint64_t>(size);
      if (axes[k]->buffers[i].depends) {
        mask |= 1U << k;
        deepest = at;
      }
    }
    // Elements of this buffer over all tiles. A load is skipped if only inner indices have changed
    // on which its part does not depend.
    const auto whole = static_cast<Wide>(uncut.buffers[i].elements);
    const bool stays = buffer.load && (mask == 0 || deepest < innermost);
    Wide made = whole;
    Wide loaded = whole;
    for (size_t at = 0; at < Box::MaxRank && whole != 0; ++at) {
      const auto elements = axes[order[at]]->buffers[i].elements;
      made = made * elements / whole;
      if (!stays || (mask != 0 && at <= deepest))
        loaded = loaded * elements / whole;
    }
    cost.loads.push_back(buffer.load ? static_cast<uint64_t>(loaded) * buffer.elementSize : 0);
    cost.loadBytes += cost.loads.back();
    if (buffer.load) {
      if (stays) {
        live.birth = 0;
        live.death = last;
      } else {
        mask = PartStage::EveryAxis;
      }
    } else {
      mask = 0;
    }
    if (buffer.store)
      cost.storeBytes += static_cast<uint64_t>(buffer.whole.elements()) * buffer.elementSize;
    for (const Step& op : ops_) {
      if (op.outputs[0] != i)
        continue;
      uint64_t calls = 1;
      for (const AxisSummary* axis : axes)
        calls *= static_cast<uint64_t>(axis->buffers[i].parts);
      cost.kernelCalls += calls;
      if (!isChain())
        continue; // parts of a single op have nothing in common
      const auto elements = static_cast<Wide>(buffer.whole.elements());
      const auto macs = static_cast<uint64_t>(made * static_cast<Wide>(op.macs) / elements);
      cost.recomputeMacs += macs > op.macs ? macs - op.macs : 0;
    }
    cost.reloadAxes.push_back(mask);
    cost.buffers.push_back(std::move(live));
  }
  cost.buffers.push_back(bookkeeping());
  return cost;
}

std::vector<Box> TileModel::leastBoxes(size_t axis, std::optional<int64_t> parts) const {
  Box nothing;
  nothing.axes.fill({0, 0});
  std::vector<Box> boxes(buffers_.size(), nothing);
  // The part in the middle, or every part that has the element in the middle.
  const auto some = [&](int64_t size) {
    return parts ? partOf(size, *parts, *parts / 2) : Range{size / 2, size / 2 + 1};
  };
  if (!isChain()) {
    Box part = ops_[0].access->space();
    part.axes[axis] = some(part.axes[axis].size());
    for (size_t result = 0; result < ops_[0].outputs.size(); ++result)
      boxes[ops_[0].outputs[result]] = ops_[0].access->made(result, part);
    widen(ops_[0], part, boxes);
    return boxes;
  }
  std::optional<int64_t> size; // elements of stores of another size are in other parts
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const int64_t own = buffers_[i].whole.axes[axis].size();
    if (!buffers_[i].store || (!parts && own != size.value_or(own)))
      continue;
    size = own;
    boxes[i] = buffers_[i].whole;
    boxes[i].axes[axis] = some(own);
  }
  for (size_t step = ops_.size(); step-- > 0;)
    widen(ops_[step], boxes[ops_[step].outputs[0]], boxes);
  return boxes;
}

std::optional<uint64_t> TileModel::leastBytes(const TileCounts& tiles, size_t axis,
                                              std::optional<int64_t> parts, uint64_t align) {
  std::vector<Box> boxes = leastBoxes(axis, parts);
  for (size_t other = 0; other < tiles.size(); ++other) {
    if (other == axis)
      continue;
    const AxisSummary& cut = summary(other, tiles[other]);
    if (!cut.valid)
      return std::nullopt;
    for (size_t i = 0; i < boxes.size(); ++i)
      for (size_t k = 0; k < Box::MaxRank; ++k)
        boxes[i].axes[k] = {0, std::min(boxes[i].axes[k].size(), cut.buffers[i].largest[k])};
  }
  std::vector<LiveBuffer> live;
  for (size_t i = 0; i < boxes.size(); ++i) {
    LiveBuffer buffer;
    buffer.birth = static_cast<uint32_t>(buffers_[i].firstOp);
    buffer.death = static_cast<uint32_t>(buffers_[i].lastOp);
    buffer.bytes = static_cast<uint64_t>(boxes[i].elements()) * buffers_[i].elementSize;
    live.push_back(std::move(buffer));
  }
  live.push_back(bookkeeping());
  return computeTimeline(live, ops_.size(), align).bound;
}

LiveBuffer TileModel::bookkeeping() const {
  LiveBuffer records;
  records.bytes = TiledStage::BookkeepingBytes * buffers_.size();
  records.death = static_cast<uint32_t>(ops_.size() - 1);
  return records;
}

uint64_t TileModel::haloRows(const TileCost& cost) {
  const int64_t cuts = cost.tiles[RowAxis] - 1;
  const AxisSummary& parts = summary(RowAxis, cost.tiles[RowAxis]);
  int64_t most = 0;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].load)
      most = std::max(most, parts.buffers[i].rows.perCut(cuts));
  return static_cast<uint64_t>(most);
}

int64_t TileModel::legalParts(size_t axis, int64_t most) const {
  int64_t parts = std::min(most, extents_.at(axis));
  while (parts > 1 && !isChain() && !ops_[0].access->canCut(axis, parts))
    --parts;
  return parts;
}

TileCounts TileModel::finest() {
  TileCounts tiles = {1, 1, 1, 1};
  for (size_t axis = 0; axis < tiles.size(); ++axis)
    if (!isChain() || axis < 2)
      tiles.at(axis) = legalParts(axis, extents_.at(axis));
  return tiles;
}

uint64_t TileModel::lowerBound(const TileCost& cost, uint64_t align) const {
  return computeTimeline(cost.buffers, ops_.size(), align).bound;
}

ArenaLayout TileModel::layOut(const TileCost& cost, uint64_t align) const {
  return layoutArena(cost.buffers, align, lowerBound(cost, align));
}

TiledStage TileModel::stage(const TileCost& cost, const ArenaLayout& layout) const {
  TiledStage result;
  result.tiles = cost.tiles;
  result.bookkeeping = layout.offsets.back();
  for (size_t i = 0; i < buffers_.size(); ++i)
    result.buffers.push_back(
        {buffers_[i].tensor, layout.offsets[i], cost.buffers[i].bytes, cost.reloadAxes[i]});
  return result;
}

} // namespace tigris
