// Independent of how the tiling was chosen: uses only the access rules, the buffers and the order
// of the ops.
#include "tigris/Check/TileReplay.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Check/MemoryModel.h"
#include "tigris/Check/TilingRules.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

using TileIndex = std::array<int64_t, Tiling::MaxRank>;

/// Whether the elements of `part` are contiguous in a packed `box`.
bool isContiguous(const Box& part, const Box& box) {
  size_t axis = 0;
  while (axis < Box::MaxRank && part.axes.at(axis).size() == 1)
    ++axis;
  for (++axis; axis < Box::MaxRank; ++axis)
    if (part.axes.at(axis) != box.axes.at(axis))
      return false;
  return true;
}

/// Offset in elements of the first element of `part` in a packed `box`.
int64_t firstElement(const Box& part, const Box& box) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < Box::MaxRank; ++axis)
    offset = offset * box.axes.at(axis).size() + part.axes.at(axis).begin - box.axes.at(axis).begin;
  return offset;
}

class TileRun {
public:
  TileRun(const Graph& graph, const Stage& stage, uint64_t mostCalls)
      : graph_(graph), stage_(stage), tiling_(*stage.tiling), mostCalls_(mostCalls) {}

  Status prepare() {
    if (Status status = checkTilingRules(graph_, stage_); !status)
      return status;
    for (size_t i = 0; i < tiling_.buffers.size(); ++i) {
      const TileBuffer& buffer = tiling_.buffers[i];
      const Tensor& tensor = graph_.tensor(buffer.tensor);
      index_.emplace(buffer.tensor, i);
      states_.push_back({});
      State& state = states_.back();
      state.isLoad = contains(stage_.loads, buffer.tensor);
      state.isStore = contains(stage_.spills, buffer.tensor);
      state.elementSize = dtypeSize(tensor.type);
      state.whole = wholeBox(tensor.shape);
    }
    for (const OpId id : stage_.ops) {
      const Op& op = graph_.op(id);
      std::optional<BoxAccess> access = BoxAccess::make(graph_, op);
      if (!access)
        return fail("op '", op.name, "' (", op.kindName(), ") cannot run in tiles");
      accesses_.push_back(std::move(*access));
    }
    return {};
  }

  Status runTile(const TileIndex& tile, const std::optional<TileIndex>& last) {
    if (Status status = findBoxes(tile); !status)
      return status;
    std::vector<bool> loaded(states_.size(), false);
    for (size_t step = 0; step < stage_.ops.size(); ++step)
      if (Status status = runOp(step, tile, last, loaded); !status)
        return status;
    return {};
  }

  Expected<TileReplay::Counts> finish() {
    for (const TensorId store : stage_.spills)
      if (counts_.stored[store] != graph_.tensor(store).bytes())
        return fail("stores ", counts_.stored[store], " bytes of tensor '",
                    graph_.tensor(store).name, "', which has ", graph_.tensor(store).bytes());
    return std::move(counts_);
  }

private:
  struct State {
    bool isLoad = false;
    bool isStore = false;
    uint64_t elementSize = 1;
    Box whole;
    /// The part to store, and the contents of the buffer in this tile.
    Box part;
    Box box;
    /// The box of the last load, and its number in the memory model.
    Box loadedBox;
    uint64_t content = 0;
  };

  template <typename... Args> static Error fail(const Args&... text) {
    return makeError(DiagId::BadPlan, text...);
  }
  static bool contains(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }
  std::string quoted(size_t buffer) const {
    return strCat("tensor '", graph_.tensor(tiling_.buffers[buffer].tensor).name, "'");
  }
  uint64_t bytes(const State& state, const Box& box) const {
    return static_cast<uint64_t>(box.elements()) * state.elementSize;
  }

  Status findBoxes(const TileIndex& tile) {
    for (State& state : states_) {
      state.part = state.whole;
      for (size_t axis = 0; axis < Box::MaxRank; ++axis)
        state.part.axes.at(axis) =
            partOf(state.whole.axes.at(axis).size(), tiling_.tiles.at(axis), tile.at(axis));
      for (size_t axis = 0; axis < Box::MaxRank; ++axis)
        state.box.axes.at(axis) = {0, 0};
      if (state.isStore && !state.part.empty())
        state.box = state.part;
    }
    for (size_t step = stage_.ops.size(); step-- > 0;) {
      const Op& op = graph_.op(stage_.ops[step]);
      const Box& result = states_[index_.at(op.output())].box;
      if (result.empty())
        continue;
      if (!accesses_[step].allows(result))
        return fail("op '", op.name, "' cannot compute a part of its result that cuts this axis");
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (op.inputs[i] && !graph_.tensor(op.inputs[i]).isConstant()) {
          State& state = states_[index_.at(op.inputs[i])];
          state.box = hull(state.box, accesses_[step].need(i, result));
        }
    }
    for (size_t i = 0; i < states_.size(); ++i)
      if (bytes(states_[i], states_[i].box) > tiling_.buffers[i].bytes)
        return fail(quoted(i), " needs ", bytes(states_[i], states_[i].box),
                    " bytes in a tile, its buffer has ", tiling_.buffers[i].bytes);
    return {};
  }

