// Sliding windows in float32, for constant folding and as the reference in tests of passes. Sums
// start with the bias and run over rows, columns and channels of the window, in the order of the
// runtime's kernels.
#include "tigris/IR/EvalRules.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <limits>

namespace tigris::eval {

namespace {

/// An activation of rank 3 or 4 as batch, channels, height and width; rank 3 has width 1.
struct Image {
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t size[2] = {1, 1};
  int64_t channelStep = 1;
  int64_t batchStep = 1;
  int64_t step[2] = {1, 1};

  Image(const Shape& shape, Layout layout) {
    const std::vector<int64_t> strides = rowMajorStrides(shape);
    const size_t channel = channelAxis(layout, shape.rank());
    const size_t spatial = firstSpatialAxis(layout);
    batch = shape[0];
    batchStep = strides[0];
    channels = shape[channel];
    channelStep = strides[channel];
    for (size_t i = 0; i < shape.rank() - 2; ++i) {
      size[i] = shape[spatial + i];
      step[i] = strides[spatial + i];
    }
  }
  size_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return static_cast<size_t>(n * batchStep + c * channelStep + h * step[0] + w * step[1]);
  }
  bool contains(int64_t h, int64_t w) const {
    return h >= 0 && h < size[0] && w >= 0 && w < size[1];
  }
};

/// Window parameters per axis; the missing axis of rank 3 is a window of 1.
struct Axes {
  int64_t kernel[2] = {1, 1};
  int64_t stride[2] = {1, 1};
  int64_t dilation[2] = {1, 1};
  int64_t before[2] = {0, 0};
  int64_t after[2] = {0, 0};

  explicit Axes(const Window& window) {
    const size_t rank = window.kernel.size();
    for (size_t i = 0; i < rank; ++i) {
      kernel[i] = window.kernel[i];
      stride[i] = window.strides[i];
      dilation[i] = window.dilations[i];
      before[i] = window.pads[i];
      after[i] = window.pads[rank + i];
    }
  }
  /// The input coordinate of tap k of the window at `position`.
  int64_t source(size_t axis, int64_t position, int64_t k) const {
    return position * stride[axis] + k * dilation[axis] - before[axis];
  }
};

/// Calls fn(n, c, h, w) for every element of an image.
template <typename Fn> void forEachElement(const Image& image, Fn&& fn) {
  for (int64_t n = 0; n < image.batch; ++n)
    for (int64_t c = 0; c < image.channels; ++c)
      for (int64_t h = 0; h < image.size[0]; ++h)
        for (int64_t w = 0; w < image.size[1]; ++w)
          fn(n, c, h, w);
}

template <typename Fn> void forEachTap(const Axes& axes, Fn&& fn) {
  for (int64_t ky = 0; ky < axes.kernel[0]; ++ky)
    for (int64_t kx = 0; kx < axes.kernel[1]; ++kx)
      fn(ky, kx);
}

/// Maximum number of multiplications (or comparisons) of a window: a model must not keep the
/// compiler busy for hours with one padded constant.
constexpr int64_t MaxSteps = int64_t{1} << 32;

bool affordable(const Shape& positions, const Axes& axes, int64_t depth) {
  const auto steps = checkedMul(positions.elements(), axes.kernel[0] * axes.kernel[1]);
  return steps && *steps <= MaxSteps / std::max<int64_t>(depth, 1);
}

bool evaluable(const OpValues& op) {
  const size_t rank = op.shape(0).rank();
  return op.type(0) == DType::Float32 && (rank == 3 || rank == 4) && op.results().size() == 1;
}

std::vector<float> biases(const OpValues& op, int64_t channels) {
  return op.has(2) ? op.load<float>(2) : std::vector<float>(static_cast<size_t>(channels), 0.0F);
}

} // namespace

Outcome conv(const OpValues& op) {
  const auto window = resolveWindow(op.op(), op.values().graph());
  if (!evaluable(op) || !window)
    return std::nullopt;
  const Axes axes(*window);
  if (!affordable(op.result().shape, axes, op.shape(1)[1]))
    return std::nullopt;
  const Image in(op.shape(0), op.layout());
  const Image out(op.result().shape, op.layout());
  const std::vector<float> x = op.load<float>(0);
  const std::vector<float> weights = op.load<float>(1);
  const std::vector<float> bias = biases(op, out.channels);
  const int64_t depth = op.shape(1)[1];
  const int64_t perGroup = out.channels / op.attrs().getInt("group", 1);
  const int64_t taps = axes.kernel[0] * axes.kernel[1];
  std::vector<float> y(static_cast<size_t>(op.result().shape.elements()));
  forEachElement(out, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
    float sum = bias[static_cast<size_t>(o)];
    forEachTap(axes, [&](int64_t ky, int64_t kx) {
      const int64_t row = axes.source(0, h, ky);
      const int64_t column = axes.source(1, w, kx);
      if (!in.contains(row, column))
        return;
      const int64_t tap = ky * axes.kernel[1] + kx;
      for (int64_t i = 0; i < depth; ++i)
        sum += x[in.at(n, o / perGroup * depth + i, row, column)] *
               weights[static_cast<size_t>((o * depth + i) * taps + tap)];
    });
    y[out.at(n, o, h, w)] = sum;
  });
  return one(y, DType::Float32);
}

