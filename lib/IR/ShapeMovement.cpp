// Operators that keep the elements and change their dimensions or order.
#include "tigris/IR/ShapeRules.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <numeric>

namespace tigris::shape {

namespace {

/// Axes to squeeze or unsqueeze, ascending; nullopt if the operator lists none.
Expected<std::optional<std::vector<size_t>>> sortedAxes(const OpView& view, size_t rankOf) {
  auto given = view.ints("axes");
  if (!given)
    return given.takeError();
  if (!*given)
    return std::optional<std::vector<size_t>>();
  auto axes = view.axes("axes", **given, rankOf);
  if (!axes)
    return axes.takeError();
  std::sort(axes->begin(), axes->end());
  return std::optional(std::move(*axes));
}

Status requireNonNegative(const OpView& view, std::string_view name,
                          const std::vector<int64_t>& values) {
  for (const int64_t value : values)
    if (value < 0)
      return view.error(DiagId::BadAttr, "'", name, "' has the value ", value,
                        ", expected at least 0");
  return {};
}

/// The block size; requires X of rank 4.
Expected<int64_t> blockSize(const OpView& view) {
  if (Status status = view.requireRank(0, 4); !status)
    return status.takeError();
  const int64_t block = view.attrs().getInt("blocksize");
  if (block < 1 || block > INT16_MAX)
    return view.error(DiagId::BadAttr, "'blocksize' is ", block, ", expected at least 1");
  return block;
}

} // namespace

Results reshapeRule(const OpView& view) {
  auto wanted = view.requiredInts("shape");
  if (!wanted)
    return wanted.takeError();
  const Shape& x = view.shape(0);
  const bool allowZero = view.attrs().getInt("allowzero") != 0;
  std::optional<size_t> free;
  std::vector<int64_t> dims = *wanted;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allowZero) {
      if (i >= x.rank())
        return view.error(DiagId::BadShape, "'shape' copies dimension ", i, " of a tensor of rank ",
                          x.rank());
      dims[i] = x[i];
    }
    if (dims[i] < -1)
      return view.error(DiagId::BadAttr, "'shape' has the value ", dims[i],
                        ", expected at least -1");
    if (dims[i] == -1 && free)
      return view.error(DiagId::BadAttr, "'shape' has -1 at ", *free, " and at ", i);
    if (dims[i] == -1)
      free = i;
  }
  if (free) {
    dims[*free] = 1;
    const auto rest = Shape(dims).checkedElements();
    if (!rest || *rest == 0 || x.elements() % *rest != 0)
      return view.error(DiagId::BadShape, x.elements(), " elements of operand ", view.describe(0),
                        " do not fill a shape of [", join(*wanted, ", "), "]");
    dims[*free] = x.elements() / *rest;
  }
  Shape result(std::move(dims));
  const auto elements = result.checkedElements();
  if (!elements || *elements != x.elements())
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has ", x.elements(),
                      " elements (", x.str(), "), but the shape asked for is ", result.str());
  return single(view.type(0), std::move(result));
}

Results flattenRule(const OpView& view) {
  const Shape& x = view.shape(0);
  const int64_t given = view.attrs().getInt("axis", 1);
  const auto rank = static_cast<int64_t>(x.rank());
  if (given < -rank || given > rank)
    return view.error(DiagId::BadAttr, "'axis' is ", given, ", outside a tensor of rank ", rank);
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  return single(view.type(0), {x.elementsBefore(axis), x.elementsFrom(axis)});
}

Results squeezeRule(const OpView& view) {
  const Shape& x = view.shape(0);
  auto axes = sortedAxes(view, x.rank());
  if (!axes)
    return axes.takeError();
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool named = *axes && std::binary_search((*axes)->begin(), (*axes)->end(), i);
    if (named && x[i] != 1)
      return view.error(DiagId::BadShape, "axis ", i, " of operand ", view.describe(0), " has ",
                        x[i], " elements, expected 1");
    if (!named && (*axes || x[i] != 1))
      dims.push_back(x[i]);
  }
  return single(view.type(0), Shape(std::move(dims)));
}

Results unsqueezeRule(const OpView& view) {
  const Shape& x = view.shape(0);
  auto given = view.requiredInts("axes");
  if (!given)
    return given.takeError();
  auto axes = sortedAxes(view, x.rank() + given->size());
  if (!axes)
    return axes.takeError();
  std::vector<int64_t> dims = x.dims();
  for (const size_t axis : **axes)
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return single(view.type(0), Shape(std::move(dims)));
}

Results transposeRule(const OpView& view) {
  const Shape& x = view.shape(0);
  std::vector<int64_t> perm = view.attrs().getInts("perm");
  if (perm.empty()) {
    perm.resize(x.rank());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted.size() != x.rank() || sorted[i] != static_cast<int64_t>(i))
      return view.error(DiagId::BadAttr, "'perm' is [", join(perm, ", "),
                        "], expected an order of the axes 0 to ", x.rank(), " - 1");
  return single(view.type(0), permute(x, perm));
}

Results expandRule(const OpView& view) {
  auto wanted = view.requiredInts("shape");
  if (!wanted)
    return wanted.takeError();
  if (Status status = requireNonNegative(view, "shape", *wanted); !status)
    return status.takeError();
  const Shape target(std::move(*wanted));
  const auto result = broadcast(view.shape(0), target);
  if (!result)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " of shape ",
                      view.shape(0).str(), " does not broadcast to ", target.str());
  return single(view.type(0), *result);
}

Results tileRule(const OpView& view) {
  auto repeats = view.requiredInts("repeats");
  if (!repeats)
    return repeats.takeError();
  Shape result = view.shape(0);
  if (repeats->size() != result.rank())
    return view.error(DiagId::BadAttr, "'repeats' has ", repeats->size(), " values, expected ",
                      result.rank());
  if (Status status = requireNonNegative(view, "repeats", *repeats); !status)
    return status.takeError();
  for (size_t i = 0; i < result.rank(); ++i) {
    const auto dim = checkedMul(result[i], (*repeats)[i]);
    if (!dim)
      return view.error(DiagId::BadAttr, "'repeats' has the value ", (*repeats)[i],
                        ", which is too large");
    result[i] = *dim;
  }
  return single(view.type(0), std::move(result));
}

Results depthToSpaceRule(const OpView& view) {
  auto block = blockSize(view);
  if (!block)
    return block.takeError();
  if (Status status = view.oneOf("mode", "DCR", {"DCR", "CRD"}); !status)
    return status.takeError();
  Shape result = view.shape(0);
  const size_t channels = channelAxis(view.layout(), 4);
  const size_t height = firstSpatialAxis(view.layout());
  if (result[channels] % (*block * *block) != 0)
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " has ", result[channels],
                      " channels, which is not a multiple of ", *block * *block);
  result[channels] /= *block * *block;
  result[height] *= *block;
  result[height + 1] *= *block;
  return single(view.type(0), std::move(result));
}

Results spaceToDepthRule(const OpView& view) {
  auto block = blockSize(view);
  if (!block)
    return block.takeError();
  Shape result = view.shape(0);
  const size_t height = firstSpatialAxis(view.layout());
  for (const size_t axis : {height, height + 1}) {
    if (result[axis] % *block != 0)
      return view.error(DiagId::BadShape, "axis ", axis, " of operand ", view.describe(0), " has ",
                        result[axis], " elements, which is not a multiple of ", *block);
    result[axis] /= *block;
  }
  result[channelAxis(view.layout(), 4)] *= *block * *block;
  return single(view.type(0), std::move(result));
}

} // namespace tigris::shape
