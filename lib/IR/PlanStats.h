// The stats of plans and stages as tables. Modules, plan files and reports name every figure by the
// key given here, in this order.
#pragma once

#include "tigris/IR/Plan.h"

namespace tigris {

template <typename Record> struct StatField {
  std::string_view key;
  uint64_t Record::*member;
  /// A property of the model and its given order, whatever the plan.
  bool ofModel = false;
};

inline constexpr std::array<StatField<PlanStats>, 10> PlanStatFields = {{
    {"fast_peak_bytes", &PlanStats::fastPeakBytes},
    {"slow_peak_bytes", &PlanStats::slowPeakBytes},
    {"slow_read_bytes", &PlanStats::slowReadBytes},
    {"slow_write_bytes", &PlanStats::slowWriteBytes},
    {"compulsory_bytes", &PlanStats::compulsoryBytes, true},
    {"io_bytes", &PlanStats::ioBytes, true},
    {"macs", &PlanStats::macs, true},
    {"recompute_macs", &PlanStats::recomputeMacs},
    {"kernel_calls", &PlanStats::kernelCalls},
    {"unscheduled_peak_bytes", &PlanStats::unscheduledPeakBytes, true},
}};

inline constexpr std::array<StatField<StageStats>, 5> StageStatFields = {{
    {"slow_read_bytes", &StageStats::slowReadBytes},
    {"slow_write_bytes", &StageStats::slowWriteBytes},
    {"kernel_calls", &StageStats::kernelCalls},
    {"recompute_macs", &StageStats::recomputeMacs},
    {"halo_rows", &StageStats::haloRows},
}};

inline constexpr std::array<StatField<PlanBounds>, 2> PlanBoundFields = {{
    {"fast_peak_bytes", &PlanBounds::fastPeakBytes},
    {"slow_traffic_bytes", &PlanBounds::slowTrafficBytes},
}};

/// How many stages execute in which way. A chain is a stage of several ops in tiles or streamed.
struct StageCounts {
  uint64_t stages = 0;
  uint64_t tiled = 0;
  uint64_t streamed = 0;
  uint64_t chains = 0;

  bool operator==(const StageCounts&) const = default;
};

inline StageCounts countStages(const Plan& plan) {
  StageCounts counts;
  for (const Stage& stage : plan.stages) {
    ++counts.stages;
    counts.tiled += stage.tiled() != nullptr ? 1 : 0;
    counts.streamed += stage.streamed() != nullptr ? 1 : 0;
    counts.chains += stage.parts() != nullptr && stage.ops.size() > 1 ? 1 : 0;
  }
  return counts;
}

} // namespace tigris
