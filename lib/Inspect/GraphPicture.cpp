// The picture of a planned module.
#include "tigris/Analysis/Overflow.h"
#include "tigris/Check/Locations.h"
#include "tigris/Inspect/Overview.h"
#include "tigris/Inspect/PictureParts.h"

#include <map>

namespace tigris {

namespace {

class GraphPicture {
public:
  GraphPicture(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  PlanPicture make() {
    picture_.report = reportOf(graph_);
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage)
      addStage(stage);
    addPorts();
    addSlow();
    addQuants();
    return finishPicture(std::move(picture_));
  }

private:
  std::string typeOf(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return typeText(tensor.type, tensor.shape.dims());
  }

  std::vector<std::string> namesOf(const std::vector<TensorId>& ids) const {
    std::vector<std::string> names;
    for (const TensorId id : ids)
      names.push_back(graph_.tensor(id).name);
    return names;
  }

  std::vector<std::string> operandsOf(const std::vector<TensorId>& ids) const {
    std::vector<std::string> texts;
    for (const TensorId id : ids)
      texts.push_back(id ? strCat(graph_.tensor(id).name, " ", typeOf(id)) : "-");
    return texts;
  }

  void addBlock(std::string role, TensorId id, uint64_t offset, uint64_t bytes,
                const StepSpan& span, bool isThere = false) {
    picture_.fast.push_back({graph_.tensor(id).name, typeOf(id), offset, bytes, span.first,
                             span.last, std::move(role), isThere});
  }

  static bool has(const std::vector<TensorId>& ids, TensorId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }

  static std::string roleOf(const Stage& stage, TensorId id, const char* otherwise) {
    return has(stage.loads, id) ? "load" : has(stage.spills, id) ? "spill" : otherwise;
  }
  static std::string roleOf(const Stage& stage, const PartBuffer& buffer) {
    return roleOf(stage, buffer.tensor, "tile");
  }
  static std::string roleOf(const Stage& stage, const StreamBuffer& buffer) {
    return buffer.sink ? "sums" : roleOf(stage, buffer.tensor, "tile");
  }

  /// Whether an earlier stage has left the tensor in fast memory.
  bool isThere(const Stage& stage, TensorId id) const {
    const auto makesIt = [&](OpId op) { return has(graph_.op(op).outputs, id); };
    const bool isLoaded = stage.parts() == nullptr && has(stage.loads, id);
    return !isLoaded && std::none_of(stage.ops.begin(), stage.ops.end(), makesIt);
  }

  void addStage(size_t index) {
    const Stage& stage = plan_.stages[index];
    const size_t begin = picture_.steps.size();
    const size_t last = begin + std::max<size_t>(stage.ops.size(), 1) - 1;
    std::map<TensorId, StepSpan> spans;
    const auto touch = [&](TensorId id, size_t step) {
      if (id)
        spans.try_emplace(id, StepSpan{step, step}).first->second.touch(step);
    };
    for (const OpId id : stage.ops) {
      const Op& op = graph_.op(id);
      const size_t step = picture_.steps.size();
      for (const auto* operands : {&op.inputs, &op.outputs})
        for (const TensorId operand : *operands)
          touch(operand, step);
      picture_.steps.push_back({op.name, std::string(op.kindName()), index, 0, 0});
      picture_.ops.push_back({op.name, std::string(op.kindName()),
                              op.act == Activation::None ? "" : std::string(activationName(op.act)),
                              operandsOf(op.inputs), operandsOf(op.outputs), op.origin});
    }
    // In tiles, parts are loaded before the op that reads them and stored after the op that writes
    // them.
    if (stage.parts() == nullptr) {
      for (const TensorId id : stage.loads)
        touch(id, begin);
      for (const TensorId id : stage.spills)
        touch(id, last);
    }
    const StepSpan throughout = {begin, last};
    for (const Placement& placement : stage.wholeTensors())
      if (const auto span = spans.find(placement.tensor); span != spans.end())
        addBlock(roleOf(stage, placement.tensor, "whole"), placement.tensor, placement.offset,
                 graph_.tensor(placement.tensor).bytes(),
                 stage.parts() != nullptr ? throughout : span->second,
                 isThere(stage, placement.tensor));
    if (stage.parts() != nullptr)
      addParts(stage, spans, throughout);
    picture_.stages.push_back({std::string(stageModeName(stage.mode())), begin, stage.ops.size(),
                               namesOf(stage.loads), namesOf(stage.spills)});
  }

