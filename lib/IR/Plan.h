// The result of planning: order, stages, addresses and costs. A plan is a value that refers to a
// graph's ops and tensors by id. The module prints it by name in the `plan:` section.
#pragma once

#include "tigris/IR/Ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tigris {

/// Where model inputs and outputs are: in planned slow memory, in buffers of the caller, or in the
/// fast arena.
enum class IoMode : uint8_t { Slow, Caller, Arena };
std::string_view ioModeName(IoMode mode);
std::optional<IoMode> parseIoMode(std::string_view name);

/// Where kernels read constants: where the file is, or in copies that the runtime makes in the fast
/// memory that the plan leaves free.
enum class WeightMemory : uint8_t { Map, Copy };
std::string_view weightMemoryName(WeightMemory memory);
std::optional<WeightMemory> parseWeightMemory(std::string_view name);

/// Lz4: constants that LZ4 shrinks are unpacked into that memory.
enum class Compression : uint8_t { None, Lz4 };
std::string_view compressionName(Compression compression);
std::optional<Compression> parseCompression(std::string_view name);

/// How a stage executes; the records below say what each mode stores.
enum class StageMode : uint8_t { Whole, Direct, Tiled, Streamed };
/// Tiled and streamed stages work on parts of tensors.
inline bool worksOnParts(StageMode mode) {
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

/// The row axis of maps in every layout that is tiled or streamed: streams advance along rows, in
/// stripes of columns.
inline constexpr size_t RowAxis = 1;
inline constexpr size_t ColumnAxis = 2;

/// Every op once, on whole tensors in the fast arena. Loads are copied to fast memory before the
/// first op, spills to slow memory after the last one.
struct WholeStage {
  /// Every activation that the stage uses in the arena. The result of a Reshape may have its
  /// source's offset. A tensor that is not loaded is resident: an earlier stage has left it there.
  /// A load or spill without a placement overflows: it is not copied, ops use it in slow memory.
  std::vector<Placement> placements;
};

/// Every op once, on tensors outside the fast arena: ops that only move bytes, each of which is
/// read and written once, or for whose tensors the arena has no room.
struct DirectStage {};

/// The part of a tensor that one tile or step works on, packed, at a fixed offset of the fast
/// arena.
struct PartBuffer {
  TensorId tensor;
  uint64_t offset = 0;
  /// Bytes of the largest part.
  uint64_t bytes = 0;
  /// Loads only. Bit k is set if the part depends on the position along axis k, so that it is
  /// loaded again when that changes. A buffer that is not loaded in every tile or step keeps its
  /// bytes for the whole stage.
  uint32_t reloadAxes = 0;
};

/// A buffer of a streamed stage: the rows that some reader's next row still needs and the new rows.
struct StreamBuffer : PartBuffer {
  /// In one stripe: resident loads and results, and those of the caller, are not copied. Ops read
  /// and write rows in the whole tensor. In the fast arena `offset` and `bytes` are those of the
  /// tensor; for the caller's both are 0.
  bool inPlace = false;
  /// An average over all rows that is computed by adding rows to sums in this buffer as they
  /// arrive; int32 or float, one sum per channel.
  bool sink = false;
  /// Results: extra operand rows to buffer before producing a row, beyond those needed for it (or
  /// all rows, if fewer remain). A short branch that joins a longer one then does not run early.
  uint32_t wait = 0;
};

/// Whether the buffer is the whole tensor. Only buffers of streamed stages can be.
inline bool isInPlace(const PartBuffer& /*buffer*/) { return false; }
inline bool isInPlace(const StreamBuffer& buffer) { return buffer.inPlace; }

/// What tiled and streamed stages have in common: loads and spills are copied part by part from and
/// to the whole tensors, which are in slow memory, in the caller's buffers or resident. Each of the
/// two has `buffers`, one per activation that the stage uses, in order of first use.
struct PartStage {
  static constexpr size_t MaxRank = 4;
  static constexpr uint32_t EveryAxis = (1U << MaxRank) - 1;
  /// Along one axis.
  static constexpr int64_t MaxParts = int64_t{1} << 30;
  /// Whole tensors in the fast arena: loads and spills; first stage also: inputs without readers.
  std::vector<Placement> residents;
  /// Fast offset of the executor's bookkeeping, some bytes per buffer.
  uint64_t bookkeeping = 0;
};

/// Numbers of parts along each axis.
using TileCounts = std::array<int64_t, PartStage::MaxRank>;

/// All ops once per tile. Tile (i0, i1, i2, i3), with the last index varying fastest, computes the
/// range [i * d / n, (i + 1) * d / n) of each axis with d elements and n parts. The parts of the
/// other tensors that it needs follow from the ops (Analysis/BoxAccess.h). The tiles of a recurrent
/// layer are parts of [steps, directions, batch, hidden], those of one sequence follow each other.
struct TiledStage : PartStage {
  /// Per buffer: a box.
  static constexpr uint64_t BookkeepingBytes = 32;
  TileCounts tiles = {1, 1, 1, 1};
  std::vector<PartBuffer> buffers;

  TileCounts counts() const { return tiles; }
  uint64_t bookkeepingBytes() const { return buffers.size() * BookkeepingBytes; }
};

/// All ops once per step on the new rows, so that nothing is computed twice. Step i loads the rows
/// (indices of axis 1) of each load up to (i + 1) * d / steps, d being the load's rows. Then every
/// op computes the rows for which its operands are present, at most d / steps of its result's rows,
/// rounded up. Further steps follow until all rows are computed. Loads without bit 1 in reloadAxes
/// are present whole from the first step on.
///
/// Stripes: with more than one, all steps are taken once per stripe of columns (indices of axis 2).
/// In stripe i, stored tensors have the columns [i * d / stripes, (i + 1) * d / stripes). Other
/// tensors have the columns that their readers need; loads without bit 2 in reloadAxes have all
/// columns.
struct StreamedStage : PartStage {
  /// Per buffer: three row numbers, with stripes also two column numbers.
  static constexpr uint64_t BookkeepingBytes = 6;
  static constexpr uint64_t StripedBookkeepingBytes = 10;
  /// Maximum number of rows of a tensor, and of columns with stripes: their numbers have 16 bits.
  static constexpr int64_t MaxRows = UINT16_MAX;
  /// The extent of the outermost axis, whose indices are processed one by one.
  int64_t outer = 1;
  int64_t steps = 1;
  int64_t stripes = 1;
  std::vector<StreamBuffer> buffers;

  /// As modules, files and reports write them.
  TileCounts counts() const { return {outer, steps, stripes, 1}; }
  static uint64_t bookkeepingBytes(size_t buffers, int64_t stripes) {
    return buffers * (stripes > 1 ? StripedBookkeepingBytes : BookkeepingBytes);
  }
  uint64_t bookkeepingBytes() const { return bookkeepingBytes(buffers.size(), stripes); }
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
  /// In execution order; stages are consecutive ranges of the graph's order.
  std::vector<OpId> ops;
  /// Activations that the stage reads from outside, and results that are needed outside or
  /// overflow, other than the residents of a whole stage.
  std::vector<TensorId> loads;
  std::vector<TensorId> spills;
  /// One alternative per StageMode, in the same order.
  std::variant<WholeStage, DirectStage, TiledStage, StreamedStage> execution;
  /// The highest fast byte that the stage uses.
  uint64_t peak = 0;
  StageStats stats;

  StageMode mode() const { return static_cast<StageMode>(execution.index()); }
  /// Null for stages of other modes.
  const TiledStage* tiled() const { return std::get_if<TiledStage>(&execution); }
  const StreamedStage* streamed() const { return std::get_if<StreamedStage>(&execution); }
  /// Null unless the stage is tiled or streamed.
  const PartStage* parts() const {
    return tiled() != nullptr ? static_cast<const PartStage*>(tiled()) : streamed();
  }
  /// Whole tensors in the fast arena: placements of a whole stage, or residents.
  std::span<const Placement> wholeTensors() const {
    if (const auto* whole = std::get_if<WholeStage>(&execution))
      return whole->placements;
    return parts() != nullptr ? std::span<const Placement>(parts()->residents)
                              : std::span<const Placement>();
  }
  /// Calls `use` with the TiledStage or StreamedStage, if the stage is one.
  template <typename Use> void visitParts(Use use) const {
    if (tiled() != nullptr)
      use(*tiled());
    else if (streamed() != nullptr)
      use(*streamed());
  }
  /// Calls `use` with each PartBuffer or StreamBuffer.
  template <typename Use> void eachBuffer(Use use) const {
    visitParts([&](const auto& parts) {
      for (const auto& buffer : parts.buffers)
        use(buffer);
    });
  }
  /// As above, of a tiled or streamed stage.
  TileCounts counts() const {
    TileCounts result = {};
    visitParts([&](const auto& parts) { result = parts.counts(); });
    return result;
  }
  uint64_t bookkeepingBytes() const {
    uint64_t result = 0;
    visitParts([&](const auto& parts) { result = parts.bookkeepingBytes(); });
    return result;
  }
};

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
  /// What the fast memory that stages and scratch leave of the budget is for.
  WeightMemory weights = WeightMemory::Map;
  Compression compress = Compression::None;
  std::vector<Stage> stages;
  std::vector<Placement> slow;
  PlanStats stats;
  PlanBounds bounds;
  bool provenOptimal = false;

  /// Bytes of the fast budget that neither stages nor scratch use, a multiple of `align`.
  uint64_t freeFastBytes() const {
    const uint64_t used = stats.fastPeakBytes + scratch;
    const uint64_t left = used < budget.fast ? budget.fast - used : 0;
    return left - left % align;
  }
};

} // namespace tigris
