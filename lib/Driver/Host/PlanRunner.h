// Runs one plan on the C runtime with memory of exactly the requested size.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris_backend.h"

#include <map>

namespace tigris {

/// Aligned bytes of exactly the requested size, so that a sanitizer detects an access to the first
/// byte past the end.
class AlignedBytes {
public:
  AlignedBytes() = default;
  /// Fills the bytes with a pattern, so that reading uninitialized memory gives wrong and
  /// reproducible results.
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
  /// `fast` and `slow` override the sizes that the plan requires. With less fast memory, the
  /// runtime places tensors at run time and overflows into the slow memory that the plan does not
  /// use. OverBudget if even that does not fit, UnsupportedOp if the backend lacks a kernel. `file`
  /// must outlive the runner.
  static Expected<PlanRunner> create(const PlanFile& file, const tigris_backend& backend,
                                     std::optional<uint64_t> fast, std::optional<uint64_t> slow);
  /// Sets a weight reader if the plan copies its weights, as firmware does. `external` is the
  /// content of their file and must outlive the runner; null: the plan contains them. Usage if the
  /// plan has it otherwise, BadPlan if it is another plan's file.
  Status readWeights(const std::string* external);

  /// Sets the stored bytes of every input and runs the plan. May be called repeatedly. An input
  /// that is a state may have no bytes: it then keeps what the last run wrote, initially real
  /// zeros.
  Status run(const std::vector<std::vector<uint8_t>>& inputs);
  /// Stored bytes of an output of the last run.
  const uint8_t* output(size_t index) const;

  /// Makes callbacks supply all inputs (receive all outputs) row by row from now on, and check that
  /// rows come in order. Fails if the plan does not move one of them by rows. Does not affect
  /// states.
  Status moveByRows(bool inputs, bool outputs);

  /// Calls the hook before and after every kernel from now on. Fails if the runtime was built
  /// without profiling.
  Status setProfile(tigris_profile_hook hook, void* user);
  /// Sets all states to real zeros.
  void reset();

  const tigris_statistics& statistics() const { return context_->statistics; }
  /// Duration of the last run.
  double seconds() const { return seconds_; }
  static size_t executorBytes() { return sizeof(tigris_context); }
  /// Scratch that the backend asks for; the memory may leave less.
  size_t scratchBytes() const { return requirements_.scratch_bytes; }
  /// Ops that need more scratch for whole tensors than the memory leaves.
  uint32_t fallbackOps() const { return context_->fallback_ops; }

private:
  explicit PlanRunner(const PlanFile& file) : file_(&file) {}

  /// A caller's buffer that a callback reads or writes.
  struct Rows {
    uint8_t* data = nullptr;
    uint32_t rowBytes = 0;
    uint32_t next = 0;
    bool isInput = true;
  };
  static int moveRows(void* user, uint32_t first, uint32_t count, void* rows);
  static int copyWeights(void* user, uint32_t offset, uint32_t bytes, void* to);

  Error runtimeError(int status) const;

  const PlanFile* file_;
  tigris_requirements requirements_{};
  AlignedBytes fast_;
  AlignedBytes slow_;
  std::vector<AlignedBytes> callerBuffers_;
  /// One entry per port that is moved by rows.
  std::map<size_t, Rows> rows_;
  std::unique_ptr<tigris_context> context_;
  /// What the weight reader reads; its address does not change.
  std::unique_ptr<std::string_view> weights_;
  double seconds_ = 0;
};

} // namespace tigris
