// The content of a module.
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Check/Locations.h"
#include "tigris/Inspect/PlanContent.h"
#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

namespace {

class GraphContent {
public:
  explicit GraphContent(const Graph& graph)
      : graph_(graph), aliases_(graph, graph.order()), ids_(graph.tensors()) {
    for (size_t i = 0; i < ids_.size(); ++i)
      indexOf_.emplace(ids_[i], i);
    if (graph.plan())
      locations_.emplace(graph, *graph.plan());
  }

  PlanContent make() {
    for (const TensorId id : ids_)
      content_.tensors.push_back(recordOf(id));
    addLifetimes();
    for (const OpId id : graph_.order())
      content_.ops.push_back(recordOf(graph_.op(id)));
    if (graph_.plan()) {
      for (size_t stage = 0; stage < graph_.plan()->stages.size(); ++stage)
        addStage(stage);
      Expected<PlanPicture> picture = pictureOf(graph_);
      TIGRIS_CHECK(picture);
      content_.picture = std::move(*picture);
    }
    return std::move(content_);
  }

private:
  std::string roleOf(TensorId id) const {
    return graph_.tensor(id).isConstant() ? "constant"
           : graph_.isGraphInput(id)      ? "input"
           : graph_.isGraphOutput(id)     ? "output"
                                          : "activation";
  }

  TensorContent recordOf(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    TensorContent record;
    record.name = tensor.name;
    record.role = roleOf(id);
    record.type = tensor.type;
    if (tensor.hasShape) {
      record.shape = tensor.shape.dims();
      record.bytes = tensor.bytes();
    }
    if (const auto& quant = tensor.quant) {
      record.scales.assign(quant->scale.begin(), quant->scale.end());
      record.zeroPoints.assign(quant->zeroPoint.begin(), quant->zeroPoint.end());
      if (quant->perChannel())
        record.axis = quant->axis;
    }
    if (!tensor.isConstant() && aliases_.root(id) != id)
      record.viewOf = indexOf_.at(aliases_.root(id));
    return record;
  }

  void addLifetimes() {
    const std::vector<OpId>& order = graph_.order();
    const AliasSets separate(graph_, {});
    for (const LiveBuffer& buffer : computeLifetimes(graph_, order, separate, IoMode::Arena))
      for (const TensorId id : buffer.tensors) {
        content_.tensors[indexOf_.at(id)].birth = buffer.birth;
        content_.tensors[indexOf_.at(id)].death = buffer.death;
      }
    const auto buffers = computeLifetimes(graph_, order, aliases_, IoMode::Arena);
    content_.live = computeTimeline(buffers, order.size(), 1).live;
  }

  OpContent recordOf(const Op& op) const {
    OpContent record;
    record.name = op.name;
    record.kind = op.kindName();
    if (op.act != Activation::None)
      record.activation = activationName(op.act);
    record.attrs = op.attrs;
    for (const TensorId id : op.inputs)
      record.inputs.push_back({id ? std::optional(indexOf_.at(id)) : std::nullopt, "absent", {}});
    for (const TensorId id : op.outputs)
      record.outputs.push_back({id ? std::optional(indexOf_.at(id)) : std::nullopt, "absent", {}});
    record.origin = op.origin;
    return record;
  }

  OperandContent at(TensorId tensor, const Location& location) const {
    OperandContent record;
    if (tensor)
      record.tensor = indexOf_.at(tensor);
    static constexpr const char* Names[] = {"absent", "fast", "slow", "caller", "const", "tile"};
    record.memory = Names[static_cast<size_t>(location.memory)];
    if (location.memory != Memory::None && location.memory != Memory::Constant)
      record.offset = location.offset;
    return record;
  }

  void addStage(size_t index) {
    const Stage& stage = graph_.plan()->stages[index];
    StageContent record;
    record.mode = stageModeName(stage.mode());
    record.first = next_;
    record.count = stage.ops.size();
    for (const OpId id : stage.ops)
      place(graph_.op(id), index, content_.ops[next_++]);
    record.loads = transfersOf(index, stage.loads);
    record.spills = transfersOf(index, stage.spills);
    if (const PartStage* parts = stage.parts()) {
      record.parts = stage.counts();
      record.bookkeepingOffset = parts->bookkeeping;
      record.bookkeepingBytes = stage.bookkeepingBytes();
      stage.eachBuffer(
          [&](const auto& buffer) { record.buffers.push_back(recordOf(index, buffer)); });
    }
    content_.stages.push_back(std::move(record));
  }

  void place(const Op& op, size_t stage, OpContent& record) const {
    record.stage = stage;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      record.inputs[i] = at(op.inputs[i], locations_->find(stage, op.inputs[i]));
    for (size_t i = 0; i < op.outputs.size(); ++i)
      record.outputs[i] = at(op.outputs[i], locations_->find(stage, op.outputs[i]));
  }

  /// Loads or spills of whole tensors. Others are used in slow memory, or part by part.
  std::vector<TransferContent> transfersOf(size_t stage, const std::vector<TensorId>& ids) const {
    std::vector<TransferContent> records;
    for (const TensorId id : ids)
      if (const Location place = locations_->find(stage, id); place.memory == Memory::Fast)
        records.push_back({indexOf_.at(id), place.offset, locations_->findSlow(id).offset,
                           graph_.tensor(id).bytes()});
    return records;
  }

  BufferContent recordOf(size_t index, const PartBuffer& buffer) const {
    const Stage& stage = graph_.plan()->stages[index];
    const auto has = [&](const std::vector<TensorId>& ids) {
      return std::find(ids.begin(), ids.end(), buffer.tensor) != ids.end();
    };
    BufferContent record;
    record.tensor = indexOf_.at(buffer.tensor);
    record.offset = buffer.offset;
    record.bytes = buffer.bytes;
    record.load = has(stage.loads);
    record.store = !record.load && has(stage.spills);
    record.reloadAxes = record.load ? buffer.reloadAxes : 0;
    if (record.load || record.store)
      record.backing = at(buffer.tensor, locations_->findBacking(index, buffer.tensor));
    else
      record.backing.memory = "absent";
    return record;
  }

  BufferContent recordOf(size_t index, const StreamBuffer& buffer) const {
    BufferContent record = recordOf(index, static_cast<const PartBuffer&>(buffer));
    record.inPlace = buffer.inPlace;
    record.sink = buffer.sink;
    record.wait = record.load ? 0 : buffer.wait;
    return record;
  }

  const Graph& graph_;
  AliasSets aliases_;
  std::vector<TensorId> ids_;
  std::map<TensorId, size_t> indexOf_;
  std::optional<Locations> locations_;
  PlanContent content_;
  size_t next_ = 0;
};

} // namespace

PlanContent contentOf(const Graph& graph) { return GraphContent(graph).make(); }

} // namespace tigris
