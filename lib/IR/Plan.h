// The result of planning: order, stages, addresses and costs. A plan is a value that refers to a
// graph's ops and tensors by id. The module prints it by name in the `plan:` section.
#pragma once

#include "tigris/IR/Ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Where model inputs and outputs are: in planned slow memory, in buffers of the caller, or in the
/// fast arena.
enum class IoMode : uint8_t { Slow, Caller, Arena };
std::string_view ioModeName(IoMode mode);
std::optional<IoMode> parseIoMode(std::string_view name);

/// How a stage executes. Whole: every op once, on whole tensors in the fast arena. Direct: every op
/// once, on tensors outside the fast arena; for ops that only move bytes, each of which is read and
/// written once. Tiled: all ops once per tile (Tiling). Streamed: all ops once per step on the new
/// rows, so that nothing is computed twice.
enum class StageMode : uint8_t { Whole, Direct, Tiled, Streamed };
/// Tiled and streamed stages have a Tiling.
inline bool hasTiles(StageMode mode) {
  return mode == StageMode::Tiled || mode == StageMode::Streamed;
}
std::string_view stageModeName(StageMode mode);
std::optional<StageMode> parseStageMode(std::string_view name);

/// The user's budgets in bytes. Without `slow`, spills are not allowed.
struct MemoryBudget {
  uint64_t fast = 0;
  std::optional<uint64_t> slow;
  std::optional<uint64_t> flash;
};

/// A tensor's bytes at a fixed offset of a memory, for the duration of a stage (fast) or of the run
/// (slow).
struct Placement {
  TensorId tensor;
  uint64_t offset = 0;
};

/// The part of a tensor that one tile works on, packed, at a fixed offset of the fast arena.
struct TileBuffer {
  TensorId tensor;
  uint64_t offset = 0;
  /// Bytes of the largest part of any tile.
  uint64_t bytes = 0;
  /// Loads only. Bit k is set if the part depends on the tile's position along axis k, so that it
  /// is loaded again when that changes. A buffer that is not loaded in every tile keeps its bytes
  /// for the whole stage.
  uint32_t reloadAxes = 0;
  /// Streamed in one stripe: resident loads and results, and those of the caller, are not copied.
  /// Ops read and write rows in the whole tensor. In the fast arena `offset` and `bytes` are those
  /// of the tensor; for the caller's both are 0.
  bool inPlace = false;
  /// Streamed stages: an average over all rows that is computed by adding rows to sums in this
  /// buffer as they arrive; int32 or float, one sum per channel.
  bool sink = false;
  /// Streamed stages, results: extra operand rows to buffer before producing a row, beyond those
  /// needed for it (or all rows, if fewer remain). A short branch that joins a longer one then does
  /// not run early.
  uint32_t wait = 0;
};

/// The row axis of maps in every layout that is tiled or streamed: streams advance along rows, in
/// stripes of columns.
inline constexpr size_t RowAxis = 1;
inline constexpr size_t ColumnAxis = 2;

/// How a tiled or streamed stage splits its tensors.
///
/// Tiled: tile (i0, i1, i2, i3), with the last index varying fastest, computes the range [i * d /
/// n, (i + 1) * d / n) of each axis with d elements and n parts. The parts of the other tensors
/// that it needs follow from the ops (Analysis/BoxAccess.h).
///
/// Streamed: step i1 of tiles[1] loads the rows (indices of axis 1) of each load up to (i1 + 1) * d
/// / tiles[1]. Then every op computes the rows for which its operands are present, at most d /
/// tiles[1] of its result's rows, rounded up. Further steps follow until all rows are computed.
/// Buffers hold, packed, the rows that some reader's next row still needs and the new rows.
/// tiles[0] is the extent of the outermost axis, whose indices are processed one by one. tiles[3]
/// is 1. Loads without bit 1 in reloadAxes are present whole from the first step on.
///
/// Stripes: with tiles[2] > 1, all steps are taken once per stripe of columns (indices of axis 2).
/// In stripe i2, stored tensors have the columns [i2 * d / tiles[2], (i2 + 1) * d / tiles[2]).
/// Other tensors have the columns that their readers need; loads without bit 2 in reloadAxes have
/// all columns.
struct Tiling {
  static constexpr size_t MaxRank = 4;
  static constexpr int64_t MaxTiles = int64_t{1} << 30;
  std::array<int64_t, MaxRank> tiles = {1, 1, 1, 1};
  /// Fast offset of the executor's bookkeeping. Per buffer: a box; for streamed stages three row
  /// numbers, with stripes also two column numbers.
  static constexpr uint64_t BoxBookkeepingBytes = 32;
  static constexpr uint64_t StreamBookkeepingBytes = 6;
  static constexpr uint64_t StripeBookkeepingBytes = 10;
  /// Maximum number of rows of a tensor of a streamed stage, and of columns with stripes: their
  /// numbers have 16 bits.
  static constexpr int64_t MaxStreamRows = UINT16_MAX;
  uint64_t bookkeeping = 0;
  /// One per activation that the stage uses, in order of first use.
  std::vector<TileBuffer> buffers;
};

