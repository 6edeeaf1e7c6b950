// Access rules: one builder function per rule that Ops.def names.
#include "tigris/Analysis/BoxAccess.h"

#include "tigris/Analysis/ResizeTables.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>

namespace tigris {

namespace {

/// The space of a recurrent layer.
constexpr size_t StepAxis = 0;
constexpr size_t DirectionAxis = 1;
constexpr size_t BatchAxis = 2;
constexpr size_t UnitAxis = 3;

} // namespace

bool onlyMovesBytes(OpKind kind) { return opInfo(kind).opClass == OpClass::Movement; }

class AccessBuilder {
public:
  AccessBuilder(const Graph& graph, const Op& op)
      : graph_(graph), op_(op), y_(graph.tensor(op.output()).shape) {}

  std::optional<BoxAccess> build() {
    const bool isRecurrent = opInfo(op_.kind).opClass == OpClass::Recurrent;
    if ((op_.outputs.size() != 1 && !isRecurrent) || !fits(y_))
      return std::nullopt;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (!op_.input(i)) {
        access_.inputs_.emplace_back();
        continue;
      }
      if (!isConstant(i) && !fits(shape(i)))
        return std::nullopt;
      std::array<AxisAccess, Box::MaxRank> all;
      for (size_t axis = 0; axis < shape(i).rank() && axis < all.size(); ++axis)
        all.at(axis).size = shape(i)[axis];
      access_.inputs_.push_back(std::move(all));
    }
    access_.space_ = wholeBox(y_);
    for (size_t axis = 0; axis < y_.rank(); ++axis)
      cut(axis).size = y_[axis];
    for (const TensorId output : op_.outputs)
      if (!addResult(output))
        return std::nullopt;
    if (!addRules())
      return std::nullopt;
    if (op_.input(0) && isConstant(0))
      keepInOnePiece(0);
    return std::move(access_);
  }

private:
  using Kind = AxisAccess::Kind;

  static bool fits(const Shape& shape) {
    return shape.rank() >= 1 && shape.rank() <= Box::MaxRank && shape.elements() > 0;
  }
  const Shape& shape(size_t input) const { return graph_.tensor(op_.input(input)).shape; }
  bool isConstant(size_t input) const { return graph_.tensor(op_.input(input)).isConstant(); }
  /// A result whose box is that of the part.
  bool addResult(TensorId output) {
    if (!output)
      return false;
    BoxAccess::Axes& axes = access_.results_.emplace_back();
    const Shape& result = graph_.tensor(output).shape;
    for (size_t axis = 0; axis < result.rank() && axis < axes.size(); ++axis) {
      axes.at(axis).size = result[axis];
      axes.at(axis).kind = Kind::Same;
      axes.at(axis).axis = axis;
    }
    return true;
  }

  AxisAccess& rule(size_t input, size_t axis) { return access_.inputs_.at(input).at(axis); }
  BoxAccess::Cut& cut(size_t axis) { return access_.cuts_.at(axis); }
  void never(size_t axis) { cut(axis).kind = BoxAccess::Cut::Kind::Never; }

  void same(size_t input, size_t axis, size_t resultAxis) {
    rule(input, axis).kind = Kind::Same;
    rule(input, axis).axis = resultAxis;
  }

  /// Constants are stored in flash as a whole: only a part of the first axis of size > 1 is
  /// contiguous.
  void keepInOnePiece(size_t input) {
    const Shape& constant = shape(input);
    size_t leading = 0;
    while (leading < constant.rank() && constant[leading] == 1)
      ++leading;
    for (size_t axis = leading + 1; axis < constant.rank() && axis < Box::MaxRank; ++axis)
      if (rule(input, axis).kind != Kind::All)
        never(rule(input, axis).axis);
  }

