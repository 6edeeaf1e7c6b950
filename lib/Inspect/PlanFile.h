// Reads a `.tgrs` plan for host tools. The runtime's own validator opens it; errors include the
// byte offset in the file.
#pragma once

#include "tigris.h"
#include "tigris/IR/DType.h"
#include "tigris/Support/Expected.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

class PlanFile {
public:
  /// `bytes` is the whole file; `name` is used in messages. BadPlan errors have the form
  /// "plan.tgrs: error: offset 0x1c0: ..."; BadVersion means that the format is newer. With
  /// `ignoreCrc` a wrong checksum is accepted; everything else is still checked.
  static Expected<PlanFile> open(std::string_view bytes, const std::string& name,
                                 bool ignoreCrc = false);

  const tigris_plan& plan() const { return *plan_; }
  const tigris_summary& summary() const { return *plan_->summary; }
  /// Null if the file has none (tigris-emit --strip).
  const tigris_figures* figures() const { return figures_; }
  std::string_view target() const;
  uint16_t formatVersion() const { return version_; }
  size_t fileBytes() const { return size_; }
  /// Bytes of everything except constants: records, pools, names and padding between sections.
  size_t metadataBytes() const { return size_ - plan_->weight_bytes; }

  /// Offset of a record in the file, for messages and dumps.
  template <typename T> size_t offsetOf(const T* record) const {
    return static_cast<size_t>(reinterpret_cast<const unsigned char*>(record) - bytes_.get());
  }

  std::string_view string(uint32_t reference) const {
    return tigris_plan_string(plan_.get(), reference);
  }
  // Names; empty if the file has none (tigris-emit --strip).
  std::string_view opName(size_t index) const { return nameAt(opNames_, index); }
  /// Of an activation; constants have theirs as operands.
  std::string_view tensorName(size_t index) const { return nameAt(tensorNames_, index); }
  std::string_view operandName(const tigris_operand& operand) const;

  std::span<const int32_t> dims(const tigris_tensor& tensor) const {
    return {plan_->ints + tensor.dims, tensor.rank};
  }
  std::span<const int32_t> dims(const tigris_port& port) const {
    return {plan_->ints + port.dims, port.rank};
  }
  const tigris_tensor& tensor(size_t index) const { return plan_->tensors[index]; }
  /// Null if the tensor is not quantized.
  const tigris_quant* quant(const tigris_tensor& tensor) const {
    return tensor.quant == TIGRIS_NO_QUANT ? nullptr : plan_->quant + tensor.quant;
  }
  std::span<const tigris_port> inputs() const { return {plan_->ports, plan_->input_count}; }
  std::span<const tigris_port> outputs() const {
    return {plan_->ports + plan_->input_count, plan_->port_count - plan_->input_count};
  }
  /// Whether the port is an output whose bytes are in WEIGHTS.
  bool isConstantPort(const tigris_port& port) const {
    return (tensor(port.tensor).flags & TIGRIS_TENSOR_CONST) != 0;
  }
  std::span<const tigris_op> ops() const { return {plan_->ops, plan_->op_count}; }
  std::span<const tigris_stage> stages() const { return {plan_->stages, plan_->stage_count}; }
  uint32_t opCount(const tigris_stage& stage) const;
  std::span<const tigris_transfer> loads(const tigris_stage& stage) const;
  std::span<const tigris_transfer> spills(const tigris_stage& stage) const;
  /// The parameters of an op that has any.
  const uint8_t* params(const tigris_op& op) const {
    return plan_->params + op.params * sizeof(uint32_t);
  }
  /// One per stage; empty if the file lacks them (tigris-emit --strip, older versions).
  std::span<const tigris_stage_stats> stageStats() const { return stageStats_; }
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

  // What the runtime ignores, with its checks.
  Status readFigures(const std::string& name);
  Status readStageStats(const std::string& name);
  Status readNames(const std::string& name);

  static std::string_view nameAt(const std::vector<std::string>& names, size_t index) {
    return index < names.size() ? std::string_view(names[index]) : std::string_view();
  }

  // A copy with the alignment that the runtime requires and exactly the plan's size, so that a
  // sanitizer detects reads beyond its end.
  std::unique_ptr<unsigned char, Free> bytes_;
  size_t size_ = 0;
  std::unique_ptr<tigris_plan> plan_;
  const tigris_figures* figures_ = nullptr;
  std::vector<tigris_stage_stats> stageStats_;
  // by index; empty where the other lists have the name, or if there are no names
  std::vector<std::string> tensorNames_;
  std::vector<std::string> opNames_;
  std::vector<std::string> constantNames_; // by operand
  uint16_t version_ = 0;
};

/// Offset and length of a section.
struct PlanSection {
  uint32_t type = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// The sections that the directory lists, in order. The file may be damaged: entries may lie
/// outside it, and the directory ends where the file does.
std::vector<PlanSection> planSections(std::string_view bytes);

/// Whether the bytes begin like a plan.
bool looksLikePlan(std::string_view bytes);

/// "CONV", "FULLY_CONNECTED", ...: the enumerator without its prefix; "opcode 99" if unknown.
std::string opcodeName(unsigned opcode);
/// "whole", "tiled" or "streamed"; "mode 9" if unknown.
std::string planModeName(uint64_t mode);
/// "absent", "fast", "slow", "caller", "const", "tile" or "unpacked"; "pool 9" if unknown.
std::string planPoolName(uint64_t pool);
/// The interface or storage type; Undefined for unknown numbers.
DType planDType(unsigned dtype);

} // namespace tigris