  /// Buffers and bookkeeping of a tiled or streamed stage, whose ops use tensors during `spans`.
  void addParts(const Stage& stage, const std::map<TensorId, StepSpan>& spans,
                const StepSpan& throughout) {
    std::vector<TileBytes> places;
    stage.eachBuffer([&](const PartBuffer& buffer) {
      places.push_back({buffer.offset, buffer.bytes});
    });
    size_t next = 0;
    stage.eachBuffer([&](const auto& buffer) {
      const size_t index = next++;
      if (isInPlace(buffer)) // drawn with the resident tensors
        return;
      const std::string role = roleOf(stage, buffer);
      const auto span = spans.find(buffer.tensor);
      const bool whole = span == spans.end() || (role == "load" && isKept(buffer.reloadAxes)) ||
                         (stage.streamed() != nullptr && mayRoll(places, index));
      addBlock(role, buffer.tensor, buffer.offset, buffer.bytes, whole ? throughout : span->second);
    });
    picture_.fast.push_back({"(boxes)", "executor bookkeeping", stage.parts()->bookkeeping,
                             stage.bookkeepingBytes(), throughout.first, throughout.last,
                             "bookkeeping"});
  }

  void addPorts() {
    const Locations locations(graph_, plan_);
    for (const auto* ports : {&graph_.inputs(), &graph_.outputs()})
      for (const Port& port : *ports)
        if (const Location place = locations.findPort(port); place.memory == Memory::Fast)
          addArenaPort(picture_,
                       {graph_.tensor(port.tensor).name, typeOf(port.tensor), place.offset,
                        graph_.tensor(port.tensor).bytes(), 0, 0, "whole"},
                       ports == &graph_.inputs());
  }

  /// From the stage that writes the tensor to the last one that reads it; inputs and outputs live
  /// throughout.
  void addSlow() {
    const size_t end = picture_.steps.empty() ? 0 : picture_.steps.size() - 1;
    for (const Placement& placement : plan_.slow) {
      const Tensor& tensor = graph_.tensor(placement.tensor);
      StepSpan span{end, 0};
      for (size_t i = 0; i < plan_.stages.size(); ++i) {
        const Stage& stage = plan_.stages[i];
        const PictureStage& shown = picture_.stages[i];
        const size_t last = shown.first + std::max<size_t>(shown.count, 1) - 1;
        const bool whole =
            stage.mode() == StageMode::Whole && !has(usedInSlow(plan_, stage), placement.tensor);
        if (has(stage.loads, placement.tensor)) {
          span.touch(shown.first);
          span.touch(whole ? shown.first : last);
        }
        if (has(stage.spills, placement.tensor)) {
          span.touch(whole ? last : shown.first);
          span.touch(last);
        }
      }
      if (graph_.isGraphInput(placement.tensor))
        span.first = 0;
      if (graph_.isGraphOutput(placement.tensor))
        span.last = end;
      if (span.first > span.last)
        span = {0, end};
      picture_.slow.push_back({tensor.name, typeOf(placement.tensor), placement.offset,
                               tensor.bytes(), span.first, span.last, "slow"});
    }
  }

  void addQuants() {
    for (const TensorId id : graph_.tensors())
      if (const Tensor& tensor = graph_.tensor(id); tensor.quant && !tensor.quant->scale.empty())
        picture_.quants.push_back(
            {tensor.name, typeOf(id), scaleText(*tensor.quant), zeroPointText(*tensor.quant)});
  }

  const Graph& graph_;
  const Plan& plan_;
  PlanPicture picture_;
};

} // namespace

Expected<PlanPicture> pictureOf(const Graph& graph) {
  if (!graph.plan())
    return makeError(DiagId::BadPlan, "the graph has no plan to show; run tigris-plan first");
  return GraphPicture(graph, *graph.plan()).make();
}

} // namespace tigris
