// resize-scale-extract: makes the scales and sampling rule of Resize attributes.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

constexpr const char* ResizeScaleExtractDoc =
    R"(The scales or sizes of a Resize are operands, for some or all axes, and the sampling rules
have defaults. A kernel needs one factor per axis and explicit rules:

    y = Resize(x, , s)     # s = [1, 1, 2, 2]
    ->
    y = Resize(x) {coordinate_transformation_mode: half_pixel, mode: nearest,
                   nearest_mode: round_prefer_floor, scales: [1, 1, 2, 2]}

Target sizes become `scales` if they are integer multiples of the operand's sizes; otherwise `sizes`
stays, for all axes, because a quotient stored as a float need not reproduce the size.)";

/// Expands values for `axes` to values for all axes (`axes` is all axes if the attribute is
/// absent).
template <typename T>
std::vector<T> forAllAxes(const Op& op, size_t rank, const std::vector<T>& some,
                          std::vector<T> all) {
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  if (axes.empty())
    return some;
  for (size_t i = 0; i < axes.size() && i < some.size(); ++i)
    all[static_cast<size_t>(axes[i] < 0 ? axes[i] + static_cast<int64_t>(rank) : axes[i])] =
        some[i];
  return all;
}

/// Integer factors from `from` to `to`; empty if there are none.
std::vector<double> wholeFactors(const Shape& from, const Shape& to) {
  std::vector<double> factors;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] == 0 || to[axis] % from[axis] != 0)
      return {};
    factors.push_back(static_cast<double>(to[axis]) / static_cast<double>(from[axis]));
  }
  return factors;
}

/// The single scale that keeps the aspect ratio, on the axes with a size; empty if its results,
/// rounded down as for scales, differ from the shape `to`.
std::vector<double> commonFactor(const Op& op, const std::vector<int64_t>& sizes,
                                 const std::string& policy, const Shape& from, const Shape& to) {
  const std::vector<int64_t> wanted =
      forAllAxes(op, from.rank(), sizes, std::vector<int64_t>(from.rank(), 0));
  std::optional<float> common;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    if (wanted[axis] == 0)
      continue;
    const float scale = static_cast<float>(wanted[axis]) / static_cast<float>(from[axis]);
    common = !common                  ? scale
             : policy == "not_larger" ? std::min(*common, scale)
                                      : std::max(*common, scale);
  }
  std::vector<double> factors;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    const float scale = wanted[axis] == 0 ? 1.0F : *common;
    if (static_cast<int64_t>(std::floor(static_cast<float>(from[axis]) * scale)) != to[axis])
      return {};
    factors.push_back(scale);
  }
  return factors;
}

/// The attributes in canonical form; nullopt if an operand is not known at compile time.
Expected<std::optional<AttrMap>> canonical(const Graph& graph, const Op& op) {
  const KnownValues values(graph);
  const auto scales = floatArgument(op, values, "scales");
  const auto sizes = intArgument(op, values, "sizes");
  const auto roi = floatArgument(op, values, "roi");
  if (!scales || !sizes || !roi)
    return std::optional<AttrMap>();
  const Shape& from = graph.tensor(op.input(0)).shape;
  const Shape& to = graph.tensor(op.output()).shape;
  AttrMap attrs;
  if (*sizes && !(*sizes)->empty()) {
    const std::string policy = op.attrs.getString("keep_aspect_ratio_policy", "stretch");
    const std::vector<double> factors =
        policy == "stretch" ? wholeFactors(from, to) : commonFactor(op, **sizes, policy, from, to);
    if (policy != "stretch" && factors.empty())
      return makeError(DiagId::UnsupportedOp, "op '", op.name, "' (Resize): ", to.str(),
                       " is not what the scale of keep_aspect_ratio_policy '", policy,
                       "' makes of ", from.str(), " without rounding up; export with fixed scales");
    if (!factors.empty())
      attrs.set("scales", factors);
    else
      attrs.set("sizes", to.dims());
  } else if (*scales) {
    attrs.set("scales",
              forAllAxes(op, from.rank(), **scales, std::vector<double>(from.rank(), 1.0)));
  } else {
    return std::optional<AttrMap>();
  }
  const std::string mode = op.attrs.getString("mode", "nearest");
  const std::string coordinates =
      op.attrs.getString("coordinate_transformation_mode", "half_pixel");
  attrs.set("mode", mode);
  attrs.set("coordinate_transformation_mode", coordinates);
  if (mode == "nearest")
    attrs.set("nearest_mode", op.attrs.getString("nearest_mode", "round_prefer_floor"));
  if (mode == "cubic")
    attrs.set("cubic_coeff_a", op.attrs.getFloat("cubic_coeff_a", -0.75));
  for (const char* flag : {"exclude_outside", "antialias"})
    if (op.attrs.getInt(flag, 0) != 0)
      attrs.set(flag, op.attrs.getInt(flag));
  if (coordinates == "tf_crop_and_resize") {
    std::vector<double> all(2 * from.rank(), 0.0);
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(from.rank()), all.end(), 1.0);
    const std::vector<double> some = roi->value_or(all);
    const std::vector<int64_t> axes = op.attrs.getInts("axes");
    for (size_t i = 0; i < axes.size() && some.size() == 2 * axes.size(); ++i) {
      const auto axis =
          static_cast<size_t>(axes[i] < 0 ? axes[i] + static_cast<int64_t>(from.rank()) : axes[i]);
      all[axis] = some[i];
      all[axis + from.rank()] = some[i + axes.size()];
    }
    attrs.set("roi", axes.empty() ? some : all);
    attrs.set("extrapolation_value", op.attrs.getFloat("extrapolation_value", 0));
  }
  return std::optional<AttrMap>(std::move(attrs));
}

PassStatus resizeScaleExtract(Graph& graph, PassContext& context) {
  bool failed = false;
  const PassStatus status = forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Resize || !hasKnownTypes(graph, id))
      return false;
    Expected<std::optional<AttrMap>> attrs = canonical(graph, op);
    if (!attrs) {
      context.diagnostics.report(attrs.error().diagnostic());
      failed = true;
      return false;
    }
    if (!*attrs || (op.inputs.size() == 1 && op.attrs == **attrs))
      return false;
    rewriteInPlace(graph, id, OpKind::Resize, {op.input(0)}, std::move(**attrs));
    return true;
  });
  return failed ? PassStatus::Failed : status;
}

} // namespace

PassInfo resizeScaleExtractPass() {
  return functionPass("resize-scale-extract",
                      "scales and sampling rules of Resize become attributes",
                      ResizeScaleExtractDoc, resizeScaleExtract);
}

} // namespace tigris
