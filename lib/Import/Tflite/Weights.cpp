// Reorders and converts constants.
#include "tigris/Import/Tflite/Weights.h"

#include "tigris/IR/Elements.h"

#include <cstring>
#include <limits>

namespace tigris {

namespace {

std::vector<uint8_t> permutedBytes(std::span<const uint8_t> bytes, const Shape& from,
                                   const std::vector<int64_t>& perm, size_t width) {
  const Shape to = permute(from, perm);
  const std::vector<int64_t> strides = rowMajorStrides(from);
  std::vector<uint8_t> result(bytes.size());
  std::vector<int64_t> at(perm.size(), 0);
  int64_t source = 0;
  for (size_t i = 0; i < bytes.size(); i += width) {
    std::memcpy(result.data() + i, bytes.data() + static_cast<size_t>(source) * width, width);
    for (size_t axis = perm.size(); axis-- > 0;) {
      const int64_t stride = strides[static_cast<size_t>(perm[axis])];
      source += stride;
      if (++at[axis] < to[axis])
        break;
      source -= stride * to[axis];
      at[axis] = 0;
    }
  }
  return result;
}

} // namespace

TensorId permutedConstant(OpContext& op, TensorId id, const std::vector<int64_t>& perm,
                          const Shape& to, int axis) {
  if (op.failed())
    return {};
  const BlobRef data = op.builder().values().find(id);
  if (data == nullptr) {
    op.unsupported("operand '", op.tensor(id).name,
                   "' is computed at run time; it must be constant");
    return {};
  }
  const Tensor from = op.tensor(id);
  const TensorId made = op.constant(
      "weights", {from.type, to,
                  makeBlob(permutedBytes(data->bytes(), from.shape, perm, dtypeSize(from.type)))});
  if (from.quant) {
    QuantParam quant = *from.quant;
    if (quant.perChannel()) {
      if (to[static_cast<size_t>(axis)] != static_cast<int64_t>(quant.scale.size())) {
        op.unsupported("weights '", from.name, "' are quantized along dimension ", quant.axis,
                       ", which is not that of the output channels");
        return {};
      }
      quant.axis = axis;
    }
    op.builder().graph().editTensor(made).quant = std::move(quant);
  }
  return made;
}

TensorId weightsFor(OpContext& op, TensorId x, TensorId weights) {
  if (op.failed() || op.isQuantized(x) == op.isQuantized(weights))
    return weights;
  if (!op.isQuantized(x))
    return op.real(weights);
  op.unsupported("its input '", op.tensor(x).name, "' is quantized, but its weights '",
                 op.tensor(weights).name, "' are not");
  return {};
}

TensorId biasFor(OpContext& op, TensorId x, size_t index) {
  const TensorId bias = op.input(index);
  if (op.failed() || !bias)
    return {};
  const Tensor tensor = op.tensor(bias);
  if (!op.isQuantized(x))
    return op.real(bias);
  const BlobRef data = op.builder().values().find(bias);
  if (data == nullptr || (tensor.type != DType::Int32 && tensor.type != DType::Int64)) {
    op.unsupported("bias '", tensor.name, "' is ", dtypeName(tensor.type),
                   data == nullptr ? " and computed at run time" : "",
                   "; it must be an int32 or int64 constant");
    return {};
  }
  const std::vector<int64_t> values = loadElements<int64_t>(*data, tensor.type);
  constexpr int64_t Most = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> narrow;
  for (const int64_t value : values) {
    if (value > Most || value < -Most - 1) {
      op.unsupported("bias '", tensor.name, "' has the value ", value, ", which is not an int32");
      return {};
    }
    narrow.push_back(static_cast<int32_t>(value));
  }
  // Its unit is that of the sums, whatever scale the file states.
  return op.constant("bias", {DType::Int32, tensor.shape, makeBlobOf(narrow)});
}

bool hasNarrowSums(OpContext& op, TensorId x, size_t bias) {
  const TensorId id = op.input(bias);
  return !op.failed() && id && op.isQuantized(x) && op.tensor(x).type == DType::Int16 &&
         op.tensor(id).type == DType::Int32;
}

} // namespace tigris
