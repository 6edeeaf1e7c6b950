// What a planner decided: order, stages, addresses, and what it all costs. A value that refers to a
// graph's ops and tensors by id; the stream prints it by name in one `plan:` section.
#pragma once

#include "tigris/IR/Ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Where model inputs and outputs live: in planned slow memory, in buffers the caller owns, or inside
/// the fast arena.
enum class IoMode : uint8_t { Slow, Caller, Arena };
std::string_view ioModeName(IoMode mode);
std::optional<IoMode> parseIoMode(std::string_view name);

/// How a stage executes. Whole: every op once, on whole tensors in the fast arena. Direct: likewise, on
/// tensors where they lie outside the fast arena; for ops that only move bytes, each read and written
/// once. Tiled: all ops once per tile (Tiling). Streamed: all ops once per step, on the rows that are new, so
/// that nothing is computed twice.
enum class StageMode : uint8_t { Whole, Direct, Tiled, Streamed };
/// Tiled and streamed stages have a Tiling.
inline bool hasTiles(StageMode mode) {
  return mode == StageMode::Tiled || mode == StageMode::Streamed;
}
std::string_view stageModeName(StageMode mode);
std::optional<StageMode> parseStageMode(std::string_view name);

/// What the user gave, in bytes. Without `slow` nothing may spill.
struct MemoryBudget {
  uint64_t fast = 0;
  std::optional<uint64_t> slow;
  std::optional<uint64_t> flash;
};

/// A tensor's bytes at a fixed offset of a memory for the duration of a stage (fast) or the run (slow).
struct Placement {
  TensorId tensor;
  uint64_t offset = 0;
};

/// The part of a tensor that one tile works on, packed, at a fixed place in the fast arena.
struct TileBuffer {
  TensorId tensor;
  uint64_t offset = 0;
  /// Of the largest part any tile has.
  uint64_t bytes = 0;
  /// Loads only: bit k set: the part depends on the tile's position along axis k, so it is loaded again
  /// when that changes. A buffer that is not loaded in every tile has its bytes for the whole stage.
  uint32_t reloadAxes = 0;
  /// Streamed in one stripe, resident loads and results, and those of the caller: there is no copy. Ops read and make rows
  /// where the whole tensor lies. In the fast arena these are its offset and bytes; both are 0 if it is the caller's.
  bool inPlace = false;
  /// Streamed stages: the result of an average over all rows that is made by adding rows, as they come, to sums in this
  /// buffer; int32 or float, one per channel.
  bool sink = false;
  /// Streamed stages, results: rows that must have come of each operand by rows, beyond those that are needed for a row, or
  /// all there are, before that row is made. A short branch that joins a longer one need not be early.
  uint32_t wait = 0;
};

/// Of maps, in every layout that is tiled or streamed: streams run along rows, in stripes of columns.
inline constexpr size_t RowAxis = 1;
inline constexpr size_t ColumnAxis = 2;

/// How a tiled stage cuts its results into boxes. Tile (i0, i1, i2, i3), the last index running fastest,
/// makes the range [i * d / n, (i + 1) * d / n) of each axis with d elements cut into n parts; what it needs
/// for that of every other tensor follows from the ops (Analysis/BoxAccess.h).
///
/// A streamed stage works forward instead: step i1 of tiles[1] loads the rows (indices of axis 1) of each load
/// up to (i1 + 1) * d / tiles[1], and every op makes the rows it can, at most d / tiles[1] of its result's, rounded up;
/// further steps follow until all rows are made. Buffers hold, packed, the rows that some reader's next row still needs
/// and the new ones. tiles[0] is the extent of the outermost axis; it is
/// run through index by index. tiles[3] is 1. Loads without bit 1 in reloadAxes are there whole from the first
/// step on. With tiles[2] > 1 all steps are taken once per stripe of columns (indices of axis 2): in stripe i2
/// stored tensors have the columns [i2 * d / tiles[2], (i2 + 1) * d / tiles[2]), all others those that readers need, but
/// loads without bit 2 in reloadAxes have all.
struct Tiling {
  static constexpr size_t MaxRank = 4;
  static constexpr int64_t MaxTiles = int64_t{1} << 30;
  std::array<int64_t, MaxRank> tiles = {1, 1, 1, 1};
  /// Fast offset of the executor's state: per buffer a box, or three row numbers if streamed, and then two column
  /// numbers if in stripes.
  static constexpr uint64_t StateBytes = 32;
  static constexpr uint64_t StreamStateBytes = 6;
  static constexpr uint64_t StripeStateBytes = 10;
  /// Rows of a tensor of a streamed stage; in stripes columns likewise: their numbers have 16 bits.
  static constexpr int64_t MaxStreamRows = UINT16_MAX;
  uint64_t state = 0;
  /// One per activation the stage touches, in order of first use.
  std::vector<TileBuffer> buffers;
};