  /// Applies the rule that Ops.def names. Returns false if every box of the result needs whole
  /// operands.
  bool addRules() {
    using Rule = bool (AccessBuilder::*)();
    static constexpr Rule Rules[] = {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  order, box, ...)                                                                 \
  &AccessBuilder::box,
#include "tigris/IR/Ops.def"
        &AccessBuilder::whole,
    };
    return (this->*Rules[static_cast<size_t>(op_.kind)])();
  }

  bool whole() { return false; }
  bool convolution() { return windows() && channels(); }
  bool pool() {
    same(0, y_.rank() - 1, y_.rank() - 1);
    return windows();
  }
  bool lines() { return wholeAxes(1); }
  bool norm() { return wholeAxes(y_.rank()); }
  bool elements() { return broadcast(op_.inputs.size()); }
  bool scale() { return broadcast(1); }

  /// Rows and columns of a window over [N, H, W, C] or [N, L, C].
  bool windows() {
    const Expected<Window> window = resolveWindow(op_, graph_);
    if (!window || y_.rank() < 3 || shape(0).rank() != y_.rank())
      return false;
    same(0, 0, 0);
    const size_t spatial = window->kernel.size();
    for (size_t i = 0; i < spatial; ++i) {
      AxisAccess& axis = rule(0, i + 1);
      axis.kind = isTransposed() ? Kind::Transposed : Kind::Window;
      axis.axis = i + 1;
      axis.stride = window->strides[i];
      axis.pad = window->pads[i];
      axis.reach = window->dilations[i] * (window->kernel[i] - 1) + 1;
      if (!seesInput(axis, y_[i + 1]))
        return false;
      axis.results = y_[i + 1];
    }
    return true;
  }

  bool isTransposed() const { return opInfo(op_.kind).opClass == OpClass::TransposedConvolution; }

  /// Every result must have at least one input; otherwise a part of the result could have none.
  static bool seesInput(const AxisAccess& axis, int64_t results) {
    const auto sees = [&](int64_t at) { return axis.need({at, at + 1}).size() > 0; };
    // Only transposed windows with gaps can miss all inputs other than at the ends.
    const bool gaps = axis.kind == Kind::Transposed && axis.reach < axis.stride;
    for (int64_t at = 0; gaps && at < results; ++at)
      if (!sees(at))
        return false;
    return sees(0) && sees(results - 1);
  }

  bool channels() {
    const size_t last = y_.rank() - 1;
    const int64_t in = shape(0)[last];
    const int64_t groups = op_.attrs.getInt("group", 1);
    AxisAccess& axis = rule(0, last);
    if (groups == 1)
      return true;
    axis.axis = last;
    if (!isTransposed() && groups == in) {
      axis.kind = Kind::Divide;
      axis.ratio = y_[last] / in;
      cut(last).kind = axis.ratio == 1 ? BoxAccess::Cut::Kind::Free : BoxAccess::Cut::Kind::Divisor;
      cut(last).groups = in;
      return true;
    }
    axis.kind = Kind::Groups;
    axis.groupIn = in / groups;
    axis.groupOut = y_[last] / groups;
    cut(last).kind = BoxAccess::Cut::Kind::Groups;
    cut(last).groups = groups;
    return true;
  }

  bool globalPool() {
    const size_t last = shape(0).rank() - 1;
    if (shape(0)[0] != y_[0] || shape(0)[last] != y_.fromBack(0) || y_.rank() < 2)
      return false;
    same(0, 0, 0);
    same(0, last, y_.rank() - 1);
    return true;
  }

  bool argMax() {
    const size_t rank = shape(0).rank();
    const auto axis = normalizeAxis(op_.attrs.getInt("axis"), rank);
    if (!axis)
      return false;
    std::vector<bool> reduced(rank, false);
    reduced[*axis] = true;
    return reduce(reduced);
  }

  bool reduction() {
    const size_t rank = shape(0).rank();
    std::vector<bool> reduced(rank, op_.attrs.getInts("axes").empty());
    for (const int64_t given : op_.attrs.getInts("axes")) {
      const auto axis = normalizeAxis(given, rank);
      if (!axis)
        return false;
      reduced[*axis] = true;
    }
    return reduce(reduced);
  }

  bool reduce(const std::vector<bool>& reduced) {
    const size_t rank = reduced.size();
    const bool keeps = y_.rank() == rank;
    size_t result = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      if (!reduced[axis])
        same(0, axis, result);
      if (keeps || !reduced[axis])
        ++result;
    }
    return true;
  }

  /// Whole lines along `axis`, or everything from `axis` on.
  bool wholeAxes(size_t count) {
    const auto first = normalizeAxis(op_.attrs.getInt("axis", -1), y_.rank());
    if (!first)
      return false;
    for (size_t axis = 0; axis < y_.rank(); ++axis)
      if (axis >= *first && axis < *first + count)
        never(axis);
      else
        same(0, axis, axis);
    return true;
  }

  bool product() {
    const size_t last = y_.rank() - 1;
    const Shape& a = shape(0);
    const Shape& b = shape(1);
    if (op_.attrs.getInt("transA") != 0 || a.rank() < 2 || b.rank() < 2)
      return false;
    alignLeading(0, a.rank() - 1, last);
    if (isConstant(1)) {
      if (b.rank() == 2)
        return a.rank() == y_.rank();
      // A constant is stored once, so a part of its columns would not be contiguous.
      for (size_t axis = 0; axis + 2 < y_.rank(); ++axis)
        never(axis);
      never(last);
      return true;
    }
    const bool transposed = op_.attrs.getInt("transB") != 0;
    alignLeading(1, b.rank() - 2, y_.rank() - 2);
    same(1, transposed ? b.rank() - 2 : b.rank() - 1, last);
    return true;
  }

  /// The first `count` axes of an operand follow the first `resultCount` of the result, aligned at
  /// their ends.
  void alignLeading(size_t input, size_t count, size_t resultCount) {
    for (size_t i = 0; i < count; ++i) {
      const size_t axis = count - 1 - i;
      if (resultCount > i && shape(input)[axis] != 1)
        same(input, axis, resultCount - 1 - i);
    }
  }

  bool concat() {
    const auto joined = normalizeAxis(op_.attrs.getInt("axis"), y_.rank());
    if (!joined)
      return false;
    never(*joined);
    for (size_t i = 0; i < op_.inputs.size(); ++i)
      for (size_t axis = 0; axis < y_.rank(); ++axis) {
        if (axis == *joined)
          continue;
        same(i, axis, axis);
        if (isConstant(i))
          never(axis);
      }
    return true;
  }

  bool slice() {
    const Expected<std::vector<SliceRange>> ranges = resolveSlice(op_, KnownValues(graph_));
    if (!ranges)
      return false;
    for (size_t axis = 0; axis < y_.rank(); ++axis) {
      AxisAccess& access = rule(0, axis);
      access.kind = Kind::Affine;
      access.axis = axis;
      access.pad = (*ranges)[axis].start;
      access.stride = (*ranges)[axis].count == 1 ? 1 : (*ranges)[axis].step;
    }
    return true;
  }

  /// Gather: a table of indices along one axis, which stays whole.
  bool gather() {
    const auto axis = normalizeAxis(op_.attrs.getInt("axis"), shape(0).rank());
    if (!axis || !isConstant(1) || shape(1).rank() != 1)
      return false;
    never(*axis);
    for (size_t other = 0; other < y_.rank(); ++other)
      if (other != *axis)
        same(0, other, other);
    return true;
  }

  /// Whether all operands of an op with indices have boxes. Indices that are also another operand
  /// would need two.
  bool hasIndices() const {
    size_t uses = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      uses += op_.input(i) == op_.input(1) ? 1 : 0;
      if (!fits(shape(i)))
        return false;
    }
    return uses == 1;
  }

  bool keepConstantsInOnePiece(size_t input) {
    for (; input < op_.inputs.size(); ++input)
      if (isConstant(input))
        keepInOnePiece(input);
    return true;
  }

  bool gatherElements() { return byElement(true); }
  bool scatterElements() { return byElement(false); }

  /// Lines of data along `axis` are whole. The result of a gather is cut there, too. On the other
  /// axes all operands agree with the result, or nothing is cut.
  bool byElement(bool gathers) {
    const auto line = normalizeAxis(op_.attrs.getInt("axis"), y_.rank());
    if (!line || !hasIndices())
      return false;
    for (size_t axis = 0; axis < y_.rank(); ++axis) {
      if (axis == *line && gathers)
        same(1, axis, axis);
      else if (axis == *line || shape(0)[axis] != shape(1)[axis])
        never(axis);
      else
        for (size_t i = 0; i < op_.inputs.size(); ++i)
          same(i, axis, axis);
    }
    return keepConstantsInOnePiece(1);
  }

  /// The axes of an operand from `first` on follow those of the result from `resultFirst` on.
  void sameBlocks(size_t input, size_t first, size_t resultFirst) {
    for (size_t axis = first; axis < shape(input).rank(); ++axis)
      same(input, axis, resultFirst + axis - first);
  }

  /// Each tuple of indices selects a block of data in its batch.
  bool gatherNd() {
    const Shape& indices = shape(1);
    const auto batch = static_cast<size_t>(op_.attrs.getInt("batch_dims"));
    const size_t tuples = indices.rank() - 1;
    if (!hasIndices() || batch > tuples)
      return false;
    for (size_t axis = 0; axis < batch; ++axis)
      same(0, axis, axis);
    for (size_t axis = 0; axis < tuples; ++axis)
      same(1, axis, axis);
    sameBlocks(0, batch + static_cast<size_t>(indices.fromBack(0)), tuples);
    return keepConstantsInOnePiece(1);
  }

  /// Each tuple of indices selects a block of the result, which is cut inside the blocks.
  bool scatterNd() {
    const auto depth = static_cast<size_t>(shape(1).fromBack(0));
    if (!hasIndices())
      return false;
    for (size_t axis = 0; axis < depth; ++axis)
      never(axis);
    sameBlocks(0, depth, depth);
    sameBlocks(2, shape(1).rank() - 1, depth);
    return keepConstantsInOnePiece(1);
  }

  bool pad() {
    const Expected<AxisPads> pads = resolvePad(op_, y_.rank());
    if (!pads)
      return false;
    const bool reflects = op_.attrs.getString("mode", "constant") == "reflect";
    for (size_t axis = 0; axis < y_.rank(); ++axis) {
      AxisAccess& access = rule(0, axis);
      access.kind = reflects ? Kind::Reflect : Kind::Clamp;
      access.axis = axis;
      access.pad = pads->before[axis];
    }
    return true;
  }

  bool resize() {
    const Expected<ResizeTables> tables = resizeTables(op_, shape(0), y_);
    if (!tables)
      return false;
    same(0, 0, 0);
    same(0, y_.rank() - 1, y_.rank() - 1);
    addTable(1, tables->height);
    if (y_.rank() == 4)
      addTable(2, tables->width);
    return true;
  }

  void addTable(size_t axis, const AxisTable& table) {
    AxisAccess& access = rule(0, axis);
    access.kind = Kind::Table;
    access.axis = axis;
    const int64_t in = shape(0)[axis];
    for (const int32_t first : table.first) {
      access.table.push_back({insideAxis(first, in), insideAxis(first + table.taps - 1, in) + 1});
      access.tableHull = hull(access.tableHull, access.table.back());
    }
    access.results = static_cast<int64_t>(access.table.size());
  }

  /// The first `count` operands broadcast to the result; the others are per-channel constants.
  bool broadcast(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const size_t rank = shape(i).rank();
      for (size_t axis = 0; axis < rank; ++axis)
        if (shape(i)[axis] != 1)
          same(i, axis, y_.rank() - rank + axis);
      if (isConstant(i))
        keepInOnePiece(i);
    }
    return true;
  }

  /// The cell of an LSTM has directions, batch and units; the memory of a GRU is always whole.
  void extraResult(BoxAccess::Axes& axes) const {
    for (AxisAccess& axis : axes)
      axis.kind = Kind::All;
    if (op_.kind != OpKind::LSTM)
      return;
    axes[0].kind = axes[1].kind = Kind::Same;
    axes[0].axis = DirectionAxis;
    axes[1].axis = BatchAxis;
  }

  /// The hidden axis stays whole, because every unit needs the whole state. A part of Y keeps the
  /// state in the row of its last step; its first row must be another one.
  bool recurrent() {
    const int64_t steps = shape(0)[0];
    const bool keepsLast = y_[StepAxis] != steps;
    access_.carriesState_ = true;
    access_.isReversed_ = op_.attrs.getString("direction") == "reverse";
    access_.space_.axes[StepAxis] = {0, steps};
    cut(StepAxis).size = steps;
    cut(StepAxis).least = keepsLast ? 1 : 2;
    never(UnitAxis);
    same(0, 0, StepAxis);
    same(0, 1, BatchAxis);
    for (size_t i = 1; i < op_.inputs.size(); ++i) {
      if (!op_.input(i))
        continue;
      same(i, 0, DirectionAxis);
      if (i == 4 || i == 5) // initial states
        same(i, 1, BatchAxis);
      if (isConstant(i))
        keepInOnePiece(i);
    }
    if (keepsLast)
      access_.results_[0][StepAxis].kind = Kind::All;
    for (size_t i = 1; i < op_.outputs.size(); ++i)
      extraResult(access_.results_[i]);
    return true;
  }

  const Graph& graph_;
  const Op& op_;
  const Shape& y_;
  BoxAccess access_;
};

