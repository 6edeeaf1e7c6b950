// Recurrent layers: W is [directions, gates * hidden, inputs], R [directions, gates * hidden,
// hidden]. SVDF.
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

namespace {

Status requireType(const OpView& view, size_t index, DType expected) {
  if (view.type(index) == expected)
    return {};
  return view.error(DiagId::UnsupportedType, "operand ", view.describe(index), " is ",
                    dtypeName(view.type(index)), ", expected ", dtypeName(expected));
}

Status requireOperand(const OpView& view, size_t index, DType type, const Shape& shape) {
  if (Status status = requireType(view, index, type); !status)
    return status;
  return requireShape(view, index, shape);
}

} // namespace

Results integerLstmRule(const OpView& view) {
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
    if (Status status = view.requireRank(i, 3); !status)
      return status.takeError();
  if (Status status = view.oneOf("direction", "forward", {"forward", "reverse"}); !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  const int64_t hidden = view.shape(2)[2];
  const Sizes sizes{x[0], x[1], x[2], 1, hidden};
  const Shape state = {1, sizes.batch, hidden};
  for (Status status :
       {requireOperand(view, 1, DType::Int8, {1, 4 * hidden, sizes.inputs}),
        requireOperand(view, 2, DType::Int8, {1, 4 * hidden, hidden}),
        requireOperand(view, 3, DType::Int32, {1, 4 * hidden}),
        requireOperand(view, 4, view.type(0), state), requireOperand(view, 5, DType::Int16, state)})
    if (!status)
      return status.takeError();
  auto y = sequence(view, sizes);
  if (!y)
    return y.takeError();
  return std::vector<ResultType>{{view.type(0), std::move(*y)}, {DType::Int16, state}};
}

Results svdfRule(const OpView& view) {
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
    if (Status status = view.requireRank(i, 2); !status)
      return status.takeError();
  const int64_t rank = view.attrs().getInt("rank");
  const Shape& x = view.shape(0);
  const int64_t filters = view.shape(2)[0];
  if (rank < 1 || filters % rank != 0)
    return view.error(DiagId::BadAttr, "'rank' is ", rank, ", expected a divisor of the ", filters,
                      " filters");
  const bool isFloat = view.type(0) == DType::Float32;
  const Shape state = {x[0], filters * view.shape(2)[1]};
  for (Status status :
       {requireOperand(view, 1, view.type(0), {filters, x[1]}),
        requireOperand(view, 3, isFloat ? DType::Float32 : DType::Int32, {filters / rank}),
        requireOperand(view, 4, view.type(2), state)})
    if (!status)
      return status.takeError();
  if (isFloat || view.type(2) != DType::Int16)
    if (Status status = requireType(view, 2, view.type(0)); !status)
      return status.takeError();
  return std::vector<ResultType>{{view.type(0), {x[0], filters / rank}}, {view.type(2), state}};
}

} // namespace tigris::shape
