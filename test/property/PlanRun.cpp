// Every memory is a separate allocation that ends with its guard bytes.
#include "PlanRun.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace tigris::property {

namespace {

/// The largest size that a plan can request.
constexpr size_t Align = TIGRIS_MAX_ALIGN;
/// Guard bytes before the data, a multiple of the alignment, and after it.
constexpr size_t GuardBytes = Align;
constexpr uint8_t GuardValue = 0xC3;
/// For damaged plans.
constexpr size_t MostMemory = 1 << 20;

/// Aligned bytes between two guards.
class Guarded {
public:
  Guarded(size_t size, std::optional<uint8_t> fill)
      : size_(size), whole_(GuardBytes + size + GuardBytes),
        bytes_(static_cast<uint8_t*>(::operator new (whole_, std::align_val_t{Align}))) {
    std::memset(bytes_.get(), GuardValue, GuardBytes);
    std::memset(data() + size_, GuardValue, whole_ - GuardBytes - size_);
    if (fill)
      std::memset(data(), *fill, size);
    forbidGuards(true);
  }
  ~Guarded() { forbidGuards(false); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  uint8_t* data() { return bytes_.get() + GuardBytes; }
  size_t size() const { return size_; }
  bool intact() {
    forbidGuards(false);
    const auto isGuard = [](uint8_t byte) { return byte == GuardValue; };
    return std::all_of(bytes_.get(), data(), isGuard) &&
           std::all_of(data() + size_, bytes_.get() + whole_, isGuard);
  }

private:
  struct Free {
    void operator()(uint8_t* bytes) const { ::operator delete (bytes, std::align_val_t{Align}); }
  };
  /// Checks reads, too, if a sanitizer is active.
  void forbidGuards(bool forbids) {
#ifdef __SANITIZE_ADDRESS__
    const auto set = forbids ? __asan_poison_memory_region : __asan_unpoison_memory_region;
    set(bytes_.get(), GuardBytes);
    set(data() + size_, whole_ - GuardBytes - size_);
#else
    (void)forbids;
#endif
  }

  size_t size_;
  size_t whole_;
  std::unique_ptr<uint8_t, Free> bytes_;
};

class Run {
public:
  Run(const std::string& file, const RunOptions& options)
      : options_(options), image_(file.size(), 0) {
    std::memcpy(image_.data(), file.data(), file.size());
  }

  RunResult run(const std::vector<std::vector<uint8_t>>& inputs) {
    const uint32_t flags = options_.isDamaged ? TIGRIS_OPEN_IGNORE_CRC : 0;
    if (!check("open", tigris_plan_open_flags(&plan_, image_.data(), image_.size(), flags)))
      return std::move(result_);
    tigris_requirements needs;
    const tigris_backend& backend =
        options_.backend == nullptr ? tigris_backend_reference : *options_.backend;
    tigris_plan_requirements(&plan_, &backend, &needs);
    if (options_.isDamaged && (needs.fast_bytes > MostMemory || needs.slow_bytes > MostMemory)) {
      result_.error = "asks for too much memory";
      return std::move(result_);
    }
    Guarded& fast =
        memory(static_cast<size_t>(uint64_t{needs.fast_bytes} * options_.fastPercent / 100));
    Guarded& slow = memory(needs.slow_bytes + options_.moreSlow);
    const tigris_memory memories = {fast.data(), fast.size(), slow.data(), slow.size()};
    if (check("init", tigris_init(&context_, &plan_, &backend, &memories)) && setPorts(inputs) &&
        check("run", tigris_run(&context_)))
      collect(inputs);
    result_.statistics = context_.statistics;
    for (Guarded& each : memories_)
      if (!each.intact()) {
        result_.error += "; wrote outside a memory";
        result_.escaped = true;
      }
    return std::move(result_);
  }

private:
  Guarded& memory(size_t size) { return memories_.emplace_back(size, options_.fill); }

  bool check(const char* what, tigris_status status) {
    result_.status = status;
    if (status != TIGRIS_OK)
      result_.error = strCat(what, ": ", tigris_status_text(status), " at op ", failedOp());
    return status == TIGRIS_OK;
  }

  std::string failedOp() const {
    const uint32_t op = plan_.summary == nullptr ? plan_.error_op : context_.error_op;
    return strCat(op);
  }

