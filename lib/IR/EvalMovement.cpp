// Operators that move elements without arithmetic: every one is a copy between two strided walks.
#include "tigris/IR/EvalRules.h"

#include <algorithm>
#include <numeric>

namespace tigris::eval {

namespace {

/// Copies operand 0, visited along `walk`, to a dense result.
BlobRef collect(const OpValues& op, const Shape& shape, const Walk& walk) {
  const unsigned size = dtypeSize(op.type(0));
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.elements()) * size);
  const BlobRef source = op.blob(0);
  copyWalk(shape, size, source->bytes().data(), walk, bytes.data(), dense(shape));
  return makeBlob(std::move(bytes));
}

/// Operand 0 viewed with shape `seen`, with its axes permuted by `perm`.
Outcome permuted(const OpValues& op, const Shape& seen, const std::vector<int64_t>& perm) {
  const std::vector<int64_t> strides = rowMajorStrides(seen);
  Walk walk;
  for (const int64_t axis : perm)
    walk.strides.push_back(strides[static_cast<size_t>(axis)]);
  return std::vector<BlobRef>{collect(op, permute(seen, perm), walk)};
}

} // namespace

Outcome sameBytes(const OpValues& op) { return std::vector<BlobRef>{op.blob(0)}; }

Outcome transpose(const OpValues& op) {
  std::vector<int64_t> perm = op.attrs().getInts("perm");
  if (perm.empty()) {
    perm.resize(op.shape(0).rank());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  return permuted(op, op.shape(0), perm);
}

Outcome slice(const OpValues& op) {
  const auto ranges = resolveSlice(op.op(), op.values());
  if (!ranges)
    return std::nullopt;
  Walk walk = dense(op.shape(0));
  for (size_t i = 0; i < ranges->size(); ++i) {
    walk.offset += (*ranges)[i].start * walk.strides[i];
    walk.strides[i] *= (*ranges)[i].step;
  }
  return std::vector<BlobRef>{collect(op, op.result().shape, walk)};
}

Outcome split(const OpValues& op) {
  const auto axis = normalizeAxis(op.attrs().getInt("axis"), op.shape(0).rank());
  Walk walk = dense(op.shape(0));
  std::vector<BlobRef> parts;
  for (const ResultType& part : op.results()) {
    parts.push_back(collect(op, part.shape, walk));
    walk.offset += part.shape[*axis] * walk.strides[*axis];
  }
  return parts;
}

Outcome concat(const OpValues& op) {
  const Shape& shape = op.result().shape;
  const auto axis = normalizeAxis(op.attrs().getInt("axis"), shape.rank());
  const unsigned size = dtypeSize(op.result().type);
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.elements()) * size);
  Walk target = dense(shape);
  for (size_t i = 0; i < op.count(); ++i) {
    if (op.tensor(i).quant != op.tensor(0).quant)
      return std::nullopt;
    const BlobRef source = op.blob(i);
    copyWalk(op.shape(i), size, source->bytes().data(), dense(op.shape(i)), bytes.data(), target);
    target.offset += op.shape(i)[*axis] * target.strides[*axis];
  }
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

