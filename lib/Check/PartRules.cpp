// Buffers count with all their bytes, because the loader does not compute boxes.
#include "tigris/Check/PartRules.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <map>

namespace tigris {

namespace {

class PartRules {
public:
  PartRules(const Graph& graph, const Stage& stage) : graph_(graph), stage_(stage) {}

  Status check() {
    if (Status status = findRoles(); !status)
      return status;
    if (Status status = checkCounts(); !status)
      return status;
    if (Status status = checkBuffers(); !status)
      return status;
    for (const OpId id : stage_.ops)
      if (Status status = checkApart(graph_.op(id)); !status)
        return status;
    return {};
  }

private:
  struct Role {
    const PartBuffer* buffer = nullptr;
    bool isInPlace = false;
    bool isLoad = false;
    bool isStore = false;
    bool isRead = false;
    bool isWritten = false;
  };

  template <typename... Args> static Error fail(const Args&... text) {
    return makeError(DiagId::BadPlan, text...);
  }
  std::string quoted(TensorId tensor) const {
    return strCat("tensor '", graph_.tensor(tensor).name, "'");
  }
  bool isActivation(TensorId tensor) const { return tensor && !graph_.tensor(tensor).isConstant(); }

  /// Determines how the stage uses each buffer.
  Status findRoles() {
    stage_.eachBuffer([&](const auto& buffer) {
      roles_.emplace(buffer.tensor, Role{&buffer, isInPlace(buffer)});
    });
    const auto mark = [&](const std::vector<TensorId>& tensors, bool Role::*what) -> Status {
      for (const TensorId tensor : tensors) {
        if (!isActivation(tensor))
          continue;
        const auto found = roles_.find(tensor);
        if (found == roles_.end())
          return fail(quoted(tensor), " has no buffer");
        found->second.*what = true;
      }
      return {};
    };
    if (Status status = mark(stage_.loads, &Role::isLoad); !status)
      return status;
    if (Status status = mark(stage_.spills, &Role::isStore); !status)
      return status;
    for (const OpId id : stage_.ops) {
      if (Status status = mark(graph_.op(id).inputs, &Role::isRead); !status)
        return status;
      if (Status status = mark(graph_.op(id).outputs, &Role::isWritten); !status)
        return status;
    }
    return {};
  }

  /// Of a recurrent layer: the counts of single steps, directions and sequences. The last state
  /// alone, as result, has no axis of steps.
  std::optional<TileCounts> recurrentCounts() const {
    std::optional<BoxAccess> access;
    if (stage_.tiled() != nullptr && stage_.ops.size() == 1)
      access = BoxAccess::make(graph_, graph_.op(stage_.ops[0]));
    if (!access || !access->carriesState())
      return std::nullopt;
    const Box& space = access->space();
    return TileCounts{space.axes[0].size(), space.axes[1].size(), space.axes[2].size(), 1};
  }

  /// The most parts along each axis.
  TileCounts mostCounts(int64_t& elements) const {
    TileCounts most = {1, 1, 1, 1};
    for (const auto& [id, role] : roles_) {
      if (!role.isStore && !(stage_.streamed() != nullptr && role.isLoad))
        continue;
      const Shape& shape = graph_.tensor(id).shape;
      for (size_t axis = 0; axis < std::min(shape.rank(), most.size()); ++axis)
        most.at(axis) = std::max(most.at(axis), shape[axis]);
      elements = std::max(elements, shape.elements());
    }
    return most;
  }

  Status checkCounts() const {
    int64_t elements = 1;
    const std::optional<TileCounts> recurrent = recurrentCounts();
    const TileCounts most = recurrent ? *recurrent : mostCounts(elements);
    if (recurrent)
      elements = most[0] * most[1] * most[2];
    const TileCounts counts = stage_.counts();
    for (size_t axis = 0; axis < most.size(); ++axis)
      if (const int64_t tiles = counts.at(axis); tiles > most.at(axis))
        return fail("cuts axis ", axis, " into ", tiles, " tiles, expected ", most.at(axis));
      else if (tiles > elements)
        return fail("has more tiles than the ", elements, " elements of its largest tensor");
      else
        elements /= tiles;
    return {};
  }

  Status checkBuffers() const {
    Status status;
    stage_.eachBuffer([&](const auto& buffer) {
      if (status)
        status = checkBuffer(buffer);
    });
    return status;
  }

  Status checkBuffer(const StreamBuffer& buffer) const {
    if ((buffer.wait != 0 || buffer.sink) && roles_.at(buffer.tensor).isLoad)
      return fail(quoted(buffer.tensor), buffer.sink ? " is a sum of rows" : " waits for rows",
                  ", which only results do");
    if (Status status = checkRows(buffer); !status)
      return status;
    return checkBuffer(static_cast<const PartBuffer&>(buffer));
  }

