// Weights with one scale per block of an axis become float constants: there are kernels for one
// scale per tensor or per channel only.
//
//   DequantizeLinear  real[k] = (stored[k] - zero_point[k / block]) * scale[k / block], along an
//   axis MatMulNBits       the same along the rows of the product; integers of 2, 4 or 8 bits are
//   packed,
//                     the low bits first
#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <span>

namespace tigris {

namespace {

/// Fails if `elements` float32 numbers are more than an importer may make of one tensor.
Status limitWeights(const NodeContext& node, const Shape& shape) {
  const std::optional<int64_t> elements = shape.checkedElements();
  if (elements && static_cast<uint64_t>(*elements) * sizeof(float) <= MaxMadeBytesInAll)
    return {};
  return node.unsupported("its weights of shape ", shape.str(), " are more than ",
                          formatBytes(MaxMadeBytesInAll),
                          " as float32; quantize them with one "
                          "scale per channel");
}

/// A constant in which block b of the axis has the parameter b.
struct Blocks {
  Shape shape;
  size_t axis = 0;
  int64_t size = 1;

  /// Index of the parameter of an element.
  int64_t parameterOf(int64_t element) const {
    const int64_t inner = shape.elementsFrom(axis + 1);
    const int64_t along = shape[axis];
    const int64_t outer = element / (inner * along);
    const int64_t at = element / inner % along;
    return (outer * count() + at / size) * inner + element % inner;
  }
  int64_t count() const { return (shape[axis] + size - 1) / size; }
  Shape parameterShape() const {
    Shape result = shape;
    result[axis] = count();
    return result;
  }
};

BlobRef dequantized(const Blocks& blocks, const std::vector<float>& stored,
                    const std::vector<float>& scales, const std::vector<float>& zeroPoints) {
  std::vector<float> real(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    const auto at = static_cast<size_t>(blocks.parameterOf(static_cast<int64_t>(i)));
    real[i] = (stored[i] - (zeroPoints.empty() ? 0.0F : zeroPoints[at])) * scales[at];
  }
  return makeBlobOf(real);
}

Expected<std::vector<float>> floatsOf(const NodeContext& node, size_t index) {
  const TensorId id = node.input(index);
  const BlobRef known = node.valueOf(id);
  if (known == nullptr)
    return node.unsupported("input ", index, " (tensor '", node.tensor(id).name,
                            "') is computed at run time; only constants may have one scale per "
                            "block");
  return loadElements<float>(*known, node.tensor(id).type);
}

Expected<Blocks> blocksOf(const NodeContext& node, int64_t size) {
  Blocks blocks;
  blocks.shape = node.tensor(node.input(0)).shape;
  blocks.size = size;
  Expected<int64_t> given = node.intAttr("axis", 1);
  if (!given)
    return given.takeError();
  const std::optional<size_t> axis = normalizeAxis(*given, blocks.shape.rank());
  if (!axis || size < 1)
    return node.refuse(DiagId::BadAttr, "axis ", *given, " and block_size ", size,
                       " do not fit a tensor of shape ", blocks.shape.str());
  blocks.axis = *axis;
  for (const size_t i : {size_t{1}, size_t{2}})
    if (node.input(i) && node.tensor(node.input(i)).shape != blocks.parameterShape())
      return node.refuse(DiagId::BadShape, "input ", i, " has shape ",
                         node.tensor(node.input(i)).shape.str(), ", blocks of ", size,
                         " elements need ", blocks.parameterShape().str());
  return blocks;
}

/// Packed integers of MatMulNBits and its parameters.
struct PackedWeights {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t bits = 4;
  int64_t block = 32;