std::optional<BoxAccess> BoxAccess::make(const Graph& graph, const Op& op) {
  return AccessBuilder(graph, op).build();
}

Box BoxAccess::apply(const Axes& axes, const Box& part) {
  Box box;
  const bool nothing = part.empty();
  for (size_t axis = 0; axis < Box::MaxRank; ++axis) {
    const AxisAccess& access = axes.at(axis);
    box.axes.at(axis) = nothing ? Range{0, 0} : access.need(part.axes.at(access.axis));
  }
  return box;
}

Box BoxAccess::need(size_t input, const Box& part) const { return apply(inputs_[input], part); }

Box BoxAccess::made(size_t result, const Box& part) const { return apply(results_[result], part); }

bool BoxAccess::isCutAlong(size_t result, size_t axis) const {
  const Axes& axes = results_[result];
  return std::any_of(axes.begin(), axes.end(), [&](const AxisAccess& access) {
    return access.kind == AxisAccess::Kind::Same && access.axis == axis;
  });
}

Box BoxAccess::part(const Counts& counts, const Counts& index) const {
  Box part = space_;
  for (size_t axis = Box::MaxRank; axis-- > 0;) {
    // The direction is set before the steps; the second one is reversed.
    const bool fromEnd =
        carriesState_ && axis == StepAxis && (isReversed_ || part.axes[DirectionAxis].begin != 0);
    part.axes.at(axis) = partOf(space_.axes.at(axis).size(), counts.at(axis),
                                fromEnd ? counts.at(axis) - 1 - index.at(axis) : index.at(axis));
  }
  return part;
}

