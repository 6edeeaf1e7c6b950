// Convolutions. Pictures are NHWC in the file and NCHW in imported graphs; the Transposes on both
// sides cancel when the graph is normalized.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Padding.h"
#include "tigris/Import/Tflite/Weights.h"

namespace tigris {

namespace {

/// Reports an error unless the input is a picture and the weights have rank 4.
bool requirePictures(OpContext& op, TensorId x, TensorId w) {
  if (op.failed())
    return false;
  if (op.shape(x).rank() != 4 || op.shape(w).rank() != 4)
    op.unsupported("its input has shape ", op.shape(x).str(), " and its weights ",
                   op.shape(w).str(), "; both must have rank 4");
  return !op.failed();
}

Extent pictureSize(const Shape& picture) { return {picture[1], picture[2]}; }

/// The attributes of a convolution with weights ?HW?; sets its activation.
template <typename Options>
AttrMap convAttrs(OpContext& op, const Options& options, const Shape& filter, TensorId x) {
  op.setActivation(options.fused_activation_function());
  return windowAttrs(op,
                     {{filter[1], filter[2]},
                      {options.stride_h(), options.stride_w()},
                      {options.dilation_hfactor(), options.dilation_wfactor()},
                      options.padding()},
                     pictureSize(op.shape(x)));
}

Status finishConv(OpContext& op, OpKind kind, TensorId x, TensorId w, TensorId bias,
                  AttrMap attrs) {
  std::vector<TensorId> inputs = {op.channelsFirst(x), w};
  if (bias)
    inputs.push_back(bias);
  return op.finishPicture(kind, std::move(inputs), std::move(attrs));
}

Status flatConv(OpContext& op) {
  const auto* options = op.options<tflite::Conv2DOptions>();
  if (!op.require(2) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no Conv2DOptions");
  const TensorId x = op.input(0);
  const TensorId given = weightsFor(op, x, op.input(1));
  if (!requirePictures(op, x, given))
    return op.status();
  const Shape filter = op.shape(given); // OHWI
  const int64_t channels = op.shape(x)[3];
  if (filter[3] <= 0 || channels % filter[3] != 0)
    return op.fail(DiagId::BadShape, "its input has ", channels, " channels, the weights have ",
                   filter[3]);
  AttrMap attrs = convAttrs(op, *options, filter, x);
  attrs.set("group", channels / filter[3]);
  if (hasNarrowSums(op, x, 2))
    attrs.set("narrow_sums", int64_t{1});
  const TensorId w =
      permutedConstant(op, given, {0, 3, 1, 2}, {filter[0], filter[3], filter[1], filter[2]}, 0);
  return finishConv(op, OpKind::Conv, x, w, biasFor(op, x, 2), std::move(attrs));
}

Status flatDepthwise(OpContext& op) {
  const auto* options = op.options<tflite::DepthwiseConv2DOptions>();
  if (!op.require(2) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no DepthwiseConv2DOptions");
  const TensorId x = op.input(0);
  const TensorId given = weightsFor(op, x, op.input(1));
  if (!requirePictures(op, x, given))
    return op.status();
  const Shape filter = op.shape(given); // 1HWO
  const int64_t channels = op.shape(x)[3];
  if (filter[0] != 1 || channels <= 0 || filter[3] % channels != 0)
    return op.fail(DiagId::BadShape, "its input has ", channels,
                   " channels, the weights the shape ", filter.str());
  AttrMap attrs = convAttrs(op, *options, filter, x);
  attrs.set("group", channels);
  const TensorId w =
      permutedConstant(op, given, {3, 0, 1, 2}, {filter[3], 1, filter[1], filter[2]}, 0);
  return finishConv(op, OpKind::Conv, x, w, biasFor(op, x, 2), std::move(attrs));
}

/// Padding is that of the convolution from the result to the input.
Status transposeConv(OpContext& op) {
  const auto* options = op.options<tflite::TransposeConvOptions>();
  if (!op.require(3) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no TransposeConvOptions");
  const TensorId x = op.input(2);
  const TensorId given = weightsFor(op, x, op.input(1));
  const Shape output = op.result().shape;
  if (!requirePictures(op, x, given))
    return op.status();
  if (output.rank() != 4)
    return op.unsupported("its result must have a shape of rank 4");
  const Shape filter = op.shape(given); // OHWI
  op.setActivation(options->fused_activation_function());
  const SlidingWindow window = {{filter[1], filter[2]},
                                {options->stride_h(), options->stride_w()},
                                {1, 1},
                                options->padding()};
  AttrMap attrs = windowAttrs(op, window, pictureSize(output));
  if (op.failed())
    return op.status();
  const std::vector<int64_t> pads = attrs.getInts("pads");
  std::vector<int64_t> extra;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t full = (op.shape(x)[i + 1] - 1) * window.strides[i] + window.kernel[i];
    extra.push_back(output[i + 1] - (full - pads[i] - pads[i + 2]));
    if (extra.back() < 0)
      return op.fail(DiagId::BadShape, "its result of shape ", output.str(),
                     " is smaller than the windows over ", op.shape(x).str());
  }
  attrs.set("output_padding", extra);
  const TensorId w =
      permutedConstant(op, given, {3, 0, 1, 2}, {filter[3], filter[0], filter[1], filter[2]}, 1);
  return finishConv(op, OpKind::ConvTranspose, x, w, biasFor(op, x, 3), std::move(attrs));
}

constexpr OpRule ConvOps[] = {
    {tflite::BuiltinOperator::CONV_2D, 8, flatConv, "also grouped; constant weights"},
    {tflite::BuiltinOperator::DEPTHWISE_CONV_2D, 7, flatDepthwise, "constant weights"},
    {tflite::BuiltinOperator::TRANSPOSE_CONV, 5, transposeConv,
     "the shape is that of the result, operand 0 is ignored"},
};

} // namespace

std::span<const OpRule> convOps() { return ConvOps; }

} // namespace tigris