  bool isCaller() const { return plan_.summary->io_mode == TIGRIS_IO_CALLER; }

  /// The bytes that a callback moves in one run.
  struct Rows {
    uint8_t* data;
    size_t rowBytes;
    uint32_t next = 0;
    bool isInput;
  };
  static int moveRows(void* user, uint32_t first, uint32_t count, void* data) {
    Rows& rows = *static_cast<Rows*>(user);
    if (first != rows.next || count == 0)
      return 1;
    uint8_t* at = rows.data + first * rows.rowBytes;
    std::memcpy(rows.isInput ? data : at, rows.isInput ? at : data, count * rows.rowBytes);
    rows.next += count;
    return 0;
  }

  /// Replaces the buffer that was set.
  bool setRows(unsigned index, bool isInput) {
    const tigris_tensor* tensor =
        isInput ? tigris_input_tensor(&plan_, index) : tigris_output_tensor(&plan_, index);
    const int32_t* dims = plan_.ints + tensor->dims;
    auto* data =
        isInput ? static_cast<uint8_t*>(tigris_input(&context_, index)) : memories_.back().data();
    const auto count = tensor->rank < 2 ? 1 : static_cast<size_t>(dims[0]) * dims[1];
    Rows& rows = rows_.emplace_back(Rows{data, tensor->bytes / count, 0, isInput});
    return isInput
               ? check("set input rows", tigris_set_input_rows(&context_, index, moveRows, &rows))
               : check("set output rows",
                       tigris_set_output_rows(&context_, index, moveRows, &rows));
  }

  bool setPorts(const std::vector<std::vector<uint8_t>>& inputs) {
    for (unsigned i = 0; i < tigris_input_count(&plan_); ++i) {
      const size_t bytes = tigris_input_bytes(&plan_, i);
      if (isCaller() && !check("set input", tigris_set_input(&context_, i, memory(bytes).data())))
        return false;
      // The caller's input buffers are filled through the pointer from which the runtime only
      // reads.
      auto* data = static_cast<uint8_t*>(tigris_input(&context_, i));
      for (size_t k = 0; i < inputs.size() && k < bytes; ++k)
        data[k] = inputs[i][k % inputs[i].size()];
      if (options_.inputRows && !setRows(i, true))
        return false;
    }
    for (unsigned i = 0; isCaller() && i < tigris_output_count(&plan_); ++i) {
      const bool isConstant = (tigris_output_tensor(&plan_, i)->flags & TIGRIS_TENSOR_CONST) != 0;
      outputs_.push_back(isConstant ? nullptr : memory(tigris_output_bytes(&plan_, i)).data());
      if (isConstant)
        continue;
      if (!check("set output", tigris_set_output(&context_, i, outputs_.back())) ||
          (options_.outputRows && !setRows(i, false)))
        return false;
    }
    return true;
  }

  void collect(const std::vector<std::vector<uint8_t>>& inputs) {
    for (unsigned i = 0; i < tigris_output_count(&plan_); ++i) {
      const auto* data = options_.outputRows && outputs_[i] != nullptr
                             ? outputs_[i]
                             : static_cast<const uint8_t*>(tigris_output(&context_, i));
      result_.outputs.emplace_back(data, data + tigris_output_bytes(&plan_, i));
    }
    const bool keepsInputs = isCaller() && !options_.inputRows && !options_.isDamaged;
    for (unsigned i = 0; keepsInputs && i < inputs.size(); ++i)
      if (plan_.ports[i].state == TIGRIS_NO_PORT && // states are swapped
          std::memcmp(tigris_input(&context_, i), inputs[i].data(), inputs[i].size()) != 0)
        result_.error = strCat("wrote over the caller's input ", i);
  }

  RunOptions options_;
  Guarded image_;
  tigris_plan plan_ = {};
  tigris_context context_ = {};
  std::deque<Guarded> memories_;
  std::deque<Rows> rows_;
  std::vector<uint8_t*> outputs_;
  RunResult result_;
};

} // namespace

RunResult runPlan(const std::string& file, const std::vector<std::vector<uint8_t>>& inputs,
                  const RunOptions& options) {
  return Run(file, options).run(inputs);
}

} // namespace tigris::property
