// Looks at buffers and addresses.
#include "StageFeatures.h"

#include <algorithm>
#include <functional>
#include <map>

namespace tigris::property {

namespace {

bool hasBuffer(const Stage& stage, bool StreamBuffer::*property) {
  const StreamedStage* stream = stage.streamed();
  return stream != nullptr &&
         std::any_of(stream->buffers.begin(), stream->buffers.end(), std::mem_fn(property));
}

} // namespace

bool worksInPlace(const Stage& stage) { return hasBuffer(stage, &StreamBuffer::inPlace); }

bool hasSink(const Stage& stage) { return hasBuffer(stage, &StreamBuffer::sink); }

bool isStriped(const Stage& stage) {
  return stage.streamed() != nullptr && stage.streamed()->stripes > 1;
}

uint64_t opsOverOperands(const Graph& graph, const Stage& stage) {
  if (stage.mode() != StageMode::Whole)
    return 0;
  std::map<TensorId, uint64_t> offsets;
  for (const Placement& placement : stage.wholeTensors())
    offsets.emplace(placement.tensor, placement.offset);
  const auto isOver = [&](OpId id) {
    const Op& op = graph.op(id);
    const auto result = offsets.find(op.output());
    return op.kind != OpKind::Reshape && result != offsets.end() &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
             const auto operand = offsets.find(input);
             return operand != offsets.end() && operand->second == result->second;
           });
  };
  return static_cast<uint64_t>(std::count_if(stage.ops.begin(), stage.ops.end(), isOver));
}

bool hasOverlap(const Graph& graph, const Stage& stage) {
  if (stage.streamed() == nullptr)
    return false;
  const auto end = [&](const Placement& place) {
    return place.offset + graph.tensor(place.tensor).bytes();
  };
  for (const Placement& a : stage.streamed()->residents)
    for (const Placement& b : stage.streamed()->residents)
      if (a.tensor != b.tensor && a.offset < end(b) && b.offset < end(a))
        return true;
  return false;
}

} // namespace tigris::property
