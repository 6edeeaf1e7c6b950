// Pools.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Padding.h"

namespace tigris {

namespace {

/// L2_POOL_2D is the root of the mean of squares.
Status flatPool(OpContext& op, OpKind kind, bool squares = false) {
  const auto* options = op.options<tflite::Pool2DOptions>();
  if (!op.require(1) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no Pool2DOptions");
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  if (op.shape(x).rank() != 4)
    return op.unsupported("its input has shape ", op.shape(x).str(), ", expected rank 4");
  op.setActivation(options->fused_activation_function());
  AttrMap attrs = windowAttrs(op,
                              {{options->filter_height(), options->filter_width()},
                               {options->stride_h(), options->stride_w()},
                               {1, 1},
                               options->padding()},
                              {op.shape(x)[1], op.shape(x)[2]});
  attrs.erase("dilations");
  if (squares) {
    if (op.refuseQuantized())
      return op.status();
    const TensorId square = op.step("square", OpKind::Mul, {x, x});
    return op.finishPicture(OpKind::Sqrt,
                            {op.step("mean", kind, {op.channelsFirst(square)}, attrs)});
  }
  return op.finishPicture(kind, {op.channelsFirst(x)}, std::move(attrs));
}

Status flatAveragePool(OpContext& op) { return flatPool(op, OpKind::AveragePool); }
Status flatL2Pool(OpContext& op) { return flatPool(op, OpKind::AveragePool, true); }
Status flatMaxPool(OpContext& op) { return flatPool(op, OpKind::MaxPool); }

constexpr OpRule PoolOps[] = {
    {tflite::BuiltinOperator::AVERAGE_POOL_2D, 3, flatAveragePool},
    {tflite::BuiltinOperator::L2_POOL_2D, 1, flatL2Pool, "float only"},
    {tflite::BuiltinOperator::MAX_POOL_2D, 3, flatMaxPool},
};

} // namespace

std::span<const OpRule> poolOps() { return PoolOps; }

} // namespace tigris