  /// The numbers of rows that the executor counts, and buffers of whole tensors.
  Status checkRows(const StreamBuffer& buffer) const {
    const Role& role = roles_.at(buffer.tensor);
    const Tensor& tensor = graph_.tensor(buffer.tensor);
    const int64_t stripes = stage_.streamed()->stripes;
    for (const size_t axis : {RowAxis, ColumnAxis})
      if (axis < tensor.shape.rank() && (axis == RowAxis || stripes > 1) &&
          tensor.shape[axis] > StreamedStage::MaxRows)
        return fail(quoted(buffer.tensor), " has ", tensor.shape[axis], " indices on axis ", axis,
                    ", a streamed stage counts up to ", StreamedStage::MaxRows);
    if (buffer.wait > StreamedStage::MaxRows)
      return fail("the op that writes ", quoted(buffer.tensor), " waits for ", buffer.wait,
                  " rows, a streamed stage counts up to ", StreamedStage::MaxRows);
    const bool isByRows = (buffer.reloadAxes >> RowAxis & 1U) != 0;
    if (role.isLoad && isByRows && buffer.reloadAxes != PartStage::EveryAxis)
      return fail(quoted(buffer.tensor), " is loaded by rows, but not in every step");
    if (!buffer.inPlace)
      return {};
    if (!role.isLoad && !role.isStore)
      return fail(quoted(buffer.tensor), " is neither loaded nor stored, so it cannot be in place");
    if (stripes != 1)
      return fail(quoted(buffer.tensor), " is in place in a stage with stripes");
    if (buffer.bytes != 0 && buffer.bytes != tensor.bytes())
      return fail(quoted(buffer.tensor), " is in place with ", buffer.bytes, " bytes, it has ",
                  tensor.bytes());
    return {};
  }

  Status checkBuffer(const PartBuffer& buffer) const {
    const Role& role = roles_.at(buffer.tensor);
    const std::string tensor = quoted(buffer.tensor);
    if (role.isLoad && role.isStore)
      return fail(tensor, " is both loaded and stored");
    if (role.isLoad && role.isWritten)
      return fail(tensor, " is loaded and also computed by an op");
    if (role.isLoad && !role.isRead)
      return fail(tensor, " is loaded but never read");
    if (!role.isLoad && !role.isWritten)
      return fail(tensor, " is neither loaded nor computed");
    if (buffer.reloadAxes > (role.isLoad ? PartStage::EveryAxis : 0))
      return fail("reload_axes of ", tensor, " is ", buffer.reloadAxes, ", expected ",
                  role.isLoad ? "0 to 15" : "0 as it is not loaded");
    if (overlaps(buffer.offset, buffer.bytes, stage_.parts()->bookkeeping,
                 stage_.bookkeepingBytes()))
      return fail("the buffer of ", tensor, " overlaps the executor's bookkeeping");
    return {};
  }

  Status checkApart(const Op& op) const {
    for (const TensorId output : op.outputs)
      for (const TensorId input : op.inputs)
        if (isActivation(output) && isActivation(input))
          if (Status status = checkApart(op, input, output); !status)
            return status;
    if (op.outputs.size() > 1 && isActivation(op.outputs[0]) && isActivation(op.outputs[1]))
      return checkResultsApart(op);
    return {};
  }

  /// No op has more than two results with buffers.
  Status checkResultsApart(const Op& op) const {
    const PartBuffer& first = *roles_.at(op.outputs[0]).buffer;
    const PartBuffer& second = *roles_.at(op.outputs[1]).buffer;
    if (!overlaps(first.offset, first.bytes, second.offset, second.bytes))
      return {};
    return fail("op '", op.name, "' writes its results over each other: ", quoted(op.outputs[0]),
                " at ", first.offset, "..", first.offset + first.bytes, ", ", quoted(op.outputs[1]),
                " at ", second.offset, "..", second.offset + second.bytes);
  }

  Status checkApart(const Op& op, TensorId input, TensorId output) const {
    const PartBuffer& from = *roles_.at(input).buffer;
    const PartBuffer& to = *roles_.at(output).buffer;
    const bool areInPlace = roles_.at(input).isInPlace && roles_.at(output).isInPlace;
    if (areInPlace || !overlaps(from.offset, from.bytes, to.offset, to.bytes))
      return {};
    return fail("op '", op.name, "' writes over its operand ", quoted(input), ": its buffer at ",
                from.offset, "..", from.offset + from.bytes, ", the result's at ", to.offset, "..",
                to.offset + to.bytes);
  }

  static bool overlaps(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
    return a < b + bBytes && b < a + aBytes;
  }

  const Graph& graph_;
  const Stage& stage_;
  std::map<TensorId, Role> roles_;
};

} // namespace

Status checkPartRules(const Graph& graph, const Stage& stage) {
  return PartRules(graph, stage).check();
}

} // namespace tigris