  int64_t blocks() const { return (rows + block - 1) / block; }
  int64_t bytesPerBlock() const { return (block * bits + 7) / 8; }
  int64_t bytesOfZeroPoints() const { return (blocks() * bits + 7) / 8; }
  /// The integer at `index` of a sequence of packed ones.
  float unpack(std::span<const uint8_t> bytes, int64_t index) const {
    const int64_t bit = index * bits;
    const unsigned mask = (1U << bits) - 1U;
    return static_cast<float>((bytes[static_cast<size_t>(bit / 8)] >> (bit % 8)) & mask);
  }
};

Expected<PackedWeights> packedWeightsOf(const NodeContext& node) {
  PackedWeights weights;
  const std::pair<const char*, int64_t*> numbers[] = {{"K", &weights.rows},
                                                      {"N", &weights.columns},
                                                      {"bits", &weights.bits},
                                                      {"block_size", &weights.block}};
  for (const auto& [name, number] : numbers) {
    Expected<int64_t> value = node.intAttr(name, *number);
    if (!value)
      return value.takeError();
    if (*value < 1 || *value > INT32_MAX)
      return node.refuse(DiagId::BadAttr, "'", name, "' is ", *value);
    *number = *value;
  }
  if (weights.bits != 2 && weights.bits != 4 && weights.bits != 8)
    return node.unsupported("'bits' is ", weights.bits, "; 2, 4 and 8 are supported");
  if (node.input(4))
    return node.unsupported("input 'g_idx' permutes its blocks; quantize the model without "
                            "reordering (desc_act=False)");
  return weights;
}

/// The bytes of an operand, which must be this many.
Expected<BlobRef> bytesOf(const NodeContext& node, size_t index, int64_t expected) {
  const BlobRef known = node.valueOf(node.input(index));
  if (known == nullptr)
    return node.unsupported("input ", index, " is computed at run time; it must be constant");
  if (known->size() != static_cast<size_t>(expected))
    return node.refuse(DiagId::BadShape, "input ", index, " has ", known->size(),
                       " bytes, expected ", expected);
  return known;
}

/// Zero points of all blocks, one column after the other.
Expected<std::vector<float>> zeroPointsOf(const NodeContext& node, const PackedWeights& weights) {
  const auto count = static_cast<size_t>(weights.columns * weights.blocks());
  if (!node.input(3))
    return std::vector<float>(count, static_cast<float>(int64_t{1} << (weights.bits - 1)));
  if (node.tensor(node.input(3)).type != DType::UInt8) {
    Expected<std::vector<float>> real = floatsOf(node, 3);
    if (real && real->size() != count)
      return node.refuse(DiagId::BadShape, "input 3 has ", real->size(), " elements, expected ",
                         count);
    return real;
  }
  const int64_t bytes = weights.bytesOfZeroPoints();
  const Expected<BlobRef> packed = bytesOf(node, 3, weights.columns * bytes);
  if (!packed)
    return packed.error();
  std::vector<float> result;
  for (int64_t column = 0; column < weights.columns; ++column)
    for (int64_t block = 0; block < weights.blocks(); ++block)
      result.push_back(
          weights.unpack((*packed)->bytes().subspan(static_cast<size_t>(column * bytes)), block));
  return result;
}

/// The weights as a float matrix of shape [K, N].
Expected<TensorId> unpackedWeights(NodeContext& node, const PackedWeights& weights) {
  const int64_t blockBytes = weights.bytesPerBlock();
  const int64_t columnBytes = weights.blocks() * blockBytes;
  const Expected<BlobRef> packed = bytesOf(node, 1, weights.columns * columnBytes);
  const Expected<std::vector<float>> scales = floatsOf(node, 2);
  const Expected<std::vector<float>> zeroPoints = zeroPointsOf(node, weights);
  if (!packed || !scales || !zeroPoints)
    return !packed ? packed.error() : !scales ? scales.error() : zeroPoints.error();
  if (scales->size() != zeroPoints->size())
    return node.refuse(DiagId::BadShape, "input 2 has ", scales->size(), " elements, expected ",
                       zeroPoints->size());
  std::vector<float> real;
  for (int64_t row = 0; row < weights.rows; ++row)
    for (int64_t column = 0; column < weights.columns; ++column) {
      const int64_t block = row / weights.block;
      const auto parameter = static_cast<size_t>(column * weights.blocks() + block);
      const auto bytes = (*packed)->bytes().subspan(
          static_cast<size_t>(column * columnBytes + block * blockBytes));
      real.push_back((weights.unpack(bytes, row % weights.block) - (*zeroPoints)[parameter]) *
                     (*scales)[parameter]);
    }
  return node.constant("weights", DType::Float32, {weights.rows, weights.columns},
                       makeBlobOf(real));
}

} // namespace

Status importDequantizeLinear(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  Expected<int64_t> size = node.intAttr("block_size", 0);
  if (!size)
    return size.takeError();
  // Every float type that it could output is float32 here.
  if (*size == 0)
    return node.finishPlain(OpKind::DequantizeLinear, {"output_dtype"});
  const Expected<Blocks> blocks = blocksOf(node, *size);
  if (!blocks)
    return blocks.error();
  if (Status status = limitWeights(node, blocks->shape); !status)
    return status;
  const Expected<std::vector<float>> stored = floatsOf(node, 0);
  const Expected<std::vector<float>> scales = floatsOf(node, 1);
  const Expected<std::vector<float>> zeroPoints =
      node.input(2) ? floatsOf(node, 2) : Expected(std::vector<float>());
  if (!stored || !scales || !zeroPoints)
    return !stored ? stored.error() : !scales ? scales.error() : zeroPoints.error();
  return node.finish(OpKind::Constant,
                     {node.constant("real", DType::Float32, blocks->shape,
                                    dequantized(*blocks, *stored, *scales, *zeroPoints))});
}

Status importMatMulNBits(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  const Expected<PackedWeights> weights = packedWeightsOf(node);
  if (!weights)
    return weights.error();
  if (Status status = limitWeights(node, {weights->rows, weights->columns}); !status)
    return status;
  Expected<TensorId> matrix = unpackedWeights(node, *weights);
  if (!matrix)
    return matrix.takeError();
  if (!node.input(5))
    return node.finish(OpKind::MatMul, {node.input(0), *matrix});
  Chain chain(node);
  const TensorId product = chain.op("product", OpKind::MatMul, {node.input(0), *matrix});
  return chain.finish(OpKind::Add, {product, node.input(5)});
}

} // namespace tigris
