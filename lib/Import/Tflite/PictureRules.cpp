// Operators that exchange positions of pictures with channels or batches, and resizing.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"

#include <numeric>

namespace tigris {

using tflite::BuiltinOperator;
using Ints = std::vector<int64_t>;

namespace {

bool isPicture(OpContext& op, TensorId x) {
  if (!op.failed() && op.shape(x).rank() != 4)
    op.unsupported("its input has shape ", op.shape(x).str(), ", expected rank 4");
  return !op.failed();
}

template <typename Options> Status blocks(OpContext& op, OpKind kind) {
  const auto* options = op.options<Options>();
  const TensorId x = operandOf(op, 1);
  if (!isPicture(op, x))
    return op.status();
  const int64_t size = options == nullptr ? 0 : options->block_size();
  return op.finishPicture(kind, {op.channelsFirst(x)}, {{"blocksize", size}});
}

Status depthToSpace(OpContext& op) {
  return blocks<tflite::DepthToSpaceOptions>(op, OpKind::DepthToSpace);
}
Status spaceToDepth(OpContext& op) {
  return blocks<tflite::SpaceToDepthOptions>(op, OpKind::SpaceToDepth);
}

/// [N, H, W, C] and blocks [b, c]: parts of H and W become the outer part of N.
Status spaceToBatch(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  const Ints block = op.integers(1, "the block");
  const Ints pairs = op.integers(2, "the padding");
  if (op.failed())
    return op.status();
  const size_t rank = op.shape(x).rank();
  const size_t count = block.size();
  if (count + 1 > rank || pairs.size() != 2 * count)
    return op.fail(DiagId::BadShape, "has ", count, " blocks for rank ", rank);
  Ints pads(2 * rank, 0);
  for (size_t i = 0; i < count; ++i) {
    pads[i + 1] = pairs[2 * i];
    pads[rank + i + 1] = pairs[2 * i + 1];
  }
  const TensorId padded = op.step("pad", OpKind::Pad, {x}, {{"pads", pads}}, op.tensor(x).quant);
  if (op.failed())
    return op.status();
  const Shape shape = op.shape(padded);
  Ints split = {shape[0]};
  Ints perm;
  Ints dims = {shape[0]};
  for (size_t i = 0; i < count; ++i) {
    if (block[i] <= 0 || shape[i + 1] % block[i] != 0)
      return op.fail(DiagId::BadShape, "a block of ", block[i], " does not divide ", shape.str());
    split.push_back(shape[i + 1] / block[i]);
    split.push_back(block[i]);
    perm.push_back(static_cast<int64_t>(2 * i + 2));
    dims[0] *= block[i];
    dims.push_back(shape[i + 1] / block[i]);
  }
  perm.push_back(0);
  for (size_t i = 0; i < count; ++i)
    perm.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = count + 1; i < rank; ++i) {
    perm.push_back(static_cast<int64_t>(split.size()));
    split.push_back(shape[i]);
    dims.push_back(shape[i]);
  }
  const TensorId moved = op.transposed(op.reshaped(padded, Shape(split)), perm);
  return op.finish(OpKind::Reshape, {moved}, {{"shape", dims}});
}

/// The inverse, with a crop in place of the padding.
Status batchToSpace(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  const Ints block = op.integers(1, "the block");
  const Ints pairs = op.integers(2, "the crop");
  if (op.failed())
    return op.status();
  const Shape shape = op.shape(x);
  const size_t count = block.size();
  if (count + 1 > shape.rank() || pairs.size() != 2 * count)
    return op.fail(DiagId::BadShape, "has ", count, " blocks for rank ", shape.rank());
  Ints split;
  int64_t batch = shape[0];
  for (const int64_t size : block) {
    if (size <= 0 || batch % size != 0)
      return op.fail(DiagId::BadShape, "a block of ", size, " does not divide ", shape.str());
    split.push_back(size);
    batch /= size;
  }
  split.push_back(batch);
  Ints perm = {static_cast<int64_t>(count)};
  Ints dims = {batch};
  Ints starts = {0};
  Ints ends = {batch};
  for (size_t i = 0; i < count; ++i) {
    perm.push_back(static_cast<int64_t>(count + 1 + i));
    perm.push_back(static_cast<int64_t>(i));
    dims.push_back(shape[i + 1] * block[i]);
    starts.push_back(pairs[2 * i]);
    ends.push_back(dims.back() - pairs[2 * i + 1]);
  }
  for (size_t i = 1; i < shape.rank(); ++i) {
    split.push_back(shape[i]);
    if (i <= count)
      continue;
    perm.push_back(static_cast<int64_t>(split.size()) - 1);
    dims.push_back(shape[i]);
    starts.push_back(0);
    ends.push_back(shape[i]);
  }
  const TensorId moved = op.transposed(op.reshaped(x, Shape(split)), perm);
  const TensorId joined = op.reshaped(moved, Shape(dims));
  Ints axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  return op.finish(OpKind::Slice, {joined}, {{"starts", starts}, {"ends", ends}, {"axes", axes}});
}

Status flatResize(OpContext& op, const std::string& mode, bool alignCorners, bool halfPixel) {
  const TensorId x = operandOf(op, 2);
  const Ints size = op.integers(1, "the size");
  if (!isPicture(op, x))
    return op.status();
  if (size.size() != 2)
    return op.fail(DiagId::BadShape, "has ", size.size(), " sizes, expected 2");
  const bool nearest = mode == "nearest";
  const std::string form = !nearest && op.isQuantized(x) ? "_q10" : "";
  const std::string coordinates = alignCorners ? "align_corners"
                                  : halfPixel  ? "half_pixel"
                                               : "asymmetric";
  AttrMap attrs = {{"sizes", Ints{op.shape(x)[0], op.shape(x)[3], size[0], size[1]}},
                   {"mode", mode},
                   {"coordinate_transformation_mode", coordinates + form}};
  if (nearest)
    attrs.set("nearest_mode",
              std::string(alignCorners || halfPixel ? "round_prefer_ceil" : "floor"));
  const TensorId none;
  return op.finishPicture(OpKind::Resize, {op.channelsFirst(x), none, none, none}, attrs);
}

Status resizeBilinear(OpContext& op) {
  const auto* options = op.options<tflite::ResizeBilinearOptions>();
  return flatResize(op, "linear", options != nullptr && options->align_corners(),
                    options != nullptr && options->half_pixel_centers());
}
Status resizeNearest(OpContext& op) {
  const auto* options = op.options<tflite::ResizeNearestNeighborOptions>();
  return flatResize(op, "nearest", options != nullptr && options->align_corners(),
                    options != nullptr && options->half_pixel_centers());
}

constexpr OpRule PictureOps[] = {
    {BuiltinOperator::DEPTH_TO_SPACE, 2, depthToSpace},
    {BuiltinOperator::SPACE_TO_DEPTH, 2, spaceToDepth},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 4, spaceToBatch},
    {BuiltinOperator::BATCH_TO_SPACE_ND, 4, batchToSpace},
    {BuiltinOperator::RESIZE_BILINEAR, 4, resizeBilinear},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 4, resizeNearest},
};

} // namespace

std::span<const OpRule> pictureOps() { return PictureOps; }

} // namespace tigris