/// The cost of one stage.
struct StageStats {
  uint64_t slowReadBytes = 0;
  uint64_t slowWriteBytes = 0;
  uint64_t kernelCalls = 0;
  uint64_t recomputeMacs = 0;
  /// Tiled: the maximum number of rows (indices of axis 1) of the loaded tensors that two adjacent
  /// tiles both load.
  uint64_t haloRows = 0;

  uint64_t trafficBytes() const { return slowReadBytes + slowWriteBytes; }

  bool operator==(const StageStats&) const = default;
};

struct Stage {
  StageMode mode = StageMode::Whole;
  /// In execution order; stages are consecutive ranges of the graph's order.
  std::vector<OpId> ops;
  /// Whole: copied to fast memory before the first op, and to slow memory after the last one. Tiled
  /// and streamed: copied part by part from and to the whole tensors (in slow memory or the
  /// caller's buffers). Direct: read and written in place.
  std::vector<TensorId> loads;
  std::vector<TensorId> spills;
  /// Tiled and streamed stages only.
  std::optional<Tiling> tiling;
  /// Whole stages: fast offsets of every activation that the stage uses in the arena. A tensor
  /// without bytes of its own (the result of a Reshape) has its source's offset. A tensor that is
  /// not loaded is resident: an earlier stage has left it there. Tiled and streamed stages: loads
  /// and spills whose whole tensor is resident in the fast arena instead of slow memory.
  std::vector<Placement> fast;
  /// The highest fast byte that the stage uses.
  uint64_t peak = 0;
  StageStats stats;
};

/// Bytes of the executor's bookkeeping of a stage with a tiling.
inline uint64_t bookkeepingBytes(const Stage& stage) {
  const uint64_t streamed =
      stage.tiling->tiles[2] > 1 ? Tiling::StripeBookkeepingBytes : Tiling::StreamBookkeepingBytes;
  return stage.tiling->buffers.size() *
         (stage.mode == StageMode::Streamed ? streamed : Tiling::BoxBookkeepingBytes);
}

/// Predicted cost of one inference. The runtime measures the same quantities; they must be equal.
struct PlanStats {
  uint64_t fastPeakBytes = 0;
  uint64_t slowPeakBytes = 0;
  uint64_t slowReadBytes = 0;
  uint64_t slowWriteBytes = 0;
  /// Model inputs plus outputs: the minimum traffic of every plan with its interface in slow
  /// memory.
  uint64_t compulsoryBytes = 0;
  uint64_t ioBytes = 0;
  uint64_t macs = 0;
  uint64_t recomputeMacs = 0;
  uint64_t kernelCalls = 0;
  /// Peak of the live bytes in the given order as a single stage without tiling.
  uint64_t unscheduledPeakBytes = 0;
  /// The op during which that peak occurs.
  OpId peakOp;

  uint64_t trafficBytes() const { return slowReadBytes + slowWriteBytes; }
};

/// Lower bounds for all plans of the named class.
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
  /// Fast memory beyond every stage's peak that is reserved for the scratch of the target's
  /// kernels.
  uint64_t scratch = 0;
  std::vector<Stage> stages;
  std::vector<Placement> slow;
  PlanStats stats;
  PlanBounds bounds;
  bool provenOptimal = false;
};

} // namespace tigris
