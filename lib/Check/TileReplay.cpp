// Independent of how the tiles were chosen: uses only the access rules, the buffers and the order
// of the ops.
#include "tigris/Check/TileReplay.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/HaloRows.h"
#include "tigris/Analysis/MacCount.h"
#include "tigris/Check/MemoryModel.h"
#include "tigris/Check/PartRules.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

using TileIndex = std::array<int64_t, PartStage::MaxRank>;
__extension__ using Wide = __int128;

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
      : graph_(graph), stage_(stage), tiled_(std::get<TiledStage>(stage.execution)),
        mostCalls_(mostCalls) {}

  Status prepare() {
    if (Status status = checkPartRules(graph_, stage_); !status)
      return status;
    for (size_t i = 0; i < tiled_.buffers.size(); ++i) {
      const PartBuffer& buffer = tiled_.buffers[i];
      const Tensor& tensor = graph_.tensor(buffer.tensor);
      index_.emplace(buffer.tensor, i);
      progress_.push_back({});
      Progress& progress = progress_.back();
      progress.isLoad = contains(stage_.loads, buffer.tensor);
      progress.isStore = contains(stage_.spills, buffer.tensor);
      progress.elementSize = dtypeSize(tensor.type);
      progress.whole = wholeBox(tensor.shape);
    }
    for (const OpId id : stage_.ops) {
      const Op& op = graph_.op(id);
      std::optional<BoxAccess> access = BoxAccess::make(graph_, op);
      if (!access)
        return fail("op '", op.name, "' (", op.kindName(), ") cannot run in tiles");
      if (access->runsAlone() && stage_.ops.size() > 1)
        return fail("op '", op.name, "' ",
                    access->carriesState() ? "carries state from tile to tile"
                                           : "has several results",
                    ", expected a stage of its own");
      if (!access->canCutTogether(tiled_.tiles))
        return fail("op '", op.name, "' is cut along its steps, but not into single directions");
      accesses_.push_back(std::move(*access));
    }
    return {};
  }

  /// The axes in the order in which tiles advance, the one that varies fastest last.
  std::array<size_t, PartStage::MaxRank> order() const { return accesses_.front().order(); }

  Status runTile(const TileIndex& tile, const std::optional<TileIndex>& last) {
    if (Status status = findBoxes(tile); !status)
      return status;
    if (Status status = findState(tile); !status)
      return status;
    if (tile[0] == 0 && tile[2] == 0 && tile[3] == 0)
      countRows();
    std::vector<bool> loaded(progress_.size(), false);
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
    for (size_t step = 0; step < stage_.ops.size(); ++step)
      counts_.recomputeMacs += recomputed(graph_.op(stage_.ops[step]));
    counts_.haloRows = haloRows();
    return std::move(counts_);
  }

