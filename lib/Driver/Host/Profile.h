// Profiles a run: per operator, its calls, its seconds and the bytes of its operands.
#pragma once

#include "tigris/Driver/Host/CostProfile.h"
#include "tigris/Driver/Host/PlanRunner.h"
#include "tigris/Support/Json.h"

#include <chrono>

namespace tigris {

/// Measures the kernel calls of a runner. Must outlive the runner or its last run.
class Profile {
public:
  explicit Profile(const PlanFile& file) : file_(&file), ops_(file.ops().size()) {}

  /// Adds every run of the runner to the figures from now on.
  Status attach(PlanRunner& runner);

  /// Sets the number of runs over which the figures below are averaged.
  void setRuns(int64_t runs) { runs_ = runs; }

  /// One line per operator, the slowest first, and one per kind of operator.
  std::string table() const;
  /// One sample per op, in nanoseconds.
  std::vector<CostSample> samples() const;
  /// An array of objects in the order of execution.
  void write(JsonWriter& json) const;
  /// A flame graph with one row each for the run, its stages and their operators. The width of a
  /// bar is proportional to its time.
  std::string svg() const;

private:
  using Clock = std::chrono::steady_clock;

  struct OpCost {
    uint64_t calls = 0;
    uint64_t fallbackCalls = 0; // by the reference kernel, for lack of scratch
    uint64_t bytes = 0;
    uint64_t outputBytes = 0; // of the first output
    double seconds = 0;
  };

  static void hook(void* user, const tigris_call* call, int done);

  double secondsOf(size_t first, size_t count) const;
  std::string nameOf(size_t op) const;
  std::string kindOf(size_t op) const;
  double perRun(double value) const { return value / static_cast<double>(runs_); }

  const PlanFile* file_;
  std::vector<OpCost> ops_;
  Clock::time_point start_;
  int64_t runs_ = 1;
};

} // namespace tigris
