// Operators that map X to another grid: Resize and Pad.
#include "tigris/IR/ShapeRules.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tigris::shape {

namespace {

/// The axes to which the other arguments apply: all axes unless `axes` is given.
Expected<std::vector<size_t>> chosenAxes(const OpView& view) {
  const size_t rank = view.shape(0).rank();
  auto given = view.ints("axes");
  if (!given)
    return given.takeError();
  if (*given && !(*given)->empty())
    return view.axes("axes", **given, rank);
  std::vector<size_t> all(rank);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

Status checkCount(const OpView& view, std::string_view name, size_t count, size_t expected) {
  if (count == expected)
    return {};
  return view.error(DiagId::BadAttr, "'", name, "' has ", count, " values, expected ", expected);
}

Status checkModes(const OpView& view) {
  if (Status status = view.oneOf("mode", "nearest", {"nearest", "linear", "cubic"}); !status)
    return status;
  if (Status status = view.oneOf("coordinate_transformation_mode", "half_pixel",
                                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                  "align_corners", "asymmetric", "tf_crop_and_resize",
                                  "half_pixel_q10", "align_corners_q10", "asymmetric_q10"});
      !status)
    return status;
  if (Status status = view.oneOf("nearest_mode", "round_prefer_floor",
                                 {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
      !status)
    return status;
  return view.oneOf("keep_aspect_ratio_policy", "stretch",
                    {"stretch", "not_larger", "not_smaller"});
}

/// The single scale for the requested sizes, in float as in the ONNX reference.
void keepAspectRatio(const Shape& x, const std::vector<size_t>& axes, bool notLarger,
                     std::vector<int64_t>& sizes) {
  float scale = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const float own = static_cast<float>(sizes[i]) / static_cast<float>(x[axes[i]]);
    scale = i == 0 ? own : notLarger ? std::min(scale, own) : std::max(scale, own);
  }
  for (size_t i = 0; i < axes.size(); ++i)
    sizes[i] = static_cast<int64_t>(std::floor(scale * static_cast<float>(x[axes[i]]) + 0.5F));
}

} // namespace

Results resizeRule(const OpView& view) {
  if (Status status = checkModes(view); !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  auto axes = chosenAxes(view);
  if (!axes)
    return axes.takeError();
  auto scales = floatArgument(view.op(), view.values(), "scales");
  if (!scales)
    return scales.takeError();
  auto sizes = view.ints("sizes");
  if (!sizes)
    return sizes.takeError();
  // Exporters write an empty tensor for an absent operand.
  const bool haveScales = *scales && !(*scales)->empty();
  const bool haveSizes = *sizes && !(*sizes)->empty();
  if (!haveScales && !haveSizes)
    return view.error(DiagId::BadAttr, "has neither 'scales' nor 'sizes'");
  Shape result = x;
  if (haveSizes) {
    if (Status status = checkCount(view, "sizes", (*sizes)->size(), axes->size()); !status)
      return status.takeError();
    for (const int64_t size : **sizes)
      if (size < 1 || size > INT32_MAX)
        return view.error(DiagId::BadAttr, "'sizes' has the value ", size, ", expected at least 1");
    const std::string policy = view.attrs().getString("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch")
      keepAspectRatio(x, *axes, policy == "not_larger", **sizes);
    for (size_t i = 0; i < axes->size(); ++i)
      result[(*axes)[i]] = (**sizes)[i];
    return single(view.type(0), std::move(result));
  }
  if (Status status = checkCount(view, "scales", (*scales)->size(), axes->size()); !status)
    return status.takeError();
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto scale = static_cast<float>((**scales)[i]);
    if (!(scale > 0) || scale > 65536)
      return view.error(DiagId::BadAttr, "'scales' has the value ", scale, ", expected above 0");
    const size_t axis = (*axes)[i];
    result[axis] = static_cast<int64_t>(std::floor(static_cast<float>(x[axis]) * scale));
  }
  return single(view.type(0), std::move(result));
}

Results padRule(const OpView& view) {
  if (Status status = view.oneOf("mode", "constant", {"constant", "reflect", "edge", "wrap"});
      !status)
    return status.takeError();
  if (view.has(2)) {
    if (Status status = view.sameType(0, 2); !status)
      return status.takeError();
    if (view.shape(2).elements() > 1)
      return view.error(DiagId::BadShape, "operand ", view.describe(2), " has shape ",
                        view.shape(2).str(), ", expected one element");
  }
  auto axes = chosenAxes(view);
  if (!axes)
    return axes.takeError();
  auto pads = view.requiredInts("pads");
  if (!pads)
    return pads.takeError();
  if (Status status = checkCount(view, "pads", pads->size(), 2 * axes->size()); !status)
    return status.takeError();
  const bool reflect = view.attrs().getString("mode") == "reflect";
  Shape result = view.shape(0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t size = result[(*axes)[i]];
    for (const int64_t pad : {(*pads)[i], (*pads)[axes->size() + i]}) {
      if (pad < -size || pad > INT32_MAX)
        return view.error(DiagId::BadAttr, "'pads' has the value ", pad, " for axis ", (*axes)[i],
                          ", which has ", size, " elements");
      if (reflect && pad >= size)
        return view.error(DiagId::BadAttr, "'pads' reflects ", pad, " elements of axis ",
                          (*axes)[i], ", which has ", size);
    }
    result[(*axes)[i]] = size + (*pads)[i] + (*pads)[axes->size() + i];
    if (result[(*axes)[i]] < 0)
      return view.error(DiagId::BadAttr, "'pads' leaves ", result[(*axes)[i]], " elements of axis ",
                        (*axes)[i]);
  }
  return single(view.type(0), std::move(result));
}

} // namespace tigris::shape
