// One plan on the C runtime with memory of exactly the size asked for.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris_backend.h"

#include <map>

namespace tigris {

/// Bytes at an alignment, of exactly the size asked for: a sanitizer sees the first byte past the
/// end.
class AlignedBytes {
public:
  AlignedBytes() = default;
  /// Filled with a pattern, so that reading what nobody wrote gives wrong results, always the same
  /// ones.
  AlignedBytes(size_t size, size_t alignment);

  uint8_t* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

private:
  struct Free {
    size_t alignment;
    void operator()(uint8_t* bytes) const;
  };
  std::unique_ptr<uint8_t, Free> bytes_{nullptr, Free{1}};
  size_t size_ = 0;
};

class PlanRunner {
public:
  /// `fast` and `slow` override the sizes the plan requires; with less fast memory the runtime
  /// places tensors while it runs and overflows into the slow memory beyond the plan's. OverBudget
  /// where even that does not fit, UnsupportedOp where the backend lacks a kernel. `file` must
  /// outlive the runner.
  static Expected<PlanRunner> create(const PlanFile& file, const tigris_backend& backend,
                                     std::optional<uint64_t> fast, std::optional<uint64_t> slow);

  /// Stored bytes of every input, then runs. May be called again. None for an input that is a
  /// state: it keeps what the last run left, at first real zeros.
  Status run(const std::vector<std::vector<uint8_t>>& inputs);
  /// Stored bytes of an output of the last run.
  const uint8_t* output(size_t index) const;

  /// From now on callbacks bring all inputs (take all outputs) row by row, and see that the rows
  /// come in order. Fails where the plan does not move one of them so; states are left as they are.
  Status moveByRows(bool inputs, bool outputs);

  /// Calls the hook around every kernel from now on. Fails where the runtime was built without.
  Status setProfile(tigris_profile_hook hook, void* user);
  /// Makes all states real zeros.
  void reset();

  const tigris_statistics& statistics() const { return context_->statistics; }
  /// Duration of the last run.
  double seconds() const { return seconds_; }
  static size_t executorBytes() { return sizeof(tigris_context); }
  size_t scratchBytes() const { return requirements_.scratch_bytes; }

private:
  explicit PlanRunner(const PlanFile& file) : file_(&file) {}

  /// A caller's buffer that a callback works on.
  struct Rows {
    uint8_t* data = nullptr;
    uint32_t rowBytes = 0;
    uint32_t next = 0;
    bool isInput = true;
  };
  static int moveRows(void* user, uint32_t first, uint32_t count, void* rows);

  Error runtimeError(int status) const;

  const PlanFile* file_;
  tigris_requirements requirements_{};
  AlignedBytes fast_;
  AlignedBytes slow_;
  std::vector<AlignedBytes> callerBuffers_;
  /// One per port that is moved by rows.
  std::map<size_t, Rows> rows_;
  std::unique_ptr<tigris_context> context_;
  double seconds_ = 0;
};

} // namespace tigris
