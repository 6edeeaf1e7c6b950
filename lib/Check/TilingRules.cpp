// Buffers count with all their bytes, because the loader does not compute boxes.
#include "tigris/Check/TilingRules.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <map>

namespace tigris {

namespace {

class TilingRules {
public:
  TilingRules(const Graph& graph, const Stage& stage)
      : graph_(graph), stage_(stage), tiling_(*stage.tiling) {}

  Status check() {
    if (Status status = findRoles(); !status)
      return status;
    if (Status status = checkCounts(); !status)
      return status;
    for (const TileBuffer& buffer : tiling_.buffers)
      if (Status status = checkBuffer(buffer); !status)
        return status;
    for (const OpId id : stage_.ops)
      if (Status status = checkApart(graph_.op(id)); !status)
        return status;
    return {};
  }

private:
  struct Role {
    const TileBuffer* buffer = nullptr;
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
  bool isStreamed() const { return stage_.mode == StageMode::Streamed; }
  bool isActivation(TensorId tensor) const { return tensor && !graph_.tensor(tensor).isConstant(); }

  /// Determines how the stage uses each buffer.
  Status findRoles() {
    for (const TileBuffer& buffer : tiling_.buffers)
      roles_.emplace(buffer.tensor, Role{&buffer});
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

  Status checkCounts() const {
    std::array<int64_t, Tiling::MaxRank> most = {1, 1, 1, 1};
    int64_t elements = 1;
    for (const auto& [id, role] : roles_) {
      if (!role.isStore && !(isStreamed() && role.isLoad))
        continue;
      const Shape& shape = graph_.tensor(id).shape;
      for (size_t axis = 0; axis < std::min(shape.rank(), most.size()); ++axis)
        most.at(axis) = std::max(most.at(axis), shape[axis]);
      elements = std::max(elements, shape.elements());
    }
    if (isStreamed())
      most.back() = 1;
    for (size_t axis = 0; axis < most.size(); ++axis)
      if (const int64_t tiles = tiling_.tiles.at(axis); tiles > most.at(axis))
        return fail("cuts axis ", axis, " into ", tiles, " tiles, expected ", most.at(axis));
      else if (tiles > elements)
        return fail("has more tiles than the ", elements, " elements of its largest tensor");
      else
        elements /= tiles;
    return {};
  }

  Status checkBuffer(const TileBuffer& buffer) const {
    const Role& role = roles_.at(buffer.tensor);
    const std::string tensor = quoted(buffer.tensor);
    constexpr uint32_t EveryAxis = (1U << Tiling::MaxRank) - 1;
    if (role.isLoad && role.isStore)
      return fail(tensor, " is both loaded and stored");
    if (role.isLoad && role.isWritten)
      return fail(tensor, " is loaded and also computed by an op");
    if (role.isLoad && !role.isRead)
      return fail(tensor, " is loaded but never read");
    if (!role.isLoad && !role.isWritten)
      return fail(tensor, " is neither loaded nor computed");
    if (buffer.reloadAxes > (role.isLoad ? EveryAxis : 0))
      return fail("reload_axes of ", tensor, " is ", buffer.reloadAxes, ", expected ",
                  role.isLoad ? "0 to 15" : "0 as it is not loaded");
    if ((buffer.wait != 0 || buffer.sink) && (role.isLoad || !isStreamed()))
      return fail(tensor, buffer.sink ? " is a sum of rows" : " waits for rows",
                  ", which only results of streamed stages do");
    if (overlaps(buffer.offset, buffer.bytes, tiling_.bookkeeping, bookkeepingBytes(stage_)))
      return fail("the buffer of ", tensor, " overlaps the executor's bookkeeping");
    return {};
  }

  Status checkApart(const Op& op) const {
    for (const TensorId output : op.outputs)
      for (const TensorId input : op.inputs)
        if (isActivation(output) && isActivation(input))
          if (Status status = checkApart(op, input, output); !status)
            return status;
    return {};
  }

  Status checkApart(const Op& op, TensorId input, TensorId output) const {
    const TileBuffer& from = *roles_.at(input).buffer;
    const TileBuffer& to = *roles_.at(output).buffer;
    if ((from.inPlace && to.inPlace) || !overlaps(from.offset, from.bytes, to.offset, to.bytes))
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
  const Tiling& tiling_;
  std::map<TensorId, Role> roles_;
};

} // namespace

Status checkTilingRules(const Graph& graph, const Stage& stage) {
  return TilingRules(graph, stage).check();
}

} // namespace tigris
