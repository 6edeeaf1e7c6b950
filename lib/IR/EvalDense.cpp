// Matrix products, reductions and softmax. Sums are in ascending order of the summed index, like
// those of the runtime's kernels.
#include "tigris/IR/EvalRules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tigris::eval {

namespace {

/// A matrix inside a tensor, possibly transposed.
template <typename T> struct Matrix {
  const T* data;
  size_t rowStep;
  size_t columnStep;
};

/// y[m, n] += a[m, k] * b[k, n].
template <typename T>
void multiply(size_t rows, size_t columns, size_t depth, Matrix<T> a, Matrix<T> b, T* y) {
  for (size_t m = 0; m < rows; ++m)
    for (size_t k = 0; k < depth; ++k) {
      const T left = a.data[m * a.rowStep + k * a.columnStep];
      for (size_t n = 0; n < columns; ++n) {
        T& sum = y[m * columns + n];
        sum = plus(sum, times(left, b.data[k * b.rowStep + n * b.columnStep]));
      }
    }
}

template <typename T> T combine(OpKind kind, T a, T b) {
  switch (kind) {
  case OpKind::ReduceMax:
    return std::max(a, b);
  case OpKind::ReduceMin:
    return std::min(a, b);
  case OpKind::ReduceProd:
    return times(a, b);
  default:
    return plus(a, b);
  }
}

/// The result of a reduction over no elements.
template <typename T> T ofNothing(OpKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case OpKind::ReduceMax:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case OpKind::ReduceMin:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  case OpKind::ReduceProd:
    return T{1};
  default:
    return T{0};
  }
}

/// The result position of each element of X: strides of the result, 0 along the reduced axes.
Walk reductionWalk(const Shape& x, const std::vector<bool>& reduced) {
  Walk walk{std::vector<int64_t>(x.rank(), 0), 0};
  int64_t stride = 1;
  for (size_t i = x.rank(); i-- > 0;)
    if (!reduced[i]) {
      walk.strides[i] = stride;
      stride *= x[i];
    }
  return walk;
}

/// The term that a reduction sums for an element; LogSumExp needs no shift in double precision.
double taken(OpKind kind, double x) {
  switch (kind) {
  case OpKind::ReduceL1:
    return std::abs(x);
  case OpKind::ReduceL2:
  case OpKind::ReduceSumSquare:
    return x * x;
  case OpKind::ReduceLogSumExp:
    return std::exp(x);
  default:
    return x;
  }
}

double finished(OpKind kind, double sum) {
  switch (kind) {
  case OpKind::ReduceL2:
    return std::sqrt(sum);
  case OpKind::ReduceLogSum:
  case OpKind::ReduceLogSumExp:
    return std::log(sum);
  default:
    return sum;
  }
}

} // namespace

Outcome gemm(const OpValues& op) {
  if (op.type(0) != DType::Float32)
    return std::nullopt;
  const Shape& shape = op.result().shape;
  const bool transA = op.attrs().getInt("transA") != 0;
  const bool transB = op.attrs().getInt("transB") != 0;
  const auto rows = static_cast<size_t>(shape[0]);
  const auto columns = static_cast<size_t>(shape[1]);
  const auto depth = static_cast<size_t>(op.shape(0)[transA ? 0 : 1]);
  const auto alpha = static_cast<float>(op.attrs().getFloat("alpha", 1.0));
  const auto beta = static_cast<float>(op.attrs().getFloat("beta", 1.0));
  std::vector<float> a = op.load<float>(0);
  const std::vector<float> b = op.load<float>(1);
  std::vector<float> y(rows * columns, 0.0F);
  if (op.has(2))
    y = op.loadAs<float>(2, shape);
  if (beta != 1.0F)
    for (float& value : y)
      value *= beta;
  if (alpha != 1.0F)
    for (float& value : a)
      value *= alpha;
  const Matrix<float> left{a.data(), transA ? 1 : depth, transA ? rows : 1};
  const Matrix<float> right{b.data(), transB ? 1 : columns, transB ? depth : 1};
  multiply(rows, columns, depth, left, right, y.data());
  return one(y, DType::Float32);
}

Outcome matMul(const OpValues& op) {
  std::vector<int64_t> a = op.shape(0).dims();
  std::vector<int64_t> b = op.shape(1).dims();
  if (a.size() == 1)
    a.insert(a.begin(), 1);
  if (b.size() == 1)
    b.push_back(1);
  const auto rows = static_cast<size_t>(a[a.size() - 2]);
  const auto depth = static_cast<size_t>(a.back());
  const auto columns = static_cast<size_t>(b.back());
  const Shape batchA(std::vector<int64_t>(a.begin(), a.end() - 2));
  const Shape batchB(std::vector<int64_t>(b.begin(), b.end() - 2));
  const Shape batch = *broadcast(batchA, batchB);
  // For each product, the index of the operand's matrix: matrix indices, broadcast to `batch`.
  const auto numbers = [&](const Shape& own) {
    std::vector<int64_t> all(static_cast<size_t>(own.elements()));
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<int64_t>(i);
    std::vector<int64_t> result(static_cast<size_t>(batch.elements()));
    copyWalk(batch, sizeof(int64_t), reinterpret_cast<const uint8_t*>(all.data()),
             broadcasting(own, batch), reinterpret_cast<uint8_t*>(result.data()), dense(batch));
    return result;
  };
  const std::vector<int64_t> which[] = {numbers(batchA), numbers(batchB)};
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    const std::vector<T> left = op.load<T>(0);
    const std::vector<T> right = op.load<T>(1);
    std::vector<T> y(static_cast<size_t>(op.result().shape.elements()), T{});
    for (size_t i = 0; i < which[0].size(); ++i) {
      const T* first = left.data() + static_cast<size_t>(which[0][i]) * rows * depth;
      const T* second = right.data() + static_cast<size_t>(which[1][i]) * depth * columns;
      multiply<T>(rows, columns, depth, {first, depth, 1}, {second, columns, 1},
                  y.data() + i * rows * columns);
    }
    return one(y, op.result().type);
  });
}

