// Sliding windows: convolutions and pooling. Formulas: ONNX operator pages of Conv, ConvTranspose
// and AveragePool (newest version). A ceil_mode window that would begin in the end padding is
// dropped.
#include "tigris/IR/ShapeRules.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

using shape::opError;

namespace {

bool isSame(const std::string& autoPad) {
  return autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
}

int64_t extent(int64_t kernel, int64_t dilation) { return (kernel - 1) * dilation + 1; }

/// The last `rank` values of output_shape: some exporters include batch and channels.
std::vector<int64_t> wantedOutput(const Op& op, size_t rank) {
  std::vector<int64_t> shape = op.attrs.getInts("output_shape");
  if (shape.size() > rank)
    shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(rank));
  return shape;
}

/// Limit for window parameters: products of two of them with a dimension fit int64.
constexpr int64_t MaxWindowValue = int64_t{1} << 20;

Expected<std::vector<int64_t>> list(const Op& op, std::string_view name, size_t size,
                                    int64_t fallback, int64_t least) {
  std::vector<int64_t> values = op.attrs.getInts(name);
  if (values.empty())
    values.assign(size, fallback);
  if (values.size() != size)
    return opError(DiagId::BadAttr, op, "'", name, "' has ", values.size(), " values, expected ",
                   size);
  for (const int64_t value : values)
    if (value < least || value > MaxWindowValue)
      return opError(DiagId::BadAttr, op, "'", name, "' has the value ", value, ", expected ",
                     least, " to ", MaxWindowValue);
  return values;
}

bool hasWeights(OpKind kind) { return kind != OpKind::MaxPool && kind != OpKind::AveragePool; }

std::vector<int64_t> spatialSizes(const Graph& graph, const Shape& shape) {
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  sizes.erase(sizes.begin() +
              static_cast<std::ptrdiff_t>(channelAxis(graph.layout(), sizes.size())));
  sizes.erase(sizes.begin());
  return sizes;
}

} // namespace

std::vector<int64_t> resolvePads(const Op& op, std::span<const int64_t> input,
                                 std::span<const int64_t> kernel) {
  const size_t rank = input.size();
  const std::string autoPad = op.attrs.getString("auto_pad", "NOTSET");
  const bool transposed = op.kind == OpKind::ConvTranspose;
  const std::vector<int64_t> wanted = transposed ? wantedOutput(op, rank) : std::vector<int64_t>();
  const std::vector<int64_t> none(2 * rank, 0);
  const auto given = [&op](std::string_view name, size_t size, int64_t fallback) {
    const std::vector<int64_t> values = op.attrs.getInts(name);
    return values.empty() ? std::vector<int64_t>(size, fallback) : values;
  };
  if (!isSame(autoPad) && wanted.empty())
    return autoPad == "VALID" ? none : given("pads", 2 * rank, 0);

  const std::vector<int64_t> strides = given("strides", rank, 1);
  const std::vector<int64_t> dilations = given("dilations", rank, 1);
  const std::vector<int64_t> extra = given("output_padding", rank, 0);
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t window = extent(kernel[i], dilations[i]);
    int64_t total = 0;
    if (transposed) {
      const int64_t output = wanted.empty() ? input[i] * strides[i] : wanted[i];
      total = (input[i] - 1) * strides[i] + extra[i] + window - output;
    } else {
      total = (ceilDiv(input[i], strides[i]) - 1) * strides[i] + window - input[i];
    }
    total = std::max<int64_t>(total, 0);
    const int64_t less = total / 2;
    // An odd total puts the larger half at the end for SAME_UPPER, otherwise at the beginning.
    pads[i] = autoPad == "SAME_UPPER" ? less : total - less;
    pads[rank + i] = total - pads[i];
  }
  return pads;
}

namespace {

/// Spatial size of a ConvTranspose's result.
int64_t reach(const Window& window, const std::vector<int64_t>& input, size_t i) {
  return (input[i] - 1) * window.strides[i] + window.outputPadding[i] +
         extent(window.kernel[i], window.dilations[i]) - window.pads[i] -
         window.pads[input.size() + i];
}

} // namespace

