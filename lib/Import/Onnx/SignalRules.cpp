// Fourier transforms of constant length as products with a constant matrix, and window functions as
// constants.
//
//   DFT   X [..., n, c]       ->   X [..., n * c]  M [n * c, k * 2]
//   STFT  X [batch, n, c]     ->   a convolution along n whose filters are the rows of M
//
// c is 1 for real and 2 for complex numbers; k is the number of frequencies.
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/ModelParser.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// The only element of an integer operand; nullopt if it is absent.
Expected<std::optional<int64_t>> integerOperand(const NodeContext& node, size_t index) {
  const TensorId id = node.input(index);
  if (!id)
    return std::optional<int64_t>();
  const BlobRef known = node.valueOf(id);
  if (known == nullptr || node.tensor(id).elements() != 1)
    return node.unsupported("input ", index, " (tensor '", node.tensor(id).name,
                            "') is computed at run time; it must be constant");
  return std::optional(loadElements<int64_t>(*known, node.tensor(id).type)[0]);
}

/// A transform of `length` points.
struct Transform {
  int64_t length = 0;
  /// Numbers per point of the operand: 1 or 2.
  int64_t parts = 1;
  bool inverse = false;
  bool onesided = false;

  int64_t frequencies() const { return onesided ? length / 2 + 1 : length; }
  /// The factor of a part of the operand at `point` in a part of the result at `frequency`.
  double factor(int64_t point, int64_t part, int64_t frequency, int64_t resultPart) const {
    const double angle = 2 * std::numbers::pi * static_cast<double>(point * frequency % length) /
                         static_cast<double>(length);
    const double sine = inverse ? std::sin(angle) : -std::sin(angle);
    const double value = part == resultPart ? std::cos(angle) : part == 0 ? sine : -sine;
    return inverse ? value / static_cast<double>(length) : value;
  }
};

Expected<Transform> signalTransform(const NodeContext& node, int64_t length, int64_t parts,
                                    int64_t onesided) {
  const Expected<int64_t> inverse = node.intAttr("inverse", 0);
  const Expected<int64_t> given = node.intAttr("onesided", onesided);
  if (!inverse || !given)
    return !inverse ? inverse.error() : given.error();
  if (length < 1 || (parts != 1 && parts != 2))
    return node.refuse(DiagId::BadShape, "transforms ", length, " points of ", parts,
                       " numbers, expected at least 1 point of 1 or 2 numbers");
  if (*inverse != 0 && *given != 0)
    return node.unsupported("it is inverse and onesided; one of both is supported");
  return Transform{length, parts, *inverse != 0, *given != 0};
}

/// Swaps two axes.
TensorId swapped(Chain& chain, TensorId x, size_t rank, size_t a, size_t b) {
  if (a == b)
    return x;
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[a], perm[b]);
  return chain.transpose("swapped", x, perm);
}

/// Points beyond the transform's length count nothing, missing ones are zero.
TensorId transformMatrix(NodeContext& node, const Transform& transform, int64_t points) {
  std::vector<float> matrix;
  for (int64_t point = 0; point < points; ++point)
    for (int64_t part = 0; part < transform.parts; ++part)
      for (int64_t frequency = 0; frequency < transform.frequencies(); ++frequency)
        for (const int64_t resultPart : {0, 1})
          matrix.push_back(point < transform.length ? static_cast<float>(transform.factor(
                                                          point, part, frequency, resultPart))
                                                    : 0.0F);
  return node.constant("transform", DType::Float32,
                       {points * transform.parts, transform.frequencies() * 2}, makeBlobOf(matrix));
}

/// Up to opset 19, the axis is an attribute.
Expected<int64_t> axisOfTransform(const NodeContext& node) {
  if (node.opset() < 20)
    return node.intAttr("axis", 1);
  const Expected<std::optional<int64_t>> axis = integerOperand(node, 2);
  if (!axis)
    return axis.error();
  return axis->value_or(-2);
}

Status dft(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  const Shape shape = node.tensor(node.input(0)).shape;
  const Expected<int64_t> given = axisOfTransform(node);
  const Expected<std::optional<int64_t>> length = integerOperand(node, 1);
  if (!given || !length)
    return !given ? given.error() : length.error();
  const std::optional<size_t> axis = normalizeAxis(*given, shape.rank());
  if (!axis || *axis + 1 >= shape.rank())
    return node.refuse(DiagId::BadAttr, "axis ", *given, " of shape ", shape.str(),
                       " is no axis of points");
  const int64_t points = shape[*axis];
  const Expected<Transform> transform =
      signalTransform(node, length->value_or(points), shape.fromBack(0), 0);
  if (!transform)
    return transform.error();
  if (Status status = node.limitTable({points * transform->parts, transform->frequencies() * 2},
                                      DType::Float32);
      !status)
    return status;
  Chain chain(node);
  const size_t last = shape.rank() - 2;
  TensorId x = swapped(chain, node.input(0), shape.rank(), *axis, last);
  Ints dims = shape.dims();
  std::swap(dims[*axis], dims[last]);
  dims.pop_back();
  dims[last] = points * transform->parts;
  x = chain.reshape("points", x, Shape(dims));
  x = chain.op("product", OpKind::MatMul, {x, transformMatrix(node, *transform, points)});
  dims[last] = transform->frequencies();
  dims.push_back(2);
  x = chain.reshape("frequencies", x, Shape(dims));
  return chain.finish(OpKind::Identity, {swapped(chain, x, shape.rank(), *axis, last)});
}

