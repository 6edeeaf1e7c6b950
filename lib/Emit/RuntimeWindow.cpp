// The limits are those of runtime/src/check/check_conv.c.
#include "tigris/Emit/RuntimeWindow.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr int64_t SpatialLimit = TIGRIS_SPATIAL_LIMIT;

Status checkSpans(const Op& op, const Window& window) {
  for (size_t axis = 0; axis < window.kernel.size(); ++axis) {
    const int64_t span = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    if (span > SpatialLimit)
      return LoweringContext::unsupported(op, "the window spans ", span,
                                          " elements along spatial dimension ", axis, ", at most ",
                                          SpatialLimit, " are supported");
  }
  return {};
}

} // namespace

Status checkSpatialSizes(const LoweringContext& context, const Op& op) {
  for (const TensorId id : {op.input(0), op.output()}) {
    const Shape& shape = context.graph().tensor(id).shape;
    for (size_t axis = 1; axis + 1 < shape.rank(); ++axis)
      if (shape[axis] > SpatialLimit)
        return LoweringContext::unsupported(op, "spatial dimension ", axis - 1, " has ",
                                            shape[axis], " elements, at most ", SpatialLimit,
                                            " are supported");
  }
  return {};
}

Status checkTaps(const Op& op, int64_t taps) {
  if (taps > SpatialLimit)
    return LoweringContext::unsupported(op, "the window has ", taps, " taps, at most ",
                                        SpatialLimit, " are supported");
  return {};
}

Expected<Window> runtimeWindow(const LoweringContext& context, const Op& op) {
  Expected<Window> window = resolveWindow(op, context.graph());
  if (!window)
    return window;
  for (const int64_t pad : window->pads)
    if (pad < 0)
      return LoweringContext::unsupported(op, "a padding of ", pad, " is not supported");
  if (Status status = checkSpatialSizes(context, op); !status)
    return status.takeError();
  if (Status status = checkSpans(op, *window); !status)
    return status.takeError();
  int64_t taps = 1;
  if (op.kind == OpKind::MaxPool || op.kind == OpKind::AveragePool)
    for (const int64_t size : window->kernel)
      taps *= size;
  if (Status status = checkTaps(op, taps); !status)
    return status.takeError();
  return window;
}

} // namespace tigris