Expected<Window> resolveWindow(const Op& op, const Graph& graph) {
  const Shape& x = graph.tensor(op.input(0)).shape;
  if (x.rank() < 3)
    return opError(DiagId::BadShape, op, "operand 'X' has shape ", x.str(),
                   ", expected rank 3 or 4");
  const std::vector<int64_t> input = spatialSizes(graph, x);
  const size_t rank = input.size();
  Window window;
  if (hasWeights(op.kind)) {
    const Shape& weights = graph.tensor(op.input(1)).shape;
    if (weights.rank() != x.rank())
      return opError(DiagId::BadShape, op, "the weights have shape ", weights.str(),
                     ", expected rank ", x.rank());
    window.kernel.assign(weights.begin() + 2, weights.end());
    const std::vector<int64_t> declared = op.attrs.getInts("kernel_shape", window.kernel);
    if (!declared.empty() && declared != window.kernel)
      return opError(DiagId::BadAttr, op, "'kernel_shape' is [", join(declared, ", "),
                     "], but the weights are [", join(window.kernel, ", "), "]");
  } else if (op.attrs.getInts("kernel_shape").empty()) {
    return opError(DiagId::BadAttr, op, "'kernel_shape' is missing");
  } else {
    auto kernel = list(op, "kernel_shape", rank, 1, 1);
    if (!kernel)
      return kernel.takeError();
    window.kernel = std::move(*kernel);
  }
  auto strides = list(op, "strides", rank, 1, 1);
  if (!strides)
    return strides.takeError();
  auto dilations = list(op, "dilations", rank, 1, 1);
  if (!dilations)
    return dilations.takeError();
  auto pads = list(op, "pads", 2 * rank, 0, 0);
  if (!pads)
    return pads.takeError();
  auto outputPadding = list(op, "output_padding", rank, 0, 0);
  if (!outputPadding)
    return outputPadding.takeError();
  window.strides = std::move(*strides);
  window.dilations = std::move(*dilations);
  window.outputPadding = std::move(*outputPadding);
  window.pads = resolvePads(op, input, window.kernel);
  if (op.kind != OpKind::ConvTranspose)
    return window;
  const std::vector<int64_t> output = wantedOutput(op, rank);
  for (size_t i = 0; i < output.size(); ++i)
    window.outputPadding[i] += std::max<int64_t>(0, output[i] - reach(window, input, i));
  return window;
}

namespace shape {

namespace {

Status checkAutoPad(const OpView& view) {
  return view.oneOf("auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
}

Expected<std::vector<int64_t>> windowPositions(const OpView& view, const Window& window,
                                               const std::vector<int64_t>& input, bool ceilMode) {
  const size_t rank = input.size();
  std::vector<int64_t> output;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t padded = input[i] + window.pads[i] + window.pads[rank + i];
    const int64_t size = extent(window.kernel[i], window.dilations[i]);
    const int64_t slack = padded - size;
    if (slack < 0)
      return view.error(DiagId::BadShape, "the window spans ", size, " elements of spatial axis ",
                        i, ", which has ", padded, " with padding");
    int64_t positions = floorDiv(slack, window.strides[i]) + 1;
    if (ceilMode) {
      positions = ceilDiv(slack, window.strides[i]) + 1;
      if ((positions - 1) * window.strides[i] >= input[i] + window.pads[i])
        --positions;
    }
    output.push_back(positions);
  }
  return output;
}

/// Arranges batch, channels and spatial sizes in the order of the layout.
Shape activation(Layout layout, int64_t batch, int64_t channels, std::vector<int64_t> spatial) {
  spatial.insert(spatial.begin(), batch);
  spatial.insert(spatial.begin() +
                     static_cast<std::ptrdiff_t>(channelAxis(layout, spatial.size() + 1)),
                 channels);
  return Shape(std::move(spatial));
}

/// Checks of ranks, types and groups that convolutions and transposed convolutions share.
Status checkConv(const OpView& view) {
  const size_t rank = view.shape(0).rank();
  if (rank < 3)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has shape ",
                      view.shape(0).str(), ", expected rank 3 or 4");
  if (view.op().kind == OpKind::Conv1D)
    if (Status status = view.requireRank(0, 3); !status)
      return status;
  if (Status status = view.requireRank(1, rank); !status)
    return status;
  if (Status status = view.weightType(); !status)
    return status;
  if (view.has(2))
    if (Status status = view.biasType(2); !status)
      return status;
  for (const int64_t dim : view.shape(1))
    if (dim < 1)
      return view.error(DiagId::BadShape, "operand ", view.describe(1), " has shape ",
                        view.shape(1).str(), " and so no elements");
  if (const int64_t group = view.attrs().getInt("group", 1); group < 1 || group > MaxWindowValue)
    return view.error(DiagId::BadAttr, "'group' is ", group, ", expected 1 to ", MaxWindowValue);
  return checkAutoPad(view);
}

} // namespace