/// What one stage adds to the plan's cost.
struct StageStats {
  uint64_t slowReadBytes = 0;
  uint64_t slowWriteBytes = 0;
  uint64_t kernelCalls = 0;
  uint64_t recomputeMacs = 0;
  /// Tiled: rows (indices of axis 1) of the loaded tensors that two neighboring tiles both load, at most.
  uint64_t haloRows = 0;

  uint64_t trafficBytes() const { return slowReadBytes + slowWriteBytes; }

  bool operator==(const StageStats&) const = default;
};

struct Stage {
  StageMode mode = StageMode::Whole;
  /// In execution order; stages are consecutive runs of the graph's order.
  std::vector<OpId> ops;
  /// Whole: copied slow -> fast before the first op, fast -> slow after the last one. Tiled: copied part by
  /// part from and to where the tensors lie (slow memory or the caller's buffers). Direct: read and written there.
  std::vector<TensorId> loads;
  std::vector<TensorId> spills;
  /// Tiled and streamed stages only.
  std::optional<Tiling> tiling;
  /// Whole stages: fast arena offsets of every activation the stage touches there. A tensor without its own bytes
  /// (a reshape's result) repeats its source's offset. One that is not loaded is resident: an earlier stage
  /// has left it there. Tiled and streamed stages: loads and spills whose home is not slow memory but the
  /// fast arena, where they are resident.
  std::vector<Placement> fast;
  /// Highest fast byte the stage uses.
  uint64_t peak = 0;
  StageStats stats;
};

/// Bytes of the executor's state of a stage with a tiling.
inline uint64_t tileStateBytes(const Stage& stage) {
  const uint64_t streamed =
      stage.tiling->tiles[2] > 1 ? Tiling::StripeStateBytes : Tiling::StreamStateBytes;
  return stage.tiling->buffers.size() *
         (stage.mode == StageMode::Streamed ? streamed : Tiling::StateBytes);
}

/// Predicted cost of one inference. The runtime counts the same quantities; they must be equal.
struct PlanStats {
  uint64_t fastPeakBytes = 0;
  uint64_t slowPeakBytes = 0;
  uint64_t slowReadBytes = 0;
  uint64_t slowWriteBytes = 0;
  /// Model inputs plus outputs: what any plan with its interface in slow memory must move.
  uint64_t compulsoryBytes = 0;
  uint64_t ioBytes = 0;
  uint64_t macs = 0;
  uint64_t recomputeMacs = 0;
  uint64_t kernelCalls = 0;
  /// Event-sweep peak of the live bytes in the given order, nothing tiled: the single-stage bound.
  uint64_t unscheduledPeakBytes = 0;
  /// The op during which that peak occurs.
  OpId peakOp;

  uint64_t trafficBytes() const { return slowReadBytes + slowWriteBytes; }
};

/// Lower bounds that hold for every plan of the named class.
struct PlanBounds {
  uint64_t fastPeakBytes = 0;
  uint64_t slowTrafficBytes = 0;
  std::string planClass;
};

struct Plan {
  MemoryBudget budget;
  std::string target;
  std::string planner;
  std::string optimize;
  IoMode io = IoMode::Caller;
  /// Every offset is a multiple of this power of two.
  uint64_t align = 1;
  /// Fast memory beyond every stage's peak that the plan leaves to the kernels of its target.
  uint64_t scratch = 0;
  std::vector<Stage> stages;
  std::vector<Placement> slow;
  PlanStats stats;
  PlanBounds bounds;
  bool provenOptimal = false;
};

} // namespace tigris