Outcome reduce(const OpValues& op) {
  const Shape& x = op.shape(0);
  const auto given = intArgument(op.op(), op.values(), "axes");
  const OpKind kind = op.op().kind;
  // The mean of nothing is not a number.
  if (!given || (kind == OpKind::ReduceMean && x.elements() == 0))
    return std::nullopt;
  const bool all = !*given || (*given)->empty();
  std::vector<bool> reduced(x.rank(), all && op.attrs().getInt("noop_with_empty_axes") == 0);
  if (!all)
    for (const int64_t axis : **given)
      reduced[*normalizeAxis(axis, x.rank())] = true;
  // The position in the result of every element of X.
  std::vector<int64_t> places(static_cast<size_t>(op.result().shape.elements()));
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<int64_t>(i);
  std::vector<int64_t> place(static_cast<size_t>(x.elements()));
  copyWalk(x, sizeof(int64_t), reinterpret_cast<const uint8_t*>(places.data()),
           reductionWalk(x, reduced), reinterpret_cast<uint8_t*>(place.data()), dense(x));
  if (opInfo(kind).opClass == OpClass::Norm) {
    if (!isFloat(op.type(0)))
      return std::nullopt;
    std::vector<double> values = op.load<double>(0);
    std::vector<double> sums(places.size(), 0.0);
    for (size_t i = 0; i < values.size(); ++i)
      sums[static_cast<size_t>(place[i])] += taken(kind, values[i]);
    for (double& sum : sums)
      sum = finished(kind, sum);
    return one(sums, op.result().type);
  }
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    const std::vector<T> values = op.load<T>(0);
    std::vector<T> y(places.size(), ofNothing<T>(kind));
    std::vector<bool> begun(places.size(), false);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<size_t>(place[i]);
      y[at] = begun[at] ? combine(kind, y[at], values[i]) : values[i];
      begun[at] = true;
    }
    if (kind == OpKind::ReduceMean) {
      const size_t each = values.size() / y.size();
      for (T& value : y)
        value /= static_cast<T>(each);
    }
    return one(y, op.result().type);
  });
}

Outcome softmax(const OpValues& op) {
  if (op.type(0) != DType::Float32)
    return std::nullopt;
  const Shape& x = op.shape(0);
  const size_t axis = *normalizeAxis(op.attrs().getInt("axis", -1), x.rank());
  const auto inner = static_cast<size_t>(x.elementsFrom(axis + 1));
  const auto count = static_cast<size_t>(x[axis]);
  std::vector<float> values = op.load<float>(0);
  const bool logarithm = op.op().kind == OpKind::LogSoftmax;
  const auto beta = static_cast<float>(op.attrs().getFloat("beta", 1.0));
  for (float& value : values)
    value *= beta;
  for (size_t first = 0; count != 0 && first < values.size(); ++first) {
    if (first / inner % count != 0)
      continue;
    const auto at = [&](size_t i) -> float& { return values[first + i * inner]; };
    float most = at(0);
    for (size_t i = 1; i < count; ++i)
      most = std::max(most, at(i));
    float sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += std::exp(at(i) - most);
    for (size_t i = 0; i < count; ++i)
      at(i) = logarithm ? at(i) - most - std::log(sum) : std::exp(at(i) - most) / sum;
  }
  return one(values, DType::Float32);
}

Outcome layerNormalization(const OpValues& op) {
  if (op.type(0) != DType::Float32 || op.results().size() != 1)
    return std::nullopt;
  const Shape& x = op.shape(0);
  const size_t axis = *normalizeAxis(op.attrs().getInt("axis", -1), x.rank());
  const auto row = static_cast<size_t>(x.elementsFrom(axis));
  const auto epsilon = static_cast<float>(op.attrs().getFloat("epsilon", 1e-5));
  std::vector<float> values = op.load<float>(0);
  std::vector<float> scale(values.size(), 1.0F);
  if (op.has(1))
    scale = op.loadAs<float>(1, x);
  std::vector<float> bias(values.size(), 0.0F);
  if (op.has(2))
    bias = op.loadAs<float>(2, x);
  for (size_t first = 0; row != 0 && first < values.size(); first += row) {
    float mean = 0;
    for (size_t i = first; i < first + row; ++i)
      mean += values[i];
    mean /= static_cast<float>(row);
    float variance = 0;
    for (size_t i = first; i < first + row; ++i)
      variance += (values[i] - mean) * (values[i] - mean);
    const float factor = 1.0F / std::sqrt(variance / static_cast<float>(row) + epsilon);
    for (size_t i = first; i < first + row; ++i)
      values[i] = (values[i] - mean) * factor * scale[i] + bias[i];
  }
  return one(values, DType::Float32);
}

} // namespace tigris::eval