Outcome gather(const OpValues& op) {
  const Shape& x = op.shape(0);
  const auto axis = normalizeAxis(op.attrs().getInt("axis"), x.rank());
  const std::vector<int64_t> indices = op.load<int64_t>(1);
  const size_t chunk = static_cast<size_t>(x.elementsFrom(*axis + 1)) * dtypeSize(op.type(0));
  const auto count = static_cast<size_t>(x[*axis]);
  const auto outer = static_cast<size_t>(x.elementsBefore(*axis));
  const BlobRef source = op.blob(0);
  std::vector<uint8_t> bytes(outer * indices.size() * chunk);
  uint8_t* to = bytes.data();
  for (size_t o = 0; o < outer; ++o)
    for (const int64_t index : indices) {
      const auto at = normalizeAxis(index, count);
      if (!at)
        return std::nullopt;
      copyBytes(to, source->bytes().subspan((o * count + *at) * chunk, chunk));
      to += chunk;
    }
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

Outcome expand(const OpValues& op) {
  const Shape& shape = op.result().shape;
  return std::vector<BlobRef>{collect(op, shape, broadcasting(op.shape(0), shape))};
}

Outcome tile(const OpValues& op) {
  // Every axis becomes two: the repeats, with stride 0 in the source, and the axis itself.
  const Shape& x = op.shape(0);
  const std::vector<int64_t> own = rowMajorStrides(x);
  std::vector<int64_t> dims;
  Walk walk;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (x[i] == 0)
      return sameBytes(op);
    dims.insert(dims.end(), {op.result().shape[i] / x[i], x[i]});
    walk.strides.insert(walk.strides.end(), {0, own[i]});
  }
  return std::vector<BlobRef>{collect(op, Shape(std::move(dims)), walk)};
}

Outcome pad(const OpValues& op) {
  // The fill value is a real number, so it would have to be quantized.
  if (op.attrs().getString("mode", "constant") != "constant" || op.anyQuantized())
    return std::nullopt;
  const auto pads = intArgument(op.op(), op.values(), "pads");
  const auto given = intArgument(op.op(), op.values(), "axes");
  if (!pads || !*pads || !given)
    return std::nullopt;
  const Shape& x = op.shape(0);
  std::vector<int64_t> axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (*given && !(*given)->empty())
    axes = **given;
  Shape part = x;
  Walk source = dense(x);
  Walk target = dense(op.result().shape);
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = *normalizeAxis(axes[i], x.rank());
    const int64_t begin = (**pads)[i];
    const int64_t end = (**pads)[axes.size() + i];
    // Negative pads crop.
    source.offset += std::max<int64_t>(0, -begin) * source.strides[axis];
    target.offset += std::max<int64_t>(0, begin) * target.strides[axis];
    part[axis] += std::min<int64_t>(0, begin) + std::min<int64_t>(0, end);
    if (part[axis] < 0)
      return std::nullopt;
  }
  const unsigned size = dtypeSize(op.type(0));
  std::vector<uint8_t> bytes(static_cast<size_t>(op.result().shape.elements()) * size);
  BlobRef fill = storeElements(std::vector<double>{op.attrs().getFloat("value")}, op.type(0));
  if (op.has(2) && op.blob(2)->size() == size)
    fill = op.blob(2);
  for (size_t i = 0; i < bytes.size(); i += size)
    copyBytes(bytes.data() + i, fill->bytes());
  const BlobRef values = op.blob(0);
  copyWalk(part, size, values->bytes().data(), source, bytes.data(), target);
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

Outcome depthToSpace(const OpValues& op) {
  const Shape& x = op.shape(0);
  const int64_t b = op.attrs().getInt("blocksize");
  const bool columnFirst = op.attrs().getString("mode", "DCR") == "CRD";
  if (op.layout() == Layout::ChannelsLast) {
    const int64_t c = x[3] / (b * b);
    return columnFirst ? permuted(op, {x[0], x[1], x[2], c, b, b}, {0, 1, 4, 2, 5, 3})
                       : permuted(op, {x[0], x[1], x[2], b, b, c}, {0, 1, 3, 2, 4, 5});
  }
  const int64_t c = x[1] / (b * b);
  return columnFirst ? permuted(op, {x[0], c, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3})
                     : permuted(op, {x[0], b, b, c, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
}

Outcome spaceToDepth(const OpValues& op) {
  const Shape& x = op.shape(0);
  const int64_t b = op.attrs().getInt("blocksize");
  if (op.layout() == Layout::ChannelsLast)
    return permuted(op, {x[0], x[1] / b, b, x[2] / b, b, x[3]}, {0, 1, 3, 2, 4, 5});
  return permuted(op, {x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4});
}

} // namespace tigris::eval
