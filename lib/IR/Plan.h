// What a planner decided: order, stages, addresses, and what it all costs. A value that refers to a
// graph's ops and tensors by id; the stream prints it by name in one `plan:` section.
#pragma once

#include "tigris/IR/Ids.h"

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

/// How a stage executes: all of each tensor at once. Tiled and streamed stages come with the planners
/// that make them.
enum class StageMode : uint8_t { Whole };
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

struct Stage {
  StageMode mode = StageMode::Whole;
  /// In execution order; stages are consecutive runs of the graph's order.
  std::vector<OpId> ops;
  /// Copied slow -> fast before the first op, fast -> slow after the last one.
  std::vector<TensorId> loads;
  std::vector<TensorId> spills;
  /// Fast arena offsets of every activation the stage touches there. A tensor without its own bytes
  /// (a reshape's result) repeats its source's offset.
  std::vector<Placement> fast;
  /// Highest fast byte the stage uses.
  uint64_t peak = 0;
};

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
  std::vector<Stage> stages;
  std::vector<Placement> slow;
  PlanStats stats;
  PlanBounds bounds;
  bool provenOptimal = false;
};

} // namespace tigris
