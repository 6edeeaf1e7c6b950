// Sparse constants: the dimensions, and those of blocks, are traversed in a stored order, each
// either densely or as compressed rows (segments and indices).
#include "tigris/IR/ConstantEval.h"
#include "tigris/Import/Tflite/Tensors.h"
#include "tigris/Support/StringUtils.h"

#include <cstring>

namespace tigris {

namespace {

/// One level of the traversal.
struct Level {
  bool dense = true;
  /// Number of positions.
  int64_t size = 1;
  std::vector<int64_t> segments = {};
  std::vector<int64_t> indices = {};
  /// What one step adds to the row-major index of the element.
  int64_t stride = 0;
};

template <typename T> std::vector<int64_t> widened(const T* vector) {
  if (vector == nullptr)
    return {};
  const auto values = elementsOf(vector->values());
  return {values.begin(), values.end()};
}

std::vector<int64_t> segmentsOf(const tflite::DimensionMetadata& dim) {
  if (const auto* wide = dim.array_segments_as_Int32Vector())
    return widened(wide);
  if (const auto* half = dim.array_segments_as_Uint16Vector())
    return widened(half);
  return widened(dim.array_segments_as_Uint8Vector());
}

std::vector<int64_t> indicesOf(const tflite::DimensionMetadata& dim) {
  if (const auto* wide = dim.array_indices_as_Int32Vector())
    return widened(wide);
  if (const auto* half = dim.array_indices_as_Uint16Vector())
    return widened(half);
  return widened(dim.array_indices_as_Uint8Vector());
}

class Densifier {
public:
  Densifier(std::span<const uint8_t> stored, size_t width, size_t elements)
      : stored_(stored), width_(width), dense_(elements * width) {}

  /// False if the description does not fit the data.
  bool run(const std::vector<Level>& levels) {
    levels_ = &levels;
    return visit(0, 0, 0) && next_ * width_ == stored_.size();
  }
  std::vector<uint8_t> take() { return std::move(dense_); }

private:
  bool visit(size_t depth, int64_t parent, int64_t at) {
    if (depth == levels_->size())
      return store(at);
    const Level& level = (*levels_)[depth];
    if (level.dense) {
      for (int64_t i = 0; i < level.size; ++i)
        if (!visit(depth + 1, parent * level.size + i, at + i * level.stride))
          return false;
      return true;
    }
    const auto row = static_cast<size_t>(parent);
    if (row + 1 >= level.segments.size())
      return false;
    const int64_t end = level.segments[row + 1];
    if (level.segments[row] < 0 || end > static_cast<int64_t>(level.indices.size()))
      return false;
    for (int64_t i = level.segments[row]; i < end; ++i) {
      const int64_t index = level.indices[static_cast<size_t>(i)];
      if (index < 0 || index >= level.size || !visit(depth + 1, i, at + index * level.stride))
        return false;
    }
    return true;
  }

  bool store(int64_t at) {
    const size_t from = next_++ * width_;
    const size_t to = static_cast<size_t>(at) * width_;
    if (from + width_ > stored_.size() || to + width_ > dense_.size())
      return false;
    std::memcpy(dense_.data() + to, stored_.data() + from, width_);
    return true;
  }

  std::span<const uint8_t> stored_;
  size_t width_;
  std::vector<uint8_t> dense_;
  const std::vector<Level>* levels_ = nullptr;
  size_t next_ = 0;
};

} // namespace

Expected<std::vector<uint8_t>> densified(const tflite::SparsityParameters& sparsity,
                                         const Shape& shape, std::span<const uint8_t> stored,
                                         size_t width, const std::string& name) {
  const auto bad = [&] {
    return makeError(DiagId::BadWeights, "tensor '", name,
                     "': its sparse form does not describe a tensor of shape ", shape.str());
  };
  const size_t rank = shape.rank();
  const std::vector<int32_t> order = elementsOf(sparsity.traversal_order());
  const std::vector<int32_t> blockMap = elementsOf(sparsity.block_map());
  const auto dims = tablesOf(sparsity.dim_metadata());
  if (blockMap.size() > rank || order.size() != rank + blockMap.size() ||
      dims.size() != order.size())
    return bad();
  if (static_cast<uint64_t>(shape.elements()) * width > MaxMadeBytesInAll)
    return makeError(DiagId::UnsupportedType, "tensor '", name, "': the dense form of shape ",
                     shape.str(), " is too large");
  std::vector<int64_t> blocks(rank, 1);
  std::vector<Level> levels(order.size());
  std::vector<bool> seen(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const int32_t axis = order[i];
    if (axis < 0 || static_cast<size_t>(axis) >= order.size() || seen[static_cast<size_t>(axis)])
      return bad();
    seen[static_cast<size_t>(axis)] = true;
    Level& level = levels[i];
    level.dense = dims[i]->format() == tflite::DimensionType::DENSE;
    level.size = dims[i]->dense_size();
    if (!level.dense) {
      level.segments = segmentsOf(*dims[i]);
      level.indices = indicesOf(*dims[i]);
    }
    if (static_cast<size_t>(axis) >= rank) {
      const int32_t of = blockMap[static_cast<size_t>(axis) - rank];
      if (of < 0 || static_cast<size_t>(of) >= rank || level.size <= 0)
        return bad();
      blocks[static_cast<size_t>(of)] = level.size;
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const auto axis = static_cast<size_t>(order[i]);
    const size_t of = axis < rank ? axis : static_cast<size_t>(blockMap[axis - rank]);
    const int64_t inner = shape.elementsFrom(of + 1);
    levels[i].stride = axis < rank ? inner * blocks[of] : inner;
    if (axis < rank) {
      if (shape[of] % blocks[of] != 0)
        return bad();
      const int64_t size = shape[of] / blocks[of];
      if (levels[i].dense && levels[i].size != size)
        return bad();
      levels[i].size = size;
    }
  }
  Densifier densifier(stored, width, static_cast<size_t>(shape.elements()));
  if (!densifier.run(levels))
    return bad();
  return densifier.take();
}

} // namespace tigris