Results convRule(const OpView& view) {
  if (Status status = checkConv(view); !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  const Shape& w = view.shape(1);
  const int64_t group = view.attrs().getInt("group", 1);
  const int64_t channels = x[channelAxis(view.layout(), x.rank())];
  if (w[1] * group != channels)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has ", channels,
                      " channels, but the weights expect ", w[1], " in each of ", group, " groups");
  if (w[0] % group != 0)
    return view.error(DiagId::BadShape, "the weights produce ", w[0],
                      " channels, which do not divide into ", group, " groups");
  if (view.op().kind == OpKind::DepthwiseConv && w[1] != 1)
    return view.error(DiagId::BadShape, "the weights expect ", w[1],
                      " channels per group, expected 1");
  if (view.has(2))
    if (Status status = view.requireVector(2, w[0]); !status)
      return status.takeError();
  auto window = resolveWindow(view.op(), view.graph());
  if (!window)
    return window.takeError();
  auto spatial = windowPositions(view, *window, spatialSizes(view.graph(), x), false);
  if (!spatial)
    return spatial.takeError();
  return single(view.type(0), activation(view.layout(), x[0], w[0], std::move(*spatial)));
}

Results convTransposeRule(const OpView& view) {
  if (Status status = checkConv(view); !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  const Shape& w = view.shape(1);
  const int64_t group = view.attrs().getInt("group", 1);
  const int64_t channels = x[channelAxis(view.layout(), x.rank())];
  if (w[0] != channels || channels % group != 0)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has ", channels,
                      " channels, but the weights expect ", w[0], " in ", group, " groups");
  if (view.has(2))
    if (Status status = view.requireVector(2, w[1] * group); !status)
      return status.takeError();
  const std::vector<int64_t> input = spatialSizes(view.graph(), x);
  const std::vector<int64_t> declared = view.attrs().getInts("output_shape");
  if (!declared.empty() && declared.size() != input.size() && declared.size() != x.rank())
    return view.error(DiagId::BadAttr, "'output_shape' has ", declared.size(), " values, expected ",
                      input.size());
  for (const int64_t size : declared)
    if (size < 1 || size > INT32_MAX)
      return view.error(DiagId::BadAttr, "'output_shape' has the value ", size,
                        ", expected at least 1");
  auto window = resolveWindow(view.op(), view.graph());
  if (!window)
    return window.takeError();
  std::vector<int64_t> spatial;
  for (size_t i = 0; i < input.size(); ++i)
    spatial.push_back(reach(*window, input, i));
  for (const int64_t size : spatial)
    if (size < 1)
      return view.error(DiagId::BadShape, "the result would have ", size,
                        " elements along a spatial axis; 'pads' are too large");
  return single(view.type(0), activation(view.layout(), x[0], w[1] * group, std::move(spatial)));
}

Results poolRule(const OpView& view) {
  const Shape& x = view.shape(0);
  if (Status status = checkAutoPad(view); !status)
    return status.takeError();
  auto window = resolveWindow(view.op(), view.graph());
  if (!window)
    return window.takeError();
  const bool ceilMode = view.attrs().getInt("ceil_mode") != 0;
  auto spatial = windowPositions(view, *window, spatialSizes(view.graph(), x), ceilMode);
  if (!spatial)
    return spatial.takeError();
  const int64_t channels = x[channelAxis(view.layout(), x.rank())];
  const Shape output = activation(view.layout(), x[0], channels, std::move(*spatial));
  std::vector<ResultType> results = {{view.type(0), output}};
  if (view.op().kind == OpKind::MaxPool)
    results.push_back({DType::Int64, output});
  return results;
}

Results globalPoolRule(const OpView& view) {
  Shape output = view.shape(0);
  if (output.rank() < 2)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has shape ", output.str(),
                      ", expected rank 3 or 4");
  const size_t channels = channelAxis(view.layout(), output.rank());
  for (size_t axis = 1; axis < output.rank(); ++axis)
    if (axis != channels)
      output[axis] = 1;
  return single(view.type(0), std::move(output));
}

} // namespace shape

} // namespace tigris