/// Frame lengths, and the window as numbers: ones if there is none.
Expected<std::vector<float>> windowOf(const NodeContext& node) {
  const Expected<std::optional<int64_t>> length = integerOperand(node, 3);
  if (!length)
    return length.error();
  const TensorId id = node.input(2);
  const BlobRef known = node.valueOf(id);
  if (id && known == nullptr)
    return node.unsupported("its window is computed at run time; it must be constant");
  if (!id && !length->has_value())
    return node.refuse(DiagId::BadArity, "has neither a window nor a frame length");
  if (!id && (**length < 1 || **length > INT32_MAX / 8))
    return node.refuse(DiagId::BadAttr, "its frame length is ", **length);
  if (!id)
    return std::vector<float>(static_cast<size_t>(**length), 1.0F);
  std::vector<float> window = loadElements<float>(*known, node.tensor(id).type);
  if (length->value_or(static_cast<int64_t>(window.size())) != static_cast<int64_t>(window.size()))
    return node.refuse(DiagId::BadShape, "its window has ", window.size(), " elements, its frames ",
                       **length);
  return window;
}

/// Filters [2 * frequencies, parts, points] of a convolution.
TensorId transformFilters(NodeContext& node, const Transform& transform,
                          const std::vector<float>& window) {
  std::vector<float> filters;
  for (int64_t frequency = 0; frequency < transform.frequencies(); ++frequency)
    for (const int64_t resultPart : {0, 1})
      for (int64_t part = 0; part < transform.parts; ++part)
        for (int64_t point = 0; point < transform.length; ++point)
          filters.push_back(
              static_cast<float>(window[static_cast<size_t>(point)] *
                                 transform.factor(point, part, frequency, resultPart)));
  return node.constant("filters", DType::Float32,
                       {transform.frequencies() * 2, transform.parts, transform.length},
                       makeBlobOf(filters));
}

Status stft(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  const Shape shape = node.tensor(node.input(0)).shape;
  const Expected<std::vector<float>> window = windowOf(node);
  const Expected<std::optional<int64_t>> step = integerOperand(node, 1);
  if (!window || !step)
    return !window ? window.error() : step.error();
  const auto length = static_cast<int64_t>(window->size());
  const bool isReal = shape.rank() == 2;
  if ((!isReal && shape.rank() != 3) || **step < 1 || length > shape[1])
    return node.refuse(DiagId::BadShape, "takes frames of ", length, " points every ", **step,
                       " of a signal of shape ", shape.str());
  const Expected<Transform> transform = signalTransform(node, length, isReal ? 1 : shape[2], 1);
  if (!transform)
    return transform.error();
  const int64_t rows = transform->frequencies() * 2;
  if (Status status = node.limitTable({rows, transform->parts, length}, DType::Float32); !status)
    return status;
  Chain chain(node);
  const Shape channels = {shape[0], transform->parts, shape[1]};
  const TensorId x = transform->parts == 1 ? chain.reshape("signal", node.input(0), channels)
                                           : chain.transpose("signal", node.input(0), {0, 2, 1});
  const TensorId frames =
      chain.op("frames", OpKind::Conv, {x, transformFilters(node, *transform, *window)},
               {{"strides", Ints{**step}}, {"kernel_shape", Ints{length}}});
  const int64_t count = (shape[1] - length) / **step + 1;
  return chain.finish(OpKind::Reshape, {chain.transpose("frequencies", frames, {0, 2, 1})},
                      {{"shape", Ints{shape[0], count, rows / 2, 2}}});
}

/// a0 - a1 cos(w) + a2 cos(2 w) with w from 0 to 2 pi.
Status windowConstant(NodeContext& node, double a0, double a1, double a2) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  const Expected<std::optional<int64_t>> size = integerOperand(node, 0);
  const Expected<int64_t> periodic = node.intAttr("periodic", 1);
  const Expected<int64_t> type = node.intAttr("output_datatype", onnx::TensorProto::FLOAT);
  if (!size || !periodic || !type)
    return !size ? size.error() : !periodic ? periodic.error() : type.error();
  const std::optional<DType> result = importedType(static_cast<int32_t>(*type));
  if (!result || !hasElements(*result) || **size < 1)
    return node.refuse(DiagId::BadAttr, "makes ", **size, " elements of ",
                       onnxTypeName(static_cast<int32_t>(*type)));
  if (Status status = node.limitTable({**size}, *result); !status)
    return status;
  const double period =
      static_cast<double>(*periodic != 0 ? **size : std::max<int64_t>(1, **size - 1));
  std::vector<double> values;
  for (int64_t i = 0; i < **size; ++i) {
    const double w = 2 * std::numbers::pi * static_cast<double>(i) / period;
    values.push_back(a0 - a1 * std::cos(w) + a2 * std::cos(2 * w));
  }
  return node.finish(OpKind::Constant,
                     {node.constant("value", *result, {**size}, storeElements(values, *result))});
}

Status hann(NodeContext& node) { return windowConstant(node, 0.5, 0.5, 0); }
Status hamming(NodeContext& node) { return windowConstant(node, 25.0 / 46, 21.0 / 46, 0); }
Status blackman(NodeContext& node) { return windowConstant(node, 0.42, 0.5, 0.08); }

} // namespace

const RuleTable& signalRules() {
  static const RuleTable Rules = {{"BlackmanWindow", blackman},
                                  {"DFT", dft},
                                  {"HammingWindow", hamming},
                                  {"HannWindow", hann},
                                  {"STFT", stft}};
  return Rules;
}

} // namespace tigris