private:
  struct Progress {
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
    /// Bytes of that content.
    uint64_t bytes = 0;
    /// Elements computed in all tiles.
    int64_t made = 0;
    HaloRows rows;
  };

  template <typename... Args> static Error fail(const Args&... text) {
    return makeError(DiagId::BadPlan, text...);
  }
  static bool contains(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }
  std::string quoted(size_t buffer) const {
    return strCat("tensor '", graph_.tensor(tiled_.buffers[buffer].tensor).name, "'");
  }
  uint64_t bytes(const Progress& progress, const Box& box) const {
    return static_cast<uint64_t>(box.elements()) * progress.elementSize;
  }

  bool isAlone() const { return stage_.ops.size() == 1; }

  /// Boxes of a single op, which has one part per tile.
  Status findPart(const TileIndex& tile) {
    const Op& op = graph_.op(stage_.ops[0]);
    const BoxAccess& access = accesses_[0];
    Box none;
    none.axes.fill({0, 0});
    for (Progress& progress : progress_)
      progress.box = none;
    part_ = access.part(tiled_.tiles, tile);
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      Progress& result = progress_[index_.at(op.outputs[k])];
      result.part = result.box = access.made(k, part_);
    }
    return addNeeds(0, part_);
  }

  Status addNeeds(size_t step, const Box& part) {
    const Op& op = graph_.op(stage_.ops[step]);
    if (!accesses_[step].allows(part))
      return fail("op '", op.name, "' cannot compute a part of its result that cuts this axis");
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.inputs[i] && !graph_.tensor(op.inputs[i]).isConstant()) {
        Progress& progress = progress_[index_.at(op.inputs[i])];
        progress.box = hull(progress.box, accesses_[step].need(i, part));
      }
    return {};
  }

  /// Whether the buffers of the results still hold the state that the previous tile has left.
  Status findState(const TileIndex& tile) const {
    if (!accesses_[0].carriesState() || tile[0] == 0)
      return {};
    for (const TensorId output : graph_.op(stage_.ops[0]).outputs) {
      const size_t buffer = index_.at(output);
      const Progress& result = progress_[buffer];
      if (memory_.intruder(tiled_.buffers[buffer].offset, result.bytes, {output, result.content}))
        return fail(quoted(buffer), " does not hold the state of the previous tile");
    }
    return {};
  }

  Status findBoxes(const TileIndex& tile) {
    if (Status status = isAlone() ? findPart(tile) : findChain(tile); !status)
      return status;
    for (size_t i = 0; i < progress_.size(); ++i)
      if (bytes(progress_[i], progress_[i].box) > tiled_.buffers[i].bytes)
        return fail(quoted(i), " needs ", bytes(progress_[i], progress_[i].box),
                    " bytes in a tile, its buffer has ", tiled_.buffers[i].bytes);
    return {};
  }

  Status findChain(const TileIndex& tile) {
    for (Progress& progress : progress_) {
      progress.part = progress.whole;
      for (size_t axis = 0; axis < Box::MaxRank; ++axis)
        progress.part.axes.at(axis) =
            partOf(progress.whole.axes.at(axis).size(), tiled_.tiles.at(axis), tile.at(axis));
      for (size_t axis = 0; axis < Box::MaxRank; ++axis)
        progress.box.axes.at(axis) = {0, 0};
      if (progress.isStore && !progress.part.empty())
        progress.box = progress.part;
    }
    for (size_t step = stage_.ops.size(); step-- > 0;) {
      const Box result = progress_[index_.at(graph_.op(stage_.ops[step]).output())].box;
      if (result.empty())
        continue;
      if (Status status = addNeeds(step, result); !status)
        return status;
    }
    return {};
  }

  void countRows() {
    for (Progress& progress : progress_)
      progress.rows.add(progress.box.axes[RowAxis]);
  }

  uint64_t haloRows() const {
    const int64_t cuts = tiled_.tiles[RowAxis] - 1;
    int64_t most = 0;
    for (const Progress& progress : progress_)
      if (progress.isLoad)
        most = std::max(most, progress.rows.perCut(cuts));
    return static_cast<uint64_t>(most);
  }

  uint64_t recomputed(const Op& op) const {
    const Progress& result = progress_[index_.at(op.output())];
    const uint64_t macs = macCount(graph_, op);
    if (macs == 0 || isAlone())
      return 0;
    const auto all = static_cast<Wide>(result.whole.elements());
    const auto made =
        static_cast<uint64_t>(static_cast<Wide>(result.made) * static_cast<Wide>(macs) / all);
    return made > macs ? made - macs : 0;
  }

  void write(size_t buffer) {
    Progress& progress = progress_[buffer];
    progress.content = ++contents_;
    progress.bytes = bytes(progress, progress.box);
    memory_.write(tiled_.buffers[buffer].offset, progress.bytes,
                  {tiled_.buffers[buffer].tensor, progress.content});
  }

  Status load(size_t buffer, const TileIndex& tile, const std::optional<TileIndex>& last) {
    Progress& progress = progress_[buffer];
    uint32_t changed = last ? 0 : ~0U;
    for (size_t axis = 0; last && axis < tile.size(); ++axis)
      changed |= tile.at(axis) != last->at(axis) ? 1U << axis : 0;
    const bool isFirst = !last;
    if (!isFirst && (changed & tiled_.buffers[buffer].reloadAxes) == 0) {
      if (progress.loadedBox == progress.box)
        return {};
      return fail(quoted(buffer), " is not loaded again although it needs another box");
    }
    progress.loadedBox = progress.box;
    write(buffer);
    counts_.loaded[tiled_.buffers[buffer].tensor] += bytes(progress, progress.box);
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
      if (!progress_[buffer].isLoad || loaded[buffer])
        continue;
      loaded[buffer] = true;
      if (Status status = load(buffer, tile, last); !status)
        return status;
    }
    const Box part = isAlone() ? part_ : progress_[index_.at(op.output())].box;
    if (part.empty())
      return {};
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.inputs[i] || graph_.tensor(op.inputs[i]).isConstant())
        continue;
      const size_t input = index_.at(op.inputs[i]);
      const Progress& progress = progress_[input];
      const PartBuffer& from = tiled_.buffers[input];
      const Box need = accesses_[step].need(i, part);
      if (!isContiguous(need, progress.box))
        return fail("what op '", op.name, "' needs of ", quoted(input), " is not contiguous");
      const uint64_t begin = from.offset + static_cast<uint64_t>(firstElement(need, progress.box)) *
                                               progress.elementSize;
      if (memory_.intruder(begin, bytes(progress, need), {from.tensor, progress.content}))
        return fail("op '", op.name, "' reads ", quoted(input), " at ", begin,
                    ", which does not hold its box");
    }
    if (++counts_.kernelCalls > mostCalls_)
      return tooManyCalls(mostCalls_);
    for (size_t k = 0; k < op.outputs.size(); ++k)
      writeResult(step, k, tile);
    return findOverlap(op);
  }

  void writeResult(size_t step, size_t k, const TileIndex& tile) {
    const TensorId id = graph_.op(stage_.ops[step]).outputs[k];
    const size_t buffer = index_.at(id);
    Progress& result = progress_[buffer];
    write(buffer);
    result.made += result.box.elements();
    if (result.isStore && isComplete(step, k, tile))
      counts_.stored[id] += bytes(result, result.part);
  }

  /// Whether no later tile of a single op changes its result `k`, as far as it is in the buffer.
  bool isComplete(size_t step, size_t k, const TileIndex& tile) const {
    for (size_t axis = 0; isAlone() && axis < tile.size(); ++axis)
      if (!accesses_[step].isCutAlong(k, axis) && tile.at(axis) + 1 != tiled_.tiles.at(axis))
        return false;
    return true;
  }

  /// Whether the results of an op have overwritten each other.
  Status findOverlap(const Op& op) const {
    for (const TensorId output : op.outputs) {
      const size_t buffer = index_.at(output);
      const Progress& result = progress_[buffer];
      if (memory_.intruder(tiled_.buffers[buffer].offset, result.bytes, {output, result.content}))
        return fail(quoted(buffer), " overlaps another result of op '", op.name, "'");
    }
    return {};
  }

  const Graph& graph_;
  const Stage& stage_;
  const TiledStage& tiled_;
  uint64_t mostCalls_;
  std::map<TensorId, size_t> index_;
  std::vector<Progress> progress_;
  std::vector<BoxAccess> accesses_;
  MemoryModel memory_;
  /// Of a single op, in this tile.
  Box part_;
  uint64_t contents_ = 0;
  TileReplay::Counts counts_;
};

} // namespace

Error tooManyCalls(uint64_t most) {
  return makeError(DiagId::BadPlan, "makes more than ", most, " kernel calls");
}

Expected<TileReplay::Counts> TileReplay::run() const {
  TileRun run(graph_, stage_, mostCalls_);
  if (Status status = run.prepare(); !status)
    return status.takeError();
  const TileCounts& tiles = stage_.tiled()->tiles;
  const auto [a, b, c, d] = run.order();
  std::optional<TileIndex> last;
  TileIndex tile = {};
  for (tile.at(a) = 0; tile.at(a) < tiles.at(a); ++tile.at(a))
    for (tile.at(b) = 0; tile.at(b) < tiles.at(b); ++tile.at(b))
      for (tile.at(c) = 0; tile.at(c) < tiles.at(c); ++tile.at(c))
        for (tile.at(d) = 0; tile.at(d) < tiles.at(d); ++tile.at(d)) {
          if (Status status = run.runTile(tile, last); !status)
            return status.takeError();
          last = tile;
        }
  return run.finish();
}

} // namespace tigris
