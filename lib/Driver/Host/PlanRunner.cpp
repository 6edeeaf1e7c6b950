// The caller's part of the runtime's contract: buffers, alignment, and messages for status values.
#include "tigris/Driver/Host/PlanRunner.h"

#include "tigris/Support/Crc32.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

namespace tigris {

namespace {

constexpr int FillPattern = 0xA5;

} // namespace

AlignedBytes::AlignedBytes(size_t size, size_t alignment)
    : bytes_(size == 0 ? nullptr
                       : static_cast<uint8_t*>(::operator new(size, std::align_val_t(alignment))),
             Free{alignment}),
      size_(size) {
  if (size != 0)
    std::memset(bytes_.get(), FillPattern, size);
}

void AlignedBytes::Free::operator()(uint8_t* bytes) const {
  ::operator delete(bytes, std::align_val_t(alignment));
}

Error PlanRunner::runtimeError(int status) const {
  const auto code = static_cast<tigris_status>(status);
  std::string where;
  if (const uint32_t op = context_->error_op; op != TIGRIS_NONE) {
    const tigris_op& record = file_->ops()[op];
    const std::string_view name = file_->opName(op);
    where = strCat("op ", op, name.empty() ? "" : " '", name, name.empty() ? "" : "'", " (",
                   opcodeName(record.opcode), "): ");
  }
  const DiagId id = code == TIGRIS_E_MEMORY   ? DiagId::OverBudget
                    : code == TIGRIS_E_KERNEL ? DiagId::UnsupportedOp
                                              : DiagId::BadPlan;
  return makeError(id, where, tigris_status_text(code), " (", status, ")");
}

Expected<PlanRunner> PlanRunner::create(const PlanFile& file, const tigris_backend& backend,
                                        std::optional<uint64_t> fast,
                                        std::optional<uint64_t> slow) {
  PlanRunner runner(file);
  const tigris_plan& plan = file.plan();
  tigris_plan_requirements(&plan, &backend, &runner.requirements_);
  const tigris_requirements& needs = runner.requirements_;
  const size_t alignment = std::max<size_t>({needs.align, backend.alignment, alignof(void*)});
  runner.fast_ = AlignedBytes(fast.value_or(needs.fast_bytes), alignment);
  runner.slow_ = AlignedBytes(slow.value_or(needs.slow_bytes), alignment);
  const tigris_memory memory = {runner.fast_.data(), runner.fast_.size(), runner.slow_.data(),
                                runner.slow_.size()};
  runner.context_ = std::make_unique<tigris_context>();
  runner.context_->error_op = TIGRIS_NONE;
  const tigris_status status = tigris_init(runner.context_.get(), &plan, &backend, &memory);
  if (status == TIGRIS_E_MEMORY) {
    const char* advice = memory.slow_bytes < needs.slow_bytes
                             ? "; slow memory cannot be less"
                             : "; provide more slow memory for the overflow";
    return makeError(DiagId::OverBudget, "the plan needs ", needs.fast_bytes, " bytes of fast and ",
                     needs.slow_bytes, " bytes of slow memory, but got ", memory.fast_bytes,
                     " and ", memory.slow_bytes, advice);
  }
  if (status != TIGRIS_OK)
    return runner.runtimeError(status);

  if (file.summary().io_mode == TIGRIS_IO_CALLER) {
    const unsigned inputs = tigris_input_count(&plan);
    for (unsigned i = 0; i < inputs + tigris_output_count(&plan); ++i) {
      const bool isInput = i < inputs;
      const uint32_t bytes =
          isInput ? tigris_input_bytes(&plan, i) : tigris_output_bytes(&plan, i - inputs);
      const bool isConstant = file.isConstantPort(plan.ports[i]); // its bytes are in the plan
      const AlignedBytes& buffer =
          runner.callerBuffers_.emplace_back(isConstant ? 0 : bytes, alignment);
      if (isConstant)
        continue;
      const tigris_status set =
          isInput ? tigris_set_input(runner.context_.get(), i, buffer.data())
                  : tigris_set_output(runner.context_.get(), i - inputs, buffer.data());
      if (set != TIGRIS_OK)
        return runner.runtimeError(set);
    }
  }
  runner.reset();
  return runner;
}

Status PlanRunner::setProfile(tigris_profile_hook hook, void* user) {
  const tigris_status status = tigris_set_profile(context_.get(), hook, user);
  if (status != TIGRIS_OK)
    return runtimeError(status);
  return {};
}

int PlanRunner::copyWeights(void* user, uint32_t offset, uint32_t bytes, void* to) {
  const std::string_view& weights = *static_cast<const std::string_view*>(user);
  if (offset > weights.size() || bytes > weights.size() - offset)
    return 1;
  std::memcpy(to, weights.data() + offset, bytes);
  return 0;
}

Status PlanRunner::readWeights(const std::string* external) {
  const tigris_summary& summary = file_->summary();
  const bool isExternal = (summary.flags & TIGRIS_SUMMARY_EXTERNAL) != 0;
  if (isExternal && external == nullptr)
    return makeError(DiagId::Usage, "the plan's weights are in a file of their own; specify it "
                                    "with --weights-file=FILE");
  if (!isExternal && external != nullptr)
    return makeError(DiagId::Usage, "option '--weights-file': the plan contains its weights");
  if (isExternal && crc32(external->data(), external->size()) != summary.weights_crc)
    return makeError(DiagId::BadPlan, "the weights file has ", external->size(),
                     " bytes and another checksum than the plan states: it belongs to another "
                     "plan, or is damaged");
  if ((summary.flags & TIGRIS_SUMMARY_COPY) == 0)
    return {};
  const tigris_plan& plan = file_->plan();
  weights_ = std::make_unique<std::string_view>(
      isExternal
          ? std::string_view(*external)
          : std::string_view(reinterpret_cast<const char*>(plan.weights), plan.weight_bytes));
  const tigris_status status =
      tigris_set_weight_reader(context_.get(), copyWeights, weights_.get());
  if (status != TIGRIS_OK)
    return runtimeError(status);
  return {};
}

void PlanRunner::reset() {
  const tigris_status status = tigris_reset(context_.get());
  TIGRIS_CHECK(status == TIGRIS_OK);
}

int PlanRunner::moveRows(void* user, uint32_t first, uint32_t count, void* rows) {
  Rows& port = *static_cast<Rows*>(user);
  if (first != port.next)
    return 1;
  uint8_t* at = port.data + size_t{first} * port.rowBytes;
  const size_t bytes = size_t{count} * port.rowBytes;
  std::memcpy(port.isInput ? rows : at, port.isInput ? at : rows, bytes);
  port.next += count;
  return 0;
}

Status PlanRunner::moveByRows(bool inputs, bool outputs) {
  const tigris_plan& plan = file_->plan();
  const unsigned count = tigris_input_count(&plan);
  for (unsigned i = 0; i < plan.port_count; ++i) {
    const bool isInput = i < count;
    if (!(isInput ? inputs : outputs) || plan.ports[i].state != TIGRIS_NO_PORT ||
        file_->isConstantPort(plan.ports[i]))
      continue;
    const tigris_tensor& tensor = plan.tensors[plan.ports[i].tensor];
    const int32_t* dims = plan.ints + tensor.dims;
    Rows rows;
    rows.isInput = isInput;
    if (i < callerBuffers_.size() && tensor.rank >= 2) {
      rows.data = callerBuffers_[i].data();
      rows.rowBytes = tensor.bytes / static_cast<uint32_t>(dims[0] * dims[1]);
    }
    void* user = &(rows_[i] = rows);
    const tigris_status status =
        isInput ? tigris_set_input_rows(context_.get(), i, moveRows, user)
                : tigris_set_output_rows(context_.get(), i - count, moveRows, user);
    if (status != TIGRIS_OK)
      return makeError(DiagId::Usage, isInput ? "input" : "output", " '",
                       file_->string(plan.ports[i].name), "' by rows: ", tigris_status_text(status),
                       "; plan with --", isInput ? "input-rows" : "output-rows");
  }
  return {};
}

Status PlanRunner::run(const std::vector<std::vector<uint8_t>>& inputs) {
  tigris_context* context = context_.get();
  TIGRIS_CHECK(inputs.size() == tigris_input_count(&file_->plan()));
  for (unsigned i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty() && tigris_input_port(&file_->plan(), i)->state != TIGRIS_NO_PORT)
      continue;
    const bool byRows = rows_.count(i) != 0;
    void* target = byRows ? callerBuffers_[i].data() : tigris_input(context, i);
    TIGRIS_CHECK(target != nullptr && inputs[i].size() == tigris_input_bytes(&file_->plan(), i));
    std::memcpy(target, inputs[i].data(), inputs[i].size());
  }
  for (auto& [port, rows] : rows_)
    rows.next = 0;
  const auto start = std::chrono::steady_clock::now();
  const tigris_status status = tigris_run(context);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status != TIGRIS_OK)
    return runtimeError(status);
  return {};
}

const uint8_t* PlanRunner::output(size_t index) const {
  const size_t port = tigris_input_count(&file_->plan()) + index;
  if (rows_.count(port) != 0)
    return callerBuffers_[port].data();
  return static_cast<const uint8_t*>(tigris_output(context_.get(), static_cast<unsigned>(index)));
}

} // namespace tigris