std::array<size_t, Box::MaxRank> BoxAccess::order() const {
  using Order = std::array<size_t, Box::MaxRank>;
  return carriesState_ ? Order{DirectionAxis, BatchAxis, UnitAxis, StepAxis} : Order{0, 1, 2, 3};
}

bool BoxAccess::canCutTogether(const Counts& counts) const {
  return !carriesState_ || counts[StepAxis] == 1 ||
         counts[DirectionAxis] == space_.axes[DirectionAxis].size();
}

uint64_t BoxAccess::neededElements(size_t input, const Box& whole) const {
  uint64_t elements = 1;
  for (const AxisAccess& access : inputs_[input])
    elements *= static_cast<uint64_t>(access.neededBy(whole.axes[access.axis].end));
  return elements;
}

bool BoxAccess::Cut::allows(Range part) const {
  switch (kind) {
  case Kind::Never:
    return part.size() == size;
  case Kind::Free:
    return part.size() == size || part.size() >= least;
  case Kind::Divisor:
  case Kind::Groups: {
    const int64_t group = size / groups;
    return part.begin / group == (part.end - 1) / group ||
           (part.begin % group == 0 && part.end % group == 0);
  }
  }
  return false;
}

bool BoxAccess::allows(const Box& part) const {
  for (size_t axis = 0; axis < Box::MaxRank; ++axis)
    if (!cuts_[axis].allows(part.axes[axis]))
      return false;
  return true;
}

bool BoxAccess::canCut(size_t axis, int64_t parts) const {
  const Cut& rule = cuts_.at(axis);
  if (parts == 1)
    return true;
  if (parts < 1 || parts > rule.size)
    return false;
  switch (rule.kind) {
  case Cut::Kind::Never:
    return false;
  case Cut::Kind::Free:
    return rule.size / parts >= rule.least;
  case Cut::Kind::Divisor:
    return rule.groups % parts == 0;
  case Cut::Kind::Groups:
    return rule.groups % parts == 0 || (parts % rule.groups == 0 && rule.size % parts == 0);
  }
  return false;
}

} // namespace tigris