  void write(size_t buffer) {
    State& state = states_[buffer];
    state.content = ++contents_;
    memory_.write(tiling_.buffers[buffer].offset, bytes(state, state.box),
                  {tiling_.buffers[buffer].tensor, state.content});
  }

  Status load(size_t buffer, const TileIndex& tile, const std::optional<TileIndex>& last) {
    State& state = states_[buffer];
    uint32_t changed = last ? 0 : ~0U;
    for (size_t axis = 0; last && axis < tile.size(); ++axis)
      changed |= tile.at(axis) != last->at(axis) ? 1U << axis : 0;
    const bool isFirst = !last;
    if (!isFirst && (changed & tiling_.buffers[buffer].reloadAxes) == 0) {
      if (state.loadedBox == state.box)
        return {};
      return fail(quoted(buffer), " is not loaded again although it needs another box");
    }
    state.loadedBox = state.box;
    write(buffer);
    counts_.loaded[tiling_.buffers[buffer].tensor] += bytes(state, state.box);
    return {};
  }

  Status runOp(size_t step, const TileIndex& tile, const std::optional<TileIndex>& last,
               std::vector<bool>& loaded) {
    const Op& op = graph_.op(stage_.ops[step]);
    // Loads precede their first reader even if it computes nothing in this tile.
    for (const TensorId tensor : op.inputs) {
      if (!tensor || graph_.tensor(tensor).isConstant())
        continue;
      const size_t buffer = index_.at(tensor);
      if (!states_[buffer].isLoad || loaded[buffer])
        continue;
      loaded[buffer] = true;
      if (Status status = load(buffer, tile, last); !status)
        return status;
    }
    const size_t output = index_.at(op.output());
    const State& result = states_[output];
    if (result.box.empty())
      return {};
    const TileBuffer& to = tiling_.buffers[output];
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.inputs[i] || graph_.tensor(op.inputs[i]).isConstant())
        continue;
      const size_t input = index_.at(op.inputs[i]);
      const State& state = states_[input];
      const TileBuffer& from = tiling_.buffers[input];
      const Box need = accesses_[step].need(i, result.box);
      if (!isContiguous(need, state.box))
        return fail("what op '", op.name, "' needs of ", quoted(input), " is not contiguous");
      const uint64_t begin =
          from.offset + static_cast<uint64_t>(firstElement(need, state.box)) * state.elementSize;
      if (memory_.intruder(begin, bytes(state, need), {from.tensor, state.content}))
        return fail("op '", op.name, "' reads ", quoted(input), " at ", begin,
                    ", which does not hold its box");
    }
    write(output);
    if (++counts_.kernelCalls > mostCalls_)
      return fail("calls more kernels than the plan claims");
    if (result.isStore)
      counts_.stored[to.tensor] += bytes(result, result.part);
    return {};
  }

  const Graph& graph_;
  const Stage& stage_;
  const Tiling& tiling_;
  uint64_t mostCalls_;
  std::map<TensorId, size_t> index_;
  std::vector<State> states_;
  std::vector<BoxAccess> accesses_;
  MemoryModel memory_;
  uint64_t contents_ = 0;
  TileReplay::Counts counts_;
};

} // namespace

Expected<TileReplay::Counts> TileReplay::run() const {
  if (!stage_.tiling)
    return makeError(DiagId::BadPlan, "a tiled stage without tiles");
  TileRun run(graph_, stage_, mostCalls_);
  if (Status status = run.prepare(); !status)
    return status.takeError();
  const TileIndex& tiles = stage_.tiling->tiles;
  std::optional<TileIndex> last;
  TileIndex tile = {};
  for (tile[0] = 0; tile[0] < tiles[0]; ++tile[0])
    for (tile[1] = 0; tile[1] < tiles[1]; ++tile[1])
      for (tile[2] = 0; tile[2] < tiles[2]; ++tile[2])
        for (tile[3] = 0; tile[3] < tiles[3]; ++tile[3]) {
          if (Status status = run.runTile(tile, last); !status)
            return status.takeError();
          last = tile;
        }
  return run.finish();
}

} // namespace tigris
