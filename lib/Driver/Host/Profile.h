// Where the time of a run goes: per operator its calls, seconds and the bytes its operands have.
#pragma once

#include "tigris/Driver/Host/CostProfile.h"
#include "tigris/Driver/Host/PlanRunner.h"
#include "tigris/Support/Json.h"

#include <chrono>

namespace tigris {

/// Listens to the kernel calls of a runner. Must outlive it or its last run.
class Profile {
public:
  explicit Profile(const PlanFile& file) : file_(&file), ops_(file.ops().size()) {}

  /// From now on every run of the runner adds to the figures.
  Status attach(PlanRunner& runner);

  /// The figures below are means of so many runs.
  void setRuns(int64_t runs) { runs_ = runs; }

  /// A line per operator, the dearest first, and one per kind of operator.
  std::string table() const;
  /// Every op's calls; nanoseconds.
  std::vector<CostSample> samples() const;
  /// An array of objects in the order of execution.
  void write(JsonWriter& json) const;
  /// The run, its stages and their operators as bars as wide as their time, one row each.
  std::string svg() const;

private:
  using Clock = std::chrono::steady_clock;

  struct OpCost {
    uint64_t calls = 0;
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