Outcome convTranspose(const OpValues& op) {
  const auto window = resolveWindow(op.op(), op.values().graph());
  if (!evaluable(op) || !window)
    return std::nullopt;
  const Axes axes(*window);
  if (!affordable(op.shape(0), axes, op.shape(1)[1]))
    return std::nullopt;
  const Image in(op.shape(0), op.layout());
  const Image out(op.result().shape, op.layout());
  const std::vector<float> x = op.load<float>(0);
  const std::vector<float> weights = op.load<float>(1);
  const std::vector<float> bias = biases(op, out.channels);
  const int64_t perGroup = op.shape(1)[1];
  const int64_t depth = in.channels / op.attrs().getInt("group", 1);
  const int64_t taps = axes.kernel[0] * axes.kernel[1];
  std::vector<float> y(static_cast<size_t>(op.result().shape.elements()));
  forEachElement(out, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
    y[out.at(n, o, h, w)] = bias[static_cast<size_t>(o)];
  });
  forEachElement(in, [&](int64_t n, int64_t i, int64_t h, int64_t w) {
    forEachTap(axes, [&](int64_t ky, int64_t kx) {
      const int64_t row = axes.source(0, h, ky);
      const int64_t column = axes.source(1, w, kx);
      if (!out.contains(row, column))
        return;
      const int64_t tap = ky * axes.kernel[1] + kx;
      for (int64_t o = 0; o < perGroup; ++o)
        y[out.at(n, i / depth * perGroup + o, row, column)] +=
            x[in.at(n, i, h, w)] * weights[static_cast<size_t>((i * perGroup + o) * taps + tap)];
    });
  });
  return one(y, DType::Float32);
}

Outcome pool(const OpValues& op) {
  const auto window = resolveWindow(op.op(), op.values().graph());
  if (!evaluable(op) || !window)
    return std::nullopt;
  const Axes axes(*window);
  if (!affordable(op.result().shape, axes, 1))
    return std::nullopt;
  const Image in(op.shape(0), op.layout());
  const Image out(op.result().shape, op.layout());
  const std::vector<float> x = op.load<float>(0);
  const bool maximum = op.op().kind == OpKind::MaxPool;
  const bool countPads = op.attrs().getInt("count_include_pad") != 0;
  const auto padded = [&](size_t axis, int64_t at) {
    return at < in.size[axis] + axes.after[axis];
  };
  std::vector<float> y(static_cast<size_t>(op.result().shape.elements()));
  forEachElement(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    float most = -std::numeric_limits<float>::infinity();
    float sum = 0;
    int64_t count = 0;
    forEachTap(axes, [&](int64_t ky, int64_t kx) {
      const int64_t row = axes.source(0, h, ky);
      const int64_t column = axes.source(1, w, kx);
      const bool inside = in.contains(row, column);
      // A ceil_mode window may extend beyond the padding; taps there never count.
      if (inside || (countPads && padded(0, row) && padded(1, column)))
        ++count;
      if (!inside)
        return;
      most = std::max(most, x[in.at(n, c, row, column)]);
      sum += x[in.at(n, c, row, column)];
    });
    y[out.at(n, c, h, w)] = maximum ? most : sum / static_cast<float>(count);
  });
  return one(y, DType::Float32);
}

Outcome globalPool(const OpValues& op) {
  if (!evaluable(op))
    return std::nullopt;
  const Image in(op.shape(0), op.layout());
  const std::vector<float> x = op.load<float>(0);
  const bool maximum = op.op().kind == OpKind::GlobalMaxPool;
  // The result has one element per batch and channel, in this order in both layouts.
  std::vector<float> y(static_cast<size_t>(in.batch * in.channels),
                       maximum ? -std::numeric_limits<float>::infinity() : 0.0F);
  forEachElement(in, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    float& result = y[static_cast<size_t>(n * in.channels + c)];
    const float value = x[in.at(n, c, h, w)];
    result = maximum ? std::max(result, value) : result + value;
  });
  if (!maximum)
    for (float& value : y)
      value /= static_cast<float>(in.size[0] * in.size[1]);
  return one(y, DType::Float32);
}

} // namespace tigris::eval
