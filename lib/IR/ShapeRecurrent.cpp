// Recurrent layers: W is [directions, gates * hidden, inputs], R [directions, gates * hidden,
// hidden].
#include "tigris/IR/ShapeRules.h"

namespace tigris::shape {

namespace {

struct Sizes {
  int64_t steps;
  int64_t batch;
  int64_t inputs;
  int64_t directions;
  int64_t hidden;
};

Status requireShape(const OpView& view, size_t index, const Shape& expected) {
  if (!view.has(index) || view.shape(index) == expected)
    return {};
  return view.error(DiagId::BadShape, "operand ", view.describe(index), " has shape ",
                    view.shape(index).str(), ", expected ", expected.str());
}

Expected<Sizes> sizesOf(const OpView& view, int64_t gates) {
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
    if (Status status = view.requireRank(i, 3); !status)
      return status.takeError();
  for (size_t i = 1; i < view.operandCount(); ++i)
    if (view.has(i))
      if (Status status = view.sameType(0, i); !status)
        return status.takeError();
  if (Status status = view.oneOf("direction", "forward", {"forward", "reverse", "bidirectional"});
      !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  const int64_t directions = view.attrs().getString("direction") == "bidirectional" ? 2 : 1;
  const Sizes sizes{x[0], x[1], x[2], directions, view.shape(2)[2]};
  if (Status status = requireShape(view, 1, {sizes.directions, gates * sizes.hidden, sizes.inputs});
      !status)
    return status.takeError();
  if (Status status = requireShape(view, 2, {sizes.directions, gates * sizes.hidden, sizes.hidden});
      !status)
    return status.takeError();
  if (Status status = requireShape(view, 3, {sizes.directions, 2 * gates * sizes.hidden}); !status)
    return status.takeError();
  for (const size_t state : {size_t{4}, size_t{5}})
    if (Status status = requireShape(view, state, {sizes.directions, sizes.batch, sizes.hidden});
        !status)
      return status.takeError();
  return sizes;
}

Expected<Shape> sequence(const OpView& view, const Sizes& sizes) {
  const int64_t rows = view.attrs().getInt("rows");
  if (rows != 0 && (rows < 2 || rows > sizes.steps))
    return view.error(DiagId::BadAttr, "'rows' is ", rows, ", expected 0, or 2 to ", sizes.steps);
  return Shape{rows == 0 ? sizes.steps : rows, sizes.directions, sizes.batch, sizes.hidden};
}

} // namespace

Results recurrentRule(const OpView& view) {
  const OpKind kind = view.op().kind;
  auto sizes = sizesOf(view, kind == OpKind::LSTM ? 4 : kind == OpKind::GRU ? 3 : 1);
  if (!sizes)
    return sizes.takeError();
  auto y = sequence(view, *sizes);
  if (!y)
    return y.takeError();
  std::vector<ResultType> results = {{view.type(0), std::move(*y)}};
  if (kind == OpKind::LSTM) {
    if (Status status = requireShape(view, 6, {sizes->directions, 3 * sizes->hidden}); !status)
      return status.takeError();
    results.push_back({view.type(0), {sizes->directions, sizes->batch, sizes->hidden}});
  } else if (kind == OpKind::GRU) {
    results.push_back({view.type(0), {sizes->hidden}});
  } else if (Status status = view.oneOf("activation", "Tanh", {"Tanh", "Relu"}); !status) {
    return status.takeError();
  }
  return results;
}

} // namespace tigris::shape
