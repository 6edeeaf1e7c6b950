// Derives the shapes that the runtime's scratch formulas take from the ops of a plan.
#include "tigris/Driver/Host/PlanScratch.h"

#include "tigris/Target/CmsisNnIsa.h"

#include <algorithm>

namespace tigris {

namespace {

class OpScratch {
public:
  OpScratch(const PlanFile& file, const tigris_op& op, tigris_cmsis_nn_isa isa)
      : file_(file), op_(op), operands_(file.operands(op)), isa_(isa) {}

  uint64_t bytes() const {
    if (tensor(0).dtype != TIGRIS_S8)
      return 0;
    switch (op_.opcode) {
    case TIGRIS_OP_CONV:
    case TIGRIS_OP_DEPTHWISE_CONV:
      return conv();
    case TIGRIS_OP_FULLY_CONNECTED:
      return dense();
    case TIGRIS_OP_AVERAGE_POOL:
    case TIGRIS_OP_GLOBAL_AVERAGE_POOL:
      return tigris_cmsis_nn_average_pool_scratch(isa_, channels(0));
    default:
      return 0;
    }
  }

private:
  const tigris_tensor& tensor(size_t operand) const {
    return file_.tensor(operands_[operand].tensor);
  }

  uint32_t channels(size_t operand) const {
    return static_cast<uint32_t>(file_.dims(tensor(operand)).back());
  }

  template <typename Params> const Params& params() const {
    return *reinterpret_cast<const Params*>(file_.params(op_));
  }

  int perTensor() const { return (op_.flags & TIGRIS_CHANNEL_PAIRS) == 0 ? 1 : 0; }
  int wideShifts() const { return (op_.flags & TIGRIS_WIDE_SHIFTS) != 0 ? 1 : 0; }

  uint64_t conv() const {
    const auto& p = params<tigris_conv_params>();
    const bool depthwise = op_.opcode == TIGRIS_OP_DEPTHWISE_CONV;
    if (p.groups != 1 && !depthwise)
      return 0; // the reference kernel's
    const int32_t most = std::max({p.pad_top, p.pad_left, p.pad_bottom, p.pad_right});
    tigris_scratch_shape shape = {};
    shape.kernel_h = static_cast<uint32_t>(p.kernel_h);
    shape.kernel_w = static_cast<uint32_t>(p.kernel_w);
    shape.in_channels = channels(0);
    shape.out_channels = channels(op_.inputs);
    shape.is_padded = most > 0 ? 1 : 0;
    shape.is_near = most <= 1 ? 1 : 0;
    shape.is_wide = p.dilation_h > 1 || p.dilation_w > 1 ? 1 : 0;
    shape.has_bias = op_.inputs > 2 && operands_[2].pool != TIGRIS_POOL_ABSENT ? 1 : 0;
    shape.pair_words = tigris_scratch_pair_words(perTensor(), wideShifts(), shape.out_channels);
    return depthwise ? tigris_cmsis_nn_depthwise_scratch(isa_, &shape)
                     : tigris_cmsis_nn_conv_scratch(isa_, &shape);
  }

  uint64_t dense() const {
    const auto dims = file_.dims(tensor(1)); // [N, K]
    return tigris_cmsis_nn_dense_scratch(isa_, static_cast<uint32_t>(dims[1]),
                                         static_cast<uint32_t>(dims[0]), perTensor(), wideShifts());
  }

  const PlanFile& file_;
  const tigris_op& op_;
  std::span<const tigris_operand> operands_;
  tigris_cmsis_nn_isa isa_;
};

} // namespace

uint64_t planScratch(const PlanFile& file, KernelLibrary kernels) {
  const std::optional<tigris_cmsis_nn_isa> isa = cmsisNnIsa(kernels);
  uint64_t most = 0;
  for (const tigris_op& op : file.ops())
    if (isa && op.inputs > 0)
      most = std::max(most, OpScratch(file, op, *isa).bytes());
  return most;
}

} // namespace tigris
