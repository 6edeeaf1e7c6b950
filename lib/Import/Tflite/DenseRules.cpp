// Dense layers and matrix products.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Weights.h"

namespace tigris {

namespace {

Status fullyConnected(OpContext& op) {
  const auto* options = op.options<tflite::FullyConnectedOptions>();
  if (!op.require(2))
    return op.status();
  const TensorId x = op.input(0);
  const TensorId given = weightsFor(op, x, op.input(1));
  if (op.failed())
    return op.status();
  const Shape weights = op.shape(given);
  if (weights.rank() != 2 || weights[1] <= 0 || op.shape(x).elements() % weights[1] != 0)
    return op.fail(DiagId::BadShape, "its input has shape ", op.shape(x).str(),
                   ", which does not divide into rows for weights of shape ", weights.str());
  if (options != nullptr && options->weights_format() != 0)
    return op.unsupported("its weights are shuffled for a processor's kernel; convert the model "
                          "without that");
  if (options != nullptr)
    op.setActivation(options->fused_activation_function());
  const TensorId rows = op.reshaped(x, {op.shape(x).elements() / weights[1], weights[1]});
  std::vector<TensorId> inputs = {rows, given};
  if (const TensorId bias = biasFor(op, x, 2))
    inputs.push_back(bias);
  AttrMap attrs = {{"transB", int64_t{1}}};
  if (hasNarrowSums(op, x, 2))
    attrs.set("narrow_sums", int64_t{1});
  return op.finish(OpKind::Gemm, std::move(inputs), std::move(attrs));
}

/// The last two dimensions exchanged.
TensorId adjoint(OpContext& op, TensorId id) {
  if (op.failed())
    return {};
  const size_t rank = op.shape(id).rank();
  std::vector<int64_t> perm;
  for (size_t i = 0; i < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  std::swap(perm[rank - 1], perm[rank - 2]);
  return op.transposed(id, std::move(perm));
}

Status batchMatMul(OpContext& op) {
  const auto* options = op.options<tflite::BatchMatMulOptions>();
  if (!op.require(2))
    return op.status();
  TensorId a = op.input(0);
  TensorId b = op.input(1);
  if (op.failed())
    return op.status();
  if (op.shape(a).rank() < 2 || op.shape(b).rank() < 2)
    return op.unsupported("operands of rank 1 are not supported");
  if (op.isQuantized(a) != op.isQuantized(b)) {
    a = op.real(a);
    b = op.real(b);
  }
  if (options != nullptr && options->adj_x())
    a = adjoint(op, a);
  if (options != nullptr && options->adj_y())
    b = adjoint(op, b);
  return op.finish(OpKind::MatMul, {a, b});
}

constexpr OpRule DenseOps[] = {
    {tflite::BuiltinOperator::FULLY_CONNECTED, 13, fullyConnected, "constant weights"},
    {tflite::BuiltinOperator::BATCH_MATMUL, 4, batchMatMul},
};

} // namespace

std::span<const OpRule> denseOps() { return DenseOps; }

} // namespace tigris
