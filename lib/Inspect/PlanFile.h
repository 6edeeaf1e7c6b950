// A `.tgrs` plan read for people and host tools: opened by the runtime's own validator, with errors that
// say at which byte of the file the damage is.
#pragma once

#include "tigris.h"
#include "tigris/IR/DType.h"
#include "tigris/Support/Expected.h"

#include <memory>
#include <span>
#include <string_view>

namespace tigris {

class PlanFile {
public:
  /// `bytes` is the whole file; `name` stands in messages. BadPlan errors read
  /// "plan.tgrs: error: offset 0x1c0: ..."; BadVersion where the format is newer. With `ignoreCrc` a
  /// wrong checksum is accepted; everything else is still checked.
  static Expected<PlanFile> open(std::string_view bytes, const std::string& name,
                                 bool ignoreCrc = false);

  const tigris_plan& plan() const { return *plan_; }
  const tigris_summary& summary() const { return *plan_->summary; }
  uint16_t formatVersion() const { return version_; }
  size_t fileBytes() const { return size_; }
  /// Everything that is not a constant: records, pools, names and padding between sections.
  size_t metadataBytes() const { return size_ - plan_->weight_bytes; }

  /// Offset of a record inside the file, for messages and dumps.
  template <typename T> size_t offsetOf(const T* record) const {
    return static_cast<size_t>(reinterpret_cast<const unsigned char*>(record) - bytes_.get());
  }

  std::string_view string(uint32_t reference) const {
    return tigris_plan_string(plan_.get(), reference);
  }
  std::span<const int32_t> dims(const tigris_tensor& tensor) const {
    return {plan_->ints + tensor.dims, tensor.rank};
  }
  std::span<const int32_t> dims(const tigris_port& port) const {
    return {plan_->ints + port.dims, port.rank};
  }
  const tigris_tensor& tensor(size_t index) const { return plan_->tensors[index]; }
  /// Null where the tensor is not quantized.
  const tigris_quant* quant(const tigris_tensor& tensor) const {
    return tensor.quant == TIGRIS_NONE ? nullptr : plan_->quant + tensor.quant;
  }
  std::span<const tigris_port> inputs() const { return {plan_->ports, plan_->input_count}; }
  std::span<const tigris_port> outputs() const {
    return {plan_->ports + plan_->input_count, plan_->port_count - plan_->input_count};
  }
  std::span<const tigris_op> ops() const { return {plan_->ops, plan_->op_count}; }
  std::span<const tigris_stage> stages() const { return {plan_->stages, plan_->stage_count}; }
  std::span<const tigris_weight_block> weightBlocks() const {
    return {plan_->weight_blocks, plan_->weight_block_count};
  }
  std::span<const tigris_operand> operands(const tigris_op& op) const {
    return {plan_->operands + op.operands, size_t{op.inputs} + op.outputs};
  }

private:
  struct Free {
    void operator()(unsigned char* bytes) const;
  };

  PlanFile() = default;

  // The plan lies at the alignment the runtime asks for and in exactly its size, so that a sanitizer
  // sees any read past its end.
  std::unique_ptr<unsigned char, Free> bytes_;
  size_t size_ = 0;
  std::unique_ptr<tigris_plan> plan_;
  uint16_t version_ = 0;
};

/// True when the bytes begin as a plan does.
bool looksLikePlan(std::string_view bytes);

/// "CONV", "FULLY_CONNECTED"...: the enumerator without its prefix, "opcode 99" where there is none.
std::string opcodeName(unsigned opcode);
/// The interface or storage type; Undefined for numbers that are none.
DType planDType(unsigned dtype);

} // namespace tigris
